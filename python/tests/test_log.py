"""rewardsmith_log: what a training script may log, and that it never gets an exception for it."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = str(Path(__file__).resolve().parent.parent)
sys.path.insert(0, HERE)

import rewardsmith_log  # noqa: E402

WRITER = """
import sys, rewardsmith_log
for step in range(200):
    assert rewardsmith_log.log(step=step, path=sys.argv[1], who=int(sys.argv[2]), **{"x" * 3000: 1})
"""


class Item:
    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value


class Log(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "deeper", "metrics.jsonl")
        environment = mock.patch.dict(os.environ, {"REWARDSMITH_LOG": self.path})
        environment.start()
        self.addCleanup(environment.stop)
        rewardsmith_log._said.clear()
        self.err = io.StringIO()
        quiet = contextlib.redirect_stderr(self.err)
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)

    def lines(self, name="metrics.jsonl"):
        return [json.loads(line) for line in Path(self.path).with_name(name).read_text("utf-8").splitlines()]

    def test_numbers_of_all_kinds(self):
        nan, inf = float("nan"), float("inf")
        self.assertTrue(
            rewardsmith_log.log(step=3, a=1, b=nan, c=inf, d=-inf, e=None, f=True, g=Item(0.5), h="text", i=[1])
        )
        (row,) = self.lines()
        self.assertEqual(row["step"], 3)
        self.assertGreater(row["at"], 1.6e12)
        self.assertEqual(
            row["values"],
            {
                "a": 1.0,
                "b": {"nonFinite": "nan"},
                "c": {"nonFinite": "inf"},
                "d": {"nonFinite": "-inf"},
                "e": None,
                "f": 1.0,
                "g": 0.5,
            },
        )
        self.assertIn("h is not a number", self.err.getvalue())

    def test_rollouts_stand_beside(self):
        self.assertTrue(
            rewardsmith_log.rollout(
                3, prompt=[{"role": "user", "content": "é"}], completion="4", reward=1.0, group="g", odd=object
            )
        )
        (row,) = self.lines("rollouts.jsonl")
        self.assertEqual((row["step"], row["prompt"][0]["content"], row["group"]), (3, "é", "g"))
        self.assertIn("class", row["odd"])

    def test_nothing_raises(self):
        recursive = []
        recursive.append(recursive)
        for step in (None, -1, 1.5, "x", float("nan")):
            self.assertFalse(rewardsmith_log.log(step=step, a=1))
        self.assertTrue(rewardsmith_log.rollout(1, "p", "c", recursive))
        os.makedirs(self.path + ".d")
        self.assertFalse(rewardsmith_log.log(step=1, path=self.path + ".d", a=1))
        with mock.patch.object(rewardsmith_log.os, "write", side_effect=OSError("no space left")):
            self.assertFalse(rewardsmith_log.log(step=1, a=1))
        with mock.patch.dict(os.environ):
            del os.environ["REWARDSMITH_LOG"]
            os.environ.pop("REWARDSMITH_METRICS", None)
            self.assertFalse(rewardsmith_log.log(step=1, a=1))
        said = self.err.getvalue()
        self.assertEqual(said.count("a step is not logged"), 1)
        self.assertIn("REWARDSMITH_LOG is not set", said)

    def test_a_line_cut_by_a_full_disk_spoils_no_other(self):
        real = os.write
        with mock.patch.object(rewardsmith_log.os, "write", side_effect=lambda fd, b: real(fd, b[:9])):
            self.assertFalse(rewardsmith_log.log(step=1, a=1))
        self.assertTrue(rewardsmith_log.log(step=2, a=1))
        last = Path(self.path).read_text("utf-8").splitlines()[-1]
        self.assertEqual(json.loads(last)["step"], 2)

    def test_processes_that_write_one_file_tear_no_line(self):
        jobs = [
            subprocess.Popen([sys.executable, "-c", WRITER, self.path, str(who)], env={**os.environ, "PYTHONPATH": HERE})
            for who in range(3)
        ]
        self.assertEqual([job.wait(60) for job in jobs], [0, 0, 0])
        rows = self.lines()
        self.assertEqual(len(rows), 600)
        for who in range(3):
            steps = [row["step"] for row in rows if row["values"]["who"] == who]
            self.assertEqual(steps, list(range(200)))


if __name__ == "__main__":
    unittest.main()
