import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advantageRule } from "../../../../src/core/advantages/registry";
import { analyseGroups } from "../../../../src/core/scoring/groups";
import { allRows, planBatches } from "../../../../src/core/scoring/plan";
import { kendallTauB, tauWithin } from "../../../../src/core/scoring/rank";
import { CrumbFinder, separation } from "../../../../src/core/scoring/separate";
import { rewardMatrix } from "../../../../src/core/scoring/totals";
import { withinGroups } from "../../../../src/core/scoring/within";
import { fates, grouped, outcome, table, type Cell } from "./tables";

describe("Kendall's tau-b", () => {
  /** By its definition, pair by pair. */
  function byPairs(a: readonly number[], b: readonly number[]): number | null {
    let [sum, tiedA, tiedB, pairs] = [0, 0, 0, 0];
    for (let i = 0; i < a.length; i++)
      for (let j = i + 1; j < a.length; j++) {
        pairs++;
        const [x, y] = [Math.sign(a[i]! - a[j]!), Math.sign(b[i]! - b[j]!)];
        sum += x * y;
        if (x === 0) tiedA++;
        if (y === 0) tiedB++;
      }
    const scale = Math.sqrt((pairs - tiedA) * (pairs - tiedB));
    return scale === 0 ? null : sum / scale;
  }

  it("is what counting pairs gives", () => {
    const value = fc.integer({ min: 0, max: 6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 30 }), (pairs) => {
        const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
        const expected = byPairs(a, b);
        const tau = kendallTauB(a, b);
        if (expected === null) expect(tau).toBeNull();
        else expect(tau).toBeCloseTo(expected, 10);
      }),
      { numRuns: 500 },
    );
  });

  it("scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]) = −0.4714", () => {
    expect(kendallTauB([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])).toBeCloseTo(-0.4714045, 6);
  });

  it("rounding's residue is a tie; a group of 20,000 takes no square time", () => {
    expect(kendallTauB([0.3, 0.1 + 0.2], [1, 2])).toBeNull();
    const many = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011);
    expect(kendallTauB(many, many)).toBe(1);
    expect(
      kendallTauB(
        many,
        many.map((x) => -x),
      ),
    ).toBe(-1);
  });

  it("the mean over groups with a spread on both sides, over rows scored in both", () => {
    const { groups } = table(grouped(9, 3));
    const before = Float64Array.from([1, 2, 3, 1, 1, 1, 1, 2, NaN]);
    const now = Float64Array.from([3, 2, 1, 1, 2, 3, 1, 2, 0]);
    expect(tauWithin(groups, before, now)).toEqual({ tau: 0, groups: 2 });
    expect(
      tauWithin(
        groups,
        before,
        before.map(() => 1),
      ),
    ).toEqual({ tau: null, groups: 0 });
  });
});

describe("score against length within groups", () => {
  it("groups' own levels don't count, values that aren't finite are left out", () => {
    const { groups } = table(grouped(8, 4));
    const x = [1, 2, 3, 4, 101, 102, 103, 104];
    const y = [2, 4, 6, NaN, -2, 0, 2, 4];
    const found = withinGroups(groups, x, y);
    expect(found).toMatchObject({ groups: 2, rows: [0, 1, 2, 4, 5, 6, 7] });
    expect(found.r).toBeCloseTo(1);
    expect(found.slope).toBeCloseTo(2);
    expect([...found.x].slice(0, 3)).toEqual([-1, 0, 1]);
  });
  it("nothing varies, or no group has two rows: no number", () => {
    const { groups } = table(grouped(4, 2));
    expect(withinGroups(groups, [1, 2, 3, 4], [0.3, 0.1 + 0.2, 5, 5])).toMatchObject({
      r: null,
      slope: null,
      groups: 2,
    });
    expect(withinGroups(table(grouped(3, 1)).groups, [1, 2, 3], [1, 2, 3])).toMatchObject({
      r: null,
      groups: 0,
    });
  });
  it("r is between −1 and 1 whatever the values", () => {
    const value = fc.double({ noNaN: true, min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 4, maxLength: 24 }), (pairs) => {
        const { groups } = table(grouped(pairs.length, 4));
        const { r } = withinGroups(
          groups,
          pairs.map(([x]) => x),
          pairs.map(([, y]) => y),
        );
        if (r !== null) expect(Math.abs(r)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("what separates a group", () => {
  const matrixOf = (columns: readonly (readonly Cell[])[], weights: readonly number[]) =>
    rewardMatrix(
      columns.map((cells, i) => ({ outcome: outcome(cells), weight: weights[i]!, fate: fates() })),
      columns[0]!.length,
    );
  const rows = [0, 1, 2, 3];

  it("shares of the variance of weight × value, largest first", () => {
    // Variances ¼ and 0.3² × ¼.
    const found = separation(
      matrixOf(
        [
          [1, 1, 1, 1],
          [1, 0, 0, 1],
          [1, 1, 0, 0],
        ],
        [1, 0.3, 1],
      ),
      rows,
    );
    expect(found.map(({ column }) => column)).toEqual([2, 1]);
    expect(found[0]!.share).toBeCloseTo(1 / 1.09);
  });
  it("nothing where totals are tied or spoilt; None counts as the sum has it", () => {
    expect(separation(matrixOf([[1, 1, 1, 1]], [1]), rows)).toEqual([]);
    expect(separation(matrixOf([[1, 0, 1, Infinity]], [1]), rows)).toEqual([]);
    expect(
      separation(
        matrixOf(
          [
            [1, null, 1, null],
            [1, 1, 1, 1],
          ],
          [1, 1],
        ),
        rows,
      ),
    ).toEqual([{ column: 0, share: 1 }]);
  });

  const crumbs = (
    columns: readonly (readonly Cell[])[],
    weights: readonly number[],
    advantages: "group" | "none" = "group",
  ) => {
    const set = table(grouped(columns[0]!.length, 8));
    const matrix = matrixOf(columns, weights);
    const rule = advantageRule({ advantages, aggregation: "sum_then_normalize" });
    const analysis = analyseGroups(set, matrix, rule, planBatches(set, allRows(set), 32));
    const finder = new CrumbFinder(matrix, rule, analysis.advantages);
    return analysis.groups.map((group) => finder.of(group.rows));
  };
  const mixed: Cell[] = [1, 0, 1, 0, 1, 0, 1, 0];
  const ones: Cell[] = new Array<Cell>(8).fill(1);

  it("a length crumb beside a tied verdict, whether or not the set has other verdicts", () => {
    const length: Cell[] = [0.01, 0, 0, 0, 0, 0, 0, 0];
    const [crumb, real] = crumbs(
      [
        [...ones, ...mixed],
        [...length, ...length],
      ],
      [1, 1],
    );
    expect(crumb).toMatchObject({ column: 1 });
    expect(crumb!.advantage).toBeGreaterThan(2.4);
    expect(real).toBeNull();
    expect(crumbs([ones, length], [1, 1])[0]).toMatchObject({ column: 1 });
  });
  it("not where advantages aren't scaled by the spread, where the spread is real, or a weight makes it so", () => {
    const length: Cell[] = [0.01, 0, 0, 0, 0, 0, 0, 0];
    expect(crumbs([ones, length], [1, 1], "none")).toEqual([null]);
    expect(crumbs([ones, [0.2, 0, 0, 0, 0, 0, 0, 0]], [1, 1])).toEqual([null]);
    expect(crumbs([ones, length], [1, 10])).toEqual([null]);
    expect(crumbs([ones, length], [0, 1])).toEqual([null]);
    expect(crumbs([ones, ones], [1, 1])).toEqual([null]);
  });
});
