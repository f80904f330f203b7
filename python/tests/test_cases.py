"""Cases from public bug reports (names as in the product's own list of cases)."""

import os
import unittest

from support import LINUX, PLAIN, WorkerTest, both_modes

CASES = os.path.join(os.path.dirname(__file__), "..", "..", "test", "fixtures", "cases")


def case(name):
    with open(os.path.join(CASES, name + "_reward.py"), encoding="utf-8") as file:
        return file.read()


S01 = case("S01")
S03 = case("S03")
S05 = """
def chat_reward(completions, **kwargs):
    replies = [turns[0]["content"] for turns in completions]
    return [1.0 if "42" in reply else 0.0 for reply in replies]

def first_item_reward(completions, **kwargs):
    return [1.0 if "42" in str(item[0]) else 0.0 for item in completions]
"""
S11 = case("S11")
S13 = case("S13")
B03 = r"""
import re

STEPS = re.compile(r"(?:<step>(?:\s*\w+\s*)+</step>)+")


def steps_reward(completions, **kwargs):
    return [1.0 if STEPS.fullmatch(text) else 0.0 for text in completions]
"""
B03_SAMPLES = [
    "<step>open the box</step>",
    "<step>word word word word word word word word word word word word",
    "no tags at all",
]
B15 = case("B15")
B15_SAMPLES = [
    "print(2 + 3)",
    "while True:\n    pass",
    "import time\nwhile True:\n    try:\n        time.sleep(1)\n    except BaseException:\n        pass",
    "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\nprint(5)",
    "print('5' * 3000000)",
    "print(2 + 2)",
]
L03 = """
import signal
import subprocess
import sys
import time


def stubborn_reward(completions, **kwargs):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"])
    time.sleep(900)
    return [0.0] * len(completions)
"""


