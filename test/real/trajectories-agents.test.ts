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
const Score = z.looseObject({ score: z.number() }).nullish();

function mainTokens(trajectory: Trajectory): number {
  return sum((trajectory.branches[0]?.messages ?? []).map((one) => one.tokens?.logprobs?.length ?? 0));
}

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

  it("ART: rewards, calls, exceptions, log probabilities as its own objects counted them", async () => {
    const folder = path("real-outputs", "art-0.5.23");
    const files = list(folder, /\.parquet$/);
    expect(files.length).toBe(5);
    for (const file of files) {
      const truth = truthOf(file);
      const { form, trajectories, problems } = await readAll(file);
      expect(form).toBe("art-parquet");
      expect(problems).toHaveLength(z.number().parse(truth["exceptions"]));
      expect(trajectories).toHaveLength(truth.trajectories);
      expect(trajectories.map((t) => rounded(t.reward))).toEqual(truth.rewards.map(rounded));
      expect(groupSizes(trajectories)).toEqual(truth.group_sizes?.toSorted((a, b) => a - b));
      expect(sum(trajectories.map((t) => t.branches[0]?.messages.length ?? 0))).toBe(truth.messages);
      expect(sum(trajectories.map((t) => t.branches.length - 1))).toBe(truth["additional_histories"]);
      expect(sum(trajectories.map(callCount))).toBe(truth.tool_calls);
      expect(sum(trajectories.map(mainTokens))).toBe(truth["logprob_tokens"]);
      expect(new Set(trajectories.map((t) => t.step))).toEqual(new Set([truth["step"]]));
      expect(new Set(trajectories.map((t) => t.split))).toEqual(new Set([truth["split"]]));
    }
    const compact = join(folder, "compact", "trajectory_group.compact.json");
    const dumped = await readAll(compact);
    expect([dumped.form, dumped.problems]).toEqual(["art-compact", []]);
    expect(dumped.trajectories.map((t) => rounded(t.reward))).toEqual(truthOf(compact).rewards);
    expect(sum(dumped.trajectories.map(callCount))).toBe(truthOf(compact).tool_calls);
    expect(groupSizes(dumped.trajectories)).toEqual([3]);
    const sampled = dumped.trajectories.flatMap((t) => t.branches.flatMap((b) => b.messages));
    expect(sampled.filter((one) => one.sampled === true)).toHaveLength(14);

    const logged = join(folder, "compact", "for_logging.jsonl");
    const read = await readAll(logged);
    expect([read.form, read.problems]).toEqual(["art-trajectories", []]);
    expect(read.trajectories.map((t) => t.reward)).toEqual(truthOf(logged).rewards);
    expect(sum(read.trajectories.map(messageCount))).toBe(truthOf(logged).messages);
    expect(sum(read.trajectories.map(callCount))).toBe(truthOf(logged).tool_calls);
    expect(groupSizes(read.trajectories)).toEqual([3]);
  });

  it("ART's other generations: the same two groups as YAML, lines and rows; a group that failed whole stays", async () => {
    const folder = path("real-files", "generated-here", "art-schema", "email-agent-001", "trajectories");
    for (const name of ["0001.yaml", "0002.jsonl", "0003.parquet"]) {
      const { form, trajectories, problems } = await readAll(join(folder, "train", name));
      expect([name, form, problems]).toEqual([
        name,
        name.endsWith("parquet") ? "art-parquet" : "art-groups",
        [],
      ]);
      expect([name, groupSizes(trajectories)]).toEqual([name, [2, 4]]);
      expect(trajectories.slice(0, 4).map((t) => t.reward)).toEqual([1, 0.2, 0.9, 0]);
      expect(trajectories[0]?.branches[0]?.messages.map((m) => m.sampled)).toEqual([
        false,
        false,
        true,
        false,
        true,
      ]);
    }
    const { trajectories, problems } = await readAll(join(folder, "train", "0004.parquet"));
    expect(trajectories).toHaveLength(7);
    expect(trajectories.map((t) => t.branches.length)).toEqual([1, 1, 1, 1, 2, 2, 1]);
    expect(trajectories[6]).toMatchObject({ reward: null, group: "train 4 · 2" });
    expect(trajectories[6]?.errors.map((e) => e.kind)).toEqual(Array(4).fill("TimeoutError"));
    expect(problems).toHaveLength(1);
    expect((await readAll(join(folder, "val", "0003.parquet"))).trajectories).toEqual([]);
  });

  it("eval-protocol: the rows of its database", async () => {
    const file = path("real-outputs", "eval-protocol-0.3.33", "dot_eval_protocol", "logs.db");
    const truth = truthOf(file);
    const { form, trajectories, problems } = await readAll(file);
    expect(form).toBe("eval-protocol-logs");
    expect(problems).toEqual([]);
    expect(trajectories).toHaveLength(truth.trajectories);
    expect(sorted(trajectories.map((t) => t.reward))).toEqual(sorted(truth.rewards));
    expect(groupSizes(trajectories)).toHaveLength(truth.groups);
    expect(sum(trajectories.map(messageCount))).toBe(truth.messages);
    expect(sum(trajectories.map(callCount))).toBe(truth.tool_calls);
    // Failed rollouts only: what a reward function says of its own failure is an error of another kind.
    const failed = trajectories.filter((t) => t.errors.some(({ kind }) => kind === "code 13"));
    expect(failed).toHaveLength(truth.errors);
    expect(failed.every((t) => t.reward !== null)).toBe(true);
  });

  it("eval-protocol's older lines", async () => {
    const old = path("real-files", "eval-protocol", "evaluation_rows.jsonl");
    const rows = lines(old);
    const read = await readAll(old);
    expect([read.form, read.problems]).toEqual(["eval-protocol-rows", []]);
    expect(read.trajectories.map((t) => t.id)).toEqual(rows.map((row) => row["rollout_id"]));
    expect(read.trajectories.map((t) => t.reward)).toEqual(
      rows.map((row) => Score.parse(row["evaluation_result"])?.score ?? null),
    );
    expect(read.trajectories.map(messageCount)).toEqual(
      rows.map((row) => z.array(z.unknown()).parse(row["messages"]).length),
    );
  });

  it.each([
    path("real-files", "eval-protocol", "tool_calling.dataset.jsonl"),
    path("real-files", "generated-here", "art-schema", "email-agent-001", "history.jsonl"),
    ...list(path("real-outputs"), /(history|eval|state|metadata)\.jsonl?$/).filter((name) =>
      /art-0|verifiers-0/.test(name),
    ),
  ])("what lies beside them isn't taken for trajectories: %s", async (file) => {
    const found = await readAll(file).catch(() => null);
    expect(["art-", "verifiers-", "eval-protocol-"].some((id) => found?.form.startsWith(id))).toBe(false);
  });
});
