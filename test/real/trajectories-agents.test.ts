import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Trajectory } from "../../src/schema/trajectory";
import { callCount, messageCount, readAll } from "../support/readAll";

/** Files of verifiers, ART and eval-protocol that the frameworks wrote themselves; see samples.test.ts. */
const root = process.env["REWARDSMITH_REAL"] ?? "";
const there = root !== "" && existsSync(root);
const path = (...parts: string[]): string => join(root, ...parts);

/** Counted from the objects in memory before they were written. */
const Truth = z.looseObject({
  trajectories: z.number(),
  groups: z.number(),
  group_sizes: z.array(z.number()).nullable(),
  rewards: z.array(z.number().nullable()),
  messages: z.number().nullable(),
  tool_calls: z.number(),
  errors: z.number(),
});

function truthOf(file: string): z.infer<typeof Truth> {
  return Truth.parse(JSON.parse(readFileSync(`${file}.truth.json`, "utf8")));
}

function list(folder: string, pattern: RegExp): string[] {
  if (!there || !existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))
    .sort();
}

/** Sizes of groups: by their own ids, else by equal beginnings up to the first answer. */
function groupSizes(trajectories: readonly Trajectory[]): number[] {
  const sizes = new Map<string, number>();
  for (const one of trajectories) {
    const messages = one.branches[0]?.messages ?? [];
    const answer = messages.findIndex(({ role }) => role === "assistant");
    const key = one.group ?? JSON.stringify(messages.slice(0, answer).map(({ parts }) => parts));
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  return [...sizes.values()].sort((a, b) => a - b);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const sorted = (numbers: readonly unknown[]): string[] => numbers.map((n) => JSON.stringify(n)).sort();
const rounded = (value: unknown): unknown =>
  typeof value === "number" ? Math.round(value * 1e9) / 1e9 : value;

/** Lines of a file as another reader than ours sees them. */
function lines(file: string): z.infer<typeof Loose>[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => Loose.parse(JSON.parse(line)));
}
const Loose = z.looseObject({});

describe.skipIf(!there)("files that verifiers, ART and eval-protocol wrote (REWARDSMITH_REAL)", () => {
  it("verifiers, second generation: what its own objects counted", async () => {
    const files = list(path("real-outputs", "verifiers-0.4.0"), /traces\.jsonl$/);
    expect(files.length).toBe(3);
    for (const file of files) {
      const truth = truthOf(file);
      const { form, trajectories, problems } = await readAll(file);
      expect(form).toBe("verifiers-traces");
      expect(problems).toEqual([]);
      expect(trajectories).toHaveLength(truth.trajectories);
      expect(trajectories.map((t) => rounded(t.reward))).toEqual(truth.rewards.map(rounded));
      expect(groupSizes(trajectories)).toEqual(truth.group_sizes?.toSorted((a, b) => a - b));
      expect(sum(trajectories.map(messageCount))).toBe(truth.messages);
      expect(sum(trajectories.map(callCount))).toBe(truth.tool_calls);
      expect(sum(trajectories.map((t) => t.errors.length))).toBe(truth.errors);
      expect(trajectories.map((t) => t.outcome.inFile)).toEqual(truth["stop_conditions"]);
      const leaves = z.array(z.number()).parse(truth["leaves_per_trace"]);
      expect(trajectories.map((t) => t.branches.length)).toEqual(leaves.map((n) => Math.max(1, n)));
    }
  });

  it("verifiers, first generation: its own counts, and the old file's lines", async () => {
    const file = list(path("real-outputs", "verifiers-0.3.1"), /results\.jsonl$/)[0] ?? "";
    const truth = truthOf(file);
    const { form, trajectories, problems } = await readAll(file);
    expect([form, problems]).toEqual(["verifiers-results", []]);
    expect(trajectories).toHaveLength(truth.trajectories);
    // The file is sorted after it was counted.
    expect(sorted(trajectories.map((t) => t.reward))).toEqual(sorted(truth.rewards));
    expect(groupSizes(trajectories)).toEqual(truth.group_sizes);
    expect(sum(trajectories.map(messageCount))).toBe(truth.messages);
    expect(sum(trajectories.map(callCount))).toBe(truth.tool_calls);
    expect(sum(trajectories.map((t) => t.errors.length))).toBe(truth.errors);
    expect(new Set(trajectories.map((t) => t.model))).toEqual(new Set(["local/tiny-canned-1"]));
    expect(new Set(trajectories.flatMap((t) => Object.keys(t.rewards)))).toEqual(new Set(["correct", "tag"]));

    const old = path("real-files", "verifiers", "tool_test.gpt-4.1-mini.results.jsonl");
    const read = await readAll(old);
    const rows = lines(old);
    expect([read.form, read.problems]).toEqual(["verifiers-results", []]);
    expect(read.trajectories.map((t) => t.reward)).toEqual(rows.map((row) => row["reward"]));
    expect(read.trajectories.map((t) => t.group)).toEqual(rows.map((row) => String(row["id"])));
    expect(read.trajectories.map(callCount)).toEqual(rows.map((row) => row["total_tool_calls"]));
    expect(read.trajectories.every((t) => t.tools.length === 4)).toBe(true);
  });

  it("a Git LFS pointer in a results file's place is no trajectories", async () => {
    await expect(readAll(path("real-files", "verifiers", "lfs-pointer.results.jsonl"))).rejects.toThrow();
  });
});
