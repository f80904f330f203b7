import { describe, expect, it } from "vitest";
import { parseSource } from "../../../src/core/python/source";
import type { RowOutcome } from "../../../src/core/scoring/outcome";
import { completionText, oneLine } from "../../../src/services/functionScores";
import { lineMap } from "../../../src/services/lineMap";
import { buildPreviews } from "../../../src/services/previews";
import type { PassFunction } from "../../../src/services/scoreRunner";
import { readUnit } from "../../../src/services/unitFrame";

describe("where a line stands now", () => {
  const text = "a\nb\nc\nd\ne";
  it.each([
    ["a line put in", "a\nb\nX\nc\nd\ne", [0, 1, 3, 4, 5]],
    ["a line taken out", "a\nb\nd\ne", [0, 1, null, 2, 3]],
    ["a line changed", "a\nb\nX\nd\ne", [0, 1, null, 3, 4]],
    ["all changed", "X", [null, null, null, null, null]],
    ["nothing changed", text, [0, 1, 2, 3, 4]],
    ["a repeated line put in", "a\nb\nb\nc\nd\ne", [0, 1, 3, 4, 5]],
  ])("%s", (_, after, places) => {
    const map = lineMap(text, after);
    expect([0, 1, 2, 3, 4].map(map)).toEqual(places);
  });
});

describe("a unit frame", () => {
  const head = { t: "unit", job: 1, fn: 0, batch: 0, ms: 6 } as const;
  it("without states all rows are scored; time is shared out", () => {
    const rows = readUnit([4, 5, 6], { ...head, values: [1, 0, 0.5] }, false);
    expect(rows.map(({ state, value, ms }) => [state, value, ms])).toEqual([
      ["scored", 1, 2],
      ["scored", 0, 2],
      ["scored", 0.5, 2],
    ]);
  });
  it("a value belongs to scored and non-finite rows alone", () => {
    const rows = readUnit(
      [0, 1, 2],
      {
        ...head,
        values: [{ nonFinite: "-inf" }, 3, null],
        states: ["non-finite", "raised", "not-applicable"],
        reasons: { "1": { code: "exception" } },
      },
      true,
    );
    expect(rows.map(({ value, recovered }) => [value, recovered])).toEqual([
      [Number.NEGATIVE_INFINITY, true],
      [null, false],
      [null, false],
    ]);
    expect(rows[1]?.reason).toEqual({ code: "exception" });
  });
  it("a second call is noted only where it differs, NaN like NaN", () => {
    const nan = { nonFinite: "nan" } as const;
    const rows = readUnit(
      [0, 1, 2],
      { ...head, values: [1, nan, 2], states: ["scored", "non-finite", "scored"], again: [1, nan, null] },
      false,
    );
    expect(rows.map((row) => row.again)).toEqual([undefined, undefined, null]);
  });
});

describe("a completion as one line", () => {
  it.each([
    ["text with\n  lines\tand tabs ", "text with lines and tabs"],
    [[{ role: "assistant", content: "It is 42." }], "It is 42."],
    [
      [
        {
          role: "assistant",
          content: [
            { type: "text", text: "part" },
            { type: "text", text: "two" },
          ],
        },
      ],
      "part two",
    ],
    [{ odd: 10n }, '{"odd":"10"}'],
    [null, "null"],
  ])("case %#", (completion, line) => expect(oneLine(completion)).toBe(line));
  it("is cut", () => expect(oneLine("x".repeat(1000))).toHaveLength(200));
  it("joins messages", () => expect(completionText([{ content: "a" }, { content: "b" }])).toBe("a\nb"));
});

