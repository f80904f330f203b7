import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateMean } from "../../../../src/core/scoring/estimate";
import { histogram } from "../../../../src/core/scoring/histogram";
import { countStates } from "../../../../src/core/scoring/states";
import { grouped, outcome, table } from "./tables";

const inf = Number.POSITIVE_INFINITY;

describe("mean and interval", () => {
  it("over scored rows only", () => {
    const cells = [1, 0, null, NaN, inf, "raised", "crashed", undefined, 1] as const;
    expect(estimateMean(table(grouped(9, 1)), outcome(cells))).toMatchObject({
      mean: 2 / 3,
      n: 3,
      unit: "row",
      clusters: 3,
    });
    expect(estimateMean(table(grouped(2, 1)), outcome([null, "raised"]))).toBeNull();
  });

  it("groups of one: the ordinary t interval", () => {
    // R: t.test(c(1, 0, 1, 1, 0))$conf.int: 0.6 ± 0.6800874
    const { halfWidth } = estimateMean(table(grouped(5, 1)), outcome([1, 0, 1, 1, 0]))!;
    expect(halfWidth).toBeCloseTo(0.6800874, 4);
  });

  it("equal groups: the t interval of their means", () => {
    // Group means 1, 0, 0.5, 0.5: sd 0.4082483, 3 degrees of freedom.
    const cells = [1, 1, 0, 0, 1, 0, 1, 0];
    const estimate = estimateMean(table(grouped(8, 2)), outcome(cells))!;
    expect(estimate).toMatchObject({ mean: 0.5, n: 8, unit: "group", clusters: 4 });
    expect(estimate.halfWidth).toBeCloseTo((3.18245 * 0.4082483) / 2, 4);
  });

  it("is wider by group than by row where completions of a task are alike", () => {
    const cells = grouped(80, 8).flatMap((rows, g) => rows.map(() => g % 2));
    const byGroup = estimateMean(table(grouped(80, 8)), outcome(cells))!.halfWidth!;
    const byRow = estimateMean(table(grouped(80, 1)), outcome(cells))!.halfWidth!;
    expect(byGroup / byRow).toBeGreaterThan(2.5);
  });

  it("says nothing about its width with a single group", () => {
    expect(estimateMean(table([[0, 1, 2]]), outcome([1, 0, 1]))!.halfWidth).toBeNull();
  });

  it("covers the true mean about 95 times in 100 (24 groups of 4, alike within)", () => {
    let seed = 7;
    const next = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    let covered = 0;
    const runs = 600;
    const set = table(grouped(96, 4));
    for (let run = 0; run < runs; run++) {
      const cells = set.groups.flatMap(({ rows }) => {
        const base = next();
        return rows.map(() => base + (next() - 0.5) * 0.2);
      });
      const { mean, halfWidth } = estimateMean(set, outcome(cells))!;
      if (Math.abs((mean as number) - 0.5) <= halfWidth!) covered++;
    }
    expect(covered / runs).toBeGreaterThan(0.92);
    expect(covered / runs).toBeLessThan(0.98);
  });
});

describe("histogram", () => {
  it("counts every scored value once, in bins that span them", () => {
    const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 1, 0.5));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), (values) => {
        const { edges, counts } = histogram(outcome([...values, null, inf, "raised"]))!;
        expect(counts.reduce((a, b) => a + b)).toBe(values.length);
        expect(edges).toHaveLength(counts.length + 1);
        expect(edges.every(Number.isFinite)).toBe(true);
        expect(edges[0]).toBeLessThanOrEqual(Math.min(...values));
        expect(edges.at(-1)).toBeGreaterThanOrEqual(Math.max(...values));
      }),
    );
  });

  it("one value is one bin around it; no value is no histogram", () => {
    expect(histogram(outcome([2, 2, null]))).toEqual({ edges: [1.5, 2.5], counts: [2] });
    expect(histogram(outcome([null, "raised"]))).toBeNull();
  });

  it("the highest value is in the last bin, an edge belongs to the bin above it", () => {
    expect(histogram(outcome([0, 0.5, 1, 1]), 2)).toEqual({ edges: [0, 0.5, 1], counts: [1, 3] });
  });
});

describe("states", () => {
  it("counts those that occur, rows of the pass and recovered rows", () => {
    const rows = [...outcome([1, null, "raised", "raised", undefined]).rows];
    rows[0] = { ...rows[0]!, recovered: true };
    expect(countStates({ name: "f", rows })).toEqual({
      states: { scored: 1, "not-applicable": 1, raised: 2 },
      n: 4,
      recovered: 1,
    });
  });
});
