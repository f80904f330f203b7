import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LabQuery } from "../../../../src/schema/lab";
import { LabDetail, LabFlips, LabGroups, LabPage, LabPictures } from "../../../../src/schema/lab";
import { scoreReport } from "../../../../src/core/scoring/report";
import { LabTable } from "../../../../src/services/lab/arrangement";
import { fates, grouped, outcome, table, type Cell } from "../../core/scoring/tables";
import { labelsOf, sourceOf, type Function } from "./sources";

const ALL: LabQuery = { filter: "", sort: [], grouped: false, weights: null };

function page(source: ReturnType<typeof sourceOf>, query: Partial<LabQuery> = {}, labels = labelsOf()) {
  const answer = new LabTable().page(source, labels, 3, { ...ALL, ...query }, 0, 500);
  expect(LabPage.parse(answer)).toEqual(answer);
  return answer;
}
const rowsOf = (answer: LabPage) => answer.page.map(({ row }) => row);

describe("page", () => {
  const set = table(grouped(8, 4));
  const correct: Cell[] = [1, 0, "raised", null, 1, 1, undefined, Infinity];
  const format: Cell[] = [1, 1, 1, 0, 0, 1, undefined, 1];
  const source = sourceOf(set, [
    { name: "correct", cells: correct },
    { name: "format", cells: format, weight: 0.3 },
  ]);

  it("states are the worst of the functions', None aside; what has no score is null, never 0", () => {
    const { page: rows, scored, rows: n, matched, functions } = page(source);
    expect(rows.map(({ state }) => state)).toEqual([
      "scored",
      "scored",
      "raised",
      "scored",
      "scored",
      "scored",
      null,
      "non-finite",
    ]);
    // TRL: the row that raised stops the run; what the others gave is its total.
    expect(rows.map(({ total }) => total)).toEqual([1.3, 0.3, 0.3, 0, 1, 1.3, null, { nonFinite: "inf" }]);
    expect(rows[6]).toMatchObject({ cells: [null, null], advantage: null, ifFixed: null, ms: null });
    expect(rows[2]).toMatchObject({ ifFixed: null, reason: { code: "exception" } });
    expect(rows[2]!.cells[0]).toEqual({ state: "raised", value: null, recovered: false });
    expect([n, scored, matched]).toEqual([8, 7, 8]);
    expect(functions.map(({ weight }) => weight)).toEqual([1, 0.3]);
  });

  it("a row whose pass isn't through all functions has no total yet", () => {
    const [row] = page(
      sourceOf(
        table([[0, 1]]),
        [
          { name: "a", cells: [1, 2] },
          { name: "b", cells: [undefined, 1] },
        ],
        { partial: true },
      ),
    ).page;
    expect(row).toMatchObject({ state: "scored", total: null, advantage: null });
    expect(row!.cells[1]).toBeNull();
  });

  it("without scores the rows are there, unscored", () => {
    const answer = page(sourceOf(set, null), {
      filter: "unscored",
      sort: [{ key: "total", descending: true }],
    });
    expect(answer).toMatchObject({
      status: "none",
      rows: 8,
      scored: 0,
      matched: 8,
      functions: [],
      docVersion: -1,
    });
  });

  it("a weight that is tried changes totals and advantages, and leaves the suite's", () => {
    const tried = page(source, { weights: { correct: 0 } });
    expect(tried.page.slice(0, 2).map(({ total }) => total)).toEqual([0.3, 0.3]);
    expect(tried.functions.map(({ weight }) => weight)).toEqual([0, 0.3]);
    expect(page(source).page[0]!.total).toBe(1.3);
  });

  it("sorts with what is missing last in both directions, ties in the file's order", () => {
    const by = (key: string, descending: boolean) => rowsOf(page(source, { sort: [{ key, descending }] }));
    expect(by("total", false)).toEqual([3, 1, 2, 4, 0, 5, 7, 6]);
    expect(by("total", true)).toEqual([7, 0, 5, 4, 1, 2, 3, 6]);
    expect(by("state", true)).toEqual([2, 7, 0, 1, 3, 4, 5, 6]);
    expect(by("component:correct", true)).toEqual([7, 0, 4, 5, 1, 2, 3, 6]);
    expect(by("nothing", true)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(rowsOf(page(source, { sort: [{ key: "total", descending: true }], grouped: true }))).toEqual([
      7, 5, 4, 6, 0, 1, 2, 3,
    ]);
  });

  it("filters by states, flags, labels, pin; says what is wrong and shows all then", () => {
    const labels = labelsOf({ 1: "good", 4: 0.5 });
    expect(rowsOf(page(source, { filter: "state:raised,non-finite" }, labels))).toEqual([2, 7]);
    expect(rowsOf(page(source, { filter: "label:any" }, labels))).toEqual([1, 4]);
    expect(rowsOf(page(source, { filter: "unscored" }, labels))).toEqual([6]);
    expect(rowsOf(page(source, { filter: "correct:not-applicable" }))).toEqual([3]);
    expect(rowsOf(page(source, { filter: "reason:exception" }))).toEqual([2]);
    expect(rowsOf(page({ ...source, pinned: 5 }, { filter: "pinned" }))).toEqual([5]);
    const wrong = page(source, { filter: "totl<1" });
    expect(wrong.filterError).toMatchObject({ code: "unknown-field", near: "total", from: 0, to: 4 });
    expect(wrong.matched).toBe(8);
  });

  it("answers anew when labels, weights, pin, scores or baseline change, and only then", () => {
    const lab = new LabTable();
    const ask = (labels = labelsOf(), query: Partial<LabQuery> = {}, from = source) =>
      lab.page(from, labels, 1, { ...ALL, ...query }, 0, 10).page.map(({ row }) => row);
    expect(ask(labelsOf({ 1: "good" }, 1), { filter: "label:good" })).toEqual([1]);
    expect(ask(labelsOf({ 2: "good" }, 2), { filter: "label:good" })).toEqual([2]);
    expect(ask(undefined, { filter: "total:0.3" })).toEqual([1, 2]);
    expect(ask(undefined, { filter: "total:0.3", weights: { format: 0 } })).toEqual([]);
    const other = sourceOf(set, [{ name: "correct", cells: correct.map(() => 2), before: correct }]);
    // A score that was won is up too; row 6 has none on either side.
    expect(ask(undefined, { filter: "flip:up" }, other)).toEqual([0, 1, 2, 3, 4, 5, 7]);
    other.baseline.invalidate();
    expect(ask(undefined, { filter: "flip:up" }, other)).toEqual([]);
    expect(lab.find(source, labelsOf(), { ...ALL, filter: "total:0.3" }, 2)).toBe(1);
    expect(lab.find(source, labelsOf(), { ...ALL, filter: "total:0.3" }, 0)).toBeNull();
  });

  it("a running pass that writes on doesn't change what was answered", () => {
    const running = sourceOf(table([[0, 1]]), [{ name: "a", cells: [1, undefined] }], { partial: true });
    const lab = new LabTable();
    const before = lab.page(running, labelsOf(), 1, ALL, 0, 10);
    running.scored!.outcomes[0]!.rows[1] = running.scored!.outcomes[0]!.rows[0];
    expect(lab.page(running, labelsOf(), 1, ALL, 0, 10)).toEqual(before);
  });
});

const cell = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Cell>(0, 1, 0.5, 0.25) },
  fc.double({ noNaN: true, min: -10, max: 10 }),
  fc.constantFrom<Cell>(null, "raised", "timed-out", Infinity, NaN, "held"),
);
const sets = fc.integer({ min: 1, max: 14 }).chain((n) =>
  fc.record({
    n: fc.constant(n),
    size: fc.integer({ min: 1, max: 5 }),
    cells: fc.array(fc.array(cell, { minLength: n, maxLength: n }), { minLength: 1, maxLength: 3 }),
    weights: fc.array(fc.constantFrom(0, 1, -1, 0.3), { minLength: 3, maxLength: 3 }),
    advantages: fc.constantFrom("group" as const, "batch" as const, "none" as const),
  }),
);
const named = (cells: readonly (readonly Cell[])[], weights: readonly number[]): Function[] =>
  cells.map((own, i) => ({ name: `f${i}`, cells: own, weight: weights[i] ?? 1 }));