describe("previews", () => {
  const text = `def helper(x):
    return x

def f_reward(completions, **kwargs):
    out = []
    for c in completions:
        if helper(c):
            out.append(1.0)
        else:
            out.append(0.0)
    return out

def g_reward(completions, **kwargs):
    return [0.0]
`;
  const source = parseSource(text);
  const fn = source.functions.find(({ name }) => name === "f_reward")!;
  const scored = (value: number, more: Partial<RowOutcome> = {}): RowOutcome => ({
    state: "scored",
    value,
    recovered: false,
    reason: null,
    output: null,
    ms: 0,
    ...more,
  });
  const traced = (
    lines: Record<number, number[]>,
    rows: RowOutcome[],
    steps: PassFunction["steps"] = null,
  ): PassFunction => ({
    name: "f_reward",
    rows,
    failures: [],
    changed: new Set(),
    again: new Map(),
    calledTwice: 0,
    lines: new Map(Object.entries(lines).map(([row, hit]) => [Number(row), hit])),
    steps,
  });
  const rewards = new Set(["f_reward", "g_reward"]);
  const UP = [5, 6, 7, 2, 8, 11];
  const DOWN = [5, 6, 7, 2, 10, 11];

  it("count samples and their final scores at each line, helpers too, other rewards not", () => {
    const scores = [scored(1), scored(0), scored(1)];
    const previews = buildPreviews({
      fn,
      source,
      rewards,
      scores,
      traced: traced({ 0: UP, 1: DOWN, 2: [...UP, 6, 7] }, scores),
      of: 9,
    });
    const at = new Map(previews.lines.map((line) => [line.line, line]));
    expect(previews).toMatchObject({ traced: 3, of: 9, off: null, neverHit: [] });
    expect(at.get(7)).toMatchObject({ hits: 2, scores: [{ value: 1, count: 2 }], kind: "append" });
    expect(at.get(9)).toMatchObject({ hits: 1, scores: [{ value: 0, count: 1 }] });
    expect(at.get(10)).toMatchObject({
      hits: 3,
      kind: "return",
      scores: [
        { value: 1, count: 2 },
        { value: 0, count: 1 },
      ],
    });
    expect(at.get(1)).toMatchObject({ hits: 3, kind: "return" });
    expect(at.has(13)).toBe(false);
  });

  it("keep four scores and count the rest; a row without a score is no number", () => {
    const scores = [0, 1, 2, 3, 4, 5].map((value) => scored(value));
    scores.push({ ...scored(0), state: "raised", value: null });
    const lines = Object.fromEntries(scores.map((_, row) => [row, [5]]));
    const previews = buildPreviews({ fn, source, rewards, scores, traced: traced(lines, scores), of: 7 });
    expect(previews.lines[0]).toMatchObject({ hits: 7, others: 3 });
    expect(previews.lines[0]?.scores).toHaveLength(4);
    expect(previews.lines[0]?.scores.some(({ value }) => value === null)).toBe(false);
  });

  it("name lines of the body that nobody reached", () => {
    const scores = [scored(1)];
    const previews = buildPreviews({ fn, source, rewards, scores, traced: traced({ 0: UP }, scores), of: 1 });
    // `else:` has no line event of its own: it stands and falls with the statement below it.
    expect(previews.neverHit).toEqual([8, 9]);
  });

  it("show where a loop left its names", () => {
    const scores = [scored(1)];
    const steps = [
      { line: 6, values: { c: "'a'" } },
      { line: 6, values: { c: "'b'" } },
    ];
    const previews = buildPreviews({
      fn,
      source,
      rewards,
      scores,
      traced: traced({ 0: UP }, scores, steps),
      of: 1,
    });
    expect(previews.lines.find(({ line }) => line === 5)?.values).toEqual([{ name: "c", text: "'b'" }]);
  });

  it("are off where a row alone differs from its batch, but not for rows that were recovered alone", () => {
    const input = { fn, source, rewards, of: 1 };
    const alone = traced({ 0: UP }, [scored(1)]);
    expect(buildPreviews({ ...input, scores: [scored(2)], traced: alone }).off).toBe("differs");
    expect(
      buildPreviews({ ...input, scores: [scored(2, { recovered: true })], traced: alone }).off,
    ).toBeNull();
    expect(
      buildPreviews({ ...input, scores: [{ ...scored(0), state: "held", value: null }], traced: alone }).off,
    ).toBeNull();
    expect(buildPreviews({ ...input, scores: [], traced: traced({}, []) }).off).toBe("none");
  });
});
