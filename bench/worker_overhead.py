"""What a pass costs beyond the reward itself: python bench/worker_overhead.py [--json] [--best]

fixed: 1,000 rows, one batch, a reward that only counts letters: from writing `run` to having read `end`, minus the
       same calls in a bare loop.
slope: a reward of 50 µs a row, batches of 8: (time for 10,000 rows - time for 1,000 rows) / the same of a bare loop.
traced: 200 short rows one by one with trace, minus the same without.
"""

import json
import os
import statistics
import sys
import time

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python", "tests")
)

from support import LINUX, Worker  # noqa: E402

FAST = "def reward(completions, **kwargs):\n    return [float(len(text)) for text in completions]\n"
SLOW = """
from time import perf_counter

def reward(completions, **kwargs):
    scores = []
    for text in completions:
        until = perf_counter() + 50e-6
        while perf_counter() < until:
            pass
        scores.append(float(len(text)))
    return scores
"""
TRACED = """
import re

def reward(completions, **kwargs):
    scores = []
    for text in completions:
        found = re.search(r"\\d+", text)
        if found and int(found.group()) % 3 == 0:
            score = 1.0
        else:
            score = 0.0
        scores.append(score)
    return scores
"""


def timed(action, times):
    took = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        took.append((time.perf_counter() - start) * 1000)
    return min(took) if "--best" in sys.argv else statistics.median(took)


def bare(source, texts, size):
    space = {}
    exec(source, space)
    batches = [texts[at : at + size] for at in range(0, len(texts), size)]

    def run():
        for batch in batches:
            space["reward"](completions=batch)

    return run


def worker(rows, mode="fork"):
    made = Worker(mode, checked=False)
    made.samples(["answer %d" % row for row in range(rows)], gold=list(range(rows)))
    return made


def passes(made, source, rows, size, **more):
    batches = [list(range(at, min(rows, at + size))) for at in range(0, rows, size)]

    def run():
        result = made.run(source, ["reward"], batches, limits={"unitSeconds": 60.0}, **more)
        assert result.end["reason"] == "done", result.end

    return run


def main():
    numbers = {"python": "%d.%d.%d" % sys.version_info[:3]}
    texts = ["answer %d" % row for row in range(10_000)]
    with worker(10_000) as made:
        run = passes(made, FAST, 1_000, 1_000)
        run()
        time.sleep(0.5)
        numbers["fixed_ms"] = timed(run, 40) - timed(bare(FAST, texts[:1_000], 1_000), 40)
        one = timed(passes(made, SLOW, 1_000, 8), 5)
        ten = timed(passes(made, SLOW, 10_000, 8), 3)
        own = timed(bare(SLOW, texts, 8), 3) - timed(bare(SLOW, texts[:1_000], 8), 3)
        numbers["slope"] = (ten - one) / own
        plain = timed(passes(made, TRACED, 200, 1), 10)
        pinned = timed(passes(made, TRACED, 200, 1, trace={"pinned": 3, "maxText": 80}), 10)
        numbers["plain_200_ms"], numbers["traced_200_ms"] = plain, pinned
    print(
        json.dumps(numbers)
        if "--json" in sys.argv
        else "\n".join("%-14s %s" % item for item in numbers.items())
    )


if __name__ == "__main__":
    if not LINUX:
        sys.exit("fork mode runs on Linux only")
    main()
