"""Arguments, results, reasons, token ids, random state, limits and order of frames."""

import sys
import time
import unittest

from support import LINUX, PLAIN, WorkerTest, both_modes

LENGTHS = "def reward(completions, **kwargs):\n    return [float(len(text)) for text in completions]\n"


class Arguments(WorkerTest):
    def test_every_keyword_of_the_trainer(self):
        text = """
def reward(prompts, completions, completion_ids, gold, trainer_state, log_extra, log_metric, **kwargs):
    assert not kwargs, kwargs
    log_extra("extracted", completions)
    log_metric("hits", 1.0)
    state = trainer_state
    assert (state.global_step, state.epoch, state.max_steps, state.log_history) == (0, 0, 0, [])
    assert state.is_world_process_zero and state.save_steps == 500
    return [len(p) + len(c) + len(i) + g for p, c, i, g in zip(prompts, completions, completion_ids, gold)]
"""
        result = self.score(
            text, ["a", "bb"], prompts=["ppp", "p"], ids=[[1, 2], [3]], columns={"gold": [10, 20]}
        )
        self.assertEqual(result.unit["values"], [16.0, 24.0])
        self.assertEqual(result.unit["logged"], ["extracted", "hits"])

    def test_each_batch_gets_fresh_lists_and_cells(self):
        text = """
def reward(prompts, completions, info, **kwargs):
    seen = [len(m) for m in completions] + [i["n"] for i in info]
    for c in completions: c.append({"role": "x"})
    for i in info: i["n"] = 99
    completions.clear()
    return [float(sum(seen))] * len(prompts)
"""
        chat = [[{"role": "assistant", "content": "a"}]] * 2
        result = self.score(
            text, chat, batches=[[0, 1], [0, 1], [1]], columns={"info": [{"n": 1}, {"n": 2}]}, calls=2
        )
        self.assertEqual([unit["values"] for unit in result.units], [[5.0, 5.0], [5.0, 5.0], [3.0]])
        self.assertFalse(any("again" in unit for unit in result.units))

    def test_python_values_come_as_the_file_says(self):
        text = "def reward(completions, v, **kwargs):\n    print(repr(v[:2] + [v[2] == 10**5000] + v[3:]))\n    return [1.0] * len(v)\n"
        worker = self.worker("fork" if LINUX else "spare", checked=False)
        if hasattr(sys, "set_int_max_str_digits"):
            self.addCleanup(sys.set_int_max_str_digits, sys.get_int_max_str_digits())
            sys.set_int_max_str_digits(0)
        worker.samples(["a"] * 6, v=[4.0, 4, 10**5000, float("inf"), "\ud83d", None])
        result = worker.run(text, ["reward"], [[0, 1, 2, 3, 4, 5]])
        self.assertEqual(result.unit["output"], "[4.0, 4, True, inf, '\\ud83d', None]\n")

    def test_named_passing_gives_only_what_is_asked_for(self):
        text = "def one(completion): return len(completion)\ndef all(**kwargs): return len(kwargs)\n"
        worker = self.worker("fork" if LINUX else "spare")
        worker.samples(["a", "bb"], gold=[1, 2])
        plan = dict(PLAIN)
        result = worker.run(text, ["one", "all"], [[0, 1]], plan=plan)
        self.assertEqual([unit["values"] for unit in result.units], [[1.0, 2.0], [3.0, 3.0]])
        missing = worker.run if LINUX else None
        if missing:
            failed = missing("def one(completion, other): return 1\n", ["one"], [[0, 1]], plan=plan)
            self.assertEqual(
                failed.loaded["functions"][0]["bindError"], "one() missing a required argument: 'other'"
            )

    def test_rows_and_functions_in_order(self):
        text = (
            LENGTHS + "def second(completions, **kwargs):\n    return [-float(len(t)) for t in completions]\n"
        )
        worker = self.worker("fork" if LINUX else "spare")
        worker.samples(["a", "bb", "ccc"])
        result = worker.run(text, ["reward", "second"], [[2, 0], [1]], isolated=True)
        self.assertEqual(
            [
                (frame["t"], frame.get("fn"), frame.get("batch"), frame.get("values"))
                for frame in result.frames[1:-1]
            ],
            [
                ("start", 0, 0, None),
                ("unit", 0, 0, [3.0, 1.0]),
                ("start", 0, 1, None),
                ("unit", 0, 1, [2.0]),
                ("start", 1, 0, None),
                ("unit", 1, 0, [-3.0, -1.0]),
                ("start", 1, 1, None),
                ("unit", 1, 1, [-2.0]),
            ],
        )

    @both_modes
    def test_samples_in_parts(self, mode):
        worker = self.worker(mode)
        part = {"set": "s", "total": 3, "prompt": None, "completionIds": None}
        worker.request(
            {"t": "samples", "part": dict(part, count=1, completion=["a"], columns={"x": [1]}, **{"from": 0})}
        )
        worker.request(
            {
                "t": "samples",
                "part": dict(part, count=2, completion=["b", "c"], columns={"y": [2, 3]}, **{"from": 1}),
            }
        )
        text = "def reward(completions, x, y, **kwargs):\n    print(x, y)\n    return [1.0] * len(x)\n"
        result = worker.run(text, ["reward"], [[0, 1, 2]])
        self.assertEqual(result.unit["output"], "[1, None, None] [None, 2, 3]\n")