class Cases(WorkerTest):
    @both_modes
    def test_S01_is_called_as_the_trainer_calls_it(self, mode):
        result = self.score(
            S01, ["It is because air.", "It just is."], mode, "because_reward", ids=[[1], [2]]
        )
        self.assertEqual(
            result.loaded["functions"][0]["bindError"],
            "because_reward() got an unexpected keyword argument 'completion_ids'",
        )
        self.assertEqual(result.unit["values"], [None, None])
        self.assertEqual(result.unit["states"], ["raised", "raised"])
        self.assertEqual(result.unit["failed"]["code"], "signature")

    def test_S01_without_the_extra_names_it_scores(self):
        plan = {
            "arguments": [
                {"name": "prompts", "from": "prompt"},
                {"name": "completions", "from": "completion"},
            ]
        }
        result = self.score(S01, ["because", "no"], name="because_reward", plan=plan)
        self.assertEqual(result.unit["values"], [1.0, 0.0])

    @both_modes
    def test_S03_wrong_counts_are_neither_spread_nor_cut(self, mode):
        worker = self.worker(mode)
        worker.samples(["hi", "hello", "hey", "yo"])
        names = ["one_for_all", "bare_number", "one_too_many", "generator_result"]
        result = worker.run(S03, names, [[0, 1, 2, 3]])
        one, bare, many, generator = result.units
        self.assertEqual(one["failed"], {"code": "wrong-count", "expected": 4, "got": 1, "text": "[1.0]"})
        self.assertEqual(bare["failed"], {"code": "not-a-list", "text": "1.0 (float)"})
        self.assertEqual((many["failed"]["expected"], many["failed"]["got"]), (4, 5))
        for unit in (one, bare, many):
            self.assertEqual((unit["values"], unit["states"]), ([None] * 4, ["invalid-return"] * 4))
        self.assertEqual(generator["values"], [2.0, 5.0, 3.0, 2.0])
        self.assertNotIn("states", generator)

    def test_S05_chat_and_text(self):
        chat = [
            [{"role": "assistant", "content": "It is 42."}],
            [{"role": "assistant", "content": "It is 24."}],
        ]
        for name in ("chat_reward", "first_item_reward"):
            self.assertEqual(self.score(S05, chat, name=name).unit["values"], [1.0, 0.0])
        text = self.score(S05, ["It is 42.", "It is 24."], name="chat_reward").unit
        self.assertEqual(text["states"], ["raised"] * 2)
        self.assertEqual((text["failed"]["type"], text["failed"]["line"]), ("TypeError", 3))
        self.assertIn("string indices must be integers", text["failed"]["text"])
        first = self.score(S05, ["It is 42.", "It is 24."], name="first_item_reward").unit
        self.assertEqual(first["values"], [0.0, 0.0])

    @both_modes
    def test_S11_three_ways_to_be_asynchronous(self, mode):
        worker = self.worker(mode)
        worker.samples(["short", "longer"])
        names = ["plain_async", "async_object", "sync_with_own_loop"]
        result = worker.run(S11, names, [[0, 1]])
        self.assertEqual([f["isAsync"] for f in result.loaded["functions"]], [True, False, False])
        self.assertEqual([f["asyncCall"] for f in result.loaded["functions"]], [False, True, False])
        plain, thing, own = result.units
        self.assertEqual(plain["values"], [0.5, 1.0])
        self.assertEqual(own["values"], [0.5, 1.0])
        self.assertEqual((thing["failed"]["code"], thing["states"]), ("coroutine", ["invalid-return"] * 2))
        self.assertNotIn("never awaited", thing.get("output", "") + worker.errors())

    def test_S11_newer_versions_await_objects_too(self):
        result = self.score(S11, ["short", "longer"], name="async_object", plan={"awaits": "callables"})
        self.assertEqual(result.unit["values"], [0.5, 1.0])

    @both_modes
    def test_S13_a_reward_that_changes_the_world(self, mode):
        def run():
            worker = self.worker(mode)
            worker.samples(["apple", "pear", "apple"])
            return worker.run(
                S13, ["reseeding_reward", "novelty_reward", "coin_reward"], [[0, 1, 2]], calls=2
            ).units

        units = run()
        reseeding, novelty, coin = units
        self.assertEqual(reseeding["changed"], ["random"])
        self.assertNotIn("again", reseeding)
        self.assertEqual(novelty["values"], [1.0, 1.0, 0.0])
        self.assertEqual(novelty["again"], [0.0, 0.0, 0.0])
        self.assertNotIn("changed", novelty)
        self.assertNotIn("drew", novelty)
        self.assertNotIn("changed", coin)
        self.assertEqual(coin["drew"], ["random"])
        self.assertNotEqual(coin["again"], coin["values"])
        # The state before each call is the same, whatever ran before it.
        self.assertEqual([unit["values"] for unit in run()], [unit["values"] for unit in units])
        worker = self.worker(mode)
        worker.samples(["apple", "pear", "apple"])
        alone = worker.run(S13, ["coin_reward"], [[0, 1, 2]]).unit
        self.assertEqual(alone["values"], coin["values"])

    @unittest.skipUnless(LINUX, "the parent's limits")
    def test_B03_a_pattern_that_never_ends_is_ended_and_named(self):
        worker = self.worker()
        worker.samples(B03_SAMPLES)
        result = worker.run(
            B03, ["steps_reward"], [[0], [1], [2]], isolated=True, limits={"unitSeconds": 0.6}
        )
        self.assertEqual(result.units[0]["values"], [1.0])
        self.assertEqual(result.frames[-2], {"t": "start", "job": 1, "fn": 0, "batch": 1})
        self.assertEqual(result.end["reason"], "unit-timeout")
        self.assertEqual(result.end["hangLine"], 8)
        self.assertEqual(
            result.end["hangText"], "return [1.0 if STEPS.fullmatch(text) else 0.0 for text in completions]"
        )
        self.assertEqual(worker.run(B03, ["steps_reward"], [[0], [2]]).units[1]["values"], [0.0])

    @unittest.skipUnless(LINUX, "asks the process table")
    def test_B15_leaves_no_process_behind(self):
        worker = self.worker()
        worker.samples(B15_SAMPLES)
        result = worker.run(B15, ["runs_reward"], [[0, 5], [1], [3]], limits={"unitSeconds": 15})
        self.assertEqual([unit["values"] for unit in result.units[:2]], [[1.0, 0.0], [0.0]])
        self.assertEqual(result.end["reason"], "done")
        self.assertEqual(result.end["killed"], 1)
        self.assertEqual(worker.left(0), [])

    @unittest.skipUnless(LINUX, "asks the process table")
    def test_L03_a_stubborn_worker_goes_with_the_engine(self):
        worker = self.worker()
        worker.samples(["a"])
        worker.start(L03, ["stubborn_reward"], [[0]], limits={"unitSeconds": 100})
        self.assertEqual(worker.frame()["t"], "loaded")
        self.wait_for(lambda: worker.left(0, "time.sleep(900)"))
        worker.process.stdin.close()
        self.assertEqual(worker.left(5), [])

    @unittest.skipUnless(LINUX, "asks the process table")
    def test_L03_cancel_ends_it_at_once(self):
        worker = self.worker()
        worker.samples(["a"])
        job = worker.start(L03, ["stubborn_reward"], [[0]], limits={"unitSeconds": 100})
        self.assertEqual(worker.frame()["t"], "loaded")
        self.wait_for(lambda: worker.left(0, "time.sleep(900)"))
        worker.request({"t": "cancel", "job": job["job"]})
        end = worker.until_end(job["job"])[-1]
        self.assertEqual((end["reason"], end["killed"]), ("cancelled", 1))
        self.assertEqual(worker.left(0), [])

    def test_plain_functions_are_called_by_sample_with_the_names_they_ask_for(self):
        text = "def score(completion, gold):\n    return None if gold is None else 1 / gold\n"
        result = self.score(
            text, ["a", "b", "c"], name="score", plan=PLAIN, columns={"gold": [2, None, 0], "x": [1, 2, 3]}
        )
        self.assertEqual(result.unit["values"], [0.5, None, None])
        self.assertEqual(result.unit["states"], ["scored", "not-applicable", "raised"])
        self.assertEqual(result.unit["reasons"]["2"]["type"], "ZeroDivisionError")
        self.assertNotIn("failed", result.unit)


if __name__ == "__main__":
    unittest.main()
