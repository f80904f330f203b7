import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scanTrajectories } from "../../../src/engine/trajectoryScan";

let folder = "";
const VERL = "test/fixtures/trajectories/verl/7.jsonl";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewardsmith-scan-"));
  for (const run of ["one", "two"])
    for (const part of ["rollouts", "validation"]) {
      await mkdir(join(folder, "runs", run, part), { recursive: true });
      for (const step of [1, 2]) await cp(VERL, join(folder, "runs", run, part, `${step}.jsonl`));
    }
  await writeFile(join(folder, "settings.json"), '{"trajectories": 4, "reward": 1}');
  await writeFile(join(folder, "outputs.jsonl"), '{"prompt": "2+2?", "completion": "4"}\n');
  await writeFile(join(folder, "outputs.labels.jsonl"), '{"v":1,"kind":"verdict"}\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("two runs in one folder stay two, the parts of one stay one, and samples and settings aren't trajectories", async () => {
  const { sources, truncated } = await scanTrajectories([folder], 100, new AbortController().signal);
  expect(truncated).toBe(false);
  expect(
    sources.map(({ path, folder: isFolder, files, title }) => [
      relative(folder, path).replaceAll("\\", "/"),
      isFolder,
      files,
      title,
    ]),
  ).toEqual([
    ["runs/one", true, 4, "verl"],
    ["runs/two", true, 4, "verl"],
  ]);
});
