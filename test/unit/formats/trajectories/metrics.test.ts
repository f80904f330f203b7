import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readMetrics } from "../../../../src/formats/trajectories/metrics/registry";
import { MetricsFile } from "../../../../src/schema/metrics";

function read(name: string): MetricsFile {
  const file = readMetrics(name, readFileSync(`test/fixtures/metrics/${name}`, "utf8"));
  return MetricsFile.parse(file);
}

function series(file: MetricsFile): Record<string, unknown> {
  return Object.fromEntries(file.series.map(({ name, points }) => [name, points]));
}

describe("metrics", () => {
  it("verl: by step as a number, numbers as text, null where the trainer had NaN, torn lines as problems", () => {
    const file = read("verl.jsonl");
    expect([file.form, file.framework]).toEqual(["verl-file-logger", "verl"]);
    expect(series(file)).toEqual({
      "critic/score/mean": [
        [1, 0.5],
        [2, 0.55],
        [10, 0.7],
      ],
      "actor/grad_norm": [
        [1, 1.5],
        [10, null],
      ],
    });
    expect(file.problems).toEqual([
      { line: 3, code: "not-json" },
      { line: 5, code: "not-json" },
    ]);
  });

  it("Transformers: log_history with NaN and Infinity, several entries of one step merged", () => {
    const file = read("trainer_state.json");
    expect(file.form).toBe("trainer-state");
    expect(series(file)).toEqual({
      loss: [
        [1, 0.5],
        [2, { nonFinite: "inf" }],
      ],
      reward: [
        [1, { nonFinite: "nan" }],
        [2, 0.25],
      ],
      epoch: [
        [1, 0.5],
        [2, 1],
      ],
      eval_reward: [[2, 0.75]],
      train_runtime: [[2, 5.5]],
    });
  });

  it("ART: the trainer's own metrics with and without the split's prefix are one series", () => {
    const file = read("history.jsonl");
    expect(file.framework).toBe("art");
    expect(series(file)).toEqual({
      "train/reward": [
        [1, 0.4],
        [2, 0.5],
      ],
      "train/loss": [
        [1, 0.1],
        [2, 0.2],
      ],
      "val/reward": [[2, 0.6]],
    });
  });

  it("tells Tinker's from other lines with a step, and leaves clocks out", () => {
    const tinker = readMetrics("metrics.jsonl", '{"step": 0, "progress/batch": 0, "reward/total": 0.1}\n');
    expect(tinker.framework).toBe("tinker");
    const prime = readMetrics(
      "metrics.jsonl",
      '{"step": 1, "time": 1767225600.5, "loss": 0.5}\n{"step": 1, "time": 1767225601.5, "reward": 1}\n',
    );
    expect(prime.form).toBe("step-lines");
    expect(series(prime)).toEqual({ loss: [[1, 0.5]], reward: [[1, 1]] });
  });

  it("says no to rollouts and configs", () => {
    for (const text of [
      '{"input": "a", "output": "b", "score": 1, "step": 3}\n',
      '{"step": 3, "prompt": "a", "completion": "b"}\n',
      '{"learning_rate": 0.1, "steps": 10}',
      "plain text",
      "",
    ])
      expect(() => readMetrics("x.jsonl", text)).toThrow(/no known form of metrics/);
  });
});
