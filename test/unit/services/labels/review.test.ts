import { describe, expect, it } from "vitest";
import { advantageRule } from "../../../../src/core/advantages/registry";
import type { SampleTable } from "../../../../src/core/scoring/table";
import type { LabelAct } from "../../../../src/schema/lab";
import { Baseline } from "../../../../src/services/baseline";
import type { LabSource } from "../../../../src/services/lab/source";
import { LabelStore } from "../../../../src/services/labels/labelStore";
import { randomAgreement, reviewQueue } from "../../../../src/services/labels/review";
import { fates, grouped, outcome, table, type Cell } from "../../core/scoring/tables";

const PATH = "/outputs.labels.jsonl";

async function labelled(set: SampleTable, acts: readonly LabelAct[] = []) {
  const texts = new Map<string, string>();
  const store = new LabelStore(
    {
      read: (path) => Promise.resolve(texts.get(path) ?? null),
      append: (path, text) => {
        texts.set(path, (texts.get(path) ?? "") + text);
        return Promise.resolve();
      },
    },
    () => "2026-01-01T00:00:00.000Z",
  );
  if (acts.length > 0) await store.act(PATH, set, "", acts);
  return store.of(PATH, set);
}

function source(
  set: SampleTable,
  cells: readonly Cell[] | null,
  before: readonly Cell[] | null = null,
): LabSource {
  const baseline = new Baseline("saved");
  if (before)
    baseline.set(
      {
        kind: "saved",
        hash: "h",
        ids: set.ids,
        files: [],
        functions: new Map([["reward", outcome(before).rows]]),
      },
      true,
    );
  const scored = cells && {
    table: set,
    outcomes: [{ ...outcome(cells), failures: [], changed: new Set(), again: new Map(), calledTwice: 0 }],
    composition: {
      functions: [{ fn: { name: "reward" }, weight: 1, fate: fates() }],
      rule: advantageRule({ advantages: "group", aggregation: "sum_then_normalize" }),
      trainer: { batch: 32 },
    },
  };
  return {
    path: "/reward.py",
    docVersion: 1,
    status: "fresh",
    table: set,
    scored,
    baseline,
    twice: false,
  } as unknown as LabSource;
}

const rows = (queue: { items: readonly { row: number }[] }) => queue.items.map(({ row }) => row);
const given = (
  row: number,
  stream: "random" | "hunting" | "chosen",
  value: "good" | "bad" = "good",
): LabelAct => ({
  kind: "verdict",
  row,
  value,
  stream,
});

describe("the random stream", () => {
  const set = table(grouped(200, 8));
  const ask = { stream: "random", limit: 500, seed: 7 } as const;

  it("is a permutation of all samples that the seed fixes", async () => {
    const labels = await labelled(set);
    const first = rows(reviewQueue(source(set, null), labels, ask));
    expect([...first].sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, row) => row));
    expect(rows(reviewQueue(source(set, null), labels, ask))).toEqual(first);
    expect(rows(reviewQueue(source(set, null), labels, { ...ask, seed: 8 }))).not.toEqual(first);
  });

  it("goes on where it was: labels in it take out their samples and move nobody", async () => {
    const before = rows(reviewQueue(source(set, null), await labelled(set), ask));
    const done = before.slice(0, 3);
    const after = reviewQueue(
      source(set, null),
      await labelled(
        set,
        done.map((row) => given(row, "random")),
      ),
      ask,
    );
    expect(rows(after)).toEqual(before.slice(3));
    expect(after.left).toBe(197);
  });

  it("keeps samples labelled for another reason, else it would be random no more", async () => {
    const labels = await labelled(set, [given(0, "hunting"), given(1, "chosen")]);
    expect(reviewQueue(source(set, null), labels, ask).left).toBe(200);
  });

  it("order follows identity: a reordered set has the same samples in the same order", async () => {
    const turned = table(grouped(200, 8), { ids: [...set.ids].reverse() });
    const idsOf = (of: SampleTable, order: readonly number[]) => order.map((row) => of.ids[row]);
    const a = reviewQueue(source(set, null), await labelled(set), ask);
    const b = reviewQueue(source(turned, null), await labelled(turned), ask);
    expect(idsOf(turned, rows(b))).toEqual(idsOf(set, rows(a)));
  });

  it("draws evenly: each tenth of the file is about as often among the first", () => {
    const big = table(grouped(1000, 8));
    const hits = new Array<number>(10).fill(0);
    return labelled(big).then((labels) => {
      for (let seed = 0; seed < 40; seed++)
        for (const row of rows(reviewQueue(source(big, null), labels, { stream: "random", limit: 50, seed })))
          hits[Math.floor(row / 100)]! += 1;
      // 200 expected in each, standard deviation about 13.
      for (const count of hits) expect(Math.abs(count - 200)).toBeLessThan(55);
    });
  });

  it("inspection leaves out what was looked at, not what was labelled", async () => {
    const labels = await labelled(set, [{ kind: "looked", row: 4, stream: "random" }, given(5, "random")]);
    const queue = reviewQueue(source(set, null), labels, { ...ask, stream: "inspect" });
    expect(queue).toMatchObject({ stream: "random", left: 199 });
    expect(rows(queue)).not.toContain(4);
    expect(rows(queue)).toContain(5);
  });
});

