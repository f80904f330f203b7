"""A pinned row's way: matches and comparisons are told, and the call itself stays what it was."""

import os
import random
import re
import sys
import unittest

from support import LINUX, PLAIN, WorkerTest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rewardsmith_worker.probe import Probe, endings  # noqa: E402

TRACE = {"pinned": 0, "maxText": 200, "explain": True}


class Explained(WorkerTest):
    @classmethod
    def setUpClass(cls):
        cls.bench = cls.shared_worker("fork") if LINUX else None

    def way(self, text, completion="a", name="reward", trace=TRACE, prompts=None, overlays=None, mode="fork", **columns):
        """The unit frame of one row."""
        worker = self.bench if LINUX and mode == "fork" else self.worker("spare")
        worker.samples([completion], prompts, **{key: [cell] for key, cell in columns.items()})
        result = worker.run(text, [name], [[0]], trace=trace, overlays=overlays)
        self.assertEqual(result.end["reason"], "done", result.frames)
        return result.unit

    def observed(self, body, completion="a", **more):
        text = "import re\ndef reward(completions, **kwargs):\n    text = completions[0]\n    gold = kwargs.get('gold', [None])[0]\n"
        text += "".join("    %s\n" % line for line in body.split("\n"))
        return self.way(text, completion, **more)["observations"]


