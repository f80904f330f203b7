"""Writes the golden files of the quick tests, with the environment of scripts/frameworks.mjs.

usage: python write_golden.py test/fixtures/trl

`advantages-<trl>.jsonl`: what TRL's own GRPOTrainer gives for chosen tables of rewards.
`sums-<torch>.json`: torch.nansum of values that `value` makes, for lengths at which its order of sums changes.
"""

import json
import os
import sys
import tempfile

import torch
import trl_harness

SUM, EACH = "sum_then_normalize", "normalize_then_sum"
SCALES = ("group", "batch", "none")
PLAIN = [1.0, 0.0, 0.5, 0.25, 2.0, 2.0, 2.0, 2.0]
PARTIAL = [None, 1.0, None, 0.0, 1.0, 0.0, None, 1.0]
INF = [1.0, "inf", 0.5, 0.25, 2.0, 1.0, 1.0, 0.0]


def cases():
    # Issues: huggingface/trl#6365 (groups without spread under batch scaling), #3079 and #5773 (None).
    for scale in SCALES:
        yield case(f"without spread, {scale}", [[1, 1, 1, 1, 1, 0, 0, 0]], 4, scale)
        yield case(f"None, weights, {scale}", [[1.0, 0.0, None, None], [1.0, 1.0, None, 0.0]], 4, scale, [1.0, 0.5])
        yield case(f"plain, {scale}", [PLAIN], 4, scale)
        yield case(f"a row of None, {scale}", [[1.0, None, 0.5, 0.25, 2.0, None, 1.0, 0.0]], 4, scale)
        yield case(f"one left, {scale}", [[1.0, None, None, None, 2.0, 1.0, 1.0, 0.0]], 4, scale)
        yield case(f"inf, {scale}", [INF], 4, scale)
        yield case(f"both infinities, {scale}", [["inf", "-inf", 0.5, 0.25, 2.0, 1.0, 1.0, 0.0]], 4, scale)
        yield case(f"partial None, {scale}", [PLAIN, PARTIAL], 4, scale, [1.0, 0.5])
        # The mean of equal rewards isn't always that reward in float32: 0.35 leaves residue in a group of 7, none in 4.
        for n in (4, 7, 8, 9, 16, 31, 33):
            yield case(f"{n} × 0.35, {scale}", [[0.35] * n * 2], n, scale)
        for value in (0.1, 0.7, 100.1, 12345.678, -3.3):
            yield case(f"7 × {value}, {scale}", [[value] * 7], 7, scale)
    yield case("a tie broken by a crumb", [[1.0] * 7 + [0.99]], 8, "group")
    yield case("a lone success", [[0.0] * 7 + [1.0]], 8, "group")
    yield case("tiny spread", [[1.0, 1.00001, 1.0, 1.0, 0, 0, 0, 1e-5]], 4, "group")
    yield case("NaN", [[1.0, "nan", 0.5, 0.25, 2.0, 1.0, 1.0, 0.0]], 4, "group")
    yield case("all None", [[None] * 8], 4, "group")
    yield case("bools", [[True, False, True, True, False, False, False, True]], 4, "group")
    yield case("integers", [[1, 0, 3, 2, 5, 6, 7, 8]], 4, "group")
    yield case("beyond float32", [[1e39, 0.0, 0.5, 0.25, 2.0, 1.0, 1.0, 0.0]], 4, "none")
    yield case("groups of one", [[1.0, 0.5, 0.0]], 1, "group")
    yield case("a single row, batch", [[1.0]], 1, "batch")
    yield case("weight 0 on inf", [INF, PLAIN], 4, "group", [0.0, 1.0])
    yield case("negative weight", [PLAIN, PARTIAL], 4, "group", [1.0, -0.3])
    many = [[round((i * 7 + f * 3) % 11 / 10, 1) for i in range(24)] for f in range(9)]
    yield case("nine functions", many, 8, "group", [0.1 * (f + 1) for f in range(9)])
    for name, rewards, weights in (
        ("plain", [PLAIN], None),
        ("partial None", [PLAIN, PARTIAL], [1.0, 0.5]),
        ("inf", [INF, PLAIN], [1.0, 0.5]),
        ("nothing scored", [[None] * 8], None),
        ("nine functions", many, [0.1 * (f + 1) for f in range(9)]),
        ("equal rewards", [[0.35] * 14, [0.1] * 14], [1.0, 0.3]),
    ):
        n = {8: 4, 14: 7, 24: 8}[len(rewards[0])]
        yield case(f"each normalised, {name}", rewards, n, "group", weights, EACH)


def case(name, rewards, n, scale, weights=None, aggregation=SUM):
    return {
        "id": f"golden: {name}",
        "op": "score",
        "rewards": rewards,
        "weights": weights or [1.0] * len(rewards),
        "n": n,
        "scale": scale,
        "aggregation": aggregation,
    }


def value(i):
    """A float32 that the test can make again: a multiplicative hash, with every seventh NaN."""
    h = (i * 2654435761) % 2**32
    return float("nan") if h % 7 == 0 else h / 2**32


def tensor(*shape):
    size = 1
    for n in shape:
        size *= n
    return torch.tensor([value(i) for i in range(size)], dtype=torch.float32).reshape(shape)


def sums():
    """Of every reduction that the trainer makes: whole and rows, one column, the middle axis."""
    lengths = [*range(1, 41), 63, 64, 65, 127, 128, 129, 255, 257, 511, 512, 513, 1000, 2048, 4097, 20000, 32767]
    for n in lengths:
        yield {"kind": "run", "n": n, "columns": 1, "sums": [torch.nansum(tensor(n)).item()]}
    for n in (1, 2, 4, 7, 8, 9, 16, 17, 31, 33, 65, 129, 257, 513, 2048):
        for columns in (1, 2, 3, 4, 5, 8, 9, 41):
            if n * columns > 2500:
                continue
            x = tensor(n, columns)
            one = [torch.nansum(x[:, c]).item() for c in range(columns)]
            yield {"kind": "column", "n": n, "columns": columns, "sums": one}
            middle = torch.nansum(tensor(2, n, columns), dim=1).reshape(-1).tolist()
            yield {"kind": "middle", "n": n, "columns": columns, "sums": middle}


def main(folder):
    versions = trl_harness.versions()
    with open(os.path.join(folder, f"sums-{versions['torch']}.json"), "w") as out:
        json.dump({"versions": versions, "sums": list(sums())}, out)
    path = os.path.join(folder, f"advantages-{versions['trl']}.jsonl")
    with tempfile.TemporaryDirectory() as model, open(path, "w") as out:
        print(json.dumps({"versions": versions}), file=out)
        bench = trl_harness.Bench(model)
        for one in cases():
            result = {"id": one["id"], **bench.score(one)}
            line = {"case": one, "result": trl_harness.encode(result)}
            print(json.dumps(line, allow_nan=False, ensure_ascii=False), file=out)


if __name__ == "__main__":
    main(sys.argv[1])
