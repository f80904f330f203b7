import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inProcessPorts } from "../../../../src/runtime/trajectories/ports";
import { createTrajectoryStore } from "../../../../src/services/trajectories/store";
import type { TrajectorySource, TrajectoryStore } from "../../../../src/services/trajectories/source";
import type { TrajectoryQuery } from "../../../../src/schema/trajectory";

const ALL: TrajectoryQuery = { filter: "", sort: "index", descending: false };

let folder: string;
let store: TrajectoryStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewardsmith-store-"));
  store = createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
});
afterEach(async () => {
  store.dispose();
  await rm(folder, { recursive: true, force: true });
});

const rollout = (input: string, output: string, score: number, step = 1): string =>
  `${JSON.stringify({ input, output, score, step })}\n`;

async function opened(name: string, text: string): Promise<TrajectorySource> {
  const path = join(folder, name);
  await writeFile(path, text);
  const source = await store.open(path);
  await source.whenComplete();
  return source;
}

describe("one file", () => {
  it("lists rows with groups of equal prompts, also where they are mixed", async () => {
    const source = await opened(
      "1.jsonl",
      rollout("a", "x", 1) + rollout("b", "y", 0) + rollout("a", "z", 0.5) + rollout("b", "w", 0, 2),
    );
    const { rows, total } = await source.page(ALL, 0, 100);
    expect(total).toBe(4);
    expect(rows.map((row) => row.group)).toEqual(["1/p1", "1/p2", "1/p1", "2/p1"]);
    expect(source.groupOf(2)).toEqual([0, 2]);
    expect(rows.map((row) => row.reward)).toEqual([1, 0, 0.5, 0]);
    expect(rows.map((row) => row.title)).toEqual(["a", "b", "a", "b"]);
    expect(rows[2]).toMatchObject({ index: 2, line: 3, id: "1.jsonl:3", turns: 1, messages: 2 });
  });

  it("filters and sorts, rows without the number last either way", async () => {
    const source = await opened(
      "1.jsonl",
      rollout("a", "x", 1) +
        '{"input":"q","output":"r","score":null,"step":1}\n' +
        rollout("b", "y", 0) +
        rollout("c", "z", 0.5),
    );
    const by = async (query: Partial<TrajectoryQuery>): Promise<number[]> =>
      (await source.page({ ...ALL, ...query }, 0, 100)).rows.map((row) => row.index);
    expect(await by({ sort: "reward" })).toEqual([2, 3, 0, 1]);
    expect(await by({ sort: "reward", descending: true })).toEqual([0, 3, 2, 1]);
    expect(await by({ filter: "reward>=0.5" })).toEqual([0, 3]);
    expect(await by({ filter: "no-reward" })).toEqual([1]);
    expect(await by({ filter: "failing" })).toEqual([2]);
    expect(await by({ filter: "title:b" })).toEqual([2]);
    expect(await by({ filter: "id:1.jsonl:4" })).toEqual([3]);
    expect(await source.find({ ...ALL, sort: "reward" }, 3)).toBe(1);
    expect((await source.page({ ...ALL, filter: "rewrd>1" }, 0, 1)).problem).toMatchObject({
      code: "unknown-field",
      near: "reward",
    });
  });

  it("reads a trajectory and its record again", async () => {
    const source = await opened("1.jsonl", rollout("a", "x", 1) + rollout("ü", "y", 0));
    const trajectory = await source.get(1);
    expect(trajectory.branches[0]?.messages[0]?.parts).toEqual([{ type: "text", text: "ü" }]);
    expect(JSON.parse(await source.raw(1))).toMatchObject({ input: "ü" });
    expect(source.place(1)).toMatchObject({ line: 2, form: "verl-rollout" });
    await expect(source.get(2)).rejects.toMatchObject({ code: "FileUnreadable" });
  });

  it("says that a file isn't known or isn't there", async () => {
    await writeFile(join(folder, "x.jsonl"), "\u0000\u0001");
    await expect(store.open(join(folder, "x.jsonl"))).rejects.toMatchObject({ code: "FormatUnknown" });
    await expect(store.open(join(folder, "none.jsonl"))).rejects.toMatchObject({ code: "FileMissing" });
  });
});

describe("search", () => {
  it("finds a text in every spelling that JSON has for it", async () => {
    const lines = [
      '{"input":"gr\\u00fc\\u00dfe","output":"x","score":1,"step":1}\n',
      '{"input":"q","output":"viele GRÜßE","score":1,"step":1}\n',
      '{"input":"q","output":"nothing","score":1,"step":1}\n',
      '{"input":"say \\"hi\\"\\nnow","output":"b","score":1,"step":1}\n',
    ];
    const source = await opened("1.jsonl", lines.join(""));
    const at = async (text: string, matchCase: boolean): Promise<string[]> => {
      const { hits, cursor } = await source.search({ text, matchCase, cursor: null, limit: 10 });
      expect(cursor).toBeNull();
      return hits.map((hit) => `${hit.index}.${hit.message}:${hit.excerpt.slice(hit.from, hit.to)}`);
    };
    expect(await at("grüße", false)).toEqual(["0.0:grüße", "1.1:GRÜßE"]);
    expect(await at("grüße", true)).toEqual(["0.0:grüße"]);
    expect(await at('"hi"\nnow', false)).toEqual(['3.0:"hi"\nnow']);
    // A key of the records is no text of theirs.
    expect(await at("score", false)).toEqual([]);
  });

  it("goes on where it stopped", async () => {
    const source = await opened(
      "1.jsonl",
      Array.from({ length: 50 }, (_, row) => rollout(`p${row}`, `needle ${row}`, 1)).join(""),
    );
    const found: number[] = [];
    let cursor: string | null = null;
    do {
      const answer = await source.search({ text: "Needle", matchCase: false, cursor, limit: 7 });
      expect(answer.hits.length).toBeLessThanOrEqual(7);
      found.push(...answer.hits.map((hit) => hit.index));
      cursor = answer.cursor;
    } while (cursor !== null);
    expect(found).toEqual(Array.from({ length: 50 }, (_, row) => row));
  });
});

describe("a folder", () => {
  it("puts files in order of their numbers and leaves out what is none of ours", async () => {
    await writeFile(join(folder, "10.jsonl"), rollout("a", "x", 1, 10));
    await writeFile(join(folder, "9.jsonl"), rollout("a", "y", 1, 9));
    await writeFile(join(folder, "config.json"), '{"lr":1}');
    const source = await store.open(folder);
    await source.whenComplete();
    const { rows } = await source.page(ALL, 0, 10);
    expect(rows.map((row) => row.step)).toEqual([9, 10]);
    expect(source.info()).toMatchObject({ folder: true, fileCount: 2, files: ["9.jsonl", "10.jsonl"] });
    expect(source.progress()).toMatchObject({ complete: true, known: 2, problems: 0 });
  });
});
