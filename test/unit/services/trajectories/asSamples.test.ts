import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync, zipSync } from "fflate";
import { afterAll, expect, it } from "vitest";
import { encodeParts } from "../../../../src/core/scoring/encode";
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

const FLOATS =
  '{"trajectories":[{"reward":1,"metrics":{},"metadata":{"level":1.0,"count":1,"deep":{"xs":[2.0],"ns":[2]},"big":1e16,"text":"1.0","zero":-0.0},' +
  '"messages_and_choices":[{"role":"user","content":"Is 1.0 = 1?"},{"role":"assistant","content":"Yes: 1.0"}]}]}\n';

it.each([
  ["lines", "0001.jsonl", new TextEncoder().encode(FLOATS)],
  ["lines that are packed", "0001.jsonl.gz", gzipSync(new TextEncoder().encode(FLOATS))],
  ["a list in one document", "0001.json", new TextEncoder().encode(`[${FLOATS}]`)],
  [
    "YAML",
    "0001.yaml",
    new TextEncoder().encode(
      `- trajectories:
    - reward: 1
      metadata: {level: 1.0, count: 1, deep: {xs: [2.0], ns: [2]}, big: 1.0e+16, text: "1.0", zero: -0.0}
      messages_and_choices: [{role: user, content: "Is 1.0 = 1?"}, {role: assistant, content: "Yes: 1.0"}]
`,
    ),
  ],
])("whole floats stay floats: %s", async (_, name, bytes) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const table = await open(path);
  const [text = ""] = encodeParts(table, 100);
  const column = (key: string): string | undefined =>
    new RegExp(`"${key}":(\\[[^\\]]*\\]|\\[\\{.*?\\}\\])`).exec(text)?.[1];
  expect(["level", "count", "big", "text", "zero"].map(column)).toEqual([
    "[1.0]",
    "[1]",
    "[10000000000000000.0]",
    '["1.0"]',
    "[-0.0]",
  ]);
  expect(text).toContain('"deep":[{"xs":[2.0],"ns":[2]}]');
  expect(text).toContain("Is 1.0 = 1?");
});

it("whole floats stay floats: in an entry of an archive, and a reference under another name", async () => {
  const log = {
    eval: { task: "t" },
    samples: [
      {
        id: 1,
        epoch: 1,
        input: "2+2?",
        target: "4",
        messages: [
          { role: "user", content: "2+2?" },
          { role: "assistant", content: "4" },
        ],
        metadata: { level: "LEVEL", count: 1 },
        scores: {},
      },
    ],
  };
  const { samples, ...header } = log;
  const entry = new TextEncoder().encode(JSON.stringify(samples[0]).replace('"LEVEL"', "3.0"));
  const archive = join(folder, "log.eval");
  writeFileSync(
    archive,
    zipSync({
      "header.json": new TextEncoder().encode(JSON.stringify(header)),
      "samples/1_epoch_1.json": entry,
    }),
  );
  const [text = ""] = encodeParts(await open(archive), 100);
  expect(text).toMatch(/"level":(3\.0|\[3\.0\])/);
  expect(text).toMatch(/"count":(1|\[1\])[,}]/);

  const gym = join(folder, "gym.jsonl");
  writeFileSync(
    gym,
    '{"responses_create_params":{"input":"2+2?"},"response":{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"4"}]}]},"reward":0.5,"expected_answer":4.0}\n',
  );
  const [row = ""] = encodeParts(await open(gym), 100);
  expect(row).toContain('"reference":[4.0]');
  expect(row).toContain('"expected_answer":[4.0]');
});

it("a reward in the file that isn't finite reaches Python as the number it is", async () => {
  const path = join(folder, "nan.jsonl");
  const chat = '[{"role":"user","content":"a?"},{"role":"assistant","content":"a"}]';
  writeFileSync(
    path,
    ["NaN", "-Infinity", "1"]
      .map((n) => `{"messages_and_choices":${chat},"reward":${n},"metrics":{}}\n`)
      .join(""),
  );
  const [text = ""] = encodeParts(await open(path), 100);
  expect(text).toContain('"reward_in_file":[NaN,-Infinity,1.0]');
});