class Tokens(WorkerTest):
    def tokens(self, body, ids=None, completions=("a", "b"), **more):
        return self.score(
            "def reward(completions, completion_ids, **kwargs):\n    " + body + "\n",
            completions,
            ids=ids,
            **more,
        ).unit

    def test_reading_ids_that_are_not_there(self):
        for body in (
            "return [float(len(i)) for i in completion_ids]",
            "return [float(len(completion_ids[k])) for k in range(2)]",
            "return [float(len(i)) for c, i in zip(completions, completion_ids)]",
            "return [1.0] * len(completion_ids)",
            "return [1.0, 2.0] if completion_ids else [3.0, 4.0]",
            "import itertools; return list(map(len, itertools.chain(completion_ids)))",
            "return [1.0 for i in list(completion_ids) + completions]",
        ):
            unit = self.tokens(body)
            self.assertEqual(unit["states"], ["not-applicable"] * 2, body)
            self.assertEqual({reason["code"] for reason in unit["reasons"].values()}, {"no-tokens"})
            self.assertNotIn("failed", unit)

    def test_also_where_the_exception_is_caught(self):
        unit = self.tokens(
            "try:\n        n = len(completion_ids)\n    except Exception:\n        n = 0\n    return [0.0, 0.0]"
        )
        self.assertEqual((unit["values"], unit["states"]), ([None, None], ["not-applicable"] * 2))

    def test_passing_them_on_unread_is_fine(self):
        unit = self.tokens("f = lambda **kw: str(kw); f(ids=completion_ids); return [1.0, 2.0]")
        self.assertEqual(unit["values"], [1.0, 2.0])

    def test_rows_without_ids_beside_rows_with(self):
        unit = self.tokens("return [float(len(i)) for i in completion_ids]", ids=[[1, 2], None])
        self.assertEqual(unit["states"], ["raised", "not-applicable"])
        self.assertEqual(unit["failed"]["code"], "no-tokens")
        alone = self.tokens(
            "return [float(len(i)) for i in completion_ids]", ids=[[1, 2], None], batches=[[0]]
        )
        self.assertEqual(alone["values"], [2.0])


