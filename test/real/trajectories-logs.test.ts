import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { runOf, type Run } from "../../src/core/trajectories/runs";
import { parseValue } from "../../src/formats/trajectories/jsonValue";
import { readMetrics } from "../../src/formats/trajectories/metrics/registry";
import { Trajectory } from "../../src/schema/trajectory";
import { callCount, messageCount, readAll } from "../support/readAll";

/** Logs of evaluations, agents and traces, metrics and whole runs, as frameworks wrote them (REWARDSMITH_REAL). */
const root = process.env["REWARDSMITH_REAL"] ?? "";
const there = root !== "" && existsSync(root);

function list(folder: string, pattern: RegExp): string[] {
  const whole = join(root, folder);
  if (!there || !existsSync(whole)) return [];
  return readdirSync(whole, { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name) && !name.endsWith(".truth.json"))
    .map((name) => join(whole, name))
    .sort();
}

function json(path: string): unknown {
  const parsed = parseValue(readFileSync(path, "utf8"));
  if (!parsed.ok) throw new Error(`${path}: ${parsed.message}`);
  return parsed.value;
}

const Truth = z.object({
  trajectories: z.number(),
  groups: z.number(),
  group_sizes: z.array(z.number()),
  rewards: z.array(z.number().nullable()),
  messages: z.number(),
  tool_calls: z.number(),
  errors: z.number(),
});

type Read = Awaited<ReturnType<typeof readAll>>["trajectories"];

function sizes(trajectories: Read): number[] {
  const groups = new Map<string, number>();
  trajectories.forEach((t, at) => {
    const key = t.group ?? `alone-${at}`;
    groups.set(key, (groups.get(key) ?? 0) + 1);
  });
  return [...groups.values()];
}

function counts(trajectories: Read): { messages: number; calls: number } {
  return {
    messages: trajectories.reduce((n, t) => n + messageCount(t), 0),
    calls: trajectories.reduce((n, t) => n + callCount(t), 0),
  };
}

const inspectLogs = list("real-outputs/inspect-ai-0.3.285", /\.(eval|json)$/);