class Observations(Explained):
    def test_a_match_and_what_it_is_compared_with(self):
        text = (
            "import re\n"
            "NUMBER = re.compile(r'(\\d+)')\n"
            "def reward(completions, answer, **kwargs):\n"
            "    scores = []\n"
            "    for text, gold in zip(completions, answer):\n"
            "        found = NUMBER.search(text)\n"
            "        scores.append(float(found[1] == gold))\n"
            "    return scores\n"
        )
        for mode in ("fork", "spare"):
            unit = self.way(text, "it is 42.", mode=mode, answer="42")
            self.assertEqual(unit["values"], [1.0])
            match, compare = unit["observations"]
            place = {"part": "completion", "name": "", "from": 0, "to": 9}
            self.assertEqual((match["kind"], match["line"], match["method"]), ("match", 6, "search"))
            self.assertEqual((match["spans"], match["groups"], match["place"]), ([[6, 8]], [[6, 8]], place))
            self.assertEqual(match["pattern"], "(\\d+)")
            self.assertEqual((compare["op"], compare["left"], compare["right"]), ("==", "'42'", "'42'"))
            self.assertEqual(compare["leftPlace"], dict(place, **{"from": 6, "to": 8}))
            self.assertEqual(
                compare["rightPlace"], {"part": "column", "name": "answer", "from": 0, "to": 2}
            )
            self.assertEqual([unit["steps"][o["step"]]["line"] for o in (match, compare)], [6, 7])

    def test_only_where_it_is_asked_for(self):
        text = "def reward(completions, **kwargs):\n    return [float(completions[0] == 'a')]\n"
        plain = self.way(text, trace={"pinned": 0, "maxText": 200})
        self.assertNotIn("observations", plain)
        other = self.way(text, trace={"pinned": None, "maxText": 200, "explain": True})
        self.assertNotIn("observations", other)
        self.assertEqual(len(self.way(text)["observations"]), 1)

    def test_how_far_a_miss_got_and_what_would_have_matched(self):
        (miss,) = self.observed(
            "m = re.fullmatch('<think>(.*)</think><answer>.*</answer>', text)\nreturn [1.0 if m else 0.0]",
            "<think>a\nb</think><answer>4</answer>",
        )
        self.assertEqual(miss["spans"], [])
        self.assertEqual(miss["reached"], {"pattern": 11, "text": [0, 8]})
        self.assertEqual(miss["wouldMatch"], ["DOTALL"])
        (miss,) = self.observed("re.match('answer', text)\nreturn [0.0]", " the Answer")
        self.assertEqual(miss["reached"], {"pattern": 0, "text": [0, 0]})
        self.assertEqual(miss["wouldMatch"], [])
        (miss,) = self.observed("re.match('b$', text, re.I)\nreturn [0.0]", " b\na")
        self.assertEqual((miss["flags"], miss["wouldMatch"]), ("IGNORECASE", []))
        (miss,) = self.observed("re.match('b', text)\nreturn [0.0]", " b")
        self.assertEqual(miss["wouldMatch"], ["search", "strip"])
        (miss,) = self.observed("re.search('^B', text)\nreturn [0.0]", "a\nB")
        self.assertEqual(miss["wouldMatch"], ["MULTILINE"])

    def test_every_method(self):
        body = (
            "re.findall('b(c)?', text); list(re.finditer('b', text)); re.split('b', text, maxsplit=1)\n"
            "re.sub('b', 'x', text, count=1); re.compile('B', re.I).subn('x', text); search('b', text)\n"
            "text.startswith('a'); text.endswith('a'); text.find('z'); text.count('b')\n"
            "return [1.0]"
        )
        text = "import re\nfrom re import search\ndef reward(completions, **kwargs):\n    text = completions[0]\n"
        found = self.way(text + "".join("    %s\n" % line for line in body.split("\n")), "abbcd")["observations"]
        self.assertEqual(
            [(o["method"], o["spans"]) for o in found if o["kind"] == "match"],
            [
                ("findall", [[1, 2], [2, 4]]),
                ("finditer", [[1, 2], [2, 3]]),
                ("split", [[1, 2]]),
                ("sub", [[1, 2]]),
                ("subn", [[1, 2], [2, 3]]),
                ("search", [[1, 2]]),
            ],
        )
        self.assertEqual(found[0]["groups"], [None])
        self.assertEqual(
            [(o["op"], o["right"], o["result"]) for o in found if o["kind"] == "compare"],
            [("startswith", "'a'", True), ("endswith", "'a'", False), ("find", "'z'", False), ("count", "'b'", True)],
        )

    def test_an_index_that_raises_is_told(self):
        unit = self.way("def reward(completions, **kwargs):\n    return [float(completions[0].index('####'))]\n", "abc")
        self.assertEqual(unit["states"], ["raised"])
        self.assertEqual(unit["reasons"] if "reasons" in unit else unit["failed"]["line"], 2)
        (told,) = unit["observations"]
        self.assertEqual((told["op"], told["right"], told["result"], told["line"]), ("index", "'####'", False, 2))

    def test_offsets_are_utf16(self):
        (match, compare) = self.observed("return [float(re.search('b+', text)[0] == gold)]", "😀😀abb", gold="😀bb")
        self.assertEqual((match["spans"], match["place"]["to"]), ([[5, 7]], 7))
        self.assertEqual(compare["leftPlace"], {"part": "completion", "name": "", "from": 5, "to": 7})
        self.assertEqual(compare["rightPlace"], {"part": "column", "name": "gold", "from": 0, "to": 4})
        (miss,) = self.observed("return [float(bool(re.search('😀x', text)))]", "a😀b")
        self.assertEqual(miss["reached"], {"pattern": 2, "text": [1, 3]})

    def test_places(self):
        def place(expression, completion="abc abc xyz", **more):
            found = self.observed("%s == 'Q'\nreturn [0.0]" % expression, completion, **more)[-1]["leftPlace"]
            return None if found is None else (found["part"], found["name"], found["from"], found["to"])

        self.assertEqual(place("text"), ("completion", "", 0, 11))
        self.assertEqual(place("text[8:]"), ("completion", "", 8, 11))
        self.assertIsNone(place("text[:3]"))
        self.assertIsNone(place("text.upper()"))
        self.assertIsNone(place("''"))
        self.assertIsNone(place("7"))
        self.assertEqual(place("kwargs['prompts'][0]", prompts=["why"]), ("prompt", "", 0, 3))
        self.assertEqual(place("gold", gold="x"), ("column", "gold", 0, 1))
        chat = [{"role": "user", "content": "hm"}, {"role": "assistant", "content": "ok 12"}]
        self.assertEqual(place("text[-1]['content'][3:]", chat), ("completion", "", 3, 5))

    def test_what_is_in_a_text(self):
        found = self.observed("return [float(gold in text)]", "four 4 4", gold="4")[0]
        self.assertEqual((found["leftPlace"]["from"], found["leftPlace"]["part"]), (5, "completion"))
        self.assertEqual(found["rightPlace"], {"part": "completion", "name": "", "from": 0, "to": 8})

    def test_bytes_and_arrays(self):
        (match,) = self.observed("re.search(b'b', text.encode())\nreturn [0.0]", "ab")
        self.assertEqual((match["text"], match["spans"], match["place"]), ("ab", [[1, 2]], None))
        self.assertEqual(
            self.observed("class A:\n    def __eq__(self, other): return [1]\nA() == 2\nreturn [0.0]"), []
        )

    def test_caps(self):
        found = self.way(
            "def reward(completions, **kwargs):\n"
            "    return [float(sum(letter == 'a' for letter in completions[0]))]\n",
            "ab" * 5000,
        )
        self.assertEqual(found["values"], [5000.0])
        self.assertLessEqual(len(found["observations"]), 500)
        self.assertTrue(found["cut"])
        (match,) = self.observed("re.findall('a', text)\nreturn [0.0]", "a" * 30_000)
        self.assertEqual((len(match["text"]), match["cut"], len(match["spans"])), (20_000, True, 100))

    def test_a_pattern_that_would_never_end_is_given_up(self):
        body = "re.search('Q(a+)+b', text)\nre.search('Z(?:x?a+)+y', text)\nre.search('a', text)\nreturn [0.0]"
        unit = self.observed(body, "q" + "a" * 60 + "z" + "a" * 60)
        self.assertEqual([o["spans"] for o in unit], [[], [], [[1, 2]]])
        self.assertNotIn("IGNORECASE", unit[0]["wouldMatch"])

    def test_helpers_are_told_at_the_line_that_called_them(self):
        text = "from tools import last\ndef reward(completions, **kwargs):\n    return [float(last(completions[0]) == '4')]\n"
        helper = "import re\n\ndef last(text):\n    return re.findall('[0-9]', text)[-1]\n"
        worker = self.bench or self.worker("spare")
        path = os.path.join(worker.project, "tools.py")
        worker.samples(["3 4"])
        unit = worker.run(text, ["reward"], [[0]], trace=TRACE, overlays={path: helper}).unit
        inner, outer = unit["observations"]
        self.assertEqual((inner["line"], inner["helper"]), (3, {"file": path, "line": 4}))
        self.assertEqual((outer["line"], outer["leftPlace"]["from"]), (3, 2))
        self.assertNotIn("helper", outer)


