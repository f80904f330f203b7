import { describe, expect, it } from "vitest";
import { rewardMatrix } from "../../../../src/core/scoring/totals";
import { SCORE_STATES } from "../../../../src/schema/score";
import { fates, outcome, type Cell } from "./tables";

const part = (cells: readonly Cell[], weight = 1, version = "1.16.0") => ({
  outcome: outcome(cells),
  weight,
  fate: fates({ version }),
});
const totals = (...parts: ReturnType<typeof part>[]) => [
  ...rewardMatrix(parts, parts[0]!.outcome.rows.length).totals,
];

describe("totals", () => {
  it("no state but a score is a number", () => {
    for (const state of SCORE_STATES) {
      if (state === "scored" || state === "non-finite") continue;
      expect(totals(part([state]))).toEqual([Number.NaN]);
    }
  });

  it("weights each function, in double precision", () => {
    expect(totals(part([1, 0.1], 0.5), part([2, 0.2], -1))).toEqual([-1.5, 0.05 - 0.2]);
  });

  it("an infinite score shows in the total, a NaN doesn't, nor an infinite one with weight 0", () => {
    expect(totals(part([Infinity, NaN, NaN]), part([1, 1, null]))).toEqual([Infinity, 1, NaN]);
    expect(totals(part([Infinity], 0), part([1]))).toEqual([1]);
  });

  it("older TRL trains on 0 where all said None; the total is still none", () => {
    const matrix = rewardMatrix([part([null, 1], 1, "1.0.0")], 2);
    expect([...matrix.trained]).toEqual([0, 1]);
    expect([...matrix.totals]).toEqual([NaN, 1]);
    const now = rewardMatrix([part([null, 1])], 2);
    expect([...now.trained]).toEqual([NaN, 1]);
  });

  it("a total of which a part isn't known is none, and its row is in no baseline", () => {
    const matrix = rewardMatrix([part(["held", 1]), part([1, 1])], 2);
    expect([...matrix.totals]).toEqual([NaN, 2]);
    expect([...matrix.trained]).toEqual([NaN, NaN, 1, 1]);
    expect(matrix.stops).toBe(false);
    expect(totals(part(["cancelled"], 0), part([1]))).toEqual([1]);
  });

  it("knows what would have stopped the run: a failed row, or a batch whose rows were scored one by one", () => {
    const stops = (cells: Cell[]) => rewardMatrix([part(cells)], cells.length).stops;
    for (const state of ["raised", "invalid-return", "crashed", "timed-out"] as const)
      expect(stops([1, state])).toBe(true);
    for (const cell of [1, null, NaN, Infinity, "held", "cancelled"] as const)
      expect(stops([1, cell])).toBe(false);
    const rows = outcome([1, 0]).rows.map((row) => ({ ...row!, recovered: true }));
    expect(rewardMatrix([{ ...part([]), outcome: { name: "f", rows } }], 2).stops).toBe(true);
  });

  it("a row that one function left out of the pass is not in it", () => {
    expect([...rewardMatrix([part([1, 1]), part([1, undefined])], 2).seen]).toEqual([1, 0]);
    expect([...rewardMatrix([], 2).seen]).toEqual([0, 0]);
  });
});
