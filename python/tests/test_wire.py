import json
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rewardsmith_worker import wire  # noqa: E402
from rewardsmith_worker.output import Output  # noqa: E402

TOKEN = b"0123456789abcdef"


class LinesTest(unittest.TestCase):
    def test_finds_the_frames_whatever_stands_between_and_however_it_is_cut(self):
        rng = random.Random(1)
        for _ in range(200):
            stream, wanted = b"", []
            for number in range(rng.randrange(6)):
                stream += os.urandom(rng.randrange(40)).replace(b"\n", b"")
                if rng.random() < 0.3:
                    stream += b"\n" + TOKEN[: rng.randrange(16)]
                stream += wire.child_line(TOKEN, b"U", number, b'{"n":%d}' % number)
                wanted.append((b"U", number, b'{"n":%d}' % number))
            lines, got, at = wire.Lines(TOKEN + b" "), [], 0
            while at < len(stream):
                step = rng.randrange(1, 30)
                got += [wire.parse_child_line(line) for line in lines.feed(stream[at : at + step])]
                at += step
            self.assertEqual(got, wanted)

    def test_keeps_nothing_of_garbage_without_a_line_end(self):
        lines = wire.Lines(TOKEN + b" ")
        for _ in range(100):
            self.assertEqual(list(lines.feed(b"x" * 100_000)), [])
        self.assertEqual(sum(map(len, lines._parts)), 0)

    def test_drops_a_frame_into_which_somebody_wrote(self):
        line = wire.child_line(TOKEN, b"U", 1, b'{"a":"aaaaaaaaaa"}').strip()
        self.assertIsNotNone(wire.parse_child_line(line[len(TOKEN) + 1 :]))
        self.assertIsNone(wire.parse_child_line(line[len(TOKEN) + 1 :].replace(b"aaaa", b"aaXa", 1)))

    def test_writes_any_text_as_ascii_and_refuses_nan(self):
        for text in ("é😀\x00", "\ud83d", "\u2028"):
            self.assertEqual(json.loads(wire.encode({"t": text}).decode("ascii")), {"t": text})
        with self.assertRaises(ValueError):
            wire.encode({"v": float("nan")})


class OutputTest(unittest.TestCase):
    def test_cuts_at_marks_however_the_stream_is_cut(self):
        rng = random.Random(2)
        for _ in range(200):
            texts = ["".join(rng.choice("ab\x00\n") for _ in range(rng.randrange(20))) for _ in range(4)]
            stream = b"".join(t.encode() + Output.mark(TOKEN, n + 1) for n, t in enumerate(texts))
            output, at = Output(TOKEN, 1000), 0
            while at < len(stream):
                step = rng.randrange(1, 12)
                output.feed(stream[at : at + step])
                at += step
            self.assertEqual([output.cut(n + 1) for n in range(4)], [(t, len(t)) for t in texts])

    def test_counts_what_it_drops(self):
        output = Output(TOKEN, 10)
        for _ in range(1000):
            output.feed(b"y" * 1000)
        output.feed(Output.mark(TOKEN, 1) + b"after")
        self.assertEqual(output.cut(1), ("y" * 10, 1_000_000))
        self.assertEqual(output.rest(), "after")

    def test_a_lost_mark_gives_what_is_there(self):
        output = Output(TOKEN, 10)
        output.feed(b"abc")
        self.assertEqual(output.cut(1), ("abc", 3))


if __name__ == "__main__":
    unittest.main()
