import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { advantageRule } from "../../../../src/core/advantages/registry";
import { analyseGroups, countGroups, sameScore, toGroupReports } from "../../../../src/core/scoring/groups";
import { allRows, planBatches } from "../../../../src/core/scoring/plan";
import type { SampleTable } from "../../../../src/core/scoring/table";
import { rewardMatrix, type Component } from "../../../../src/core/scoring/totals";
import { GroupReport } from "../../../../src/schema/report";
import { fates, grouped, outcome, table, type Cell } from "./tables";

type Scaling = "group" | "batch" | "none";

function analyse(
  set: SampleTable,
  columns: readonly (readonly Cell[])[],
  { weights, scale = "group", batch = 32 }: { weights?: number[]; scale?: Scaling; batch?: number } = {},
) {
  const components: Component[] = columns.map((cells, c) => ({
    outcome: outcome(cells),
    weight: weights?.[c] ?? 1,
    fate: fates({ advantages: scale }),
  }));
  const rule = advantageRule({ advantages: scale, aggregation: "sum_then_normalize" });
  const matrix = rewardMatrix(components, set.n);
  const analysis = analyseGroups(set, matrix, rule, planBatches(set, allRows(set), batch));
  return { matrix, analysis, reports: toGroupReports(analysis).map((g) => GroupReport.parse(g)) };
}

const rounded = (values: readonly unknown[]) =>
  values.map((v) => (typeof v === "number" ? Number(v.toFixed(6)) : v));

describe("S07: None for some rows, several rewards with weights", () => {
  const [math, style] = [
    [1, 0, null, null],
    [1, 1, null, 0],
  ];
  const set = table([[0, 1, 2, 3]], { completion: ["a", "b", "c", "d"] });
  const { matrix, reports } = analyse(set, [math, style], { weights: [1, 0.5] });
  const [group] = reports;

  it("totals are null only where no function gave a score", () => {
    expect([...matrix.totals]).toEqual([1.5, 0.5, Number.NaN, 0]);
  });
  it("mean, std and advantages are the trainer's, over the rows that remain", () => {
    expect(rounded([group!.mean, group!.std])).toEqual([0.666667, 0.763763]);
    expect(rounded(group!.advantages)).toEqual([1.090947, -0.218189, 0, -0.872757]);
  });
  it("the row that nobody scored has no advantage if fixed, the others keep theirs", () => {
    expect(rounded(group!.advantagesIfFixed)).toEqual([1.090947, -0.218189, null, -0.872757]);
  });
  it("no NaN is in what is exported", () => {
    expect(JSON.stringify(group)).not.toMatch(/nan/i);
  });
  it("nothing stops the run", () => expect(matrix.stops).toBe(false));
});

describe("S09: groups with no spread, and whose formula", () => {
  const path = new URL("../../../fixtures/cases/S09_rewards.jsonl", import.meta.url);
  const rows = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { group: string; reward: number });
  const set = table(grouped(8, 4));
  const cells = rows.map((r) => r.reward);

  for (const [scale, first, others] of [
    ["group", 1.4997, -0.4999],
    ["batch", 1.448858, -0.482953],
    ["none", 0.75, -0.25],
  ] as const) {
    it(`scale ${scale}: one of two groups is tied, the other has TRL's advantages`, () => {
      const { reports, analysis } = analyse(set, [cells], { scale });
      expect(countGroups(analysis.groups)).toEqual({ n: 2, tied: 1, noGradient: 1 });
      const [a, b] = reports;
      expect(a).toMatchObject({ tied: true, noGradient: true, filtered: false, cause: "all-right" });
      expect(a!.advantages).toEqual([0, 0, 0, 0]);
      expect(b).toMatchObject({ tied: false, noGradient: false, cause: null });
      expect(rounded(b!.advantages)).toEqual([first, others, others, others]);
      expect(b!.std).toBe(0.5);
    });
  }
});

