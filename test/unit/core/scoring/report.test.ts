import { describe, expect, it } from "vitest";
import { scoreReport, type ReportInput } from "../../../../src/core/scoring/report";
import { ScoreReport } from "../../../../src/schema/report";
import { fates, outcome, table, type Cell } from "./tables";

function report(columns: Record<string, Cell[]>, more: Partial<ReportInput> = {}): ScoreReport {
  const [first] = Object.values(columns);
  const input: ReportInput = {
    version: "0.1.0",
    table: table([first!.map((_, i) => i)]),
    functions: Object.entries(columns).map(([name, cells], i) => ({
      outcome: outcome(cells, name),
      weight: i === 0 ? 1 : 0.5,
      fate: fates(),
      file: "reward.py",
      contract: "trl",
      reasons: ["completions-and-kwargs"],
    })),
    trainer: {
      framework: "trl",
      version: "1.16.0",
      checked: true,
      advantages: "group",
      aggregation: "sum_then_normalize",
      batch: 32,
    },
    findings: [],
    problems: [],
    error: null,
    versionHash: null,
    timing: { loadMs: 1, passMs: 2, totalMs: 3, mode: "fork" },
    ...more,
  };
  // What JSON carries is what the schema says, whatever the scores were.
  return ScoreReport.parse(JSON.parse(JSON.stringify(scoreReport(input))));
}

describe("the report of a pass", () => {
  it("S07 as a whole: states, means over rows that apply, totals, group", () => {
    const { functions, totals, groups, hypothetical } = report({
      math_reward: [1, 0, null, null],
      style_reward: [1, 1, null, 0],
    });
    expect(functions.map((f) => f.mean)).toEqual([0.5, 2 / 3]);
    expect(functions.map((f) => f.n)).toEqual([2, 3]);
    expect(functions[0]!.states).toEqual({ scored: 2, "not-applicable": 2 });
    expect(functions[0]!.rows[2]).toMatchObject({
      row: 2,
      id: "id2",
      group: "g0",
      state: "not-applicable",
      value: null,
    });
    expect(totals).toEqual([1.5, 0.5, null, 0]);
    expect(groups[0]!.advantages[2]).toBe(0);
    expect(hypothetical).toBe(false);
  });

  it("nine states side by side keep their own names; only scores enter the mean", () => {
    const states = [
      "not-applicable",
      "invalid-return",
      "raised",
      "timed-out",
      "crashed",
      "cancelled",
      "held",
    ] as const;
    const cells: Cell[] = [1, 0, NaN, Infinity, null, ...states.slice(1)];
    const { functions, totals, hypothetical } = report({ f: cells });
    expect(functions[0]).toMatchObject({
      n: 2,
      mean: 0.5,
      states: {
        scored: 2,
        "non-finite": 2,
        "not-applicable": 1,
        "invalid-return": 1,
        raised: 1,
        "timed-out": 1,
        crashed: 1,
        cancelled: 1,
        held: 1,
      },
    });
    expect(functions[0]!.fates["raised"]).toMatchObject({ word: "stops", scope: "run" });
    expect(functions[0]!.fates["timed-out"]).toMatchObject({ word: "stops", waits: true });
    expect(functions[0]!.rows.map((r) => r.value).slice(0, 4)).toEqual([
      1,
      0,
      { nonFinite: "nan" },
      { nonFinite: "inf" },
    ]);
    expect(totals).toEqual([1, 0, null, { nonFinite: "inf" }, ...new Array<null>(7).fill(null)]);
    expect(hypothetical).toBe(true);
  });

  it("a state whose rows fare differently shows the worst: NaN is left out, an infinity poisons", () => {
    expect(report({ f: [1, NaN, 0] }).functions[0]!.fates["non-finite"]!.word).toBe("ignored");
    expect(report({ f: [1, NaN, Infinity] }).functions[0]!.fates["non-finite"]!.word).toBe("poisons");
    expect(report({ f: [1, null, 0], g: [1, 1, 1] }).functions[0]!.fates["not-applicable"]!.word).toBe(
      "zero",
    );
  });

  it("names the formula and its version", () => {
    expect(report({ f: [1, 0] }).trainer.formula).toMatch(/sample std of the group \+ 1e-4.*TRL 1\.16\.0/);
  });

  it("a set in which nothing was scored has nulls, not zeros", () => {
    const { functions, totals, groups } = report({ f: ["raised", "raised"] });
    expect([functions[0]!.mean, functions[0]!.n]).toEqual([null, 0]);
    expect(totals).toEqual([null, null]);
    expect(groups[0]).toMatchObject({ mean: null, std: null, cause: "nothing-scored" });
  });

  it("labels of the table are compared with the totals", () => {
    const labelled = table([[0, 1, 2]], { label: ["good", "bad", null] });
    expect(report({ f: [1, 1, 0] }, { table: labelled }).labels).toEqual({
      n: 2,
      agree: 1,
      disagreeRows: [1],
    });
  });
});
