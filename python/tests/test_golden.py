import unittest

import golden
import schema
from support import LINUX


class Golden(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.requests, cls.frames = golden.read()

    @unittest.skipUnless(LINUX, "fork mode")
    def test_a_session_says_what_the_golden_one_said(self):
        requests, frames = golden.session()
        self.assertEqual(requests, self.requests)
        for mine, theirs in zip(frames, self.frames):
            self.assertEqual(mine, theirs)
        self.assertEqual(len(frames), len(self.frames))

    def test_the_golden_messages_are_of_the_form(self):
        for request in self.requests:
            schema.check(request, schema.load("request"))
        for frame in self.frames:
            schema.check(frame, schema.load("frame"))

    def test_the_check_finds_what_is_wrong(self):
        form = schema.load("frame")
        unit = next(frame for frame in self.frames if frame["t"] == "unit" and "reasons" in frame)
        for change in (
            {"values": [float("nan"), "1"]},
            {"t": "units"},
            {"states": ["fine"]},
            {"ms": "1"},
            {"fn": 1.5},
            {"reasons": {"0": {"code": "bad luck"}}},
            {"failed": {"code": "exception", "text": "x" * 5000}},
            {"lines": [0]},
        ):
            self.assertTrue(schema.problems(dict(unit, **change), form), change)
        for name in ("job", "values", "t"):
            self.assertTrue(schema.problems({key: unit[key] for key in unit if key != name}, form), name)


if __name__ == "__main__":
    unittest.main()
