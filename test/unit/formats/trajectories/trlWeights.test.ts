import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { weightsOf } from "../../../../src/formats/trajectories/forms/trlWeights";

type Row = Record<string, unknown>;

/** Advantages as TRL's `group` scaling gives them: (r − mean) / (sample std + 1e-4). */
function stepOf(weights: Record<string, number>, groups: Record<string, number | null>[][]): Row[] {
  return groups.flatMap((members, g) => {
    const totals = members.map((row) =>
      Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * (row[name] ?? 0), 0),
    );
    const mean = totals.reduce((a, b) => a + b, 0) / totals.length;
    const std = Math.sqrt(totals.reduce((sum, r) => sum + (r - mean) ** 2, 0) / (totals.length - 1));
    return members.map((row, i) => ({
      prompt: `p${g}`,
      ...row,
      advantage: ((totals[i] ?? 0) - mean) / (std + 1e-4),
    }));
  });
}

const meanTotal = (weights: Record<string, number>, rows: Row[]): number =>
  rows.reduce(
    (sum, row) => sum + Object.entries(weights).reduce((all, [n, w]) => all + w * Number(row[n] ?? 0), 0),
    0,
  ) / rows.length;

const GROUPS = [
  [
    { right: 1, short: -0.1 },
    { right: 0, short: -0.3 },
    { right: 1, short: -0.2 },
    { right: null, short: -0.05 },
  ],
  [
    { right: 0, short: -0.4 },
    { right: 0, short: -0.2 },
    { right: 1, short: -0.9 },
    { right: 1, short: -0.1 },
  ],
];

describe("the weights of a TRL run, from its advantages", () => {
  it("are found for any weights, with the scale of the logged mean", () => {
    const weight = fc.integer({ min: 1, max: 40 }).map((n) => n / 10);
    fc.assert(
      fc.property(weight, weight, (right, short) => {
        const weights = { right, short };
        const rows = stepOf(weights, GROUPS);
        // The scale comes from a mean: one of nothing tells none.
        fc.pre(Math.abs(meanTotal(weights, rows)) > 0.05);
        const state = { log_history: [{ step: 3, reward: meanTotal(weights, rows) }] };
        const found = weightsOf(rows, ["right", "short"], state, 3);
        expect(found?.["right"]).toBeCloseTo(right, 3);
        expect(found?.["short"]).toBeCloseTo(short, 3);
      }),
    );
  });

  it("equal ones are 1 where nothing is logged; others aren't guessed", () => {
    expect(weightsOf(stepOf({ right: 1, short: 1 }, GROUPS), ["right", "short"], null, 3)).toEqual({
      right: 1,
      short: 1,
    });
    expect(weightsOf(stepOf({ right: 1, short: 0.5 }, GROUPS), ["right", "short"], null, 3)).toBeNull();
  });

  it("aren't known where a function never varies, or the advantages are of another rule", () => {
    const constant = GROUPS.map((group) => group.map((row) => ({ ...row, short: 0.5 })));
    expect(weightsOf(stepOf({ right: 1, short: 1 }, constant), ["right", "short"], null, 1)).toBeNull();
    const other = stepOf({ right: 1, short: 1 }, GROUPS).map((row, i) => ({
      ...row,
      advantage: (i % 3) - 1,
    }));
    expect(weightsOf(other, ["right", "short"], null, 1)).toBeNull();
  });

  it("a function that said None of every row doesn't count", () => {
    const rows = stepOf({ right: 1, short: 1 }, GROUPS).map((row) => ({ ...row, hard: null }));
    expect(weightsOf(rows, ["right", "short", "hard"], null, 1)).toEqual({ right: 1, short: 1 });
  });
});
