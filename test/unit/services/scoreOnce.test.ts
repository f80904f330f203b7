import { describe, expect, it } from "vitest";
import { RewardsmithError } from "../../../src/base/errors";
import type { FileStore } from "../../../src/core/ports";
import { ScoreReport } from "../../../src/schema/report";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { Documents } from "../../../src/services/documents";
import { exportText } from "../../../src/services/exportText";
import { Projects } from "../../../src/services/project";
import { SampleSets } from "../../../src/services/sampleSets";
import { scoreOnce, type ScoreOnceOptions } from "../../../src/services/scoreOnce";
import { ScriptedWorker, type Script } from "./scriptedWorker";

const TEXT =
  "def a_reward(completions, **kwargs):\n    return []\n\ndef b_reward(completions, **kwargs):\n    return []\n";
const ROWS = ["x", "y", "z", "=1+1"].map((completion, i) =>
  JSON.stringify({ prompt: i < 2 ? "p" : "q", completion, id: `r,${i}` }),
);

function files(texts: Record<string, string>, head: Record<string, string> = {}): FileStore {
  return {
    read: (path) => {
      const text = texts[path];
      if (text === undefined) return Promise.reject(new RewardsmithError("FileMissing", path));
      return Promise.resolve(new TextEncoder().encode(text));
    },
    stat: () => Promise.resolve(null),
    list: () => Promise.resolve([]),
    head: (path) => Promise.resolve(head[path] ?? null),
  };
}

const script: Script = {
  functions: {
    a_reward: (rows, job) =>
      rows.map((row) => (row === 1 ? null : job.overlays["/w/r.py"] === undefined ? row : 9)),
    b_reward: (rows) => (rows.includes(2) ? { raise: "ValueError: b|b" } : rows.map(() => 1)),
  },
};

async function run(
  options: Partial<ScoreOnceOptions> = {},
  more: Record<string, string> = {},
  head: Record<string, string> = {},
) {
  const store = files({ "/w/r.py": TEXT, "/w/s.jsonl": ROWS.join("\n"), ...more }, head);
  const worker = new ScriptedWorker(script);
  const hasher = { hash: (parts: readonly unknown[]) => JSON.stringify(parts.map(String)) };
  const report = await scoreOnce(
    {
      file: "/w/r.py",
      functions: null,
      files: ["/w/s.jsonl"],
      mapping: null,
      contract: null,
      weights: {},
      groupBy: null,
      advantages: null,
      aggregation: null,
      batch: null,
      timeoutSeconds: null,
      baselineRef: null,
      calls: 1,
      ...options,
    },
    {
      ports: {
        worker,
        files: store,
        hasher,
        clock: { now: () => 0, delay: () => Promise.resolve() },
        log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
        documents: new Documents(store),
        imports: () => Promise.resolve({ roots: ["/w"], module: "r" }),
        soon: (callback) => callback(),
      },
      samples: new SampleSets(store, hasher),
      projects: new Projects(store),
      settings: DEFAULT_SETTINGS,
      version: "1.2.3",
    },
  );
  return { report, worker };
}

describe("scoring once", () => {
  it("reports by its own schema: states, totals, groups, n", async () => {
    const { report, worker } = await run({ weights: { b_reward: 0.5 }, groupBy: "prompt" });
    expect(ScoreReport.parse(report)).toEqual(report);
    expect(report.functions.map(({ name, mean, n }) => [name, mean, n])).toEqual([
      ["a_reward", 5 / 3, 3],
      ["b_reward", 1, 3],
    ]);
    expect(report.totals).toEqual([0.5, 0.5, 2, 3.5]);
    expect(report.groups.map(({ rows }) => rows)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(worker.jobs[0]).toMatchObject({
      guarded: false,
      calls: 1,
      limits: { unitSeconds: DEFAULT_SETTINGS.timeoutSeconds },
    });
    expect(report.hypothetical).toBe(true);
  });

  it("takes the functions that are named, and says which there are where one isn't", async () => {
    const { report } = await run({ functions: ["b_reward"] });
    expect(report.functions.map(({ name }) => name)).toEqual(["b_reward"]);
    await expect(run({ functions: ["c_reward"] })).rejects.toMatchObject({
      code: "NoFunction",
      message: expect.stringContaining("a_reward, b_reward") as string,
    });
    await expect(run({ file: "/w/none.py" })).rejects.toMatchObject({ code: "FileMissing" });
    await expect(run({ files: [] })).rejects.toMatchObject({ code: "NoSamples" });
  });

  it("reads what the suite says, and options win over it", async () => {
    const project = JSON.stringify({
      schema: 1,
      suites: {
        s: {
          rewards: [{ use: "r.py:a_reward", weight: 2 }],
          samples: ["s.jsonl"],
          group: { size: 4 },
          trainer: { advantages: "none", batch: 4 },
        },
      },
    });
    const suite = (await run({ files: [] }, { "/w/rewardsmith.json": project })).report;
    expect(suite.functions.map(({ name, weight }) => [name, weight])).toEqual([["a_reward", 2]]);
    expect(suite.trainer).toMatchObject({ advantages: "none", batch: 4 });
    expect(suite.groups).toHaveLength(1);
    const own = (
      await run(
        { files: [], weights: { a_reward: 3 }, groupBy: 2, advantages: "batch", batch: 2 },
        { "/w/rewardsmith.json": project },
      )
    ).report;
    expect(own.functions[0]?.weight).toBe(3);
    expect(own.trainer).toMatchObject({ advantages: "batch", batch: 2 });
    expect(own.groups).toHaveLength(2);
  });

  it("compares with HEAD or another file", async () => {
    const { report } = await run({ baselineRef: "HEAD" }, {}, { "/w/r.py": TEXT });
    expect(report.baseline).toEqual({ ref: "HEAD", error: null });
    // Row 1 is None in both; the others were 9 there and are 0, 2, 3 now.
    expect(report.functions[0]?.flips).toMatchObject({ up: 0, down: 3 });
    await expect(run({ baselineRef: "HEAD" })).rejects.toMatchObject({ code: "BadArguments" });
    await expect(run({ baselineRef: "/w/old.py" })).rejects.toMatchObject({ code: "BadArguments" });
  });
});

describe("export", () => {
  it("CSV: an empty value and a word where nothing was scored; commas, formulas and breaks are quoted", async () => {
    const { report } = await run({ groupBy: "prompt" });
    const lines = exportText(report, "csv").trimEnd().split("\r\n");
    expect(lines[0]).toBe(
      "row,id,group,a_reward,a_reward state,a_reward reason,b_reward,b_reward state,b_reward reason,total,advantage",
    );
    expect(lines[2]).toMatch(/^2,"r,1",[^,]*,,not applicable,.*,1,scored \(recovered\),,1,/);
    expect(lines[3]).toMatch(/,,raised,b\|b \(line 3\),2,/);
    expect(lines).toHaveLength(5);
  });

  it("Markdown: cells can't break the table; words for states", async () => {
    const { report } = await run();
    const text = exportText(report, "markdown");
    const rows = text.split("\n").filter((line) => /^\| \d/.test(line));
    expect(rows).toHaveLength(4);
    expect(rows[2]).toContain("| raised |");
    expect(text).toContain("The trainer would have stopped");
  });

  it("JSON is the report itself", async () => {
    const { report } = await run();
    expect(JSON.parse(exportText(report, "json"))).toEqual(JSON.parse(JSON.stringify(report)));
  });
});
