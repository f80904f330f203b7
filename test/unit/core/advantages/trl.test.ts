import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ADVANTAGE_RULES, advantageRule } from "../../../../src/core/advantages/registry";
import type { RewardBatch } from "../../../../src/core/advantages/rule";

/** Written by test/frameworks/write_golden.py with TRL's own GRPOTrainer; "nan" and infinities are words there. */
type Cell = number | boolean | "nan" | "inf" | "-inf" | null;
interface Golden {
  case: {
    id: string;
    rewards: Cell[][];
    weights: number[];
    n: number;
    scale: "group" | "batch" | "none";
    aggregation: "sum_then_normalize" | "normalize_then_sum";
  };
  result: {
    advantages: Cell[];
    rewards: Cell[];
    means: Cell[] | null;
    stds: Cell[];
    logged: Record<string, Cell>;
  };
}

const fixture = new URL("../../../fixtures/trl/advantages-1.16.0.jsonl", import.meta.url);
const [head, ...lines] = readFileSync(fixture, "utf8").trimEnd().split("\n");
const golden = lines.map((line) => JSON.parse(line) as Golden);

function toNumber(cell: Cell | undefined): number {
  if (cell === "inf") return Number.POSITIVE_INFINITY;
  if (cell === "-inf") return Number.NEGATIVE_INFINITY;
  return cell === null || cell === "nan" ? Number.NaN : Number(cell);
}

function batch(rewards: readonly (readonly Cell[])[], weights: readonly number[], n: number): RewardBatch {
  const rows = rewards[0]!.length;
  const values = new Float32Array(rows * rewards.length);
  for (let row = 0; row < rows; row++)
    rewards.forEach((column, c) => (values[row * rewards.length + c] = toNumber(column[row])));
  return { values, weights, groups: new Array<number>(rows / n).fill(n) };
}

function expectClose(mine: ArrayLike<number>, theirs: readonly Cell[], what: string): void {
  expect(mine.length, what).toBe(theirs.length);
  theirs.forEach((cell, i) => {
    const value = toNumber(cell);
    const ours = mine[i]!;
    if (Object.is(ours, value) || ours === value) return;
    expect(Math.abs(ours - value), `${what} ${i}: ${ours}, TRL has ${value}`).toBeLessThanOrEqual(
      1e-6 * Math.max(1, Math.abs(value)),
    );
  });
}

const TRL = { advantages: "group", aggregation: "sum_then_normalize" } as const;

