import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKS } from "../../../../src/core/findings/registry";
import { nearest, rowList } from "../../../../src/core/findings/sentences";
import { type Row, brief, find, state } from "./context";

const rows = (n: number, more: (i: number) => Row = () => ({}), perPrompt = n): Row[] =>
  Array.from({ length: n }, (_, i) => ({
    prompt: `p${Math.floor(i / perPrompt)}`,
    completion: `c${i}`,
    ...more(i),
  }));

describe("columns", () => {
  const source = "def f(completions, answer, **kwargs):\n    return [1.0 for _ in completions]\n";
  test("a parameter that no column provides, with the nearest name", () => {
    const [found] = find({ source, rows: rows(2, () => ({ Answers: "x", level: 1 })) });
    expect(found).toMatchObject({
      code: "missing-column",
      severity: "error",
      range: { start: { character: 19 }, end: { character: 25 } },
    });
    expect(found!.message).toBe(
      "`f` needs `answer`, which no column of the samples provides. They have `Answers` and `level`.",
    );
    expect(found!.cure).toContain('"columns": {"answer": "Answers"}');
  });
  test("a slip for what the trainer passes", () => {
    const [found] = find({
      source: "def f(prompt, completions, **kwargs):\n    return [1.0]\n",
      rows: rows(2),
    });
    expect(found!.cure).toContain("Did you mean `prompts`");
    const text =
      "from trl import GRPOTrainer\ndef f(completion, **kwargs):\n    return [1.0]\nGRPOTrainer(m, reward_funcs=[f])\n";
    const [slip] = find({ source: text, rows: rows(2) });
    expect(slip!.cure).toContain("Did you mean `completions`");
  });
  test("without samples nothing is said; with a default neither", () => {
    expect(brief({ source })).toEqual([]);
    expect(brief({ source: source.replace("answer", "answer=None"), rows: rows(2) })).toEqual([]);
  });
  test("a key of kwargs: a warning, an error where it failed", () => {
    const text =
      'def f(completions, **kwargs):\n    gold = kwargs["gold"]\n    return [1.0 for _ in completions]\n';
    expect(brief({ source: text, rows: rows(2) })).toEqual(["warning missing-column f"]);
    const failed = state("raised", { code: "exception", type: "KeyError", text: "'gold'", line: 2 });
    const [found] = find({ source: text, rows: rows(2), cells: { f: [failed, failed] } });
    expect(found).toMatchObject({
      severity: "error",
      rows: [0, 1],
      range: { start: { line: 1, character: 18 } },
    });
  });
  test("a key that is looked for first is no finding", () => {
    const text =
      'def f(completions, **kwargs):\n    if "gold" in kwargs:\n        gold = kwargs["gold"]\n    return [1.0 for _ in completions]\n';
    expect(brief({ source: text, rows: rows(2) })).toEqual([]);
  });
  test("present in few rows, and scored all the same", () => {
    const some = rows(4, (i) => (i === 0 ? { answer: "x" } : {}));
    expect(find({ source, rows: some })[0]).toMatchObject({
      code: "sparse-column",
      severity: "info",
      rows: [1, 2, 3],
    });
    const [found] = find({ source, rows: some, cells: { f: [1, 0, null, 0] } });
    expect(found).toMatchObject({ code: "none-in-group" });
    expect(find({ source, rows: some, cells: { f: [1, 0, null, 0] } })[1]).toMatchObject({
      code: "sparse-column",
      severity: "warning",
      rows: [1, 3],
    });
  });
  test("empty in every row: as good as missing, before and after it ran, and told once", () => {
    const empty = rows(2, () => ({ answer: null }));
    for (const cells of [undefined, { f: [0, 0] }]) {
      const [found, ...others] = find({ source, rows: empty, ...(cells && { cells }) });
      expect(others).toEqual([]);
      expect(found).toMatchObject({
        code: "missing-column",
        severity: "error",
        range: { start: { character: 19 }, end: { character: 25 } },
      });
      expect(found!.message).toBe(
        "`f` needs `answer`, which is empty in every row of the samples (2): it gets None and nothing else.",
      );
      expect(found!.cure).toContain("--columns answer=COLUMN");
    }
    expect(
      brief({ source: source.replace("answer", "answer=None"), rows: empty, cells: { f: [0, 0] } }),
    ).toEqual([]);
  });
  test("a data column called like a keyword of the trainer's", () => {
    const found = find({ source, rows: rows(2, () => ({ answer: "x", prompts: "y", log_extra: 1 })) });
    expect(found.map((f) => f.code)).toEqual(["column-collision", "column-collision"]);
    expect(found[0]!.message).toContain("got multiple values for keyword argument 'prompts'");
  });
});

