import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { Hasher } from "../../../../src/core/ports";
import { nodeFileStore } from "../../../../src/runtime/fileStore";
import { inProcessPorts } from "../../../../src/runtime/trajectories/ports";
import { SampleSets } from "../../../../src/services/sampleSets";
import { createTrajectoryStore } from "../../../../src/services/trajectories/store";

const folder = mkdtempSync(join(tmpdir(), "rewardsmith-as-samples-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasher: Hasher = {
  hash: (parts) => {
    const sum = createHash("sha256");
    for (const part of parts) sum.update(`${part.length}:`).update(part);
    return sum.digest("hex");
  },
};
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/trajectories/${name}`, import.meta.url));

function open(...files: string[]) {
  return new SampleSets(nodeFileStore, hasher).open(files, null);
}

const FORMS = [
  "art/trajectories/train/0007.jsonl",
  "nemo-gym/rollouts.jsonl",
  "harbor/alone/run.trajectory.json",
  "swe-agent/repo__one-1.traj",
  "verifiers/v1/traces.jsonl",
  "mini-swe-agent/bare.traj.json",
] as const;

it.each(FORMS)("%s: a row a trajectory, called and grouped as the viewer does", async (name) => {
  const store = createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
  try {
    const source = await store.open(fixture(name));
    await source.whenComplete();
    const { rows } = await source.page({ filter: "", sort: "index", descending: false }, 0, 100);
    const table = await open(fixture(name));
    expect(table.info.reader).toBe("trajectories");
    expect(table.info.mapping).toMatchObject({ prompt: "prompt", completion: "completion", id: "id" });
    const spoken = rows.filter((row) => row.turns > 0);
    expect(table.ids).toEqual(spoken.map((row) => row.id));
    expect(table.groupOf.map((group) => table.groups[group]?.id)).toEqual(spoken.map((row) => row.group));
    expect(table.lines).toEqual(spoken.map((row) => row.line));
    expect(table.info.leftOut).toBe(rows.length - spoken.length);
    expect(table.columns.get("reward_in_file")).toEqual(spoken.map((row) => row.reward));
  } finally {
    store.dispose();
  }
});

it("leaves files whose own columns can be scored as they are", async () => {
  const path = join(folder, "rollouts.jsonl");
  writeFileSync(path, `${JSON.stringify({ input: "1+1?", output: "2", score: 1.0, step: 3, gts: "2" })}\n`);
  const { info, columns } = await open(path);
  expect(info.reader).toBe("jsonl");
  expect(info.mapping).toMatchObject({ prompt: "input", completion: "output" });
  expect(columns.get("gts")).toEqual(["2"]);
});

it("keeps equal prompts of two files apart", async () => {
  const row = (at: number): string =>
    `${JSON.stringify({
      trajectories: [
        {
          reward: at,
          metrics: {},
          metadata: {},
          messages_and_choices: [
            { role: "user", content: "Same?" },
            { role: "assistant", content: `yes ${at}` },
          ],
        },
      ],
    })}\n`;
  const [one, two] = [join(folder, "1.jsonl"), join(folder, "2.jsonl")];
  writeFileSync(one, row(0));
  writeFileSync(two, row(1));
  const table = await open(one, two);
  expect(table.n).toBe(2);
  expect(table.info.groups).toBe(2);
});

it("still says which column is missing where a file is neither", async () => {
  const path = join(folder, "numbers.jsonl");
  writeFileSync(path, '{"a": 1}\n{"a": 2}\n');
  await expect(open(path)).rejects.toMatchObject({ code: "ColumnMissing" });
});
