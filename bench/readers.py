"""Readers that people use today, for the benchmark: prints how many rows and seconds as JSON.

    readers.py WHAT FILE        WHAT: json-loop, pandas-json, parquet-first, parquet-pandas
    readers.py parquet-write FILE BYTES ROLLOUTS.jsonl [ROWS]    ROWS: of each row group; else as pandas writes it
"""

import json
import os
import sys
import time


def json_loop(path):
    rows = 0
    total = 0.0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            total += json.loads(line)["reward"]
            rows += 1
    return rows


def pandas_json(path):
    import pandas

    return len(pandas.read_json(path, lines=True))


def parquet_first(path):
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        return next(file.iter_batches(batch_size=60)).num_rows


def parquet_pandas(path):
    import pandas

    return len(pandas.read_parquet(path))


def parquet_write(path, size, source, group=None):
    """TRL's table of completions (`DataFrame.to_parquet`), about so large."""
    import pandas

    with open(source, encoding="utf-8") as lines:
        rollouts = [json.loads(line) for _, line in zip(range(8192), lines)]

    def table(count):
        return pandas.DataFrame([_row(rollouts[nth % len(rollouts)], nth) for nth in range(count)])

    table(len(rollouts)).to_parquet(path)
    count = int(len(rollouts) * size / os.path.getsize(path))
    table(count).to_parquet(path, row_group_size=group)
    return count


def _row(rollout, nth):
    texts = "\n".join(message["content"] for message in rollout["completion"])
    return {
        "step": 1 + nth // 4096,
        "prompt": f"{nth // 8}: {rollout['prompt'][1]['content']}",
        "completion": f"{nth} {texts}",
        "correct": float(rollout["metrics"]["correct"]),
        "brief": rollout["metrics"]["brief"],
        "advantage": rollout["reward"] - 0.5,
    }


WHAT = {
    "json-loop": json_loop,
    "pandas-json": pandas_json,
    "parquet-first": parquet_first,
    "parquet-pandas": parquet_pandas,
}

if __name__ == "__main__":
    what, path, *more = sys.argv[1:]
    began = time.perf_counter()
    if what == "parquet-write":
        size, source, *group = more
        count = parquet_write(path, int(size), source, *map(int, group))
    else:
        count = WHAT[what](path)
    print(json.dumps({"rows": count, "seconds": time.perf_counter() - began}))
