import { describe, expect, it } from "vitest";
import { runOf } from "../../../../src/core/trajectories/runs";

function run(...paths: string[]): ReturnType<typeof runOf> {
  return runOf(paths.map((path) => ({ path, bytes: 1 })));
}

function rollouts(...paths: string[]): unknown {
  return run(...paths).rolloutFiles.map((file) => [file.path, file.step, file.split]);
}

describe("runOf", () => {
  it("verl: steps in the order of numbers, validation apart, the logger's lines as metrics", () => {
    const found = run(
      "rollouts/10.jsonl",
      "rollouts/9.jsonl",
      "validation/5.jsonl",
      "metrics/own/x.jsonl",
      "a.log",
    );
    expect(found).toEqual({
      framework: "verl",
      rolloutFiles: [
        { path: "validation/5.jsonl", step: 5, split: "val" },
        { path: "rollouts/9.jsonl", step: 9, split: "train" },
        { path: "rollouts/10.jsonl", step: 10, split: "train" },
      ],
      metricsFiles: ["metrics/own/x.jsonl"],
      configFiles: [],
    });
  });

  it("TRL: the latest state has the history of the earlier ones", () => {
    const found = run(
      "completions/completions_00010.parquet",
      "completions/completions_00002.parquet",
      "checkpoint-9/trainer_state.json",
      "checkpoint-10/trainer_state.json",
    );
    expect(found.framework).toBe("trl");
    expect(found.rolloutFiles.map((file) => file.step)).toEqual([2, 10]);
    expect(found.metricsFiles).toEqual(["checkpoint-10/trainer_state.json"]);
    expect(
      run(
        "o/completions/completions_00002.parquet",
        "o/checkpoint-9/trainer_state.json",
        "o/trainer_state.json",
      ).metricsFiles,
    ).toEqual(["o/trainer_state.json"]);
  });

  it("prime-rl: what was trained on isn't counted twice", () => {
    expect(
      rollouts(
        "run/rollouts/step_10/train/all/traces.jsonl",
        "run/rollouts/step_10/train/effective/traces.jsonl",
        "run/rollouts/step_2/train/effective/traces.jsonl",
        "run/rollouts/step_2/eval/all/traces.jsonl",
        "run/metrics.jsonl",
      ),
    ).toEqual([
      ["run/rollouts/step_2/eval/all/traces.jsonl", 2, "eval"],
      ["run/rollouts/step_2/train/effective/traces.jsonl", 2, "train"],
      ["run/rollouts/step_10/train/all/traces.jsonl", 10, "train"],
    ]);
  });

  it("ART: a step that is being migrated is read once", () => {
    const found = run(
      "trajectories/train/0002.jsonl",
      "trajectories/train/0002.parquet",
      "trajectories/val/0001.yaml",
      "history.jsonl",
      "state.json",
    );
    expect(found.rolloutFiles.map((file) => file.path)).toEqual([
      "trajectories/val/0001.yaml",
      "trajectories/train/0002.parquet",
    ]);
    expect([found.framework, found.metricsFiles, found.configFiles]).toEqual([
      "art",
      ["history.jsonl"],
      ["state.json"],
    ]);
  });

  it("NeMo RL, SkyRL, Tinker, AReaL, rLLM: step and split from the path", () => {
    expect(rollouts("exp_001/train_data_step10.jsonl", "exp_001/val_data_step9.jsonl")).toEqual([
      ["exp_001/val_data_step9.jsonl", 9, "val"],
      ["exp_001/train_data_step10.jsonl", 10, "train"],
    ]);
    expect(
      rollouts(
        "dumped_evals/eval_only/x.jsonl",
        "dumped_evals/global_step_5_evals/aggregated_results.jsonl",
        "dumped_evals/global_step_5_evals/a: b.jsonl",
      ),
    ).toEqual([
      ["dumped_evals/global_step_5_evals/a: b.jsonl", 5, "eval"],
      ["dumped_evals/eval_only/x.jsonl", null, "eval"],
    ]);
    expect(
      rollouts(
        "iteration_000012/train_rollout_summaries.jsonl",
        "iteration_000002/train_rollout_summaries.jsonl",
      ),
    ).toEqual([
      ["iteration_000002/train_rollout_summaries.jsonl", 2, "train"],
      ["iteration_000012/train_rollout_summaries.jsonl", 12, "train"],
    ]);
    expect(rollouts("trial/rollout/2/6.jsonl", "trial/eval-rollout/2/7.jsonl")).toEqual([
      ["trial/eval-rollout/2/7.jsonl", 2, "eval"],
      ["trial/rollout/2/6.jsonl", 2, "train"],
    ]);
    expect(rollouts("episodes/val_step_3_epoch_1/episode_hash1_id2.json")).toEqual([
      ["episodes/val_step_3_epoch_1/episode_hash1_id2.json", 3, "val"],
    ]);
  });

  it("Harbor, Inspect, verifiers, NeMo Gym", () => {
    expect(
      run("t__1/agent/trajectory.json", "t__1/result.json", "t__1/config.json", "t__1/agent/log.txt"),
    ).toMatchObject({
      framework: "harbor",
      rolloutFiles: [{ path: "t__1/agent/trajectory.json" }],
      configFiles: ["t__1/config.json"],
    });
    expect(run("logs/2026-01-05T10-00-00-00-00_sums_x.json", "logs/notes.json").rolloutFiles).toHaveLength(1);
    expect(run("o/traces.jsonl", "o/configs/resolved/eval.json")).toMatchObject({
      framework: "verifiers",
      configFiles: ["o/configs/resolved/eval.json"],
    });
    expect(run("a/results.jsonl", "a/metadata.json").framework).toBe("verifiers");
    expect(run("results.jsonl").framework).toBeNull();
    expect(
      run("r/sql.jsonl", "r/sql_failures.jsonl", "r/sql_materialized_inputs.jsonl", "data/sql.jsonl"),
    ).toMatchObject({ framework: "nemo-gym", rolloutFiles: [{ path: "r/sql.jsonl" }] });
  });

  it("else a folder of files, metrics and configs apart", () => {
    const found = runOf([
      { path: "b10.jsonl", bytes: 5 },
      { path: "b9.jsonl", bytes: 0 },
      { path: "empty.parquet", bytes: 0 },
      { path: "metrics.jsonl", bytes: 5 },
      { path: "config.json", bytes: 5 },
      { path: "readme.md", bytes: 5 },
      { path: "node_modules/a/x.jsonl", bytes: 5 },
    ]);
    expect(found).toEqual({
      framework: null,
      rolloutFiles: [
        { path: "b9.jsonl", step: null, split: null },
        { path: "b10.jsonl", step: null, split: null },
      ],
      metricsFiles: ["metrics.jsonl"],
      configFiles: ["config.json"],
    });
    expect(run().rolloutFiles).toEqual([]);
  });
});
