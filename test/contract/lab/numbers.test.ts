import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { LabQuery } from "../../../src/schema/lab";
import { fromTagged, type TaggedNumber } from "../../../src/schema/number";
import type { SampleMapping } from "../../../src/schema/sample";
import { LabTable, type RowLabels } from "../../../src/services/lab/arrangement";
import { lab } from "./bench";

const ROOT = resolve(import.meta.dirname, "../../..");
const NONE: RowLabels = { revision: 0, of: () => null };
const ALL: LabQuery = { filter: "", sort: [], grouped: false, weights: null };
/** Float32 keeps seven digits of a total; a small spread's advantages lose some of them. */
const NEAR = 2e-3;

interface Truth {
  scores: Record<string, (number | string | null)[]>;
  totals: (number | null)[];
  groups: {
    rows: number[];
    mean: number | null;
    std: number | null;
    tied: boolean;
    advantages: number[];
    shares: Record<string, number>;
  }[];
  r: number | null;
  lengths: number[];
}

const mapping = (group: string): SampleMapping => ({
  prompt: "prompt",
  completion: "completion",
  id: null,
  group: { by: "column", column: group },
  completionIds: null,
  label: null,
  columns: {},
});

/** What plain Python makes of the same files. */
function truth(folder: string, functions: readonly (readonly [string, number])[], group: string): Truth {
  const ask = { reward: join(folder, "reward.py"), samples: join(folder, "samples.jsonl"), functions, group };
  const run = spawnSync("python3", [join(import.meta.dirname, "oracle.py")], {
    input: JSON.stringify(ask),
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Truth;
}

const near = (value: TaggedNumber | null, expected: number | null, what: string): void => {
  if (expected === null) return expect(value, what).toBeNull();
  expect(value, what).not.toBeNull();
  expect(
    Math.abs(fromTagged(value ?? Number.NaN) - expected),
    `${what}: ${JSON.stringify(value)} ≠ ${expected}`,
  ).toBeLessThanOrEqual(NEAR * Math.max(1, Math.abs(expected)));
};

async function compare(
  reward: string,
  samples: readonly object[],
  functions: readonly (readonly [string, number])[],
  group: string,
  files: Record<string, string> = {},
) {
  const bench = await lab(reward, samples, { mapping: mapping(group), files });
  await bench.session.score();
  const source = bench.session.lab();
  const weights = Object.fromEntries(functions);
  const table = new LabTable();
  const query = { ...ALL, weights };
  const { page } = table.page(source, NONE, 1, query, 0, 500);
  const groups = table.groups(source, NONE, 1, {
    filter: "",
    weights,
    sort: "file",
    descending: false,
    from: 0,
    count: 500,
  });
  const { length } = table.pictures(source, 1, weights, 500);
  const expected = truth(bench.folder, functions, group);
  for (const [row, total] of expected.totals.entries()) {
    near(page[row]!.total, total, `total of row ${row}`);
    expect(page[row]!.length).toBe(expected.lengths[row]);
    functions.forEach(([name], i) => {
      const score = expected.scores[name]?.[row] ?? null;
      const cell = page[row]!.cells[i]!;
      if (score === "raised") expect(cell).toMatchObject({ state: "raised", value: null });
      else if (score === null) expect(cell).toMatchObject({ state: "not-applicable", value: null });
      else expect(cell).toMatchObject({ state: "scored", value: score });
    });
  }
  expect(groups.groups).toHaveLength(expected.groups.length);
  expected.groups.forEach((own, at) => {
    const shown = groups.groups[at]!;
    const what = `group ${shown.id}`;
    near(shown.mean, own.mean, `${what}: mean`);
    near(shown.std, own.std, `${what}: std`);
    expect(shown.tied, what).toBe(own.tied);
    own.rows.forEach((row, i) => {
      if (own.std !== null && expected.totals[row] !== null)
        near(page[row]!.advantage, own.advantages[i]!, `${what}: advantage of row ${row}`);
    });
    const shares = Object.fromEntries(shown.separatedBy.map((one) => [one.function, one.share]));
    expect(Object.keys(shares).sort(), what).toEqual(Object.keys(own.shares).sort());
    for (const [name, share] of Object.entries(own.shares)) near(shares[name]!, share, `${what}: ${name}`);
  });
  near(length.r, expected.r, "r within groups");
  return { bench, source, table, query, page, groups, expected };
}

describe("the Lab's numbers against plain Python", () => {
  it("the example: two functions with weights, 25 groups of 8", async () => {
    const folder = join(ROOT, "examples/math");
    const text = (name: string): string => readFileSync(join(folder, name), "utf8");
    const samples = text("outputs.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    const functions = [
      ["correctness", 1],
      ["answer_format", 0.2],
    ] as const;
    const { groups, expected } = await compare(text("reward.py"), samples, functions, "prompt_id", {
      "numbers_util.py": text("numbers_util.py"),
    });
    expect(groups.counts.n).toBe(25);
    expect(groups.counts.tied).toBe(expected.groups.filter(({ tied }) => tied).length);
    expect(groups.counts.noGradient).toBe(groups.counts.tied);
    expect(expected.r).not.toBeNull();
  });

  it("crumbs, one success in eight, groups of one, duplicates, None, an exception", async () => {
    const rows: { g: string; completion: string; prompt: string }[] = [];
    const add = (g: string, texts: readonly string[]): void =>
      texts.forEach((completion) => rows.push({ g, prompt: g, completion }));
    add("crumb", [...Array<string>(7).fill("1"), "0.99"]);
    add("lone", ["1", ...Array<string>(7).fill("0")]);
    add("one", ["1"]);
    add("same", Array<string>(4).fill("1"));
    add("none", ["None", "None", "1", "0"]);
    add("allnone", ["None", "None"]);
    add("oneleft", ["None", "None", "1"]);
    add("mixed", ["0.25", "0.5", "1", "x", "0"]);
    add("late", ["0.1", "0.2", "0.1"]);
    const reward = `
def value(completions, **kwargs):
    return [None if text == "None" else float(text) for text in completions]
`;
    const { page, groups, table, source, query } = await compare(reward, rows, [["value", 1]], "g");
    expect(page[7]!.advantage).toBeCloseTo(-2.41, 2);
    expect(page[8]!.advantage).toBeCloseTo(2.47, 2);
    expect(groups.groups.map(({ crumb }) => crumb !== null).indexOf(true)).toBe(0);
    expect(groups.counts).toEqual({ n: 9, tied: 1, filtered: 0, noGradient: 4, crumbs: 1 });
    expect(groups.groups.map(({ id, cause }) => [id, cause]).filter(([, cause]) => cause !== null)).toEqual([
      ["one", "one-left"],
      ["same", "identical-completions"],
      ["allnone", "nothing-scored"],
      ["oneleft", "one-left"],
    ]);
    expect(groups.hypothetical).toBe(true);

    // What has no score is no number anywhere: neither its total nor an advantage, on screen or copied.
    const without = page.filter(({ state }) => state !== "scored");
    expect(without.map(({ state }) => state)).toEqual([...Array<string>(6).fill("not-applicable"), "raised"]);
    for (const { row, total, advantage, ifFixed } of without) {
      expect([total, advantage, ifFixed], `row ${row}`).toEqual([null, null, null]);
      const detail = table.detail(source, NONE, 1, { row, weights: null, maxText: 100 });
      expect([detail.total, detail.advantage]).toEqual([null, null]);
      for (const one of detail.members.filter((member) => member.row === row))
        expect(one).toMatchObject({ total: null, advantage: null });
    }
    const csv = table.copy(source, NONE, query, "csv", 100).text.split("\r\n");
    const head = csv[0]!.split(",");
    const markdown = table.copy(source, NONE, query, "markdown", 100).text.split("\n");
    for (const { row } of without) {
      const cells = csv[row + 1]!.split(",");
      for (const name of ["total", "value", "advantage"]) expect(cells[head.indexOf(name)]).toBe("");
      expect(markdown[row + 2]!.split("|").map((cell) => cell.trim())).not.toContain("0");
    }
  });
});