describe("TRL's advantages", () => {
  it("come from the version that every rule names", () => {
    const { versions } = JSON.parse(head!) as { versions: { trl: string } };
    for (const rule of ADVANTAGE_RULES) {
      expect(rule.checked[1]).toBe(versions.trl);
      expect(rule.formula).toContain(`TRL ${versions.trl}`);
    }
  });

  it("are the trainer's own to 1e-6 on every golden table", () => {
    expect(golden.length).toBeGreaterThan(70);
    for (const { case: table, result } of golden) {
      const input = batch(table.rewards, table.weights, table.n);
      const rule = advantageRule({ advantages: table.scale, aggregation: table.aggregation });
      const ours = rule.compute(input);
      expectClose(ours.advantages, result.advantages, `${table.id}: advantage`);
      expectClose(ours.rewards, result.rewards, `${table.id}: reward`);
      const perRow = (of: "mean" | "std") =>
        ours.groups.flatMap((g) => new Array<number>(table.n).fill(g[of]));
      if (result.means !== null) expectClose(perRow("mean"), result.means, `${table.id}: mean`);
      if (table.scale !== "batch" && table.aggregation === "sum_then_normalize")
        expectClose(perRow("std"), result.stds, `${table.id}: std`);
      const names = table.rewards.map((_, i) => `f${i}`);
      const logged = rule.logged(input, names);
      expect([...logged.keys()].sort()).toEqual(Object.keys(result.logged).sort());
      for (const [name, value] of logged)
        expectClose([value], [result.logged[name]!], `${table.id}: ${name}`);
    }
  });

  it("keep the rounding residue of equal rewards, to the last bit", () => {
    const residue = golden.filter(({ case: c }) => c.id.includes("×"));
    let left = 0;
    for (const { case: table, result } of residue) {
      const rule = advantageRule({ advantages: table.scale, aggregation: table.aggregation });
      const { advantages } = rule.compute(batch(table.rewards, table.weights, table.n));
      expect([...advantages], table.id).toEqual(result.advantages);
      if (advantages.some((a) => a !== 0)) left++;
    }
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(residue.length);
  });

  it("S09: the rows of TRL", () => {
    const s09 = batch([[1, 1, 1, 1, 1, 0, 0, 0]], [1], 4);
    const of = (advantages: "group" | "batch" | "none") =>
      [...advantageRule({ ...TRL, advantages }).compute(s09).advantages].map((a) => Number(a.toFixed(6)));
    expect(of("group")).toEqual([0, 0, 0, 0, 1.4997, -0.4999, -0.4999, -0.4999]);
    expect(of("batch")).toEqual([0, 0, 0, 0, 1.448858, -0.482953, -0.482953, -0.482953]);
    expect(of("none")).toEqual([0, 0, 0, 0, 0.75, -0.25, -0.25, -0.25]);
  });

  const reward = fc.oneof(
    fc.constantFrom(0, 1, 0.5, -1),
    fc.float({ min: -100, max: 100, noNaN: true }),
    fc.constant(null),
  );
  const group = fc.array(reward, { minLength: 2, maxLength: 33 });
  const rules = fc.constantFrom(...ADVANTAGE_RULES);

  it("follow their rows when those of a group are reordered", () => {
    fc.assert(
      fc.property(
        rules,
        group.chain((rows) =>
          fc.tuple(fc.constant(rows), fc.shuffledSubarray([...rows.keys()], { minLength: rows.length })),
        ),
        (rule, [rows, order]) => {
          const before = rule.compute(batch([rows], [1], rows.length)).advantages;
          const after = rule.compute(batch([order.map((i) => rows[i]!)], [1], rows.length)).advantages;
          // Another order of sums rounds otherwise; a std near 0 makes that visible, so only real spreads are compared.
          const numbers = rows.filter((r) => r !== null);
          if (numbers.length > 1 && Math.max(...numbers) - Math.min(...numbers) < 0.1) return;
          order.forEach((from, to) =>
            expect(Math.abs(after[to]! - before[from]!)).toBeLessThan(
              1e-3 * Math.max(1, Math.abs(before[from]!)),
            ),
          );
        },
      ),
    );
  });

  it("of a group don't depend on other groups, unless the batch scales them", () => {
    fc.assert(
      fc.property(fc.constantFrom("group", "none"), group, group, (advantages, a, b) => {
        const size = Math.min(a.length, b.length);
        const rule = advantageRule({ ...TRL, advantages: advantages });
        const alone = rule.compute(batch([a.slice(0, size)], [1], size)).advantages;
        const both = rule.compute(batch([[...a.slice(0, size), ...b.slice(0, size)]], [1], size)).advantages;
        expect([...both.slice(0, size)]).toEqual([...alone]);
      }),
    );
  });

  it("are finite whatever the rewards, and 0 where no function said anything", () => {
    const wild = fc.oneof(reward, fc.constantFrom("inf", "-inf", "nan"));
    fc.assert(
      fc.property(rules, fc.array(wild, { minLength: 1, maxLength: 20 }), (rule, rows) => {
        const { advantages, rewards } = rule.compute(batch([rows], [1], rows.length));
        advantages.forEach((a, i) => {
          expect(Number.isFinite(a)).toBe(true);
          if (Number.isNaN(rewards[i]!)) expect(a).toBe(0);
        });
      }),
    );
  });
});