describe("names", () => {
  test("one that TRL's table has already", () => {
    const [found] = find({ source: "def step(completions, **kw):\n    return [1.0]\n" });
    expect(found).toMatchObject({ code: "name-collision", severity: "warning", function: "step" });
  });
  test("two that are logged under one name", () => {
    const text =
      "from functools import partial\nclass F:\n    def __call__(self, completions, **kw):\n        return [1.0]\na = F()\nb = F()\ndef g(completions, k=1, **kw):\n    return [1.0]\nh = partial(g, k=2)\n";
    expect(find({ source: text }).map((f) => f.message.split(":")[0])).toEqual([
      "TRL logs both `a` and `b` as `F`",
      "TRL logs both `g` and `h` as `g`",
    ]);
  });
  test("a definition that hides another, but not alternatives", () => {
    const twice =
      "def f(completions, **kw):\n    return [1.0]\n\ndef f(completions, **kw):\n    return [0.0]\n";
    expect(find({ source: twice })[0]).toMatchObject({
      code: "defined-twice",
      range: { start: { line: 0 } },
    });
    const either =
      "if FAST:\n    def f(completions, **kw):\n        return [1.0]\nelse:\n    def f(completions, **kw):\n        return [0.0]\n";
    expect(brief({ source: either })).toEqual([]);
  });
});

describe("values", () => {
  const source = "def f(completions, **kw):\n    return [1.0]\n";
  test("infinite is an error that says how far it reaches, NaN a warning", () => {
    const cells = { f: [1, Number.POSITIVE_INFINITY, Number.NaN, 0] };
    const found = find({ source, rows: rows(4), cells });
    expect(found.map((f) => [f.code, f.severity, f.rows])).toEqual([
      ["non-finite", "error", [1]],
      ["non-finite", "warning", [2]],
    ]);
    expect(found[0]!.message).toContain("of its group");
    expect(find({ source, rows: rows(4), cells, trainer: { advantages: "none" } })[0]!.message).toContain(
      "ruins the update",
    );
  });
  test("items that aren't numbers", () => {
    const bad = state("invalid-return", { code: "wrong-type", text: "'0.5': must be real number, not str" });
    expect(find({ source, rows: rows(2), cells: { f: [1, bad] } })[0]).toMatchObject({
      code: "wrong-type",
      rows: [1],
    });
  });
  test("no token ids here is not a fault of the reward", () => {
    const text = "def f(completion_ids, **kw):\n    return [float(len(x)) for x in completion_ids]\n";
    const none = state("not-applicable", { code: "no-tokens" });
    expect(brief({ source: text, rows: rows(2), cells: { f: [none, none] } })).toEqual([
      "info no-token-ids f",
    ]);
  });
  test("a whole call that failed is told though its rows were recovered", () => {
    const failures = [
      { rows: [0, 1], state: "invalid-return", reason: { code: "wrong-count", expected: 2, got: 3 } },
    ] as const;
    const found = find({ source, rows: rows(2), cells: { f: [1, 1] }, evidence: { f: { failures } } });
    expect(found[0]).toMatchObject({ code: "wrong-count", rows: [0, 1] });
  });
  test("None in whole groups only is fine", () => {
    expect(brief({ source, rows: rows(4, undefined, 2), cells: { f: [1, 0, null, null] } })).toEqual([]);
  });
});

describe("signature", () => {
  test("Python's words, where no other finding explains them", () => {
    const source = "def f(completions, /, **kw):\n    return [1.0]\n";
    const bindError = "'completions' parameter is positional only, but was passed as a keyword";
    expect(find({ source, rows: rows(1), evidence: { f: { bindError } } })[0]).toMatchObject({
      code: "signature",
      severity: "error",
      message: `\`f\` can't be called: ${bindError}.`,
    });
    const missing = "def f(completions):\n    return [1.0]\n";
    expect(
      brief({ source: missing, evidence: { f: { bindError: "got an unexpected keyword argument" } } }),
    ).toEqual(["error trl-missing-kwargs f"]);
  });
});

