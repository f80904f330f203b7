import { describe, expect, test } from "vitest";
import type { FateContext } from "../../../../src/core/contracts/contract";
import { modelFile } from "../../../../src/core/contracts/registry";
import { trl, trlKeywords } from "../../../../src/core/contracts/trl";
import { atLeast, isChecked } from "../../../../src/core/contracts/version";
import type { ReasonCode, ScoreState } from "../../../../src/schema/score";
import { CallPlan } from "../../../../src/schema/worker";

const context: FateContext = {
  version: "1.16.0",
  advantages: "group",
  shape: "text",
  columns: ["answer"],
  hasTokens: false,
  othersScored: false,
  reason: null,
};
const [fn] = modelFile("r.py", 1, "def f(completions, **kw):\n    return [1.0]\n").functions;
const fate = (state: ScoreState, more: Partial<FateContext> = {}) => trl.fate(state, { ...context, ...more });

describe("call plan", () => {
  // Read in trl/trainer/grpo_trainer.py of each release.
  test.each<[string | null, string[]]>([
    ["0.17.0", ["prompts", "completions", "*"]],
    ["0.18.0", ["prompts", "completions", "completion_ids", "*"]],
    ["0.19.1", ["prompts", "completions", "completion_ids", "*"]],
    ["0.20.0", ["prompts", "completions", "completion_ids", "*", "trainer_state"]],
    ["0.29.0", ["prompts", "completions", "completion_ids", "*", "trainer_state"]],
    ["1.0.0", ["prompts", "completions", "completion_ids", "*", "trainer_state", "log_extra", "log_metric"]],
    ["1.16.0", ["prompts", "completions", "completion_ids", "*", "trainer_state", "log_extra", "log_metric"]],
    [null, ["prompts", "completions", "completion_ids", "*", "trainer_state", "log_extra", "log_metric"]],
  ])("TRL %s", (version, expected) => {
    const plan = trl.plan(fn!, { ...context, version });
    expect(CallPlan.parse(plan)).toEqual(plan);
    expect(plan.arguments.map((argument) => (argument.from === "columns" ? "*" : argument.name))).toEqual(
      expected,
    );
    expect(trlKeywords(version)).toEqual(expected.filter((name) => name !== "*"));
    expect([plan.unit, plan.passing, plan.returns]).toEqual(["batch", "keyword", "list"]);
  });

  test("objects with an async call are awaited from 1.14 on", () => {
    const awaits = (version: string | null) => trl.plan(fn!, { ...context, version }).awaits;
    expect([awaits("1.13.0"), awaits("1.14.0"), awaits("1.16.0"), awaits(null)]).toEqual([
      "functions",
      "callables",
      "callables",
      "callables",
    ]);
  });

  test("the checked range is said", () => {
    expect(
      ["0.13.0", "0.14.0", "1.10.0.dev0", "1.16.0", "1.17.0", null].map((v) => isChecked(v, trl.checked)),
    ).toEqual([false, true, true, true, false, false]);
    expect(atLeast("1.9.0", "1.10.0")).toBe(false);
  });
});

describe("fate", () => {
  test.each<[ScoreState, ReasonCode | null]>([
    ["raised", "exception"],
    ["raised", "signature"],
    ["invalid-return", "wrong-count"],
    ["invalid-return", "coroutine"],
    ["crashed", "exit"],
  ])("%s (%s) stops the run", (state, reason) => {
    expect(fate(state, { reason })).toMatchObject({
      word: "stops",
      scope: "run",
      inLoss: false,
      waits: false,
    });
  });

  test("a hang is waited for without limit; a row we had no time for says nothing", () => {
    expect(fate("timed-out", { reason: "row-timeout" })).toMatchObject({
      word: "stops",
      scope: "run",
      waits: true,
    });
    expect(fate("timed-out", { reason: "pass-timeout" })).toMatchObject({
      word: "unknown",
      given: null,
      waits: false,
    });
  });

  test("None: left out where all said so, 0 in the total where another scored", () => {
    expect(fate("not-applicable", { reason: "none" })).toMatchObject({
      word: "ignored",
      inBaseline: false,
      given: null,
    });
    expect(fate("not-applicable", { reason: "none", othersScored: true })).toMatchObject({
      word: "zero",
      given: 0,
      inBaseline: true,
    });
    expect(
      fate("not-applicable", { reason: "none", othersScored: true, aggregation: "normalize_then_sum" }),
    ).toMatchObject({ word: "ignored", inBaseline: false });
  });

  test("NaN is taken for None", () => {
    for (const othersScored of [true, false])
      expect(fate("non-finite", { reason: "nan", othersScored })).toEqual(
        fate("not-applicable", { reason: "none", othersScored }),
      );
  });

  test("None in older releases", () => {
    expect(fate("not-applicable", { reason: "none", version: "1.5.0" })).toMatchObject({
      word: "zero",
      given: 0,
    });
    expect(fate("not-applicable", { reason: "none", version: "0.15.2" }).word).toBe("stops");
    expect(fate("non-finite", { reason: "nan", version: "0.15.2" })).toMatchObject({
      word: "poisons",
      scope: "group",
    });
  });

  test("an infinite value spreads as far as the scaling goes", () => {
    const scope = (more: Partial<FateContext>) => {
      const { word, scope: reach } = fate("non-finite", { reason: "infinite", ...more });
      return `${word} ${reach}`;
    };
    expect(scope({ advantages: "group" })).toBe("poisons group");
    expect(scope({ advantages: "batch" })).toBe("poisons batch");
    expect(scope({ advantages: "none" })).toBe("poisons run");
    expect(scope({ advantages: "batch", aggregation: "normalize_then_sum" })).toBe("poisons group");
    expect(scope({ advantages: "group", version: "1.5.0" })).toBe("poisons run");
  });

  test("what was not run to its end counts as unknown, and so do missing token ids", () => {
    for (const state of ["held", "cancelled", "unscored"] as const)
      expect(fate(state)).toMatchObject({ word: "unknown", given: null, inBaseline: false });
    expect(fate("not-applicable", { reason: "no-tokens", othersScored: true })).toMatchObject({
      word: "unknown",
      given: null,
    });
    expect(fate("scored")).toMatchObject({ word: "value", inBaseline: true, inLoss: true, scope: "row" });
  });
});