describe.skipIf(!there)("logs that frameworks wrote", () => {
  it.each(inspectLogs.map((path) => [basename(path), path]))("Inspect %s", async (_name, path) => {
    const truth = Truth.extend({ tool_errors: z.number(), reward_is: z.string() }).parse(
      json(`${path}.truth.json`),
    );
    const { form, trajectories, problems } = await readAll(path);
    expect(form).toBe(path.endsWith(".eval") ? "inspect-eval" : "inspect-json");
    expect(problems).toEqual([]);
    for (const t of trajectories) Trajectory.parse(t);
    expect(trajectories).toHaveLength(truth.trajectories);
    expect(sizes(trajectories)).toEqual(truth.group_sizes);
    expect(trajectories.map((t) => t.reward)).toEqual(truth.rewards);
    expect(counts(trajectories)).toEqual({ messages: truth.messages, calls: truth.tool_calls });
    expect(trajectories.filter((t) => t.errors.length > 0)).toHaveLength(truth.errors);
    const toolErrors = trajectories
      .flatMap((t) => t.branches[0]?.messages ?? [])
      .filter((m) => m.error !== null);
    expect(toolErrors).toHaveLength(truth.tool_errors);
    // Every answer of the model has the time of the call that made it.
    const answers = trajectories
      .flatMap((t) => t.branches[0]?.messages ?? [])
      .filter((m) => m.sampled === true);
    expect(answers.every((m) => m.ms !== null)).toBe(true);
  });

  it("Inspect: older public logs, each tool error by its type", async () => {
    const folder = join(root, "real-files/inspect");
    const errors = await readAll(join(folder, "log_tool_call_error.json"));
    expect(errors.trajectories).toHaveLength(1);
    expect(errors.trajectories[0]?.branches[0]?.messages.map((m) => m.error?.split(":")[0])).toEqual([
      "parsing",
      "timeout",
      "parsing",
      "unicode_decode",
      "permission",
      "file_not_found",
      "is_a_directory",
      "limit",
      "approval",
      "unknown",
      "output_limit",
    ]);
    const guide = await readAll(join(folder, "security-guide.json"));
    const raw = z
      .object({
        samples: z.array(z.object({ scores: z.record(z.string(), z.object({ value: z.string() })) })),
      })
      .parse(json(join(folder, "security-guide.json")));
    const expected = raw.samples.map((s) => (s.scores["model_graded_fact"]?.value === "C" ? 1 : 0));
    expect(expected).toHaveLength(3);
    expect(guide.trajectories.map((t) => t.reward)).toEqual(expected);
    expect(JSON.stringify(guide.trajectories.map((t) => t.branches))).not.toContain("attachment://");
    const old = await readAll(join(folder, "log_read_sample.eval"));
    expect([old.form, old.trajectories.length, old.problems.length]).toEqual(["inspect-eval", 1, 0]);
  });

  const trials = list("real-outputs/harbor-0.26.0", /agent[\\/]trajectory\.json$/);
  const Result = z.object({
    task_name: z.string(),
    verifier_result: z.object({ rewards: z.record(z.string(), z.number()) }).nullable(),
    exception_info: z.object({ exception_type: z.string() }).nullable(),
  });
  const Atif = z.object({
    steps: z.array(
      z.object({
        tool_calls: z.array(z.unknown()).nullish(),
        observation: z.object({ results: z.array(z.unknown()) }).nullish(),
      }),
    ),
  });

  it.each(trials.map((path) => [basename(dirname(dirname(path))), path]))(
    "Harbor %s",
    async (_name, path) => {
      const result = Result.parse(json(join(dirname(path), "../result.json")));
      const { steps } = Atif.parse(json(path));
      const { form, trajectories, problems } = await readAll(path);
      expect([form, problems, trajectories.length]).toEqual(["atif", [], 1]);
      const [t] = trajectories;
      const rewards = result.verifier_result?.rewards ?? {};
      const values = Object.values(rewards);
      expect(t?.rewards).toEqual(rewards);
      expect(t?.reward).toBe(values.length === 1 ? values[0] : null);
      expect(t?.group).toBe(result.task_name);
      expect(t?.errors.map((error) => error.kind)).toEqual(
        result.exception_info ? [result.exception_info.exception_type] : [],
      );
      const kinds = { ConnectionError: "infrastructure", VerifierOutputParseError: "environment" };
      const kind = result.exception_info?.exception_type;
      expect(t?.outcome.kind).toBe(
        kind === undefined
          ? "finished"
          : kind in kinds
            ? Object.entries(kinds).find(([k]) => k === kind)?.[1]
            : "?",
      );
      expect(counts(trajectories)).toEqual({
        messages: steps.reduce((n, step) => n + 1 + (step.observation?.results.length ?? 0), 0),
        calls: steps.reduce((n, step) => n + (step.tool_calls?.length ?? 0), 0),
      });
    },
  );

  it.each(
    [...list("real-files/harbor", /\.json$/), ...list("real-files/nemo-agent-toolkit", /\.json$/)].map(
      (path) => [basename(path), path],
    ),
  )("ATIF %s", async (_name, path) => {
    const { steps } = Atif.parse(json(path));
    const { form, trajectories, problems } = await readAll(path);
    expect([form, problems, trajectories.length]).toEqual(["atif", [], 1]);
    expect(trajectories[0]?.reward).toBeNull();
    expect(counts(trajectories)).toEqual({
      messages: steps.reduce((n, step) => n + 1 + (step.observation?.results.length ?? 0), 0),
      calls: steps.reduce((n, step) => n + (step.tool_calls?.length ?? 0), 0),
    });
    const linked = trajectories[0]?.branches[0]?.messages.filter((m) => m.role === "tool") ?? [];
    expect(linked.every((m) => m.answersTo !== null)).toBe(true);
  });

  it("SWE-agent and mini-swe-agent", async () => {
    const swe = await readAll(join(root, "real-files/swe-agent/swe-agent__test-repo-i1.traj"));
    expect(swe.form).toBe("swe-agent");
    // System prompt, demonstration, issue; then five steps with what each brought.
    expect(counts(swe.trajectories)).toEqual({ messages: 13, calls: 5 });
    expect(swe.trajectories[0]).toMatchObject({ outcome: { kind: "finished" }, cost: 0.53839, reward: null });
    const mini = join(root, "real-files/mini-swe-agent/github_issue.traj.json");
    const found = await readAll(mini);
    expect(found.form).toBe("mini-swe-agent");
    expect(counts(found.trajectories).messages).toBe(z.array(z.unknown()).parse(json(mini)).length);
  });

  it.each(list("real-outputs/opentelemetry-sdk-1.45.2", /\.jsonl$/).map((path) => [basename(path), path]))(
    "OpenTelemetry %s",
    async (name, path) => {
      const truth = Truth.parse(json(`${path}.truth.json`));
      const { form, trajectories, problems } = await readAll(path);
      expect(form).toBe("otel-spans");
      expect(trajectories).toHaveLength(truth.trajectories);
      expect(sizes(trajectories)).toEqual(truth.group_sizes);
      expect(trajectories.map((t) => t.reward)).toEqual(truth.rewards);
      expect(trajectories.map((t) => t.branches.length)).toEqual(truth.rewards.map(() => 1));
      // One of the two was traced without content: what was asked (system and user of each) isn't in the file.
      const hidden = name.startsWith("otel.") ? 2 * truth.trajectories : 0;
      expect(counts(trajectories)).toEqual({ messages: truth.messages - hidden, calls: truth.tool_calls });
      expect(problems.length > 0).toBe(hidden > 0);
      const answers = trajectories
        .flatMap((t) => t.branches[0]?.messages ?? [])
        .filter((m) => m.role === "tool");
      expect(answers.every((m) => m.ms !== null && m.answersTo !== null)).toBe(true);
    },
  );

  it("metrics: verl, Tinker, ART, Transformers", () => {
    const series = (path: string, name: string): readonly (readonly [number, unknown])[] =>
      readMetrics(basename(path), readFileSync(path, "utf8")).series.find((one) => one.name === name)
        ?.points ?? [];
    const verl = join(root, "real-outputs/verl-0.9.1/metrics/own_word_maths/qwen-tiny-grpo.jsonl");
    const truth = z
      .object({ "critic/score/mean": z.array(z.number()), grad_norm_nan_at: z.number() })
      .parse(json(`${verl}.truth.json`));
    const scores = series(verl, "critic/score/mean");
    expect(scores).toHaveLength(truth["critic/score/mean"].length);
    scores.forEach(([, value], at) =>
      expect(value).toBeCloseTo(truth["critic/score/mean"][at] ?? Number.NaN, 5),
    );
    expect(series(verl, "actor/grad_norm").filter(([, value]) => value === null)).toEqual([
      [truth.grad_norm_nan_at, null],
    ]);
    const public_ = join(root, "real-files/verl/verl_grpo_example_gsm8k.filelogger.jsonl");
    expect(series(public_, "actor/entropy").length).toBeGreaterThan(95);
    const art = join(
      root,
      "real-outputs/art-0.5.23/art-folder/shop-assistant/models/sql-agent-001/history.jsonl",
    );
    expect(series(art, "train/correct").map(([step]) => step)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const old = join(root, "real-files/generated-here/art-schema/email-agent-001/history.jsonl");
    expect(series(old, "val/reward").map(([step]) => step)).toEqual([4]);
    const skyrl = join(root, "real-files/skyrl/rl_loop_g.metrics.jsonl");
    expect(series(skyrl, "reward/total")).toHaveLength(58);
    const tinker = join(root, "real-outputs/tinker-cookbook-0.5.8/metrics.jsonl");
    expect(readMetrics("metrics.jsonl", readFileSync(tinker, "utf8")).framework).toBe("tinker");
    for (const path of list("real-outputs/trl-1.16.0", /^[^/\\]+[/\\]trainer_state\.json$/)) {
      const { reward_by_step } = z
        .object({ reward_by_step: z.array(z.tuple([z.number(), z.number()])) })
        .parse(json(`${path}.truth.json`));
      expect(series(path, "reward")).toEqual(reward_by_step);
    }
  });

  it("metrics, configs and results aren't trajectories", async () => {
    const files = [
      "real-outputs/verl-0.9.1/metrics/own_word_maths/qwen-tiny-grpo.jsonl",
      "real-outputs/tinker-cookbook-0.5.8/metrics.jsonl",
      "real-outputs/tinker-cookbook-0.5.8/checkpoints.jsonl",
      "real-outputs/tinker-cookbook-0.5.8/config.json",
      "real-outputs/art-0.5.23/art-folder/shop-assistant/models/sql-agent-001/history.jsonl",
      "real-outputs/trl-1.16.0/grpo-math-chat/trainer_state.json",
      "real-outputs/harbor-0.26.0/jobs/own-job/result.json",
      "real-outputs/harbor-0.26.0/jobs/own-job/config.json",
      "real-outputs/nemo-gym-0.7.0/data/shop_sql.jsonl",
      "real-outputs/nemo-gym-0.7.0/rollouts/shop_sql_agent_materialized_inputs.jsonl",
      "real-outputs/nemo-gym-0.7.0/rollouts/shop_sql_agent_aggregate_metrics.json",
      "real-outputs/skyrl-0.4.0/dumped_evals/eval_only/aggregated_results.jsonl",
      "real-files/skyrl/rl_loop_g.metrics.jsonl",
    ];
    for (const file of files)
      await expect(readAll(join(root, file)), file).rejects.toMatchObject({ code: "FormatUnknown" });
  });

  it("runs by their folders", () => {
    const run = (folder: string): Run =>
      runOf(
        list(folder, /./)
          .filter((path) => !path.includes(".truth.json"))
          .map((path) => ({ path: path.slice(join(root, folder).length + 1), bytes: 1 })),
      );
    const frameworks = {
      "verl-0.9.1": "verl",
      "art-0.5.23/art-folder": "art",
      "areal-1.0.4": "areal",
      "harbor-0.26.0": "harbor",
      "inspect-ai-0.3.285": "inspect",
      "nemo-gym-0.7.0": "nemo-gym",
      "skyrl-0.4.0": "skyrl",
      "tinker-cookbook-0.5.8": "tinker",
      "trl-1.16.0/grpo-math-chat": "trl",
      "verifiers-0.3.1": "verifiers",
      "verifiers-0.4.0": "verifiers",
      "eval-protocol-0.3.33": "eval-protocol",
    };
    for (const [folder, framework] of Object.entries(frameworks))
      expect([folder, run(`real-outputs/${folder}`).framework]).toEqual([folder, framework]);
    const art = run("real-outputs/art-0.5.23/art-folder");
    expect(art.rolloutFiles.map((file) => [file.step, file.split])).toEqual([
      [1, "train"],
      [2, "train"],
      [3, "train"],
      [3, "val"],
      [6, "val"],
    ]);
    expect(run("real-outputs/verl-0.9.1").rolloutFiles.map((file) => file.step)).toEqual([1, 2, 3, 6]);
    expect(run("real-outputs/harbor-0.26.0").rolloutFiles).toHaveLength(trials.length);
  });
});
