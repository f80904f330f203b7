import { describe, expect, test } from "vitest";
import { defLine } from "../../../src/words/defLine";
import { countOfState } from "../../../src/words/states";
import { SCORE_STATES } from "../../../src/schema/score";
import { english, fileScores, functionScores, syntaxError } from "../host/snapshots";

const text = (
  ...args: Parameters<typeof defLine> extends [infer F, infer S, ...unknown[]] ? [F, S, boolean?] : never
) => defLine(args[0], args[1], args[2] ?? false, english)?.text;

describe("at the def line", () => {
  test("everything that there is to say, in order", () => {
    const fn = functionScores({
      states: { scored: 196, raised: 4 },
      flips: { up: 2, down: 1, rows: [] },
      groups: { n: 25, tied: 2, noGradient: 2 },
    });
    expect(text(fn, fileScores())).toBe("▲ 0.62 ±0.07 · 3 flips ↑2 ↓1 · 4 raised · 2/25 tied · 41 ms");
  });

  test("one flip is one flip, no flips are not mentioned", () => {
    expect(text(functionScores({ flips: { up: 1, down: 0, rows: [] } }), fileScores())).toContain(
      "1 flip ↑1 ·",
    );
    expect(text(functionScores({ flips: { up: 0, down: 0, rows: [] } }), fileScores())).not.toContain("flip");
  });

  test("all states that occur are told apart, each in words of its own", () => {
    const states = Object.fromEntries(SCORE_STATES.map((state, index) => [state, index + 1]));
    const said = text(functionScores({ states }), fileScores()) ?? "";
    for (const [index, state] of SCORE_STATES.entries())
      if (state !== "scored") expect(said).toContain(` ${countOfState(state, index + 1, english)} `);
    expect(new Set(SCORE_STATES.map((state) => countOfState(state, 1, english))).size).toBe(
      SCORE_STATES.length,
    );
  });

  test("no scored row means no number, and not 0", () => {
    const said = text(functionScores({ states: { raised: 200 }, estimate: null }), fileScores());
    expect(said).toBe("✕ no score · 200 raised · 41 ms");
  });

  test("says how many of how many rows while not all are live", () => {
    expect(text(functionScores({ n: 1000, of: 12480 }), fileScores())).toContain("· 1,000 of 12,480 ·");
  });

  test("after an edit it is marked as old by a sign too, not by colour alone", () => {
    const fresh = defLine(functionScores(), fileScores(), false, english);
    const moved = defLine(functionScores(), fileScores(), true, english);
    expect(fresh).toMatchObject({ old: false });
    expect(moved).toMatchObject({ old: true });
    expect(moved?.text[0]).not.toBe(fresh?.text[0]);
  });

  test("a syntax error stands there with the last number, said to be from before", () => {
    const fn = functionScores({ status: "old" });
    const line = defLine(fn, fileScores({ status: "old", error: syntaxError }), false, english);
    expect(line).toEqual({
      text: "✗ syntax error line 12 · showing 0.62 ±0.07 from before",
      old: true,
      failed: true,
      health: "warning",
    });
  });

  test("rows that would end or spoil the run change the sign, rows that are only left out don't", () => {
    const sign = (parts: Parameters<typeof functionScores>[0]) =>
      text(functionScores(parts), fileScores())?.[0];
    const fate = { given: null, inBaseline: false, inLoss: false, scope: "run" as const, retries: 0 };
    expect(sign({ states: { scored: 199, "not-applicable": 1 } })).toBe("●");
    expect(sign({ states: { scored: 199, "timed-out": 1 } })).toBe("●");
    for (const state of ["raised", "crashed", "invalid-return"] as const)
      expect(sign({ states: { scored: 199, [state]: 1 } })).toBe("▲");
    const waits = { "timed-out": { ...fate, word: "ignored" as const, waits: true } };
    expect(sign({ states: { scored: 199, "timed-out": 1 }, fates: waits })).toBe("▲");
    const stops = { "non-finite": { ...fate, word: "stops" as const, waits: false } };
    expect(sign({ states: { scored: 199, "non-finite": 1 }, fates: stops })).toBe("▲");
    expect(sign({ states: { scored: 200 }, fates: stops })).toBe("●");
    expect(sign({ states: { held: 200 }, estimate: null })).toBe("✕");
  });

  test("an error without an earlier number shows the error alone", () => {
    const fn = functionScores({ status: "none", estimate: null, n: 0 });
    expect(text(fn, fileScores({ status: "old", error: syntaxError }))).toBe("✗ syntax error line 12");
  });

  test("an error in a helper names the helper", () => {
    const error = { ...syntaxError, path: "/work/lib/helper.py" };
    const fn = functionScores({ status: "old" });
    expect(text(fn, fileScores({ error }))).toMatch(/^✗ syntax error in helper\.py line 12/);
  });

  test("a missing module is named", () => {
    const error = { ...syntaxError, code: "ModuleMissing", name: "numpy" };
    expect(text(functionScores({ status: "none" }), fileScores({ error }))).toMatch(
      /module numpy is not installed/,
    );
  });

  test("what it waits for is said where there are no numbers", () => {
    const fn = functionScores({ status: "none", n: 0, estimate: null });
    expect(text(fn, fileScores({ blocked: "paused", status: "blocked" }))).toBe("○ paused");
    expect(text(fn, fileScores({ status: "idle" }))).toBeUndefined();
  });
});
