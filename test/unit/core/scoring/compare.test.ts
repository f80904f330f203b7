import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareScores } from "../../../../src/core/scoring/compare";
import { grouped, outcome, table, type Cell } from "./tables";

function compare(before: readonly Cell[], now: readonly Cell[], size = 4) {
  const set = table(grouped(now.length, size));
  return compareScores({ ids: set.ids, rows: outcome(before).rows }, outcome(now), set);
}

describe("flips against a baseline", () => {
  it("up and down are rows whose own score moved", () => {
    const { up, down, flips, compared } = compare([0, 1, 0, 1], [1, 0, 0, 1]);
    expect([up, down, compared]).toEqual([1, 1, 4]);
    expect(flips.filter((f) => f.value).map((f) => f.row)).toEqual([0, 1]);
  });

  it("a row that others moved past flips by rank and sign, not by value", () => {
    // Row 3 keeps its 0.5; the three others rise above it.
    const { up, down, flips } = compare([0, 0, 0, 0.5], [1, 1, 1, 0.5]);
    expect([up, down]).toEqual([3, 0]);
    expect(flips.map((f) => f.row)).toEqual([0, 1, 2, 3]);
    expect(flips[3]).toEqual({ row: 3, direction: 0, value: false, state: false, rank: true, sign: true });
  });

  it("a change that keeps every rank and sign is one of value alone", () => {
    const { flips } = compare([0, 1, 2, 3], [0, 2, 4, 6]);
    expect(flips.map(({ row, rank, sign }) => [row, rank, sign])).toEqual([
      [1, false, false],
      [2, false, false],
      [3, false, false],
    ]);
  });

  it("a score lost is down, one gained is up, another failure is neither", () => {
    const { up, down, flips } = compare(
      [1, "raised", "raised", 1, NaN],
      ["raised", 1, "timed-out", null, Infinity],
      5,
    );
    expect([up, down]).toEqual([1, 2]);
    expect(flips.map((f) => [f.row, f.direction, f.state])).toEqual([
      [0, -1, true],
      [1, 1, true],
      [2, 0, true],
      [3, -1, true],
    ]);
  });

  it("rows that one version didn't score in this pass flip nothing", () => {
    const { flips, compared } = compare([1, undefined, 0, 1], [1, 0, 0, undefined]);
    expect(flips).toEqual([]);
    expect(compared).toBe(2);
  });

  it("rounding is no flip", () => {
    expect(compare([0.1 + 0.2, 1], [0.3, 1], 2).flips).toEqual([]);
    const { flips } = compare([0.1 + 0.2, 0.3, 0], [0.3, 0.1 + 0.2, 0.1], 3);
    expect(flips.map((f) => f.row)).toEqual([2]);
  });

  it("ids decide which row is which: reordering and appending change nothing", () => {
    const score = fc.constantFrom<Cell>(0, 1, 0.5, null, "raised");
    fc.assert(
      fc.property(
        fc
          .array(score, { minLength: 4, maxLength: 12 })
          .chain((cells) =>
            fc.tuple(
              fc.constant(cells),
              fc.shuffledSubarray([...cells.keys()], { minLength: cells.length }),
              fc.array(score, { maxLength: 3 }),
            ),
          ),
        ([cells, order, more]) => {
          const ids = cells.map((_, i) => `s${i}`);
          const now = table([[...order.keys(), ...more.map((_, i) => order.length + i)]], {
            ids: [...order.map((i) => ids[i]!), ...more.map((_, i) => `new${i}`)],
          });
          const scores = outcome([...order.map((i) => cells[i]), ...more]);
          const { flips, compared } = compareScores({ ids, rows: outcome(cells).rows }, scores, now);
          expect(flips).toEqual([]);
          expect(compared).toBe(cells.length);
        },
      ),
    );
  });

  it("equal samples answer to each other in order", () => {
    const set = table([[0, 1, 2]], { ids: ["a", "a", "b"] });
    const before = { ids: ["b", "a", "a"], rows: outcome([5, 1, 2]).rows };
    const { flips } = compareScores(before, outcome([1, 3, 5]), set);
    expect(flips.map((f) => [f.row, f.direction])).toEqual([[1, 1]]);
  });
});