class Reasons(WorkerTest):
    def test_a_raise_names_the_line_in_the_reward_file(self):
        text = "import json\ndef inner(t):\n    return json.loads(t)\ndef reward(completions, **kwargs):\n    return [inner(t) for t in completions]\n"
        failed = self.score(text, ["{", "1"]).unit["failed"]
        self.assertEqual((failed["type"], failed["line"]), ("JSONDecodeError", 3))
        self.assertTrue(failed["text"].startswith("JSONDecodeError: Expecting property name"))
        lines = failed["traceback"].split("\n")
        self.assertEqual(lines[0], "Traceback (most recent call last):")
        self.assertIn('  File "reward.py", line 5, in reward', lines)
        self.assertIn("    return json.loads(t)", lines)
        self.assertNotIn("rewardsmith_worker", failed["traceback"])

    def test_causes_are_told(self):
        text = "def reward(completions, **kwargs):\n    try:\n        1 / 0\n    except ZeroDivisionError as e:\n        raise ValueError('x') from e\n"
        failed = self.score(text).unit["failed"]
        self.assertIn("ZeroDivisionError", failed["traceback"])
        self.assertIn("direct cause", failed["traceback"])

    def test_a_generator_that_raises_late(self):
        text = "def reward(completions, **kwargs):\n    yield 1.0\n    raise KeyError('late')\n"
        failed = self.score(text).unit["failed"]
        self.assertEqual((failed["type"], failed["line"]), ("KeyError", 3))

    def test_long_messages_are_cut(self):
        failed = self.score(
            "def reward(completions, **kwargs):\n    raise ValueError('😀' * 100_000)\n"
        ).unit["failed"]
        self.assertLessEqual(len(failed["text"]), 2000)

    @both_modes
    def test_output_belongs_to_its_unit(self, mode):
        text = "import os, sys\ndef reward(completions, **kwargs):\n    print('out', completions[0])\n    os.write(2, b'err\\n')\n    return [1.0]\n"
        worker = self.worker(mode)
        worker.samples([str(row) for row in range(50)])
        result = worker.run(text, ["reward"], [[row] for row in range(50)])
        self.assertEqual(
            [unit["output"] for unit in result.units], ["out %d\nerr\n" % row for row in range(50)]
        )

    @both_modes
    def test_programs_print_into_their_unit(self, mode):
        text = "import subprocess\ndef reward(completions, **kwargs):\n    subprocess.run(['echo', completions[0]])\n    return [1.0]\n"
        worker = self.worker(mode)
        worker.samples(["a", "b"])
        result = worker.run(text, ["reward"], [[0], [1]])
        self.assertEqual([unit["output"] for unit in result.units], ["a\n", "b\n"])


@unittest.skipUnless(LINUX, "the parent's limits")
class Limits(WorkerTest):
    def test_the_clock_starts_anew_with_each_unit(self):
        text = "import time\ndef reward(completions, **kwargs):\n    time.sleep(0.2)\n    return [1.0]\n"
        result = self.score(text, ["a"] * 5, batches=[[row] for row in range(5)], limits={"unitSeconds": 0.6})
        self.assertEqual((len(result.units), result.end["reason"]), (5, "done"))

    def test_a_slow_unit_keeps_those_before(self):
        text = "import time\ndef reward(completions, **kwargs):\n    print('in', completions[0])\n    time.sleep(60 if completions[0] == 'c' else 0)\n    return [1.0]\n"
        start = time.monotonic()
        result = self.score(text, ["a", "b", "c"], batches=[[0], [1], [2]], limits={"unitSeconds": 0.5})
        self.assertEqual([unit["output"] for unit in result.units], ["in a\n", "in b\n"])
        self.assertEqual(
            (result.end["reason"], result.end["output"], result.end["hangLine"]),
            ("unit-timeout", "in c\n", 4),
        )
        self.assertLess(time.monotonic() - start, 5)

    def test_cancel_while_running_and_while_waiting(self):
        worker = self.worker()
        worker.samples(["a"])
        slow = "import time\ndef reward(completions, **kwargs):\n    time.sleep(60)\n"
        first = worker.start(slow, ["reward"], [[0]])
        second = worker.start(LENGTHS, ["reward"], [[0]])
        third = worker.start(LENGTHS, ["reward"], [[0]])
        self.assertEqual(worker.frame()["t"], "loaded")
        worker.request({"t": "cancel", "job": second["job"]})
        self.assertEqual(worker.until_end(second["job"])[-1]["reason"], "cancelled")
        start = time.monotonic()
        worker.request({"t": "cancel", "job": first["job"]})
        self.assertEqual(worker.until_end(first["job"])[-1]["reason"], "cancelled")
        self.assertLess(time.monotonic() - start, 1)
        self.assertEqual(worker.until_end(third["job"])[-1]["reason"], "done")
        worker.request({"t": "cancel", "job": 99})

    def test_a_set_that_is_not_there(self):
        worker = self.worker()
        worker.samples(["a"])
        worker.request({"t": "drop", "set": "s"})
        end = worker.run(LENGTHS, ["reward"], [[0]]).end
        self.assertEqual((end["reason"], end["output"]), ("exit", "no samples called s"))

    def test_requests_that_make_no_sense_are_answered_with_a_line_in_the_log(self):
        worker = self.worker(checked=False)
        worker.process.stdin.write(b'not json\n{"t": "what"}\n' + b"[" * 100_000 + b"\n\xff\n")
        worker.process.stdin.flush()
        self.assertEqual([worker.frame()["t"] for _ in range(4)], ["log"] * 4)

    def test_the_parent_stays_small_however_much_is_printed(self):
        text = "import os\ndef reward(completions, **kwargs):\n    for _ in range(300): os.write(1, b'y' * 1_000_000)\n    return [1.0]\n"
        worker = self.worker()
        worker.samples(["a"])
        result = worker.run(text, ["reward"], [[0]], limits={"unitSeconds": 30})
        self.assertEqual(result.unit["outputBytes"], 300_000_000)
        with open("/proc/%d/status" % worker.process.pid, encoding="ascii") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        self.assertLess(peak, 80_000)