def shown(source, verbose=False):
    ends = endings(source, verbose)
    return ends and [source[:end] + ")" * depth for end, depth in ends]


class Beginnings(unittest.TestCase):
    def test_where_a_pattern_may_be_cut(self):
        self.assertEqual(shown(r"a\d+[]x]*"), ["a", r"a\d+", r"a\d+[]x]*"])
        self.assertEqual(shown("(ab)c"), ["(a)", "(ab)", "(ab)", "(ab)c"])
        self.assertEqual(shown("(ab)?c"), ["(ab)?", "(ab)?c"])
        self.assertEqual(shown("(?:ab){2,}?c"), ["(?:a)", "(?:ab)", "(?:ab){2,}?", "(?:ab){2,}?c"])
        self.assertEqual(shown("a(?:b|c)(?!x)(?P<n>d)(?P=n)"), ["a", "a(?:b|c)", "a(?:b|c)(?!x)"] + ["a(?:b|c)(?!x)(?P<n>d)"] * 2 + ["a(?:b|c)(?!x)(?P<n>d)(?P=n)"])
        self.assertEqual(shown("a # no\n b", True), ["a", "a # no\n b"])
        self.assertIsNone(shown("a|b"))

    def test_a_beginning_matches_whatever_the_whole_matches(self):
        draw = random.Random(5)
        pieces = ["a", "b", ".", "[ab]", "\\w", "(?:ab)", "(a|b)", "(b(a))", "(?=a)", "a{0,2}", "{", "\\b", "^", "$"]
        tried = 0
        for _ in range(3000):
            source = "".join(
                draw.choice(pieces) + draw.choice(["", "", "", "*", "+", "?", "{2}", "*?"]) for _ in range(4)
            )
            text = "".join(draw.choice("ab") for _ in range(7))
            try:
                whole = re.compile(source)
            except re.error:
                continue
            for method in ("search", "match"):
                if getattr(whole, method)(text) is None:
                    continue
                for end, depth in endings(source, False):
                    tried += 1
                    part = source[:end] + ")" * depth
                    self.assertTrue(getattr(re.compile(part), method)(text), (source, part, text))
        self.assertGreater(tried, 500)

    def test_a_limit_that_reaches_into_the_regex_engine(self):
        if not hasattr(__import__("signal"), "setitimer"):
            self.skipTest("no timers")
        note = {"method": "search", "pattern": re.compile("Q(a+)+b"), "text": "q" + "a" * 60, "pos": 0, "endpos": 99}
        would, reached = Probe().miss(note)
        self.assertEqual((would, reached), ([], (0, (0, 0))))