describe("the hunting stream", () => {
  const hunt = { stream: "hunting", limit: 100, seed: 0 } as const;
  //            group 0: spread         group 1: tied    group 2: one failed
  const cells = [1, 0, 0, 0, /**/ 1, 1, 1, 1, /**/ 0.5, 0.4, 0.5, "raised"] as const;
  const set = table(grouped(12, 4));

  it("asks first where label and score disagree, then ties, flips, large updates, failures; each once", async () => {
    const labels = await labelled(set, [given(1, "random", "good"), given(0, "random", "good")]);
    const before = [1, 0, 0, 1, 1, 1, 1, 1, 0.5, 0.4, 0.5, null] as const;
    const queue = reviewQueue(source(set, cells, before), labels, hunt);
    expect(queue.items.map(({ row, reason }) => `${row} ${reason}`)).toEqual([
      "1 disagrees",
      "4 tied",
      "5 tied",
      // Its own score is as before: it changed rank.
      "2 flipped",
      "3 flipped",
      "11 flipped",
      "9 large-update",
      "8 large-update",
      "10 large-update",
    ]);
    expect(new Set(rows(queue)).size).toBe(queue.items.length);
  });

  it("names what could not be scored, and it never counts as a low score", async () => {
    const queue = reviewQueue(source(set, cells), await labelled(set), hunt);
    expect(queue.items.at(-1)).toEqual({ row: 11, reason: "not-scored" });
  });

  it("a verdict takes its sample out; a disagreement is shown once more, then no longer", async () => {
    const random = await labelled(set, [given(1, "random", "good"), given(4, "chosen"), given(0, "random")]);
    const queue = reviewQueue(source(set, cells), random, hunt);
    expect(queue.items[0]).toEqual({ row: 1, reason: "disagrees" });
    expect(rows(queue)).not.toContain(4);
    const again = await labelled(set, [given(1, "random"), given(0, "random"), given(1, "hunting", "good")]);
    expect(rows(reviewQueue(source(set, cells), again, hunt))).not.toContain(1);
  });

  it("nothing scored: nothing to hunt for", async () => {
    expect(reviewQueue(source(set, null), await labelled(set), hunt)).toEqual({
      stream: "hunting",
      items: [],
      left: 0,
    });
  });

  it("says how many are left before the limit", async () => {
    const queue = reviewQueue(source(set, cells), await labelled(set), { ...hunt, limit: 2 });
    expect(queue.items).toHaveLength(2);
    expect(queue.left).toBeGreaterThan(2);
  });
});

describe("agreement of score and label", () => {
  it("comes from the random stream alone, over samples that have a score", async () => {
    const set = table(grouped(8, 4));
    const cells = [1, 1, 0, 0, 0, 0, 0, "raised"] as const;
    const acts = [given(0, "random", "good"), given(2, "random", "good"), given(7, "random", "good")];
    const labels = await labelled(set, [...acts, given(3, "chosen", "good"), given(4, "hunting", "good")]);
    expect(randomAgreement(source(set, cells), labels)).toEqual({ n: 2, agree: 1 });
    expect(randomAgreement(source(set, null), labels)).toBeNull();
    expect(randomAgreement(source(set, cells), await labelled(set, [given(3, "chosen")]))).toBeNull();
  });
});
