import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeFileStore } from "../../src/runtime/fileStore";
import { sha256 } from "../../src/runtime/hasher";
import { SampleSets } from "../../src/services/sampleSets";

/**
 * Files that frameworks wrote, which aren't part of the project. REWARDSMITH_REAL names a folder that holds them as
 * `real-files/` and `real-outputs/`; without it these tests are skipped and counted as such.
 */
const root = process.env["REWARDSMITH_REAL"] ?? "";
const there = root !== "" && existsSync(root);
const path = (...parts: string[]): string => join(root, ...parts);
const sets = () => new SampleSets(nodeFileStore, sha256);

function list(folder: string, pattern: RegExp): string[] {
  if (!there || !existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))
    .sort();
}

describe.skipIf(!there)("files that frameworks wrote (REWARDSMITH_REAL)", () => {
  it("TRL completions: groups of the size that the run had, messages without Arrow's padding", async () => {
    const files = list(path("real-outputs", "trl-1.16.0"), /completions_\d+\.parquet$/);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const table = await sets().open([file], null);
      expect(table.info.mapping).toMatchObject({ prompt: "prompt", completion: "completion" });
      const size = file.includes("grpo-sql-tools") ? 4 : 8;
      expect(new Set(table.groups.map((group) => group.rows.length))).toEqual(new Set([size]));
      expect(table.info.problemCount).toBe(0);
      expect(table.floats.has("advantage")).toBe(true);
      expect(JSON.stringify(table.completion)).not.toContain('"name":null');
    }
  });

  it("TRL completions of several steps: a prompt that returns in another step is another group", async () => {
    const files = list(path("real-outputs", "trl-1.16.0", "grpo-math-chat"), /completions_\d+\.parquet$/);
    const apart = await Promise.all(
      files.map(async (file) => (await sets().open([file], null)).groups.length),
    );
    const together = await sets().open(files, null);
    expect(together.groups.length).toBe(apart.reduce((a, b) => a + b, 0));
  });

  it("TRL 1.13 completions: flattened text, null where a reward said None", async () => {
    const file = path(
      "real-files",
      "generated-here",
      "trl-1.13.0",
      "completions",
      "completions_00003.parquet",
    );
    const table = await sets().open([file], null);
    expect(table.info.shape).toBe("text");
    expect(table.groups.map((group) => group.rows.length)).toEqual([8, 8]);
    expect(table.columns.get("correctness")).toContain(null);
  });

  it("verl rollout dumps: as many rows and groups as were counted before writing, scores to the digit", async () => {
    const files = list(path("real-outputs", "verl-0.9.1"), /v0-trainer\/\d+\.jsonl$/);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const truth = JSON.parse(readFileSync(`${file}.truth.json`, "utf8")) as {
        trajectories: number;
        groups: number;
        rewards: number[];
      };
      const table = await sets().open([file], null);
      expect(table.info.mapping).toMatchObject({ prompt: "input", completion: "output" });
      expect([table.n, table.groups.length]).toEqual([truth.trajectories, truth.groups]);
      expect(table.columns.get("score")).toEqual(truth.rewards);
    }
  });

  it("tells a Git LFS pointer from the file it stands for", async () => {
    const file = path("real-files", "verifiers", "lfs-pointer.results.jsonl");
    await expect(sets().open([file], null)).rejects.toThrow("git lfs pull");
  });

  it("never crashes on any file of the collection: it is read, or refused with a reason", async () => {
    const files = list(root, /\.(jsonl|json|parquet|csv|yaml|log|eval|traj)$/);
    expect(files.length).toBeGreaterThan(50);
    const refused: string[] = [];
    for (const file of files) {
      try {
        await sets().open([file], null);
      } catch (error) {
        refused.push(`${file}: ${(error as { code?: string }).code ?? String(error)}`);
      }
    }
    const codes = new Set(refused.map((line) => line.split(": ").at(-1)));
    expect(
      [...codes].filter((code) => !["ColumnMissing", "FormatUnknown", "NoSamples"].includes(code ?? "")),
    ).toEqual([]);
  });
});