CALM = '''
from __future__ import annotations
import enum, inspect, re, sys, traceback

class Base:
    def find(self, what):
        return "base " + what

class Kind(enum.Enum):
    A = "a".find("a") == 0
    B = 2

class Child(Base):
    limit: int = 3 if 1 == 1 else 4
    def find(self, what, *rest, **more):
        return super().find(what) + str(len(rest)) + str(self.__hidden("a")) + __class__.__name__
    def __hidden(self, x): return x in "abc"

def order(name, log):
    log.append(name)
    return name

def walk(n):
    for i in range(n):
        got = yield (i == 1)
        if got in (None, 1): continue
        yield re.sub("a", lambda m: str(got == "b"), got)

def failing(what):
    try:
        eval("None")
        return what()
    except Exception as error:
        kept = [(f.f_code.co_name, line) for f, line in traceback.walk_tb(error.__traceback__)]
        return type(error).__name__, str(error), kept, len(inspect.stack(0)) - depth()

def depth(): return len(inspect.stack(0)) - 1

def plain(a, b=1 == 1, *, c: int == 2 = "x".count("x")) -> int == 3:
    """The docstring."""
    return a < b, c

async def soon():
    return [x async for x in many() if x != 1], (await one()) == 1
async def many():
    for i in range(3): yield i
async def one(): return 1

def reward(completions, **kwargs):
    log = []
    out = [
        Child().find("x", *[1, 2], **{"k": 1}),
        order("a", log) == order("b", log), re.search(order("c", log), order("d", log), flags=0), log,
        [x for x in range(9) if x > 3 if x != 5], {y: y >= 2 for y in range(3)},
        list(walk(3)), [g for g in [walk(2)] for _ in [g.send(None)]][0].send("aba"),
        failing(lambda: None.search("x")), failing(lambda: re.search("(", "x")), failing(lambda: re.match(None, 1)),
        failing(lambda: 1 < "a"), failing(lambda: undefined.find(1)), failing(lambda: "a".index("b")),
        failing(lambda: [1, 2] in {1}), failing(lambda: "a".startswith(nothing="b")),
        plain(1), plain.__doc__, plain.__annotations__, plain.__defaults__, list(Kind),
        f"{'a' == 'b'} {re.sub('b', 'x', 'abc')!r:>8} {1 < 2 < 3}", sorted(globals()), sorted(locals()),
        __name__, Child.find.__qualname__, inspect.getsource(order), sys._getframe().f_lineno,
        next(walk(1)), (lambda q: q == 3)(3), Child.limit,
    ]
    import asyncio
    out.append(asyncio.run(soon()))
    print(repr([str(x) if "object at" in repr(x) else x for x in out]))
    return [1.0]
'''


class Unchanged(Explained):
    def test_the_call_is_what_it_was(self):
        explained = self.way(CALM)
        plain = self.way(CALM, trace={"pinned": 0, "maxText": 200})
        self.assertEqual(plain["values"], [1.0], plain)
        self.assertEqual(explained["values"], [1.0], explained)
        self.assertEqual(explained["output"], plain["output"])
        self.assertEqual(explained["lines"], plain["lines"])
        self.assertEqual([s["line"] for s in explained["steps"]], [s["line"] for s in plain["steps"]])
        self.assertTrue(explained["observations"])

    def test_a_traceback_has_the_users_frames_only(self):
        text = "import re\nMISSING = None\ndef reward(completions, **kwargs):\n    found = MISSING.search(\n        completions[0])\n    return [found == 1]\n"
        explained, plain = self.way(text), self.way(text, trace={"pinned": 0, "maxText": 200})
        self.assertEqual(explained["failed"], plain["failed"])
        self.assertIn("'NoneType' object has no attribute 'search'", plain["failed"]["text"])

    def test_what_does_not_compile_says_so_itself(self):
        worker = self.bench or self.worker("spare")
        worker.samples(["a"])
        for text in ("def reward(:\n", "def reward(completions):\n  pass\nreturn 1 == 2\n"):
            frames = [worker.run(text, ["reward"], [[0]], trace=trace) for trace in (TRACE, None)]
            self.assertEqual(*[dict(frame.failed, job=0) for frame in frames])

    def test_a_repr_of_the_users_is_not_part_of_the_way(self):
        text = (
            "class Odd:\n    def __repr__(self):\n        assert 'a' == 'b', 'no'\n"
            "def reward(completions, **kwargs):\n    return [float(Odd() != 1)]\n"
        )
        (told,) = self.way(text)["observations"]
        self.assertEqual((told["left"], told["result"]), ("<repr raised AssertionError>", True))

    def test_one_sample_a_call(self):
        worker = self.bench or self.worker("spare")
        worker.samples(["a b"], gold=["b"])
        unit = worker.run(
            "def one(completion, gold): return float(completion.endswith(gold))\n",
            ["one"],
            [[0]],
            plan=PLAIN,
            trace=TRACE,
        ).unit
        self.assertEqual(unit["values"], [1.0])
        self.assertEqual(unit["observations"][0]["rightPlace"]["part"], "column")


if __name__ == "__main__":
    unittest.main()
