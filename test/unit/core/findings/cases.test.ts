import { describe, expect, test } from "vitest";
import { brief, find, readCase, rowsOf, state } from "./context";

describe("S01: only the arguments its author thought of", () => {
  const given = { source: readCase("S01_reward.py"), rows: rowsOf("S01_samples.jsonl") };
  test("before any run, with Python's own words and the cure", () => {
    const [first, ...others] = find(given);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      code: "trl-missing-kwargs",
      severity: "error",
      function: "because_reward",
    });
    expect(first!.message).toContain("because_reward() got an unexpected keyword argument 'completion_ids'");
    expect(first!.cure).toContain("**kwargs");
    expect(first!.range).toEqual({ start: { line: 0, character: 4 }, end: { line: 0, character: 18 } });
  });
  test("TRL 0.17 passes no more than it takes", () => {
    expect(brief({ ...given, trainer: { version: "0.17.0" } })).toEqual([]);
  });
  test("a column that it doesn't take is named first, where TRL passes no token ids", () => {
    const rows = rowsOf("S01_samples.jsonl").map((row) => ({ ...row, answer: "x" }));
    const [first] = find({ ...given, rows, trainer: { version: "0.17.0" } });
    expect(first!.message).toContain("unexpected keyword argument 'answer'");
  });
});

describe("S03: the wrong number of rewards", () => {
  const invalid = (reason: Parameters<typeof state>[1]) =>
    Array.from({ length: 4 }, () => state("invalid-return", reason));
  const given = {
    source: readCase("S03_reward.py"),
    rows: rowsOf("S03_samples.jsonl"),
    cells: {
      one_for_all: invalid({ code: "wrong-count", expected: 4, got: 1 }),
      bare_number: invalid({ code: "not-a-list", text: "1.0" }),
      one_too_many: invalid({ code: "wrong-count", expected: 4, got: 5 }),
      generator_result: [2, 5, 3, 2],
    },
  };
  test("each is told with its function", () => {
    const messages = find(given).map((f) => f.message);
    expect(messages).toEqual([
      "`one_for_all` returned 1 reward for 4 completions: the run stops.",
      "`one_too_many` returned 5 rewards for 4 completions: the run stops.",
      "`bare_number` returned a number (`1.0`), not one reward per completion: the run stops.",
    ]);
  });
  test("before TRL 1.10 one value was spread in silence", () => {
    const [first, second] = find({ ...given, trainer: { version: "1.9.0" } });
    expect(first!.message).toContain("spreads the one value over the whole batch");
    expect(second!.message).toContain("the run stops");
  });
});

describe("S05: chat and text", () => {
  const source = readCase("S05_reward.py");
  const failed = state("raised", {
    code: "exception",
    type: "TypeError",
    text: "string indices must be integers, not 'str'",
    line: 2,
  });
  test("text rows: one function expects messages, the other reads a character", () => {
    const rows = rowsOf("S05_text.jsonl");
    const found = find({ source, rows, cells: { chat_reward: [failed, failed], first_item_reward: [0, 0] } });
    expect(found.map((f) => [f.code, f.severity, f.function, f.rows.length, f.range?.start.line])).toEqual([
      ["shape-mismatch", "error", "chat_reward", 2, 1],
      ["first-item-of-text", "warning", "first_item_reward", 0, 7],
    ]);
    expect(found[0]!.message).toContain("The rows are text, and `chat_reward` expects messages");
    expect(found[1]!.message).toContain("reads one character");
  });
  test("before it ran it is a warning", () => {
    expect(brief({ source, rows: rowsOf("S05_text.jsonl") })).toEqual([
      "warning shape-mismatch chat_reward",
      "warning first-item-of-text first_item_reward",
    ]);
  });
  test("chat rows: nothing to say", () => {
    const cells = { chat_reward: [1, 0], first_item_reward: [1, 0] };
    expect(brief({ source, rows: rowsOf("S05_chat.jsonl"), cells })).toEqual([]);
  });
  test("the other way round: a text function on chat rows", () => {
    const text = "def f(completions, **kw):\n    return [float(len(c.strip())) for c in completions]\n";
    const raised = state("raised", {
      code: "exception",
      type: "AttributeError",
      text: "'list' object has no attribute 'strip'",
    });
    const [found] = find({ source: text, rows: rowsOf("S05_chat.jsonl"), cells: { f: [raised, raised] } });
    expect(found).toMatchObject({ code: "shape-mismatch", severity: "error", rows: [0, 1] });
    expect(found!.message).toContain("The rows are lists of messages, and `f` expects text");
  });
});

test("S07: a None pattern that differs within the group, and what becomes of it", () => {
  const found = find({
    source: readCase("S07_reward.py"),
    rows: rowsOf("S07_samples.jsonl"),
    cells: { math_reward: [1, 0, null, null], style_reward: [1, 1, null, 0] },
  });
  expect(found.map((f) => [f.code, f.severity, f.function, f.rows])).toEqual([
    ["none-in-group", "warning", "math_reward", [2, 3]],
    ["none-in-group", "warning", "style_reward", [2]],
  ]);
  expect(found[1]!.message).toContain("left out of the group's mean");
});

test("a None that counts as 0 because another function scored says so", () => {
  const [found] = find({
    source: readCase("S07_reward.py"),
    rows: rowsOf("S07_samples.jsonl"),
    cells: { math_reward: [1, 0, null, 1], style_reward: [1, 1, 1, 0] },
  });
  expect(found!.message).toContain("counts as 0 in the total");
});

