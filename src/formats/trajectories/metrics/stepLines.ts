import type { Fields } from "../build";
import { entriesOf, fieldsOf, isFields } from "../build";
import type { MetricsForm, MetricsRow } from "./form";

/** Not metrics: when a line was written. */
const CLOCKS = new Set(["step", "time", "timestamp", "_timestamp", "recorded_at"]);

/** Keys of rollouts: a dump with a `step` isn't a file of metrics. */
const ROLLOUT = [
  "input",
  "output",
  "prompt",
  "completion",
  "messages",
  "response",
  "trajectories",
  "traces",
  "score",
];

function isMetrics(record: unknown): record is Fields {
  if (!isFields(record) || typeof record["step"] !== "number") return false;
  if (ROLLOUT.some((key) => key in record)) return false;
  const values = Object.entries(record).filter(([key]) => !CLOCKS.has(key));
  const numbers = values.filter(([, value]) => typeof value === "number" || value === null);
  return numbers.length > 0 && numbers.length >= values.length / 2;
}

function rowOf(record: unknown): MetricsRow {
  const fields = fieldsOf(record);
  return {
    step: fields["step"],
    values: entriesOf(Object.entries(fields).filter(([key]) => !CLOCKS.has(key))),
  };
}

/** The trainer's own metrics, which ART has written both bare and with the split's prefix. */
const BARE = new Set([
  "loss",
  "grad_norm",
  "entropy",
  "policy_loss",
  "kl_div",
  "learning_rate",
  "reward_std_dev",
]);

/** `history.jsonl` of ART (0.3 to 0.5.23): `{split}/{metric}` keys, `step`, `recorded_at`; lines may share a step. */
export const artHistory: MetricsForm = {
  id: "art-history",
  framework: "art",
  recognise: (records) => records.some((record) => isMetrics(record) && "recorded_at" in record),
  rows(record) {
    const { step, values } = rowOf(record);
    const renamed = Object.entries(values).map(
      ([key, value]) => [BARE.has(key) ? `train/${key}` : key, value] as const,
    );
    return [{ step, values: entriesOf(renamed) }];
  },
};

/** `metrics.jsonl` of tinker-cookbook (0.5.8), and of what is written against its server (SkyRL). */
export const tinkerMetrics: MetricsForm = {
  id: "tinker-metrics",
  framework: "tinker",
  recognise: (records) => records.some((record) => isMetrics(record) && "progress/batch" in record),
  rows: (record) => [rowOf(record)],
};

/** `step` and numbers, one object a line: prime-rl's `metrics.jsonl` (trainer and orchestrator share steps), and others. */
export const stepLines: MetricsForm = {
  id: "step-lines",
  framework: null,
  recognise: (records) => records.length > 0 && records.every((record) => isMetrics(record)),
  rows: (record) => [rowOf(record)],
};
