import { describe, expect, test } from "vitest";
import { type Cell, type Row, find } from "./context";

/**
 * Styles that are sound, each with what it gives on a small set: never an error, and a warning in at most one of ten.
 */
interface Style {
  readonly what: string;
  readonly source: string;
  readonly cells: readonly Cell[];
  readonly more?: (row: number) => Row;
}

const batch = (body: string, parameters = "completions"): string =>
  `import re, functools, random, math\nfrom concurrent.futures import ThreadPoolExecutor\n${body.includes("def ") ? "" : `def f(${parameters}, **kwargs):\n`}${body}`;

const STYLES: readonly Style[] = [
  {
    what: "binary verifier, all right",
    source: batch(
      "    return [1.0 if a in c else 0.0 for c, a in zip(completions, answer)]\n",
      "completions, answer",
    ),
    cells: [1, 1, 1, 1],
    more: () => ({ answer: "c", label: 1 }),
  },
  {
    what: "rare penalty, 0 on every row",
    source: batch('    return [-1.0 if "<|im_end|>" in c else 0.0 for c in completions]\n'),
    cells: [0, 0, 0, 0],
  },
  {
    what: "None for other data sources",
    source: batch(
      '    return [float(a in c) if s == "math" else None for c, a, s in zip(completions, answer, source)]\n',
      "completions, answer, source",
    ),
    cells: [1, 0, null, null],
    more: (i) => ({ answer: i < 2 ? "4" : null, source: i < 2 ? "math" : "code" }),
  },
  {
    what: "strict format where trailing text scores 0",
    source: batch(
      '    return [1.0 if re.fullmatch(r"<answer>.*</answer>", c) else 0.0 for c in completions]\n',
    ),
    cells: [1, 0, 0, 1],
    more: (i) => ({ label: i % 3 === 0 ? 1 : 0 }),
  },
  {
    what: "ValueError around parsing the completion",
    source: batch(
      "def num(t):\n    try:\n        return float(t)\n    except ValueError:\n        return None\ndef f(completions, answer, **kwargs):\n    return [0.0 if num(c) is None else float(num(c) == a) for c, a in zip(completions, answer)]\n",
    ),
    cells: [0, 1, 0, 1],
    more: () => ({ answer: 4 }),
  },
  {
    what: "a required keyword looked for with in",
    source: batch(
      '    if "tests" in kwargs:\n        tests = kwargs["tests"]\n    return [0.5 for c in completions]\n',
    ),
    cells: [0.5, 0.5, 0.5, 0.5],
  },
  {
    what: "single-line pattern without DOTALL",
    source: batch('    return [1.0 if re.search(r"Answer: .*", c) else 0.0 for c in completions]\n'),
    cells: [1, 0, 1, 0],
    more: (i) => ({ completion: i % 2 ? "none\nhere" : "x\nAnswer: 4\n", label: i % 2 ? 0 : 1 }),
  },
  {
    what: "a letter limit that is the task",
    source: batch('    return [1.0 if len(c) <= 10 and c[0] == "c" else 0.0 for c in completions]\n'),
    cells: [1, 1, 1, 1],
  },
  {
    what: "negative and unbounded values",
    source: batch("    return [math.log(p) for p in [0.1, 0.2, 0.3, 0.4]]\n"),
    cells: [-2.3, -1.6, -1.2, 12],
  },
  {
    what: "right + a little for form",
    source: batch("    return [1.05, 1.0, 0.05, 0.0]\n"),
    cells: [1.05, 1, 0.05, 0],
    more: (i) => ({ label: i < 2 ? 1 : 0 }),
  },
  {
    what: "rank within the group",
    source: batch(
      "    order = sorted(completions, key=len)\n    return [order.index(c) / len(order) for c in completions]\n",
    ),
    cells: [0, 0.25, 0.5, 0.75],
  },
  {
    what: "lru_cache, compiled pattern, lazily made client",
    source: batch(
      'NUMBER = re.compile(r"\\d+")\n_client = None\n@functools.lru_cache\ndef parse(text):\n    return NUMBER.search(text)\ndef f(completions, **kwargs):\n    global _client\n    _client = _client or object()\n    return [1.0 if parse(c) else 0.0 for c in completions]\n',
    ),
    cells: [1, 1, 1, 1],
  },
  {
    what: "local seeded generator",
    source: batch(
      "    rng = random.Random(0)\n    return [float(len(c)) + rng.random() for c in completions]\n",
    ),
    cells: [2.8, 2.7, 2.4, 2.2],
  },
  {
    what: "subprocess with a timeout, in threads",
    source: batch(
      "    with ThreadPoolExecutor() as pool:\n        return list(pool.map(run, completions))\n",
    ),
    cells: [1, 0, 0, 1],
  },
  {
    what: "+1 / 0 / -1 with abstention",
    source: batch(
      '    return [0.0 if "know" in c else 1.0 if a in c else -1.0 for c, a in zip(completions, answer)]\n',
      "completions, answer",
    ),
    cells: [1, 0, -1, 1],
    more: (i) => ({ answer: "c", label: i === 0 || i === 3 ? 1 : 0 }),
  },
  {
    what: "set comparison",
    source: batch(
      "    return [float(set(c.split()) == set(a)) for c, a in zip(completions, answer)]\n",
      "completions, answer",
    ),
    cells: [1, 0, 1, 0],
    more: () => ({ answer: ["a", "b"] }),
  },
  {
    what: "weights that follow trainer_state",
    source: batch(
      "    w = min(1.0, trainer_state.global_step / 100)\n    return [w * len(c) for c in completions]\n",
      "completions, trainer_state",
    ),
    cells: [0, 0, 0, 0],
  },
  {
    what: "share of tests passed",
    source: batch("    return [0.25, 0.5, 0.75, 1.0]\n"),
    cells: [0.25, 0.5, 0.75, 1],
    more: (i) => ({ label: i > 1 ? 1 : 0 }),
  },
  {
    what: "overlong in tokens",
    source: batch("    return [min(0.0, 100 - len(ids)) for ids in completion_ids]\n", "completion_ids"),
    cells: [0, 0, -20, 0],
  },
  {
    what: "reads both shapes",
    source: batch(
      '    texts = [c if isinstance(c, str) else c[0]["content"] for c in completions]\n    return [float(len(t)) for t in texts]\n',
    ),
    cells: [2, 2, 2, 2],
  },
];

const findings = STYLES.map(({ what, source, cells, more }) => {
  const rows = cells.map((_, i): Row => ({ prompt: i < 2 ? "p" : "q", completion: `c${i}`, ...more?.(i) }));
  const found = find({ source, rows, cells: { f: cells }, only: ["f"] });
  return { what, found };
});

describe("sound styles", () => {
  test.each(findings)("$what: no error", ({ found }) => {
    expect(found.filter((f) => f.severity === "error")).toEqual([]);
  });
  test("at most one warning in ten", () => {
    const warned = findings.filter(({ found }) => found.some((f) => f.severity === "warning"));
    expect(
      warned.map(({ what, found }) => `${what}: ${found.map((f) => f.code).join()}`).length,
    ).toBeLessThanOrEqual(STYLES.length / 10);
  });
  test("each is recognised, so that the silence means something", () => {
    for (const { what, source } of STYLES) {
      const broken = find({
        source: source.replace("**kwargs", "*, z_col"),
        rows: [{ prompt: "p", completion: "c" }],
      });
      expect([what, broken.some((f) => f.code === "missing-column")]).toEqual([what, true]);
    }
  });
});
