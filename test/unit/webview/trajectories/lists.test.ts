import { describe, expect, it } from "vitest";
import { likenesses } from "../../../../webview/trajectories/compare/model";
import {
  columnsOf,
  layoutOf,
  nextOrder,
  withHidden,
  withoutWidth,
  withWidth,
} from "../../../../webview/trajectories/list/columns";
import { pictureAddress } from "../../../../webview/trajectories/one/pictures";
import { rewardLine } from "../../../../webview/trajectories/one/rewardLine";
import { bucketFilter } from "../../../../webview/trajectories/tabs/bucketFilter";
import { BUCKETS } from "../../../../src/core/trajectories/buckets";
import { parseFilter } from "../../../../src/core/query/parse";
import { TRAJECTORY_TABLE } from "../../../../src/core/query/trajectoryFields";
import { bucketWord, groupName, middleCut } from "../../../../webview/trajectories/words";

const speech = { language: "en", t: (text: string) => text };
const marked = { language: "en", t: (text: string) => `«${text}»` };
const present = {
  components: ["tool"],
  steps: false,
  advantages: true,
  now: false,
  labels: false,
  tokens: true,
  longest: { index: 2, group: 2, outcome: 8 },
};

describe("columns", () => {
  it("of what no row has there is none, unless it was asked for", () => {
    const keys = (kept: Record<string, number>): string[] =>
      layoutOf(columnsOf(present), kept, present, 1000).map(({ column }) => column.key);
    expect(keys({})).toContain("component:tool");
    expect(keys({})).not.toContain("step");
    expect(keys({ step: 60 })).toContain("step");
    expect(keys({ advantage: 0 })).not.toContain("advantage");
  });
  it("the last one takes the room that is left, unless it was given a width", () => {
    const width = (kept: Record<string, number>): number => {
      const all = layoutOf(columnsOf(present), kept, present, 2000);
      const last = all.at(-1)!;
      return last.left + last.width;
    };
    expect(width({})).toBe(2000);
    expect(width({ title: 200 })).toBeLessThan(2000);
  });
  it("numbers, groups and outcomes have as much room as they need, within limits", () => {
    const wide = (longest: typeof present.longest): number[] =>
      columnsOf({ ...present, longest })
        .filter(({ kind }) => kind === "index" || kind === "group" || kind === "outcome")
        .map(({ width }) => width);
    const [short, long, endless] = [1, 14, 1_000_000].map((length) =>
      wide({ index: length, group: length, outcome: length }),
    );
    for (const [at, width] of (short ?? []).entries()) {
      expect(long![at]).toBeGreaterThan(width);
      expect(endless![at]).toBeLessThan(200);
    }
  });
  it("a group's name is without the only file's, and a long one is cut in its middle", () => {
    expect(groupName("a.jsonl · 3", "a.jsonl")).toBe("3");
    expect(groupName("a.jsonl · 3", null)).toBe("a.jsonl · 3");
    expect(groupName("a.jsonl · ", "a.jsonl")).toBe("a.jsonl · ");
    expect(middleCut("0123456789", 10)).toBe("0123456789");
    expect(middleCut("0123456789", 7)).toBe("012…789");
    expect(middleCut("👩👩👩👩👩👩", 3)).toBe("👩…👩");
  });
  it("hidden and shown again; widths within limits", () => {
    const [first] = columnsOf(present);
    expect(withHidden({}, first!, true)).toEqual({ index: 0 });
    expect(withHidden({ index: 0 }, first!, false)["index"]).toBeGreaterThan(0);
    expect(withWidth({}, "title", 3)["title"]).toBeGreaterThan(20);
    expect(withoutWidth({ title: 3 }, "title")).toEqual({});
  });
  it("a head's third press is the file's own order again", () => {
    const once = nextOrder({ sort: "index", descending: false }, "reward");
    const twice = nextOrder(once, "reward");
    expect([once, twice, nextOrder(twice, "reward")]).toEqual([
      { sort: "reward", descending: false },
      { sort: "reward", descending: true },
      { sort: "index", descending: false },
    ]);
  });
});

describe("words and signs", () => {
  it("a reward is written as a sum only where the sum holds", () => {
    expect(rewardLine({ reward: 0.3, rewards: { tool: 0.1, artifact: 0.2 }, weights: {} }, speech)).toBe(
      "0.3 = 0.1 tool + 0.2 artifact",
    );
    expect(rewardLine({ reward: 0.5, rewards: { a: 0.1, b: 0.2 }, weights: { a: 1, b: 2 } }, speech)).toBe(
      "0.5 = 0.1 a + 2 × 0.2 b",
    );
    expect(rewardLine({ reward: 1, rewards: { a: 0.1 }, weights: {} }, speech)).toBe("1.0 (0.1 a)");
    expect(rewardLine({ reward: { nonFinite: "nan" }, rewards: {}, weights: {} }, speech)).toBe("nan");
  });
  it("a bucket's filter is one the language knows; every bucket has its word", () => {
    for (const { id } of BUCKETS) {
      // Translated: not its id, which nobody is to read.
      expect(bucketWord(id, marked)).toMatch(/^«/u);
      const filter = bucketFilter(id);
      if (filter === null) continue;
      const { problem } = parseFilter(filter, { functions: [], columns: [], table: TRAJECTORY_TABLE });
      expect(problem, filter).toBeNull();
    }
  });
  it("a picture's address is of a kind that can't run, and of base64 alone", () => {
    expect(pictureAddress("image/png", "iVBORw0KGgo=")).toBe("data:image/png;base64,iVBORw0KGgo=");
    expect(pictureAddress("image/svg+xml", "PHN2Zz4=")).toBeNull();
    expect(pictureAddress("image/png", '"><script>')).toBeNull();
    expect(pictureAddress(null, "iVBORw0KGgo=")).toBeNull();
  });
  it("cells that look the same share a letter; one alone has none", () => {
    const cell = (alike: number) => ({
      position: 0,
      role: "user" as const,
      name: null,
      text: "",
      characters: 0,
      calls: [],
      error: null,
      reward: null,
      alike,
    });
    expect(likenesses([cell(0), cell(1), null, cell(0), cell(2), cell(1)])).toEqual([
      "a",
      "b",
      null,
      "a",
      null,
      "b",
    ]);
  });
});