describe("S11: three ways to be asynchronous", () => {
  const source = readCase("S11_reward.py");
  const rows = rowsOf("S11_samples.jsonl");
  const given = { source, rows };
  test("TRL 1.16 awaits all", () => {
    const cells = { plain_async: [0.5, 1], async_object: [0.5, 1], sync_with_own_loop: [0.5, 1] };
    expect(brief({ ...given, cells })).toEqual([]);
  });
  test("TRL 1.13 won't await the object", () => {
    const coroutine = state("invalid-return", {
      code: "coroutine",
      text: "<coroutine object AsyncCallable.__call__>",
    });
    const cells = {
      plain_async: [0.5, 1],
      async_object: [coroutine, coroutine],
      sync_with_own_loop: [0.5, 1],
    };
    const found = find({ ...given, cells, trainer: { version: "1.13.0" } });
    expect(found.map((f) => [f.code, f.severity, f.function, f.rows])).toEqual([
      ["coroutine-not-awaited", "error", "async_object", [0, 1]],
    ]);
    expect(found[0]!.message).toContain("TRL 1.13.0 won't await an object whose call is async");
  });
  test("before 0.27 nothing is awaited", () => {
    expect(brief({ ...given, trainer: { version: "0.26.0" } })).toEqual([
      "error coroutine-not-awaited plain_async",
      "error coroutine-not-awaited async_object",
    ]);
  });
});

test("S13: a reward that changes the world around it", () => {
  const found = find({
    source: readCase("S13_reward.py"),
    rows: rowsOf("S13_samples.jsonl"),
    cells: { reseeding_reward: [5.008, 4.008, 5.007], novelty_reward: [1, 1, 0], coin_reward: [1, 0, 0] },
    evidence: {
      reseeding_reward: { changed: new Set(["random"]) },
      novelty_reward: {
        again: new Map([
          [0, 0],
          [1, 0],
        ]),
      },
      coin_reward: {
        again: new Map([
          [0, 0],
          [2, 1],
        ]),
      },
    },
  });
  expect(found.map((f) => [f.code, f.severity, f.function, f.rows])).toEqual([
    ["depends-on-earlier-calls", "warning", "novelty_reward", [0, 1]],
    ["not-repeatable", "warning", "coin_reward", [0, 2]],
    ["changes-random-state", "warning", "reseeding_reward", []],
  ]);
  expect(found[0]!.message).toContain("gives [0.0, 0.0, 0.0]: the score depends on earlier calls");
  expect(found[1]!.message).toContain("rows 1 and 3");
  expect(found[2]!.message).toContain("changes Python's shared random state");
});

describe("B01: a dot that doesn't match a new line", () => {
  const rows = rowsOf("B01_samples.jsonl");
  const given = { source: readCase("B01_reward.py"), rows, cells: { format_reward: [1, 0, 0, 0] } };
  test("two rows where reward and label disagree, and the likely cause", () => {
    const [found, ...others] = find(given);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "label-disagreement", severity: "error", rows: [1, 2] });
    expect(found!.message).toContain("disagree in 2 rows of 4");
    expect(found!.message).toContain(
      "the same pattern with DOTALL matches rows 2 and 3 and still refuses row 4",
    );
    expect(found!.cure).toContain("re.compile(…, re.DOTALL)");
    expect(found!.range).toMatchObject({ start: { line: 2, character: 19 } });
  });
  test("no cause is claimed when the pattern has DOTALL, or can't be taken over", () => {
    for (const source of [
      given.source.replace('</answer>$")', '</answer>$", re.S)'),
      given.source.replace('r"^<think>', 'r"(?x)^<think>'),
      given.source.replace("SHAPE.match(text)", "OTHER.match(text)"),
    ]) {
      const [found] = find({ ...given, source });
      expect(found!.message).not.toContain("Likely cause");
    }
  });
  test("a pattern in a helper, and flags that are there already", () => {
    const source = `import re
def ok(text):
    return re.match(r"^<think>.*?</think>\\s*<answer>.*?</answer>$", text, re.M) is not None
def format_reward(completions, **kwargs):
    return [float(ok(text)) for text in completions]
`;
    const [found] = find({ ...given, source });
    expect(found!.message).toContain("DOTALL matches rows 2 and 3");
    expect(found!.cure).toContain("re.match(…, re.M | re.DOTALL)");
  });
  test("with the flag, all agree", () => {
    expect(brief({ ...given, cells: { format_reward: [1, 1, 1, 0] } })).toEqual([]);
  });
});

test("B03: the slow row, with the pattern where it stood", () => {
  const hang = state("timed-out", { code: "row-timeout", expected: 2, line: 7 });
  const [found, ...others] = find({
    source: readCase("B03_reward.py"),
    rows: rowsOf("B03_samples.jsonl"),
    cells: { steps_reward: [1, hang, 0] },
  });
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    code: "slow-row",
    severity: "error",
    rows: [1],
    range: { start: { line: 6 } },
  });
  expect(found!.message).toContain("still running after 2 s on row 2, in line 7 at `STEPS.fullmatch`");
});

test("B15: timeouts of its own children aren't ours to tell", () => {
  const rows = rowsOf("B15_samples.jsonl");
  expect(
    brief({ source: readCase("B15_reward.py"), rows, cells: { runs_reward: [1, 0, 0, 1, 0, 0] } }),
  ).toEqual([]);
});