describe("flags of a group", () => {
  const one = (cells: Cell[], rest: Cell[] = [], scale: Scaling = "group", completion?: unknown[]) => {
    const n = cells.length;
    const set = table(
      [cells.map((_, i) => i), ...(rest.length > 0 ? [rest.map((_, i) => n + i)] : [])],
      completion ? { completion } : {},
    );
    return analyse(set, [[...cells, ...rest]], { scale }).reports[0]!;
  };

  it("all wrong and all right are said of verdicts only: a set with two values", () => {
    expect(one([0, 0, 0], [0, 1]).cause).toBe("all-wrong");
    expect(one([1, 1, 1], [0, 1]).cause).toBe("all-right");
    expect(one([-1, -1], [-1, 0.5]).cause).toBe("all-wrong");
    expect(one([0.5, 0.5, 0.5], [0, 1]).cause).toBe("constant");
    // A length reward, tied at its lowest or highest.
    expect(one([0.1, 0.1, 0.1], [0.4, 0.9]).cause).toBe("constant");
    expect(one([0.9, 0.9, 0.9], [0.1, 0.4]).cause).toBe("constant");
    expect(one([1, 1, 1]).cause).toBe("constant");
  });

  it("identical completions, as text and as messages", () => {
    expect(one([1, 1], [0], "group", ["same", "same", "x"]).cause).toBe("identical-completions");
    const say = (content: string) => [{ role: "assistant", content }];
    expect(one([1, 1], [0], "group", [say("a"), say("a"), "x"]).cause).toBe("identical-completions");
    expect(one([1, 1], [0], "group", [say("a"), say("b"), "x"]).cause).toBe("all-right");
  });

  it("nothing scored, one left", () => {
    const none = one([null, null], [0, 1]);
    expect(none).toMatchObject({
      cause: "nothing-scored",
      tied: false,
      noGradient: true,
      mean: null,
      std: null,
    });
    expect(none.advantages).toEqual([0, 0]);
    expect(none.advantagesIfFixed).toEqual([null, null]);
    expect(one([1, null, null], [0, 1])).toMatchObject({
      cause: "one-left",
      tied: false,
      noGradient: true,
      std: null,
    });
  });

  it("an infinite reward poisons its group, with batch scaling the batch, without scaling it ruins the step", () => {
    const inf = Number.POSITIVE_INFINITY;
    const cells = [1, inf, 0.5, 0.25];
    expect(one(cells, [2, 1, 1, 0])).toMatchObject({ cause: "poisoned", noGradient: true });
    expect(one([2, 1, 1, 0], cells)).toMatchObject({ cause: null, noGradient: false });
    expect(one([2, 1, 1, 0], cells, "batch")).toMatchObject({
      cause: "poisoned",
      noGradient: true,
      tied: false,
    });
    const ruined = one(cells, [2, 1, 1, 0], "none");
    expect(ruined).toMatchObject({ cause: "poisoned", noGradient: false, mean: { nonFinite: "inf" } });
    expect(ruined.advantages[0]).toBeLessThan(-3.4e38);
    expect(rounded(ruined.advantagesIfFixed)).toEqual([0.416667, null, -0.083333, -0.333333]);
  });

  it("a number beyond float32 is an infinite one to the trainer", () => {
    expect(one([1e39, 0, 1])).toMatchObject({ cause: "poisoned", noGradient: true });
  });

  it("rounding residue: tied all the same; no gradient only where it moves nothing", () => {
    const small = one(new Array<number>(7).fill(0.35), [0, 1]);
    expect(small).toMatchObject({ tied: true, noGradient: true });
    expect(small.advantages[0]).not.toBe(0);
    const large = one(new Array<number>(7).fill(12345.678), [0, 1]);
    expect(large).toMatchObject({ tied: true, noGradient: false });
    expect(rounded(large.advantages)[0]).toBe(-0.845649);
  });

  it("totals that differ by rounding alone are tied", () => {
    expect(one([0.1 + 0.2, 0.3, 0.3], [0, 1]).tied).toBe(true);
    expect(one([0.3, 0.30001, 0.3], [0, 1]).tied).toBe(false);
  });

  it("a crumb isn't a tie: the trainer makes a large advantage of it", () => {
    const crumb = one([1, 1, 1, 1, 1, 1, 1, 0.99]);
    expect(crumb.tied).toBe(false);
    expect(crumb.advantages[7]).toBeCloseTo(-2.41, 2);
  });

  it("a value that stops the run leaves both sets hypothetical", () => {
    const set = table([[0, 1, 2]]);
    const { matrix, reports } = analyse(set, [[1, "raised", 0]]);
    expect(matrix.stops).toBe(true);
    expect(reports[0]!.advantagesIfFixed[1]).toBeNull();
    expect(rounded(reports[0]!.advantages)).toEqual(
      rounded(reports[0]!.advantagesIfFixed.map((a) => a ?? 0)),
    );
  });

  it("a row in which one function failed has no total to be fixed with", () => {
    const set = table([[0, 1, 2]]);
    const { matrix, reports } = analyse(set, [
      [1, 0.5, 0],
      [1, "timed-out", 0],
    ]);
    expect([...matrix.totals]).toEqual([2, 0.5, 0]);
    expect(reports[0]!.advantagesIfFixed[1]).toBeNull();
  });

  it("rows that are not in the pass are left out, and their group isn't counted", () => {
    const set = table(grouped(8, 4));
    const { analysis, reports } = analyse(set, [[1, 0, 1, 0, 1, undefined, 0, 0]]);
    expect(reports[1]!.rows).toEqual([4, 6, 7]);
    expect(countGroups(analysis.groups).n).toBe(1);
  });
});

