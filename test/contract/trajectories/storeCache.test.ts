import { appendFile, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { inProcessPorts } from "../../../src/runtime/trajectories/ports";
import { summaryCache } from "../../../src/runtime/trajectories/summaryCache";
import { createTrajectoryStore } from "../../../src/services/trajectories/store";

const ALL = { filter: "", sort: "index", descending: false } as const;
const ROWS = 3000;
let folder: string;
let cached: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewardsmith-cache-"));
  cached = join(folder, "kept");
  path = join(folder, "1.jsonl");
  await writeFile(path, Array.from({ length: ROWS }, (_, row) => rollout(row)).join(""));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const rollout = (row: number, word = "word"): string =>
  `${JSON.stringify({ input: `prompt ${row >> 3} ${`${word} `.repeat(20)}`, output: "x", score: row % 8, step: 1 })}\n`;

/** Opens the file anew: its rows, and where the reading of it began. */
async function read(version = "1") {
  const began: (number | null)[] = [];
  const ports = inProcessPorts({ warn: () => undefined });
  const store = createTrajectoryStore({
    ...ports,
    cache: summaryCache(cached, version, 1000),
    indexer: {
      ...ports.indexer,
      index: (job, onEvent, signal) => {
        began.push(job.from?.bytes ?? null);
        return ports.indexer.index(job, onEvent, signal);
      },
    },
  });
  try {
    const source = await store.open(path);
    await source.whenComplete();
    const rows = [];
    for (let from = 0; from < source.progress().known; from += 500)
      rows.push(...(await source.page(ALL, from, 500)).rows);
    return { rows, began, info: source.info(), progress: source.progress(), groups: source.groupOf(9) };
  } finally {
    store.dispose();
  }
}

async function keptFile(): Promise<string> {
  const [name = "", ...more] = await readdir(cached);
  expect(more).toEqual([]);
  return join(cached, name);
}

it("shows an unchanged file without reading it again", async () => {
  const first = await read();
  const second = await read();
  expect(first.rows).toHaveLength(ROWS);
  expect(first.began).toEqual([null]);
  expect(second.began).toEqual([]);
  expect(second.rows).toEqual(first.rows);
  expect(second.info).toEqual(first.info);
  expect(second.groups).toEqual(first.groups);
  expect(second.progress).toMatchObject({ complete: true, bytesDone: first.progress.bytes });
});

it("reads only what a file has grown by", async () => {
  await read();
  const { size } = await stat(path);
  await appendFile(path, rollout(ROWS));
  const grown = await read();
  expect(grown.began).toEqual([size]);
  expect(grown.rows).toHaveLength(ROWS + 1);
  expect((await read()).began).toEqual([]);
});

it("reads a file anew that is another, also of the same size, and for another version", async () => {
  await read();
  expect((await read("2")).began).toEqual([null]);
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replaceAll("word", "wort"));
  await utimes(path, new Date(), new Date(Date.now() + 5000));
  const other = await read("2");
  expect(other.began).toEqual([null]);
  expect(other.rows[0]?.title).toContain("wort");
  await writeFile(path, rollout(0, "shorter"));
  expect((await read("2")).rows).toHaveLength(1);
});

it("takes what is whole of a damaged file, and reads the rest", async () => {
  const first = await read();
  const file = await keptFile();
  const bytes = await readFile(file);
  for (const at of [bytes.length - 2, bytes.length - 60, Math.floor(bytes.length / 2), 300, 5]) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x55, at);
    await writeFile(file, damaged);
    const again = await read();
    expect(again.rows).toEqual(first.rows);
    expect(again.began.length).toBeGreaterThan(0);
  }
  await writeFile(file, bytes.subarray(0, bytes.length / 3));
  expect((await read()).rows).toEqual(first.rows);
});

it("keeps nothing of small files", async () => {
  await writeFile(path, rollout(0));
  await read();
  expect(await readdir(cached).catch(() => [])).toEqual([]);
});
