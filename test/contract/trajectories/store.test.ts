import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inProcessPorts } from "../../../src/runtime/trajectories/ports";
import { fileSpill } from "../../../src/runtime/trajectories/spill";
import { threadedIndexer } from "../../../src/runtime/trajectories/threads";
import { createTrajectoryStore } from "../../../src/services/trajectories/store";

const ALL = { filter: "", sort: "index", descending: false } as const;
let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewardsmith-threads-"));
  program = join(folder, "thread.mjs");
  await build({
    entryPoints: ["src/runtime/trajectories/thread.ts"],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function ports() {
  return {
    ...inProcessPorts({ warn: () => undefined }),
    indexer: threadedIndexer(program),
    spill: () => fileSpill(folder),
  };
}

const rollout = (row: number): string =>
  `${JSON.stringify({ input: `prompt ${row >> 3} ${"word ".repeat(50)}`, output: "x", score: row % 8, step: 1 })}\n`;

it("reads on a thread what this process reads", async () => {
  const path = join(folder, "1.jsonl");
  await writeFile(path, Array.from({ length: 20_000 }, (_, row) => rollout(row)).join(""));
  const [threaded, here] = [
    createTrajectoryStore(ports()),
    createTrajectoryStore(inProcessPorts({ warn: () => undefined })),
  ];
  try {
    const [a, b] = [await threaded.open(path), await here.open(path)];
    await Promise.all([a.whenComplete(), b.whenComplete()]);
    for (const from of [0, 9_990, 19_990])
      expect((await a.page(ALL, from, 10)).rows).toEqual((await b.page(ALL, from, 10)).rows);
    expect(a.info()).toEqual(b.info());
    expect(
      (await a.page({ ...ALL, filter: "reward>=6", sort: "reward", descending: true }, 0, 1)).total,
    ).toBe(5000);
  } finally {
    threaded.dispose();
    here.dispose();
  }
});

it("lists a folder of 3,000 small files in order of their numbers", async () => {
  const many = await mkdtemp(join(folder, "many-"));
  for (let step = 0; step < 3000; step++) await writeFile(join(many, `${step}.jsonl`), rollout(step));
  const store = createTrajectoryStore(ports());
  try {
    const source = await store.open(many);
    await source.whenComplete();
    expect(source.progress()).toMatchObject({ known: 3000, filesDone: 3000, problems: 0, complete: true });
    const { rows } = await source.page(ALL, 2990, 10);
    expect(rows.map((row) => row.id)).toEqual(Array.from({ length: 10 }, (_, at) => `${2990 + at}.jsonl:1`));
  } finally {
    store.dispose();
  }
});

it("cancels at once, and a thread that dies is an error, not a wait", async () => {
  const indexer = threadedIndexer(program, 1);
  const path = join(folder, "1.jsonl");
  const job = { path, name: "1.jsonl", from: null, last: true };
  try {
    const stop = new AbortController();
    const cancelled = indexer.index(job, () => stop.abort(), stop.signal);
    await expect(cancelled).rejects.toMatchObject({ code: "Cancelled" });
    // An offset is a number; this one ends the thread.
    const dead = indexer.index(
      { ...job, from: { bytes: "x" as never, lines: 0, records: 0 } },
      () => undefined,
      new AbortController().signal,
    );
    await expect(dead).rejects.toMatchObject({ code: "WorkerCrashed" });
    const again = await indexer.index(job, () => undefined, new AbortController().signal);
    expect(again.records).toBe(20_000);
  } finally {
    indexer.dispose();
  }
});
