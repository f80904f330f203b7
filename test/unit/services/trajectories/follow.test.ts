import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { inProcessPorts } from "../../../../src/runtime/trajectories/ports";
import { createTrajectoryStore } from "../../../../src/services/trajectories/store";
import type { TrajectorySource, TrajectoryStore } from "../../../../src/services/trajectories/source";

const ALL = { filter: "", sort: "index", descending: false } as const;
let folder: string;
let store: TrajectoryStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewardsmith-follow-"));
  store = createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
});
afterEach(async () => {
  store.dispose();
  await rm(folder, { recursive: true, force: true });
});

const rollout = (input: string, score: number): string =>
  `${JSON.stringify({ input, output: "x", score, step: 1 })}\n`;

async function followed(text: string): Promise<{ source: TrajectorySource; path: string }> {
  const path = join(folder, "1.jsonl");
  await writeFile(path, text);
  const source = await store.open(path);
  await source.whenComplete();
  source.follow(true);
  return { source, path };
}

const titles = async (source: TrajectorySource): Promise<string[]> =>
  (await source.page(ALL, 0, 500)).rows.map((row) => row.title);
const soon = (check: () => Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 5000, interval: 50 });

it("takes what is appended, and a half line only when it is whole", async () => {
  const { source, path } = await followed(rollout("a", 1));
  const line = rollout("b", 0);
  await appendFile(path, line.slice(0, 12));
  await soon(() => {
    expect(source.problems(0, 10).total).toBe(1);
    return Promise.resolve();
  });
  expect(await titles(source)).toEqual(["a"]);
  await appendFile(path, line.slice(12) + rollout("a", 0.5));
  await soon(async () => expect(await titles(source)).toEqual(["a", "b", "a"]));
  expect(source.problems(0, 10).total).toBe(0);
  expect(source.groupOf(0)).toEqual([0, 2]);
  expect((await source.row(2)).line).toBe(3);
  expect((await source.get(1)).reward).toBe(0);
});

it("begins anew where a file was cut or replaced, also by a longer one", async () => {
  const { source, path } = await followed(rollout("a", 1) + rollout("b", 1));
  const heard: string[] = [];
  source.onDidChange((what) => heard.push(what));
  await writeFile(path, rollout("c", 1));
  await soon(async () => expect(await titles(source)).toEqual(["c"]));
  expect(heard).toContain("reset");
  await writeFile(join(folder, "other"), rollout("d", 1) + rollout("e", 1) + rollout("f", 1));
  await rename(join(folder, "other"), path);
  await soon(async () => expect(await titles(source)).toEqual(["d", "e", "f"]));
});

it("keeps the rows of a file that is gone, and says so", async () => {
  const { source, path } = await followed(rollout("a", 1));
  await rm(path);
  await soon(() => {
    expect(source.problems(0, 1).problems[0]?.code).toBe("missing-file");
    return Promise.resolve();
  });
  expect(await titles(source)).toEqual(["a"]);
});

it("sees new files of a folder", async () => {
  await writeFile(join(folder, "1.jsonl"), rollout("a", 1));
  const source = await store.open(folder);
  await source.whenComplete();
  source.follow(true);
  await writeFile(join(folder, "2.jsonl"), rollout("b", 1));
  await soon(async () => expect(await titles(source)).toEqual(["a", "b"]));
  expect(source.info().fileCount).toBe(2);
});

it("follows a later file of a folder that was read before the earlier ones", async () => {
  await writeFile(join(folder, "1.jsonl"), rollout("a ".repeat(500), 1).repeat(3000));
  await writeFile(join(folder, "2.jsonl"), rollout("b", 1));
  const source = await store.open(folder);
  await source.whenComplete();
  const heard: string[] = [];
  source.onDidChange((what) => heard.push(what));
  source.follow(true);
  await appendFile(join(folder, "2.jsonl"), rollout("c", 0));
  await soon(() => {
    expect(source.progress().known).toBe(3002);
    return Promise.resolve();
  });
  expect((await source.row(3001)).title).toBe("c");
  expect(heard).not.toContain("reset");
});
