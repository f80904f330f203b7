import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { textOfParts } from "../../src/formats/trajectories/chat";
import { formOf } from "../../src/formats/trajectories/registry";
import type { Trajectory } from "../../src/schema/trajectory";
import { callCount, messageCount, readAll, type ReadAll } from "../support/readAll";

/** Trainers' files, compared with what was counted before they were written, or with the raw text of the file. */
const root = process.env["REWARDSMITH_REAL"] ?? "";
const there = root !== "" && existsSync(root);

const Truth = z.object({
  trajectories: z.number(),
  groups: z.number(),
  group_sizes: z.array(z.number()),
  rewards: z.array(z.number()),
  messages: z.number().nullable(),
  tool_calls: z.number().nullable(),
  errors: z.number(),
  weights: z.record(z.string(), z.number()).optional(),
  reward_columns: z.record(z.string(), z.array(z.number().nullable())).optional(),
  extra_columns: z.record(z.string(), z.array(z.unknown())).optional(),
  advantage: z.array(z.number().nullable()).optional(),
  step: z.number().optional(),
  failures_sidecar_rows: z.number().optional(),
});

function list(folder: string, pattern: RegExp): string[] {
  const path = join(root, folder);
  if (!there || !existsSync(path)) return [];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .map((name) => join(path, name))
    .sort();
}

const truthOf = (file: string): z.infer<typeof Truth> =>
  Truth.parse(JSON.parse(readFileSync(`${file}.truth.json`, "utf8")));

const raw = (file: string): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));

/** Group sizes as the store finds them: given ids, equal prompts, or runs of equal prompts. */
function groupSizes({ form, trajectories }: ReadAll): number[] {
  const sizes = new Map<string, number>();
  let run = 0;
  let before: string | null = null;
  const runs = formOf(form)?.grouping === "runs";
  trajectories.forEach((one, at) => {
    const prompt = promptOf(one);
    if (before !== null && prompt !== before) run++;
    before = prompt;
    const alone = formOf(form)?.grouping === "given" ? `alone ${at}` : prompt;
    const key = JSON.stringify([one.step, one.split, one.group ?? (runs ? run : alone)]);
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  });
  return [...sizes.values()];
}

function promptOf(one: Trajectory): string {
  const messages = one.branches[0]?.messages ?? [];
  const end = messages.findIndex((message) => message.role === "assistant");
  return JSON.stringify(
    messages.slice(0, end < 0 ? undefined : end).map((message) => [message.role, message.parts]),
  );
}

const rewardsOf = (read: ReadAll): (number | null)[] =>
  read.trajectories.map(({ reward }) => (typeof reward === "number" ? reward : null));

const toolErrors = (read: ReadAll): number =>
  read.trajectories.reduce(
    (n, one) =>
      n +
      one.branches.flatMap((branch) => branch.messages).filter((message) => message.error !== null).length,
    0,
  );

function near(found: readonly (number | null)[], expected: readonly (number | null)[], digits = 4): void {
  expect(found.length).toBe(expected.length);
  found.forEach((value, at) => expect(value ?? Number.NaN).toBeCloseTo(expected[at] ?? Number.NaN, digits));
}

const lineFiles: readonly [string, RegExp, string][] = [
  ["real-outputs/verl-0.9.1", /(rollouts|validation)\/.*\d+\.jsonl$/, "verl-rollout"],
  ["real-outputs/skyrl-0.4.0", /evals?.*\/(openai_gsm8k|unknown|own_shop-sql)\.jsonl$/, "skyrl-eval"],
  ["real-outputs/areal-1.0.4", /\/\d+\.jsonl$/, "areal-rollout"],
  ["real-outputs/atroposlib-0.4.0", /own_tokens\.jsonl$/, "atropos-groups"],
  ["real-outputs/tinker-cookbook-0.5.8", /rollout_summaries\.jsonl$/, "tinker-rollouts"],
];