describe("against the report and itself", () => {
  it("totals, advantages and flags are the report's for the same weights", () => {
    fc.assert(
      fc.property(sets, ({ n, size, cells, weights, advantages }) => {
        const set = table(grouped(n, size));
        const report = scoreReport({
          version: "1",
          table: set,
          functions: cells.map((own, i) => ({
            outcome: outcome(own, `f${i}`),
            weight: weights[i]!,
            fate: fates({ advantages }),
            file: "r.py",
            contract: "trl",
            reasons: [],
          })),
          trainer: {
            framework: "trl",
            version: "1.16.0",
            checked: true,
            advantages,
            aggregation: "sum_then_normalize",
            batch: 6,
          },
          findings: [],
          problems: [],
          error: null,
          versionHash: null,
          timing: { loadMs: 0, passMs: 0, totalMs: 0, mode: "fork" },
        });
        // The suite's weights are all 1; those of the report are tried.
        const source = sourceOf(set, named(cells, []), { advantages, batch: 6 });
        const tried = Object.fromEntries(cells.map((_, i) => [`f${i}`, weights[i]!]));
        const { page: rows } = page(source, { weights: tried });
        expect(rows.map(({ total }) => total)).toEqual(report.totals);
        const lab = new LabTable();
        const groups = lab.groups(source, labelsOf(), 1, {
          filter: "",
          weights: tried,
          sort: "file",
          descending: false,
          from: 0,
          count: 500,
        });
        expect(LabGroups.parse(groups)).toEqual(groups);
        expect(groups.groups).toHaveLength(report.groups.length);
        expect(groups.hypothetical).toBe(report.hypothetical);
        for (const group of report.groups) {
          const shown = groups.groups.find(({ id }) => id === group.id)!;
          const { mean, std, tied, filtered, noGradient, cause } = group;
          expect(shown).toMatchObject({ mean, std, tied, filtered, noGradient, cause, n: group.n });
          // The report keeps the trainer's own 0 of a row that it has no total for; people are shown none.
          expect(group.rows.map((row) => rows[row]!.advantage)).toEqual(
            group.advantages.map((own, i) => (report.totals[group.rows[i]!] === null ? null : own)),
          );
          expect(group.rows.map((row) => rows[row]!.ifFixed)).toEqual(group.advantagesIfFixed);
          const share = shown.separatedBy.reduce((sum, part) => sum + part.share, 0);
          if (shown.separatedBy.length > 0) expect(share).toBeCloseTo(1);
          if (tied) expect(shown).toMatchObject({ separatedBy: [], crumb: null });
        }
      }),
      { numRuns: 200 },
    );
  });

  it("a sorted order has every row once, values in order, ties as in the file, missing last", () => {
    const keys = ["total", "advantage", "component:f0", "state", "group", "ms", "length", "label"];
    fc.assert(
      fc.property(
        sets,
        fc.constantFrom(...keys),
        fc.boolean(),
        fc.boolean(),
        ({ n, size, cells, weights }, key, descending, inGroups) => {
          const source = sourceOf(table(grouped(n, size)), named(cells, weights));
          const { page: rows } = page(source, { sort: [{ key, descending }], grouped: inGroups });
          expect(rows.map(({ row }) => row).sort((a, b) => a - b)).toEqual(
            Array.from({ length: n }, (_, i) => i),
          );
          if (inGroups) {
            const groups = rows.map(({ group }) => group);
            expect(groups.filter((group, i) => group !== groups[i - 1])).toHaveLength(new Set(groups).size);
            return;
          }
          if (key !== "total") return;
          const values = rows.map(({ total }) =>
            total === null
              ? null
              : typeof total === "number"
                ? total
                : Infinity * (total.nonFinite === "inf" ? 1 : -1),
          );
          for (let i = 1; i < n; i++) {
            const [a, b] = [values[i - 1] ?? null, values[i] ?? null];
            if (b === null) continue;
            if (a === null) throw new Error("a missing total before one that is there");
            expect(descending ? a >= b : a <= b).toBe(true);
            if (a === b) expect(rows[i - 1]!.row).toBeLessThan(rows[i]!.row);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("against a baseline", () => {
  const set = table(grouped(4, 4));
  const source = sourceOf(set, [
    { name: "a", cells: [1, 0, "raised", 0.5], before: [0, 0, 1, 0.5], weight: 2 },
    { name: "b", cells: [0, 1, 1, 0], before: [0, 1, 1, 0] },
    // New since: it has no part in the change.
    { name: "c", cells: [5, 5, 5, 5] },
  ]);

  it("cells and totals say what they were; a lost score is down without a size", () => {
    const { page: rows } = page(source);
    expect(rows.map(({ cells }) => cells[0]!.before)).toEqual([0, undefined, 1, undefined]);
    expect(rows[0]!.change).toMatchObject({ direction: 1, by: 2, state: false });
    // Second of four then and now.
    expect(rows[1]!.change).toBeNull();
    expect(rows[2]!.change).toMatchObject({ direction: -1, by: -2, state: true });
    expect(rowsOf(page(source, { filter: "flip:down" }))).toEqual([2]);
    expect(rowsOf(page(source, { filter: "change>1" }))).toEqual([0]);
    expect(rowsOf(page(source, { sort: [{ key: "change", descending: false }] }))[0]).toBe(2);
  });

  it("flips of each function, own changes first, with ranks and tau", () => {
    const flips = new LabTable().flips(source, 2, 0, 10);
    expect(LabFlips.parse(flips)).toEqual(flips);
    expect(flips.baseline).toEqual({ kind: "head", hash: "before" });
    expect(flips.flips.map(({ row, function: name, direction }) => [row, name, direction])).toEqual([
      [0, "a", 1],
      [2, "a", -1],
      [1, "a", 0],
      [3, "a", 0],
    ]);
    expect(flips.flips[0]).toMatchObject({
      before: { state: "scored", value: 0, rank: 2 },
      now: { state: "scored", value: 1, rank: 1 },
    });
    expect(flips.flips[1]!.now).toEqual({ state: "raised", value: null, rank: null });
    // Rows 0, 1, 3: 0, 0, ½ then; 1, 0, ½ now: (1 concordant − 1 discordant) / √(2 × 3).
    expect(flips.summary).toMatchObject([
      { function: "a", compared: 4, up: 1, down: 1, tau: 0, tauGroups: 1 },
      { function: "b", compared: 4, up: 0, down: 0, tau: 1, tauGroups: 1 },
      { function: "c", compared: 0, tau: null, tauGroups: 0 },
    ]);
  });

  it("no baseline: no change, no flips", () => {
    const none = sourceOf(set, [{ name: "a", cells: [1, 0, 1, 0] }]);
    expect(page(none).page.every(({ change }) => change === null)).toBe(true);
    expect(new LabTable().flips(none, 1, 0, 10)).toMatchObject({ baseline: null, total: 0 });
  });
});

describe("groups, detail, pictures, copy", () => {
  const set = {
    ...table(grouped(16, 8), {
      completion: Array.from({ length: 16 }, (_, i) =>
        i === 3 ? '=1+1, "x"\nsecond | line' : "x".repeat(i + 1),
      ),
    }),
    prompt: Array.from({ length: 16 }, (_, i) => `prompt ${Math.floor(i / 8)}`),
    columns: new Map([["big", Array.from({ length: 16 }, () => 2n ** 60n)]]),
  };
  const cells: Cell[] = [1, 1, 1, 1, 1, 1, 1, 0.99, 1, 0, 1, 0, 1, 0, 1, 0];
  const source = sourceOf(set, [
    { name: "correct", cells, again: new Map([[2, 0.5]]) },
    { name: "format", cells: cells.map(() => 1), weight: 0.3 },
  ]);
  const ask = { filter: "", weights: null, sort: "file", descending: false, from: 0, count: 10 } as const;

  it("a crumb that trains like a real success is told, a real spread is not", () => {
    const { groups, counts, range } = new LabTable().groups(source, labelsOf(), 1, ask);
    expect(groups[0]!.crumb).toMatchObject({ function: "correct" });
    expect(groups[0]!.crumb!.spread).toBeCloseTo(0.01);
    // SCIENCE §3: −2.41 for the last of [1 × 7, 0.99].
    expect(groups[0]!.crumb!.advantage).toBeCloseTo(2.41, 2);
    expect(groups[1]!.crumb).toBeNull();
    expect(groups[1]!.separatedBy).toEqual([{ function: "correct", share: 1 }]);
    expect(counts).toEqual({ n: 2, tied: 0, filtered: 0, noGradient: 0, crumbs: 1 });
    expect(range![1]).toBeCloseTo(1.3);
    const unscaled = sourceOf(set, [{ name: "correct", cells }], { advantages: "none" });
    expect(new LabTable().groups(unscaled, labelsOf(), 1, ask).groups[0]!.crumb).toBeNull();
  });

  it("groups by a filter of their rows, sorted with the missing last", () => {
    const lab = new LabTable();
    const ids = (more: object) =>
      lab.groups(source, labelsOf(), 1, { ...ask, ...more }).groups.map(({ id }) => id);
    expect(ids({ filter: "total<0.5" })).toEqual(["g1"]);
    expect(ids({ sort: "mean" })).toEqual(["g1", "g0"]);
    expect(ids({ sort: "std", descending: true })).toEqual(["g1", "g0"]);
    expect(ids({ filter: "crumb" })).toEqual(["g0"]);
  });

  it("detail: values as JSON carries them, cut texts said, members best first", () => {
    const lab = new LabTable();
    const detail = lab.detail(source, labelsOf({ 2: "bad" }), 1, { row: 2, weights: null, maxText: 2 });
    expect(LabDetail.parse(detail)).toEqual(detail);
    expect(detail).toMatchObject({
      completion: "xx",
      cut: true,
      file: "samples.jsonl",
      line: 3,
      group: "g0",
    });
    expect(detail.columns).toEqual({ big: String(2n ** 60n) });
    expect(detail.functions[0]).toMatchObject({
      state: "scored",
      value: 1,
      again: 0.5,
      fate: { word: "value" },
    });
    expect(detail.functions[1]).not.toHaveProperty("again");
    expect(detail.members.map(({ row }) => row)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(detail.label?.value).toBe("bad");
    expect(() => lab.detail(source, labelsOf(), 1, { row: 16, weights: null, maxText: 9 })).toThrow(
      /no row 17/,
    );
  });

  it("detail: however wide or deep a column is, about what was asked for goes to the page, and names are any text", () => {
    let deep: unknown = "x".repeat(50_000);
    for (let i = 0; i < 190; i++) deep = i % 2 ? [deep] : { k: deep };
    const wide = Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`k${i}`, "v".repeat(1000)]));
    const set = {
      ...table([[0]]),
      columns: new Map<string, unknown[]>([
        ["__proto__", [{ polluted: true }]],
        ["constructor", ["c"]],
        ["", ["empty"]],
        ["wide", [wide]],
        ["long", [Array.from({ length: 500_000 }, (_, i) => i)]],
        ["deep", [deep]],
      ]),
    };
    const detail = new LabTable().detail(sourceOf(set, [{ name: "f", cells: [1] }]), labelsOf(), 1, {
      row: 0,
      weights: null,
      maxText: 400_000,
    });
    expect(JSON.stringify(detail).length).toBeLessThan(300_000);
    expect(detail.cut).toBe(true);
    expect(Object.keys(detail.columns).slice(0, 4)).toEqual(["__proto__", "constructor", "", "wide"]);
    expect(Object.getOwnPropertyDescriptor(detail.columns, "__proto__")?.value).toEqual({ polluted: true });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("pictures: histograms with n, score against length within prompts", () => {
    const pictures = new LabTable().pictures(source, 1, null, 5);
    expect(LabPictures.parse(pictures)).toEqual(pictures);
    expect(pictures.histograms.map(({ function: name, n }) => [name, n])).toEqual([
      ["correct", 16],
      ["format", 16],
      [null, 16],
    ]);
    const { length } = pictures;
    expect(length).toMatchObject({ of: 16, groups: 2, unit: "characters" });
    expect(length.points).toHaveLength(5);
    const none = new LabTable().pictures(sourceOf(set, null), 1, null, 5);
    expect(none.histograms).toEqual([{ function: null, edges: [], counts: [], n: 0, estimate: null }]);
    expect(none.length).toMatchObject({ r: null, slope: null, of: 0 });
  });

  it("slope per 100 characters, each character once however it is stored; the group's own level doesn't count", () => {
    const text = { ...set, completion: Array.from({ length: 16 }, (_, i) => "é😀".repeat(i) + "x") };
    const exact = sourceOf(text, [{ name: "a", cells: cells.map((_, i) => i / 100 + (i < 8 ? 3 : 0)) }]);
    const straight = new LabTable().pictures(exact, 1, null, 5).length;
    expect(straight.r).toBeCloseTo(1);
    expect(straight.slope).toBeCloseTo(0.5);
  });

  it("copies as Markdown and CSV: cells that would break the form don't, missing scores aren't numbers", () => {
    const lab = new LabTable();
    const odd = sourceOf(set, [
      { name: "correct", cells: [1, 2 / 3, "raised", undefined, ...cells.slice(4)] },
    ]);
    const csv = lab.copy(odd, labelsOf({ 0: "good" }), ALL, "csv", 4);
    expect(csv.rows).toBe(4);
    const lines = csv.text.split("\r\n");
    expect(lines[0]).toBe(
      "row,id,group,state,total,correct,correct state,advantage,label,change,ms,length,reason,completion",
    );
    expect(lines[1]).toMatch(/^1,id0,g0,scored,1,1,scored,[\d.-]+,good,,1,1,,x$/);
    expect(lines[2]).toContain(",0.6666666666666666,scored,");
    expect(lines[3]).toMatch(/^3,id2,g0,raised,,,raised,,,,1,3,exception,xxx$/);
    expect(lines[4]).toBe(
      '4,id3,g0,not in this pass,,,not in this pass,,,,,23,,"=1+1, ""x""\nsecond | line"',
    );
    const markdown = lab.copy(odd, labelsOf(), ALL, "markdown", 4).text.trimEnd().split("\n");
    expect(markdown).toHaveLength(6);
    expect(markdown[3]).toContain("| 0.667 | 0.667 |");
    expect(markdown[4]).toContain("| raised: exception | – | raised |");
    expect(markdown[5]).toContain('=1+1, "x" second \\| line');
  });
});
