import { describe, expect, it } from "vitest";
import type { Observation } from "../../../../src/schema/lab";
import type { Compare, Match } from "../../../../webview/lab/detail/marks";
import { decisive } from "../../../../webview/lab/detail/why";
import { observed, scoreOrState } from "../../../../webview/lab/detail/words";
import { speechOf } from "../../../../webview/shared/speech";

const speech = speechOf({}, "en");
const SOURCE =
  "import re\nSHAPE = re.compile(r'<think>.*</think>')\n\ndef f(x):\n    ok = SHAPE.match(x)\n    return re.search(LATE, x)\n";

const match = (more: Partial<Match> = {}): Match => ({
  kind: "match",
  step: 1,
  line: 5,
  method: "match",
  pattern: "<think>.*</think>",
  flags: "",
  text: "<think>\nab</think>",
  cut: false,
  spans: [],
  groups: [],
  place: null,
  reached: { pattern: 7, text: [0, 7] },
  wouldMatch: ["DOTALL"],
  ...more,
});
const compare = (more: Partial<Compare> = {}): Compare => ({
  kind: "compare",
  step: 2,
  line: 10,
  op: "==",
  left: String.raw`'\\frac{1'`,
  right: String.raw`'\\frac{1}{2}'`,
  result: false,
  leftPlace: null,
  rightPlace: { part: "column", name: "answer", from: 0, to: 11 },
  ...more,
});
const said = (one: Observation) => observed(one, SOURCE, speech, true);

describe("why, in a sentence", () => {
  it("a pattern that stops at a line break, with the flag that would help", () => {
    expect(said(match())).toBe(
      "Line 5: SHAPE doesn't match: it stops at the line break after “<think>”. `.` doesn't match line breaks here; with re.DOTALL it would match.",
    );
  });
  it("texts that are not equal, with the column's name", () => {
    expect(said(compare())).toBe(String.raw`Line 10: '\\frac{1' is not equal to answer '\\frac{1}{2}'.`);
    expect(said(compare({ op: "!=", result: true }))).toContain("is not equal to");
    expect(said(compare({ op: "!=", result: false }))).toContain("is equal to");
  });
  it("says which side is looked for in which", () => {
    expect(said(compare({ op: "in", left: "'a'", right: "'cab'", result: true, rightPlace: null }))).toBe(
      "Line 10: 'a' is in 'cab'.",
    );
    expect(said(compare({ op: "find", left: "'cab'", right: "'x'", rightPlace: null }))).toBe(
      "Line 10: 'x' is not in 'cab'.",
    );
    expect(said(compare({ op: "startswith", left: "'a'", right: "'b'", rightPlace: null }))).toBe(
      "Line 10: 'a' doesn't start with 'b'.",
    );
    expect(said(compare({ op: "<", left: "3", right: "2", rightPlace: null }))).toBe(
      "Line 10: 3 < 2 does not hold.",
    );
  });
  it("names the pattern as its line does, else shows it; a helper's line is named as its own", () => {
    expect(said(match({ line: 6, spans: [[0, 7]] }))).toBe("Line 6: LATE matches “<think>”.");
    expect(said(match({ line: 4, reached: null, wouldMatch: [] }))).toBe(
      "Line 4: /<think>.*</think>/ doesn't match.",
    );
    expect(said(match({ helper: { file: "lib.py", line: 3 }, spans: [[0, 7]] }))).toBe(
      "lib.py line 3: /<think>.*</think>/ matches “<think>”.",
    );
  });
});

describe("what decided", () => {
  const won = match({ step: 0, spans: [[0, 3]] });
  it("is the last that failed", () =>
    expect(decisive({ observations: [won, match(), compare()] })).toEqual([compare()]));
  it("what came after it and held is said first", () => {
    const held = compare({ step: 4, result: true });
    expect(decisive({ observations: [match({ step: 1 }), held] })).toEqual([held, match({ step: 1 })]);
  });
  it("is the last of all where nothing failed, by the order of steps", () => {
    const late = compare({ step: 9, result: true });
    expect(decisive({ observations: [late, won] })).toEqual([late]);
    expect(decisive({ observations: [] })).toEqual([]);
  });
});

it("what could not be scored is never a number", () => {
  expect(scoreOrState({ state: "raised", value: null }, speech)).toBe("– raised");
  expect(scoreOrState({ state: "non-finite", value: { nonFinite: "nan" } }, speech)).toBe("nan non-finite");
  expect(scoreOrState({ state: null, value: null }, speech)).toBe("not scored yet");
  expect(scoreOrState({ state: "scored", value: 0 }, speech)).toBe("0.0");
});