describe("labels", () => {
  const source = "def f(completions, **kw):\n    return [1.0]\ndef g(completions, **kw):\n    return [1.0]\n";
  const labelled = rows(4, (i) => ({ label: i < 2 ? 1 : 0 }));
  test("graded scores that disagree are a warning, verdicts an error", () => {
    expect(brief({ source, only: ["f"], rows: labelled, cells: { f: [0.9, 0.2, 0.6, 0.1] } })).toEqual([
      "warning label-disagreement f",
    ]);
    expect(brief({ source, only: ["f"], rows: labelled, cells: { f: [1, 0, 1, 0] } })).toEqual([
      "error label-disagreement f",
    ]);
  });
  test("of several functions the labels speak of the total", () => {
    const cells = { f: [1, 1, 1, 1], g: [1, 1, 0, 0] };
    // That `f` says the same of all is no fault where `g` doesn't.
    expect(brief({ source, rows: labelled, cells })).toEqual(["info same-scores f"]);
    const totals = new Float64Array([2, 2, 1, 1]);
    expect(brief({ source, rows: labelled, cells, context: { totals } })).toEqual(["info same-scores f"]);
    const [found] = find({
      source,
      rows: labelled,
      cells,
      context: { totals: new Float64Array([2, 1, 2, 1]) },
    });
    expect(found).toMatchObject({ code: "label-disagreement", function: null, rows: [1, 2] });
    expect(found!.message).toContain(
      "row 2 labelled good and scored low, row 3 labelled bad and scored high",
    );
  });
});

describe("groups", () => {
  const source = "def f(completions, **kw):\n    return [1.0]\n";
  test("an unfinished group of a fixed size, and sizes other than the trainer's", () => {
    const [found] = find({ source, rows: rows(7), groupBy: { by: "size", size: 4 } });
    expect(found).toMatchObject({ code: "group-size", severity: "warning", rows: [4, 5, 6] });
    expect(brief({ source, rows: rows(8, undefined, 4), context: { groupSize: 8 } })).toEqual([
      "warning group-size",
    ]);
    expect(brief({ source, rows: rows(8, undefined, 4), context: { groupSize: 4 } })).toEqual([]);
  });
  test("one completion a prompt: nothing to compare", () => {
    expect(brief({ source, rows: rows(3, undefined, 1) })).toEqual(["info group-size"]);
  });
});

describe("rows that fail", () => {
  const source = "def f(completions, **kw):\n    return [float(c) for c in completions]\n";
  const raised = state("raised", {
    code: "exception",
    type: "ValueError",
    text: "ValueError: could not convert string to float: 'c0'",
    line: 2,
  });
  test("every row raises: an error that names type, message, line and rows", () => {
    const [found, ...others] = find({
      source,
      rows: rows(4),
      cells: { f: [raised, raised, raised, raised] },
    });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      code: "rows-raise",
      severity: "error",
      rows: [0, 1, 2, 3],
      range: { start: { line: 1 } },
    });
    expect(found!.message).toBe(
      "`f` raises `ValueError: could not convert string to float: 'c0'` in line 2 on every row (4 rows): the run stops.",
    );
  });
  test("a whole call that raised counts where none of its rows repeats it alone", () => {
    const reason = {
      code: "exception",
      type: "ZeroDivisionError",
      text: "division by zero",
      line: 2,
    } as const;
    const failures = [{ rows: [0, 1], state: "raised", reason }] as const;
    expect(
      find({ source, rows: rows(2), cells: { f: [1, 0] }, evidence: { f: { failures } } })[0],
    ).toMatchObject({ code: "rows-raise", rows: [0, 1] });
    const [once, ...others] = find({
      source,
      rows: rows(2),
      cells: { f: [1, raised] },
      evidence: { f: { failures } },
    });
    expect(others).toEqual([]);
    expect(once).toMatchObject({ rows: [1] });
    expect(once!.message).toContain("on 1 row (row 2)");
  });
  test("the process ended, or what came back is no reward", () => {
    const crashed = state("crashed", { code: "signal", text: "SIGSEGV" });
    const odd = state("invalid-return", { code: "exception", text: "it can't be read" });
    expect(brief({ source, rows: rows(3), cells: { f: [1, crashed, odd] } })).toEqual([
      "error rows-invalid f",
      "error rows-crash f",
    ]);
  });
  test("what isn't known to fail in a run is no finding", () => {
    const held = state("held", { code: "side-effect" });
    expect(brief({ source, rows: rows(2), cells: { f: [1, held] } })).toEqual([]);
  });
});

