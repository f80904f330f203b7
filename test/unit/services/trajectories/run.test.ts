import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { inProcessPorts } from "../../../../src/runtime/trajectories/ports";
import { createTrajectoryStore } from "../../../../src/services/trajectories/store";
import type { TrajectorySource, TrajectoryStore } from "../../../../src/services/trajectories/source";

const ALL = { filter: "", sort: "index", descending: false } as const;
let folder: string;
let store: TrajectoryStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewardsmith-run-"));
  store = createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
});
afterEach(async () => {
  store.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function opened(files: Readonly<Record<string, string>>, name = "."): Promise<TrajectorySource> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const source = await store.open(join(folder, name));
  await source.whenComplete();
  return source;
}

const rollout = (input: string, score: number, step: number): string =>
  `${JSON.stringify({ input, output: "x", score, step })}\n`;

/** One rollout as ART's older versions write it: the file's path alone says step and split. */
const art = (user: string, reward: number): string =>
  `${JSON.stringify({
    messages_and_choices: [
      { role: "user", content: user },
      { finish_reason: "stop", index: 0, logprobs: null, message: { role: "assistant", content: "ok" } },
    ],
    tools: null,
    reward,
    metrics: {},
    metadata: {},
    logs: [],
  })}\n`;

it("reads of a run its rollouts alone, by step, and tells what each step has", async () => {
  const source = await opened({
    "state.json": "{}",
    "history.jsonl": '{"step":2,"reward":0.5}\n',
    "other/1.jsonl": rollout("not of the run", 1, 1),
    "trajectories/train/0010.jsonl": art("a", 1) + art("b", 0),
    "trajectories/train/0009.jsonl": art("a", 0.5),
    "trajectories/val/0009.jsonl": art("v", 1),
  });
  const { rows } = await source.page(ALL, 0, 10);
  expect(rows.map(({ step, split, title }) => [step, split, title])).toEqual([
    [9, "train", "a"],
    [9, "val", "v"],
    [10, "train", "a"],
    [10, "train", "b"],
  ]);
  const { framework, run } = source.info();
  expect(framework).toBe("art");
  expect(run?.framework).toBe("art");
  expect(run?.steps.map(({ step, split, n, mean, scored }) => [step, split, n, mean, scored])).toEqual([
    [9, "train", 1, 0.5, 1],
    [9, "val", 1, 1, 1],
    [10, "train", 2, 0.5, 2],
  ]);
  expect(await source.get(3)).toMatchObject({ step: 10, split: "train" });
});

it("takes a file with more than one step for a run, and one with a single step not", async () => {
  const rows = rollout("a", 1, 1) + rollout("a", 0, 1) + rollout("b", 1, 1) + rollout("a", 1, 2);
  const source = await opened({ "rows.jsonl": rows }, "rows.jsonl");
  expect(source.info().run?.steps).toEqual([
    { step: 1, split: null, n: 3, groups: 2, mean: 2 / 3, scored: 3 },
    { step: 2, split: null, n: 1, groups: 1, mean: 1, scored: 1 },
  ]);
  const single = await opened({ "one.jsonl": rollout("a", 1, 1) + rollout("b", 1, 1) }, "one.jsonl");
  expect(single.info().run).toBeNull();
});

it("tries the other files of a run whose rollouts no form knows", async () => {
  const source = await opened({
    "trajectories/train/0009.jsonl": '{"something": "else"}\n',
    "state.json": "{}",
    "kept/7.jsonl": rollout("kept", 1, 7),
  });
  const { rows } = await source.page(ALL, 0, 10);
  expect(rows.map(({ step, title }) => [step, title])).toEqual([[7, "kept"]]);
  expect(source.info()).toMatchObject({ files: ["kept/7.jsonl"], framework: "verl", run: null });
});

it("says which files of a folder were tried, and why none can be read", async () => {
  const folderOf = opened({
    "trajectories/train/0009.jsonl": '{"something": "else"}\n',
    "state.json": '{"a": 1}',
  });
  await expect(folderOf).rejects.toMatchObject({ code: "FormatUnknown" });
  await expect(folderOf).rejects.toThrow(
    /2 files.*trajectories\/train\/0009\.jsonl seems to be rows with the column something.*state\.json/,
  );
});

it("shows a whole last line without its end, also where something is odd about it", async () => {
  const source = await opened(
    { "7.jsonl": `${rollout("a", 1, 7)}${rollout("b", 1, 7).trim()}${rollout("c", 1, 7).trim()}` },
    "7.jsonl",
  );
  const { rows } = await source.page(ALL, 0, 10);
  expect(rows.map(({ title }) => title)).toEqual(["a", "b", "c"]);
  expect(source.problems(0, 9).problems.map(({ code }) => code)).toEqual(["glued"]);
});
