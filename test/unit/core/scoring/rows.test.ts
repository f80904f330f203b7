import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { liveRows } from "../../../../src/core/scoring/live";
import { allRows, planBatches } from "../../../../src/core/scoring/plan";
import { grouped, table } from "./tables";

const NOTHING = { pinned: null, labelled: [], flipped: [], visible: [] };

/** Groups of many sizes over rows in any order. */
const groups = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 }).chain((sizes) => {
  const n = sizes.reduce((a, b) => a + b);
  return fc.shuffledSubarray([...Array(n).keys()], { minLength: n }).map((rows) => {
    let from = 0;
    return sizes.map((size) => rows.slice(from, (from += size)));
  });
});

describe("batches of a pass", () => {
  it("hold every row once, in group order, groups whole, none over the limit but a group that is", () => {
    fc.assert(
      fc.property(groups, fc.integer({ min: 1, max: 40 }), (of, limit) => {
        const set = table(of);
        const batches = planBatches(set, allRows(set), limit);
        expect(batches.flat()).toEqual(of.flat());
        for (const batch of batches) {
          const inside = new Set(batch.map((row) => set.groupOf[row]!));
          for (const g of inside) expect(batch).toEqual(expect.arrayContaining([...set.groups[g]!.rows]));
          if (inside.size > 1) expect(batch.length).toBeLessThanOrEqual(limit);
        }
        // No two neighbours would have fitted together.
        batches.slice(1).forEach((batch, i) => {
          const first = set.groups[set.groupOf[batch[0]!]!]!.rows.length;
          expect(batches[i]!.length + first).toBeGreaterThan(limit);
        });
      }),
    );
  });

  it("of some rows: only those, each group's in the table's order", () => {
    const set = table([
      [0, 2, 4],
      [1, 3, 5],
    ]);
    expect(planBatches(set, [5, 4, 0], 2)).toEqual([[0, 4], [5]]);
    expect(planBatches(set, [], 2)).toEqual([]);
  });
});

describe("rows of a live pass", () => {
  it("all of them up to the limit", () => {
    expect(liveRows(table(grouped(10, 3)), { limit: 10, ...NOTHING })).toEqual([...Array(10).keys()]);
  });

  it("never more than the limit, none twice, ascending, the same for the same wishes", () => {
    fc.assert(
      fc.property(
        groups,
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.nat(60), { maxLength: 8 }),
        fc.option(fc.nat(60), { nil: null }),
        (of, limit, wished, pinned) => {
          const set = table(of);
          const choice = { limit, pinned, labelled: wished, flipped: [], visible: wished };
          const rows = liveRows(set, choice);
          expect(rows).toHaveLength(Math.min(limit, set.n));
          expect([...new Set(rows)].sort((a, b) => a - b)).toEqual(rows);
          expect(liveRows(set, choice)).toEqual(rows);
          if (pinned !== null && pinned < set.n) expect(rows).toContain(pinned);
        },
      ),
    );
  });

  it("pinned, labelled, flipped, visible come first in this order, then the rest of their groups", () => {
    const set = table(grouped(4000, 4));
    const choice = { limit: 6, pinned: 3999, labelled: [10], flipped: [20], visible: [30, 40, 50] };
    expect(liveRows(set, choice)).toEqual([10, 20, 30, 40, 50, 3999]);
    expect(liveRows(set, { ...choice, limit: 2 })).toEqual([10, 3999]);
    const wide = liveRows(set, { ...choice, visible: [], limit: 12 });
    expect(wide).toEqual([8, 9, 10, 11, 20, 21, 22, 23, 3996, 3997, 3998, 3999]);
    // The rest of row 20's group doesn't fit any more: not a part of it, but a row from elsewhere.
    const tight = liveRows(set, { ...choice, visible: [], limit: 10 });
    expect(tight).toEqual([0, 8, 9, 10, 11, 20, 3996, 3997, 3998, 3999]);
  });

  it("of many small groups takes whole ones, spread over the set", () => {
    const set = table(grouped(10_000, 8));
    const rows = liveRows(set, { limit: 1000, ...NOTHING });
    const counts = new Map<number, number>();
    for (const row of rows) counts.set(set.groupOf[row]!, (counts.get(set.groupOf[row]!) ?? 0) + 1);
    expect([...counts.values()].filter((c) => c === 8).length).toBe(125);
    for (let tenth = 0; tenth < 10; tenth++) {
      const here = rows.filter((row) => Math.floor(row / 1000) === tenth).length;
      expect(here).toBeGreaterThan(60);
      expect(here).toBeLessThan(140);
    }
  });

  it("of few large groups takes an even share of each, spread over the group", () => {
    const set = table(grouped(5000, 500));
    const rows = liveRows(set, { limit: 1000, ...NOTHING });
    for (const group of set.groups) {
      const share = rows.filter((row) => group.rows.includes(row));
      expect(share).toHaveLength(100);
      expect(share.filter((row) => row < group.rows[250]!).length).toBeGreaterThan(35);
      expect(share.filter((row) => row < group.rows[250]!).length).toBeLessThan(65);
    }
  });
});
