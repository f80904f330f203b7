"""The Lab's numbers by definition, from the raw files: plain Python, no float32, nothing of the product.

Reads a request as JSON, {reward, samples, functions: [[name, weight]], group, label}, and writes its answer likewise.
Functions are called with one sample at a time; None stays None. A row's total is the weighted sum of its numbers.
"""

import json
import math
import os
import statistics
import sys


def load(path):
    sys.path.insert(0, os.path.dirname(path))
    space = {"__name__": "reward", "__file__": path}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), space)
    return space


def call(function, row):
    more = {key: [value] for key, value in row.items() if key not in ("prompt", "completion")}
    try:
        [score] = function(prompts=[row.get("prompt")], completions=[row["completion"]], **more)
    except Exception:
        return "raised"
    return score


def number(score):
    return isinstance(score, float) and not math.isnan(score)


def group_of(rows, totals, parts, length):
    """Mean, sample deviation and advantages over (std + 1e-4), as TRL 1.16 defines them."""
    scored = [row for row in rows if totals[row] is not None]
    values = [totals[row] for row in scored]
    answer = {"rows": rows, "mean": None, "std": None, "advantages": [0.0] * len(rows), "shares": {}, "tied": False}
    if not values:
        return answer
    mean = statistics.fmean(values)
    std = statistics.stdev(values) if len(values) > 1 else (0.0 if len(rows) == 1 else None)
    tied = len(values) > 1 and max(values) - min(values) < 1e-6
    answer.update(mean=mean, std=std, tied=tied)
    if std is not None:
        answer["advantages"] = [
            0.0 if totals[row] is None else (totals[row] - mean) / (std + 1e-4) for row in rows
        ]
    spreads = {name: statistics.pvariance([part[row] for row in scored]) for name, part in parts.items()}
    if not tied and sum(spreads.values()) > 0:
        answer["shares"] = {name: spread / sum(spreads.values()) for name, spread in spreads.items() if spread > 0}
    return answer


def within(groups, xs, ys):
    x, y = [], []
    for rows in groups:
        both = [row for row in rows if ys[row] is not None]
        if len(both) < 2:
            continue
        mean_x = statistics.fmean(xs[row] for row in both)
        mean_y = statistics.fmean(ys[row] for row in both)
        x += [xs[row] - mean_x for row in both]
        y += [ys[row] - mean_y for row in both]
    xx, yy = sum(a * a for a in x), sum(b * b for b in y)
    xy = sum(a * b for a, b in zip(x, y))
    return None if xx < 1e-18 or yy < 1e-18 else xy / math.sqrt(xx * yy)


def main():
    ask = json.load(sys.stdin)
    space = load(ask["reward"])
    with open(ask["samples"], encoding="utf-8") as file:
        samples = [json.loads(line) for line in file if line.strip()]
    scores = {name: [call(space[name], row) for row in samples] for name, _ in ask["functions"]}
    parts = {
        name: [weight * score if number(score) else 0.0 for score in scores[name]]
        for name, weight in ask["functions"]
    }
    totals = [
        sum(part[row] for part in parts.values()) if any(number(column[row]) for column in scores.values()) else None
        for row in range(len(samples))
    ]
    groups = {}
    for row, sample in enumerate(samples):
        groups.setdefault(sample[ask["group"]], []).append(row)
    lengths = [len(row["completion"].encode("utf-16-le")) // 2 for row in samples]
    json.dump(
        {
            "scores": scores,
            "totals": totals,
            "groups": [group_of(rows, totals, parts, lengths) for rows in groups.values()],
            "r": within(list(groups.values()), lengths, totals),
            "lengths": lengths,
        },
        sys.stdout,
    )


main()