class Traces(WorkerTest):
    TEXT = """
def helper(text):
    total = 0
    for letter in text:
        total += 1
    return total


def reward(completions, **kwargs):
    scores = []
    for text in completions:
        if text.startswith("a"):
            score = helper(text)
        else:
            score = -1.0
        scores.append(score)
    return scores
"""

    @both_modes
    def test_lines_and_the_pinned_rows_values(self, mode):
        worker = self.worker(mode)
        worker.samples(["aa", "b", "aaa"])
        result = worker.run(self.TEXT, ["reward"], [[0], [1], [2]], trace={"pinned": 2, "maxText": 40})
        self.assertEqual([unit["values"] for unit in result.units], [[2.0], [-1.0], [3.0]])
        self.assertEqual(result.units[0]["lines"], [3, 4, 5, 6, 10, 11, 12, 13, 16, 17])
        self.assertEqual(result.units[1]["lines"], [10, 11, 12, 15, 16, 17])
        self.assertNotIn("steps", result.units[0])
        steps = result.units[2]["steps"]
        self.assertEqual(steps[0], {"line": 10, "values": {"scores": "[]"}})
        self.assertIn({"line": 13, "values": {"score": "3"}}, steps)
        self.assertIn({"line": 16, "values": {"scores": "[3]"}}, steps)
        self.assertIn({"line": 6, "values": {"return": "3"}}, steps)
        self.assertEqual(steps[-1], {"line": 17, "values": {"return": "[3]"}})
        self.assertEqual([step["values"]["total"] for step in steps if step["line"] == 5], ["1", "2", "3"])

    def test_values_that_are_huge_or_cannot_be_shown(self):
        text = """
class Bad:
    def __repr__(self): raise SystemExit(1)

def reward(completions, **kwargs):
    bad = Bad()
    text = "x" * 10_000_000
    numbers = list(range(1_000_000))
    nested = {"k": [numbers, numbers]}
    loop = []
    loop.append(loop)
    big = 10 ** 100_000
    return [1.0]
"""
        result = self.score(text, ["a"], trace={"pinned": 0, "maxText": 60})
        self.assertEqual(result.unit["values"], [1.0])
        values = {}
        for step in result.unit["steps"]:
            values.update(step["values"])
        self.assertEqual(values["bad"], "<repr raised SystemExit>")
        self.assertEqual(values["numbers"], "list of 1000000: 0, 1, 2, 3, 4, 5, 6, 7, …")
        self.assertTrue(all(len(text) <= 60 for text in values.values()))

    def test_a_row_that_raises_is_traced_up_to_there(self):
        text = "def reward(completions, **kwargs):\n    x = 1\n    y = x / 0\n    return [y]\n"
        unit = self.score(text, ["a"], trace={"pinned": 0, "maxText": 60}).unit
        self.assertEqual((unit["lines"], unit["states"]), ([2, 3], ["raised"]))
        self.assertEqual(unit["steps"], [{"line": 2, "values": {"x": "1"}}, {"line": 3, "values": {}}])

    def test_endless_steps_are_cut(self):
        text = "def reward(completions, **kwargs):\n    n = 0\n    for i in range(100_000):\n        n += i\n    return [n]\n"
        result = self.score(text, ["a"], trace={"pinned": 0, "maxText": 60})
        self.assertLessEqual(len(result.unit["steps"]), 2000)


@unittest.skipUnless(sys.version_info >= (3, 12), "sys.monitoring")
class Monitoring(WorkerTest):
    def test_ready_says_so(self):
        self.assertTrue(self.worker().ready["capabilities"]["monitoring"])


if __name__ == "__main__":
    unittest.main()
