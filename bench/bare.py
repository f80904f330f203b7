"""The least that scoring can cost: reads a JSONL file, calls a reward in batches, prints what it took.

Usage: python bare.py REWARD.py FUNCTION SAMPLES.jsonl [BATCH]
"""

import importlib.util
import json
import sys
import time


def main():
    path, name, samples = sys.argv[1:4]
    batch = int(sys.argv[4]) if len(sys.argv) > 4 else 32
    with open(samples, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    spec = importlib.util.spec_from_file_location("reward", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    reward = getattr(module, name)

    started = time.perf_counter()
    scores = []
    for start in range(0, len(rows), batch):
        part = rows[start : start + batch]
        columns = {key: [row[key] for row in part] for key in part[0]}
        scores.extend(reward(completions=columns.pop("completion"), prompts=columns.pop("prompt"), **columns))
    took = time.perf_counter() - started
    print(json.dumps({"rows": len(scores), "ms": took * 1000, "mean": sum(scores) / len(scores)}))


if __name__ == "__main__":
    main()