describe("properties", () => {
  const cell = fc.oneof(fc.float({ min: -10, max: 10, noNaN: true }), fc.constant(null));
  const cells = fc.array(cell, { minLength: 4, maxLength: 24 }).filter((c) => c.length % 2 === 0);

  it("rows that no function applies to change nobody's mean or std", () => {
    fc.assert(
      fc.property(cells, fc.integer({ min: 1, max: 5 }), (values, more) => {
        const n = values.length;
        const set = table([values.map((_, i) => i)]);
        const longer = table([Array.from({ length: n + more }, (_, i) => i)]);
        const before = analyse(set, [values]).reports[0]!;
        const after = analyse(longer, [[...values, ...new Array<null>(more).fill(null)]]).reports[0]!;
        for (const key of ["mean", "std"] as const) {
          const [a, b] = [before[key], after[key]];
          if (typeof a === "number") expect(Math.abs((b as number) - a)).toBeLessThan(1e-5);
          else expect(b).toEqual(a);
        }
        expect(after.advantages.slice(n)).toEqual(new Array<number>(more).fill(0));
        expect([after.tied, after.noGradient]).toEqual([before.tied, before.noGradient]);
      }),
    );
  });

  it("where the rows of a group stand in the file doesn't matter", () => {
    fc.assert(
      fc.property(cells, (values) => {
        const half = values.length / 2;
        const together = table(grouped(values.length, half));
        const rows = [...values.keys()];
        const mixed = table([rows.filter((r) => r % 2 === 0), rows.filter((r) => r % 2 === 1)]);
        const shuffled = rows.map((r) => values[r % 2 === 0 ? r / 2 : half + (r - 1) / 2]!);
        const pick = (reports: GroupReport[]) =>
          reports.map(({ mean, std, advantages }) => ({ mean, std, advantages }));
        expect(pick(analyse(mixed, [shuffled]).reports)).toEqual(pick(analyse(together, [values]).reports));
      }),
    );
  });

  it("sameScore is symmetric and scales with the size of the values", () => {
    expect(sameScore(1, 1 + 1e-7)).toBe(true);
    expect(sameScore(1, 1.00001)).toBe(false);
    expect(sameScore(1e6, 1e6 + 0.5)).toBe(true);
    expect(sameScore(Infinity, Infinity)).toBe(true);
    fc.assert(fc.property(fc.double(), fc.double(), (a, b) => sameScore(a, b) === sameScore(b, a)));
  });
});