describe.skipIf(!there)("files that trainers wrote (REWARDSMITH_REAL)", () => {
  it.each(lineFiles)("%s: trajectories, groups and each reward", async (folder, pattern, form) => {
    const files = list(folder, pattern);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const truth = truthOf(file);
      const read = await readAll(file);
      expect([read.form, read.problems]).toEqual([form, []]);
      expect(read.trajectories.length).toBe(truth.trajectories);
      expect(groupSizes(read)).toEqual(truth.group_sizes);
      near(rewardsOf(read), truth.rewards);
      expect(read.trajectories.flatMap((one) => one.errors).length).toBe(truth.errors);
    }
  });

  it("texts taken apart by their template lose nothing but markers", async () => {
    for (const file of [
      ...list("real-outputs/skyrl-0.4.0", /(openai_gsm8k|unknown|own_shop-sql)\.jsonl$/),
      ...list("real-outputs/areal-1.0.4", /\/\d+\.jsonl$/),
    ]) {
      const rows = raw(file);
      const { trajectories } = await readAll(file);
      trajectories.forEach((one, at) => {
        const row = rows[at] ?? {};
        const text = `${z.string().parse(row["input_prompt"] ?? row["prompt"])}${z.string().parse(row["output_response"] ?? row["completion"])}`;
        // A header at the very end asks for a turn that was never written.
        const headers = text.match(/<\|im_start\|>(?!assistant\n$)/g)?.length ?? 0;
        expect(messageCount(one)).toBeGreaterThanOrEqual(headers);
        const words = (value: string): string => value.replaceAll(/<\|im_start\|>\w+\n|<\|im_end\|>|\s/g, "");
        expect(
          words((one.branches[0]?.messages ?? []).map((message) => textOfParts(message.parts)).join("")),
        ).toBe(words(text));
      });
    }
  });

  it("verl: the raw texts stay beside their view", async () => {
    for (const file of list("real-outputs/verl-0.9.1", /(rollouts|validation)\/.*\d+\.jsonl$/)) {
      const rows = raw(file);
      const { trajectories } = await readAll(file);
      trajectories.forEach((one, at) => {
        expect(one.columns["output"]).toBe(rows[at]?.["output"]);
        expect(one.branches[0]?.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
        expect(one.rewards["acc"]).toBe(rows[at]?.["acc"] === true ? 1 : 0);
        expect(one.rewards["pred"]).toBeUndefined();
      });
    }
  });

  it("TRL 1.16 Parquet: each component, extra column and advantage; calls and tool errors", async () => {
    const files = list("real-outputs/trl-1.16.0", /completions_\d+\.parquet$/);
    expect(files.length).toBe(7);
    for (const file of files) {
      const truth = truthOf(file);
      const read = await readAll(file);
      expect([read.form, read.problems]).toEqual(["trl-completions", []]);
      expect(groupSizes(read)).toEqual(truth.group_sizes);
      expect(read.trajectories.reduce((n, one) => n + messageCount(one), 0)).toBe(truth.messages);
      expect(read.trajectories.reduce((n, one) => n + callCount(one), 0)).toBe(truth.tool_calls);
      expect(toolErrors(read)).toBe(truth.errors);
      const columns = truth.reward_columns ?? {};
      expect(Object.keys(read.trajectories[0]?.rewards ?? {})).toEqual(Object.keys(columns));
      for (const [name, values] of Object.entries(columns)) {
        const found = read.trajectories.map((one) => one.rewards[name] ?? null);
        expect(found.map((value) => value === null)).toEqual(values.map((value) => value === null));
        near(
          found.map((value) => Number(value ?? 0)),
          values.map((value) => value ?? 0),
        );
      }
      for (const [name, values] of Object.entries(truth.extra_columns ?? {}))
        expect(read.trajectories.map((one) => one.columns[name])).toEqual(values);
      near(
        read.trajectories.map((one) => Number(one.advantage)),
        truth.advantage ?? [],
      );
      expect(new Set(read.trajectories.map((one) => one.step))).toEqual(new Set([truth.step]));
      // The file has no weights: they are worked out from its advantages and the logged mean.
      near(
        read.trajectories.map((one) => Number(one.reward)),
        truth.rewards,
        3,
      );
      for (const message of read.trajectories.flatMap((one) => one.branches[0]?.messages ?? []))
        for (const call of message.calls) expect(JSON.stringify(call.arguments)).not.toContain("null");
      for (const messages of read.trajectories.map((one) => one.branches[0]?.messages ?? [])) {
        // Calls of a rollout's last message are never made: it reached the limit of turns.
        const made = messages.slice(0, -1).flatMap((message) => message.calls);
        expect(made.map((call) => call.answers.length)).toEqual(made.map(() => 1));
        expect(messages.filter((message) => message.role === "tool" && message.answersTo === null)).toEqual(
          [],
        );
      }
    }
  });

  it("TRL 1.13 Parquet: two groups of eight, roles told from the flattened prompt", async () => {
    const files = list("real-files/generated-here/trl-1.13.0/completions", /\.parquet$/);
    expect(files.length).toBe(3);
    for (const file of files) {
      const read = await readAll(file);
      expect([read.form, groupSizes(read)]).toEqual(["trl-completions", [8, 8]]);
      expect(read.trajectories[0]?.step).toBe(Number(/(\d+)\.parquet/.exec(file)?.[1]));
      for (const one of read.trajectories) {
        expect(Object.keys(one.rewards)).toEqual(["correctness", "format_tags", "brevity"]);
        expect(one.branches[0]?.messages.map((message) => message.role)).toEqual([
          "system",
          "user",
          "assistant",
        ]);
      }
    }
  });

  it("TRL in W&B tables: the same rows as the Parquet file of their step", async () => {
    const files = list("real-outputs/trl-1.16.0", /\.table\.json$/);
    expect(files.length).toBe(9);
    for (const file of files) {
      const read = await readAll(file);
      expect(read.form).toBe("trl-wandb-table");
      const rows = readFileSync(file, "utf8").match(/\],\["|\[\d+,\[\{"role"/g)?.length;
      expect(read.trajectories.length).toBe(rows);
      expect(groupSizes(read)).toEqual([8, 8]);
      const step = String(read.trajectories[0]?.step).padStart(5, "0");
      const parquet = join(
        root,
        "real-outputs/trl-1.16.0/grpo-math-chat/completions",
        `completions_${step}.parquet`,
      );
      if (!existsSync(parquet)) continue;
      const same = await readAll(parquet);
      expect(read.trajectories.map((one) => [one.rewards, one.reward, one.branches])).toEqual(
        same.trajectories.map((one) => [one.rewards, one.reward, one.branches]),
      );
    }
  });

  it("NeMo Gym: rewards, calls and messages of each row, in the order of the file", async () => {
    const files = [
      ...list("real-outputs/nemo-gym-0.7.0/rollouts", /_agent\.jsonl$/),
      ...list("real-files/nemo-gym", /rollouts\.jsonl$/),
    ];
    expect(files.length).toBe(5);
    for (const file of files) {
      const rows = raw(file);
      const read = await readAll(file);
      expect([read.form, read.problems]).toEqual(["nemo-gym-rollouts", []]);
      expect(rewardsOf(read)).toEqual(rows.map((row) => row["reward"]));
      const output = (row: Record<string, unknown>): { type: string; role?: unknown }[] =>
        z.object({ output: z.array(z.looseObject({ type: z.string() })) }).parse(row["response"]).output;
      expect(read.trajectories.map((one) => callCount(one))).toEqual(
        rows.map((row) => output(row).filter((item) => item.type === "function_call").length),
      );
      expect(
        read.trajectories.map(
          (one) => one.branches[0]?.messages.filter((message) => message.role === "tool").length,
        ),
      ).toEqual(rows.map((row) => output(row).filter((item) => item.type === "function_call_output").length));
      for (const message of read.trajectories.flatMap((one) => one.branches[0]?.messages ?? []))
        for (const call of message.calls) expect(call.answers.length).toBeGreaterThan(0);
      if (!existsSync(`${file}.truth.json`)) continue;
      const truth = truthOf(file);
      expect(read.trajectories.length).toBe(truth.trajectories);
      expect(read.trajectories.reduce((n, one) => n + callCount(one), 0)).toBe(truth.tool_calls);
      expect(groupSizes(read).sort()).toEqual([...truth.group_sizes].sort());
      expect(rewardsOf(read).reduce<number>((a, b) => a + (b ?? 0), 0)).toBeCloseTo(
        truth.rewards.reduce((a, b) => a + b, 0),
        6,
      );
      const sidecar = file.replace(/\.jsonl$/, "_failures.jsonl");
      const failed = await readAll(sidecar);
      expect([failed.form, failed.trajectories.length]).toEqual([
        "nemo-gym-failures",
        truth.failures_sidecar_rows,
      ]);
      expect(
        failed.trajectories.every((one) => one.reward === null && one.outcome.kind === "infrastructure"),
      ).toBe(true);
    }
  });

  it("Atropos' templated strings become messages", async () => {
    const read = await readAll(join(root, "real-files/atropos/humor_2.jsonl"));
    expect([read.form, groupSizes(read), rewardsOf(read)]).toEqual(["atropos-groups", [2, 2], [0, 0, 0, 0]]);
    for (const one of read.trajectories)
      expect(one.branches[0]?.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
  });

  it("Tinker's log tree gives the texts of the rollouts that the summaries count", async () => {
    const folder = "real-outputs/tinker-cookbook-0.5.8/iteration_000001";
    const summaries = await readAll(join(root, folder, "train_rollout_summaries.jsonl"));
    const tree = await readAll(join(root, folder, "train_logtree.json"));
    expect(tree.form).toBe("tinker-logtree");
    expect(groupSizes(tree)).toEqual(groupSizes(summaries));
    expect(tree.trajectories.every((one) => messageCount(one) === 2)).toBe(true);
    near([...rewardsOf(tree)].sort(), [...rewardsOf(summaries)].sort());
  });

  it("trackio: sessions and the traces of the database are the same rollouts", async () => {
    const files = list("real-outputs/trackio-0.43.0/trackio/traces", /\.jsonl$/);
    const database = join(root, "real-outputs/trackio-0.43.0/trackio/own-rollouts.db");
    const truth = truthOf(database);
    const sessions = await Promise.all(files.map((file) => readAll(file)));
    const all = sessions.flatMap(({ trajectories }) => trajectories);
    expect(new Set(sessions.map(({ form }) => form))).toEqual(new Set(["trackio-session"]));
    const read: ReadAll = { form: "trackio-session", trajectories: all, problems: [] };
    const facts = (of: ReadAll): unknown[] => [
      of.trajectories.length,
      of.trajectories.reduce((n, one) => n + messageCount(one), 0),
      of.trajectories.reduce((n, one) => n + callCount(one), 0),
      rewardsOf(of).reduce<number>((a, b) => a + (b ?? 0), 0),
      of.trajectories
        .flatMap((one) => one.branches[0]?.messages ?? [])
        .filter((message) => message.role === "tool" && message.answersTo === null).length,
    ];
    const expected = [
      truth.trajectories,
      truth.messages,
      truth.tool_calls,
      truth.rewards.reduce((a, b) => a + b, 0),
      0,
    ];
    expect(facts(read)).toEqual(expected);
    const stored = await readAll(database);
    expect([stored.form, facts(stored)]).toEqual(["trackio-traces", expected]);
    expect(rewardsOf(stored)).toEqual(truth.rewards);
  });

  it("what lies beside them is no trajectory of theirs", async () => {
    const files = [
      ...list(
        "real-outputs/nemo-gym-0.7.0",
        /(materialized_inputs|verdicts|quality_summary|aggregate_metrics|data\/\w+)\.jsonl?$/,
      ),
      ...list("real-outputs/skyrl-0.4.0", /aggregated_results\.jsonl$/),
      ...list("real-outputs/tinker-cookbook-0.5.8", /(checkpoints|config|metrics)\.jsonl?$/),
      ...list("real-outputs/trl-1.16.0", /trainer_state\.json$/),
      ...list("real-outputs/verl-0.9.1/metrics", /\.jsonl$/),
      ...list("real-files/verl", /\.jsonl$/),
      ...list("real-files/skyrl", /\.jsonl$/),
    ];
    expect(files.length).toBeGreaterThan(12);
    for (const file of files)
      await expect(readAll(file), basename(dirname(file)) + "/" + basename(file)).rejects.toMatchObject({
        code: "FormatUnknown",
      });
  });
});
