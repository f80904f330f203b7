import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readerOf } from "../../src/core/runs/readers/registry";
import { seriesOf } from "../../src/core/runs/series";
import { fromTagged } from "../../src/schema/number";
import type { MetricRow } from "../../src/schema/run";

/** Numbers that readers give for files that frameworks wrote, against the same worked out of the raw text another way. */
const root = process.env["REWARDSMITH_REAL"] ?? "";
const Truth = z.object({ lines: z.number(), "critic/score/mean": z.array(z.number()) });
const has = root !== "" && existsSync(join(root, "real-files"));
const text = (path: string) => readFileSync(join(root, path), "utf8");

function rowsOf(id: string, path: string): MetricRow[] {
  const reading = readerOf(id)?.open();
  if (!reading) throw new Error(`no reader ${id}`);
  return [...reading.push(text(path)), ...reading.end()].map((row) => ({ ...row, from: id }));
}

/** Every number that stands behind this name in the text, in order; NaN for Python's word. */
function behind(path: string, name: string): number[] {
  const key = name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return [
    ...text(path).matchAll(new RegExp(`['"]${key}['"]: ?'?(-?[\\d.]+(?:e[-+]?\\d+)?|NaN|nan)`, "g")),
  ].map((found) => Number(found[1]));
}

function numbers(rows: readonly MetricRow[], name: string): number[] {
  return rows.flatMap(({ values }) => {
    const value = values[name];
    return value === undefined || value === null ? [] : [fromTagged(value)];
  });
}

const FILES = [
  ["trl-console", "real-files/generated-here/trl-1.13.0/console.log", "reward", 6],
  ["trainer-state", "real-files/generated-here/trl-1.13.0/trainer_state.json", "reward", 6],
  ["trl-console", "real-outputs/trl-1.16.0/grpo-math-chat/console.log", "rewards/accuracy/mean", 8],
  ["trainer-state", "real-outputs/trl-1.16.0/grpo-math-chat/trainer_state.json", "grad_norm", 8],
  ["trl-console", "real-outputs/trl-1.16.0/grpo-sql-tools/console.log", "tools/call_frequency", 6],
  ["verl-file", "real-files/verl/verl_grpo_example_gsm8k.filelogger.jsonl", "response_length/mean", 100],
  [
    "verl-file",
    "real-outputs/verl-0.9.1/metrics/own_word_maths/qwen-tiny-grpo.jsonl",
    "critic/score/mean",
    30,
  ],
  ["tinker-metrics", "real-files/skyrl/rl_loop_g.metrics.jsonl", "reward/total", 58],
  ["tinker-metrics", "real-outputs/tinker-cookbook-0.5.8/metrics.jsonl", "optim/entropy", 5],
  ["openrlhf", "real-outputs/openrlhf-0.11.2/console.log", "rollout/reward_mean", 8],
  ["art-history", "real-files/generated-here/art-schema/email-agent-001/history.jsonl", "train/reward", 4],
] as const;

describe.skipIf(!has)("numbers of real files", () => {
  it.each(FILES)("%s: %s, %s", (id, path, name, n) => {
    const found = numbers(rowsOf(id, path), name);
    expect(found).toEqual(behind(path, name));
    expect(found).toHaveLength(n);
  });

  it("verl's scores are those of its truth, and its one NaN is no 0", () => {
    const path = "real-outputs/verl-0.9.1/metrics/own_word_maths/qwen-tiny-grpo.jsonl";
    const truth = Truth.parse(JSON.parse(text(`${path}.truth.json`)));
    const rows = rowsOf("verl-file", path);
    const scores = numbers(rows, "critic/score/mean").map((value) => Math.round(value * 1e5) / 1e5);
    expect({ lines: rows.length, "critic/score/mean": scores }).toEqual({
      lines: truth.lines,
      "critic/score/mean": truth["critic/score/mean"],
    });
    expect(
      seriesOf(rows)
        .points("grad-norm")
        .filter(([, value]) => value === null),
    ).toHaveLength(1);
  });

  it("the console's steps are the state's, in both runs of TRL 1.16", () => {
    for (const run of ["grpo-math-chat", "grpo-sql-tools"]) {
      const folder = `real-outputs/trl-1.16.0/${run}`;
      const steps = (rows: readonly MetricRow[]) =>
        rows.filter(({ values }) => "reward" in values).map(({ step }) => step);
      const console_ = steps(rowsOf("trl-console", `${folder}/console.log`));
      expect(console_.length).toBeGreaterThan(4);
      expect(console_).toEqual(Array.from(console_, (_, at) => at + 1));
      if (existsSync(join(root, folder, "trainer_state.json")))
        expect(console_).toEqual(steps(rowsOf("trainer-state", `${folder}/trainer_state.json`)));
    }
  });
});