describe("one score for all", () => {
  const source = "def f(completions, **kw):\n    return [0.5 for c in completions]\n";
  const same = (value: number, more: { source?: string; weight?: number } = {}) =>
    find({
      source: more.source ?? source,
      rows: rows(4, undefined, 2),
      cells: { f: [value, value, value, value] },
      ...(more.weight !== undefined && { evidence: { f: { weight: more.weight } } }),
    }).map((found) => `${found.severity} ${found.code}`);
  test("a warning; all right, a penalty or a weight of 0 may be meant", () => {
    expect(same(0.5)).toEqual(["warning same-scores"]);
    expect(same(0)).toEqual(["warning same-scores"]);
    expect(same(1)).toEqual(["info same-scores"]);
    expect(same(0.5, { weight: 0 })).toEqual(["info same-scores"]);
    expect(same(0, { source: source.replace("0.5", "-1.0 if len(c) > 99 else 0.0") })).toEqual([
      "info same-scores",
    ]);
    expect(same(0, { source: source.replace("0.5", "len(c) - 2") })).toEqual(["warning same-scores"]);
  });
  test("every group tied, though the prompts differ", () => {
    const given = { source, rows: rows(6, undefined, 2) };
    expect(brief({ ...given, cells: { f: [0.1, 0.1, 0.2, 0.2, 0.3, 0.3] } })).toEqual([
      "warning same-scores f",
    ]);
    expect(brief({ ...given, cells: { f: [1, 1, 0, 0, 1, 1] } })).toEqual(["info same-scores f"]);
    expect(brief({ ...given, cells: { f: [0.1, 0.1, 0.2, 0.2, 0.3, 0.4] } })).toEqual([]);
  });
  test("a few rows say nothing", () => {
    expect(brief({ source, rows: rows(3), cells: { f: [0.5, 0.5, 0.5] } })).toEqual([]);
  });
});

test("a module that isn't installed, with the interpreter as it was given", () => {
  const [found] = find({
    source: "import re\nfrom sklearn.metrics import f1_score\ndef f(completions, **kw):\n    return [1.0]\n",
    context: {
      loadFailure: { code: "ModuleMissing", message: "No module named 'sklearn'", name: "sklearn", line: 2 },
      interpreter: "/home/me/my env/bin/python",
    },
  });
  expect(found).toMatchObject({ code: "missing-module", severity: "error", range: { start: { line: 1 } } });
  expect(found!.message).toContain("`sklearn` isn't installed for `/home/me/my env/bin/python`");
  expect(found!.cure).toContain('"/home/me/my env/bin/python" -m pip install scikit-learn');
});

test("words", () => {
  expect([rowList([1]), rowList([1, 2]), rowList([0, 1, 2, 3, 4, 5, 6])]).toEqual([
    "row 2",
    "rows 2 and 3",
    "rows 1, 2, 3, 4, 5 and 2 more",
  ]);
  expect(nearest("ground_truth", ["question", "groundtruth"])).toBe("groundtruth");
  expect(nearest("answer", ["gold_answer", "level"])).toBe("gold_answer");
  expect(nearest("answer", ["level"])).toBeNull();
});

test("every finding has a page, and every page a finding", () => {
  const folder = join(import.meta.dirname, "../../../../docs/findings");
  expect(existsSync(folder)).toBe(true);
  const pages = readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md");
  expect(pages.sort()).toEqual(CHECKS.map((check) => `${check.code}.md`).sort());
  for (const page of pages) {
    const text = readFileSync(join(folder, page), "utf8");
    for (const heading of [`# \`${page.slice(0, -3)}\``, "## Why it matters", "## Example", "## Cure"])
      expect([page, text.includes(heading)]).toEqual([page, true]);
  }
});
