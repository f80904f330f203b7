import { build } from "esbuild";
import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TrajectoryReport } from "../../src/schema/readReport";
import { ScoreReport } from "../../src/schema/report";

/** The bundled command line as a process of its own: arguments in, streams and exit code out. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "rewardsmith-cli-"));
const work = join(home, "work");

beforeAll(async () => {
  await build({
    absWorkingDir: root,
    entryPoints: { cli: "src/cli/main.ts" },
    outdir: join(home, "dist", "node"),
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "silent",
  });
  cpSync(join(root, "package.json"), join(home, "package.json"));
  mkdirSync(join(home, "dist", "python"));
  symlinkSync(join(root, "python", "rewardsmith_worker"), join(home, "dist", "python", "rewardsmith_worker"));
  cpSync(join(root, "examples", "math"), work, { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function rewardsmith(...args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(home, "dist", "node", "cli.js"), ...args], {
      cwd: work,
      env: { ...process.env, NO_COLOR: "1" },
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

/** Processes started from this test's folder, asked of the process table. */
function ours(): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "utf8").includes(`CLI_TEST_HOME=${home}`);
    } catch {
      return false;
    }
  });
}

describe("rewardsmith, as a process", () => {
  it("scores the example as its own suite asks: what a plain loop over the same rows gives", async () => {
    const { code, out, err } = await rewardsmith("score", "reward.py", "--json");
    expect(err).toBe("");
    expect(code).toBe(0);
    const report = ScoreReport.parse(JSON.parse(out));
    expect(report.functions.map(({ name, n, weight }) => [name, n, weight])).toEqual([
      ["correctness", 200, 1],
      ["answer_format", 200, 0.2],
    ]);
    expect(report.groups).toHaveLength(25);
    expect(report.groups.filter(({ tied }) => tied).length).toBeGreaterThanOrEqual(3);
    expect(Number(report.functions[0]?.mean)).toBeCloseTo(0.605, 10);
    // The flaw that the example invites to find: outputs that name every option score full marks.
    const rows = readFileSync(join(work, "outputs.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { label: string | null });
    const fooled = report.functions[0]?.rows.filter(
      ({ row, value }) => value === 1 && rows[row]?.label === "bad",
    );
    expect(fooled?.length).toBeGreaterThan(0);
    expect(report.labels).toMatchObject({ n: 40 });
  });

  it("shows a table, and the version", async () => {
    const table = await rewardsmith("score", "reward.py:correctness", "--samples", "outputs.jsonl");
    expect(table.code).toBe(0);
    expect(table.out).toMatch(/correctness +trl +1 +200 of 200 +0\.605/);
    expect(table.out).not.toContain("answer_format");
    const version = await rewardsmith("--version");
    expect(version.out.trim()).toBe(
      (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version,
    );
  });

  it("exits 1 for a reward that can't be loaded, with the place", async () => {
    writeFileSync(join(work, "broken.py"), "def reward(completions, **kwargs):\n    return [1.0 for\n");
    const { code, out } = await rewardsmith(
      "score",
      "broken.py:reward",
      "--samples",
      "outputs.jsonl",
      "--json",
    );
    expect(code).toBe(1);
    expect(ScoreReport.parse(JSON.parse(out)).error).toMatchObject({ code: "SyntaxError" });
  });

  it.each([
    [["score", "missing.py", "--samples", "outputs.jsonl"], "FileMissing"],
    [["score", "reward.py", "--samples", "missing.jsonl"], "FileMissing"],
    [["score", "reward.py:nothing", "--samples", "outputs.jsonl"], "NoFunction"],
    [["score", "reward.py", "--samples", "outputs.jsonl", "--python", "/nowhere/python"], "PythonMissing"],
    [["score", "reward.py", "--columns", "completion=nope"], "ColumnMissing"],
    [["read", "reward.py"], "FormatUnknown"],
    [["conjure"], "BadArguments"],
  ])("exits 2 for %j and says why in both forms", async (args, expected) => {
    const { code, out, err } = await rewardsmith(...args, "--json");
    expect(code).toBe(2);
    expect((JSON.parse(out) as { error: { code: string } }).error.code).toBe(expected);
    expect(err).toContain("rewardsmith: ");
    expect(err).not.toContain("    at ");
  });

  it.skipIf(process.platform !== "linux")("ends its processes and exits 130 when interrupted", async () => {
    writeFileSync(
      join(work, "endless.py"),
      "def reward(completions, **kwargs):\n    print('begun', flush=True)\n    while True:\n        pass\n",
    );
    const child = spawn(
      process.execPath,
      [
        join(home, "dist", "node", "cli.js"),
        "score",
        "endless.py",
        "--samples",
        "outputs.jsonl",
        "--timeout",
        "50",
      ],
      { cwd: work, stdio: "ignore", env: { ...process.env, CLI_TEST_HOME: home } },
    );
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    // The reward runs as soon as a process of the worker is there beside the parent.
    await expect.poll(() => ours().length, { timeout: 30_000 }).toBeGreaterThan(2);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    await expect.poll(ours, { timeout: 10_000 }).toEqual([]);
  });

  it("shows what can be done when asked for nothing", async () => {
    const { code, out } = await rewardsmith();
    expect(code).toBe(2);
    expect(out).toContain("rewardsmith score");
    expect((await rewardsmith("score", "--help")).code).toBe(0);
  });

  it("reads samples without Python, and ends quietly when its reader does", async () => {
    const { code, out } = await rewardsmith("read", "outputs.jsonl", "--rows", "1:2", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ schema: 1, count: 200, rows: [{ row: 0 }, { row: 1 }] });
    const piped = await new Promise<number | null>((resolve) => {
      const child = spawn(
        process.execPath,
        [join(home, "dist", "node", "cli.js"), "read", "outputs.jsonl", "--json"],
        {
          cwd: work,
          stdio: ["ignore", "pipe", "ignore"],
        },
      );
      child.stdout.once("data", () => child.stdout.destroy());
      child.on("close", resolve);
    });
    expect(piped).toBe(0);
  });

  it("reads trajectories by their framework's form: numbers tagged, a part of them, folders, and samples when told so", async () => {
    const lines = [
      '{"input": "2+2?", "output": "4", "score": NaN, "step": 7, "acc": Infinity}',
      '{"input": "2+2?", "output": "5", "score": 0.5, "step": 7, "acc": 1}',
      '{"input": "3+3?", "output": "6", "score": 1, "st',
    ];
    mkdirSync(join(work, "rollouts"));
    writeFileSync(join(work, "rollouts", "7.jsonl"), `${lines.join("\n")}\n`);
    const read = async (...args: string[]) => {
      const { code, out } = await rewardsmith("read", ...args, "--json");
      expect(code).toBe(0);
      const document: unknown = JSON.parse(out);
      return document;
    };
    const whole = TrajectoryReport.parse(await read("rollouts/7.jsonl"));
    expect(whole).toMatchObject({
      schema: 1,
      reader: "verl-rollout",
      count: 2,
      problemCount: 1,
      problems: [{ line: 3 }],
      trajectories: [
        { row: 0, step: 7, line: 1, reward: { nonFinite: "nan" }, flags: ["non-finite"] },
        { row: 1, step: 7, line: 2, reward: 0.5, outcome: { kind: "unknown" } },
      ],
    });
    expect(whole.trajectories[0]?.group).toBe(whole.trajectories[1]?.group);
    expect(whole.trajectories[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(JSON.stringify(whole.trajectories[0])).toContain('{"nonFinite":"inf"}');
    const part = TrajectoryReport.parse(await read("rollouts/7.jsonl", "--rows", "2:2"));
    expect(part).toMatchObject({ count: 2, trajectories: [{ row: 1 }] });
    const folder = TrajectoryReport.parse(await read("rollouts"));
    expect(folder).toMatchObject({ count: 2, files: [join(work, "rollouts", "7.jsonl")] });
    expect(await read("rollouts/7.jsonl", "--as", "samples")).toMatchObject({ reader: "jsonl", count: 2 });
    expect(await read("outputs.jsonl", "--rows", "1:1")).toMatchObject({
      reader: "jsonl",
      rows: [{ row: 0 }],
    });
    const text = await rewardsmith("read", "rollouts/7.jsonl");
    expect(text.out).toContain("2 trajectories (verl-rollout)");
    expect((await rewardsmith("read", "rollouts/7.jsonl", "--as", "logs")).code).toBe(2);
  });
});
