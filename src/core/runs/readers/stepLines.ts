import type { Fields } from "../../../base/fields";
import { jsonLinesReader } from "./jsonLines";
import { rowOf, valuesOf, type Row } from "./rows";

/** When a line was written, and what repeats the step: no metrics. */
const NOT_METRICS = new Set(["step", "time", "timestamp", "_timestamp", "recorded_at", "training_step"]);

/** Keys of rollouts: a dump with a `step` isn't a file of metrics. */
const ROLLOUT = ["input", "output", "prompt", "completion", "messages", "response", "trajectories", "traces"];

/** `step` and numbers, an object a line, of a script of one's own. */
export const stepLines = jsonLinesReader("step-lines", rowOfFields);
/** prime-rl 0.4, `metrics.jsonl`: trainer and orchestrator share steps; `time` in seconds. */
export const primeRlMetrics = jsonLinesReader("prime-rl-metrics", rowOfFields);
/** tinker-cookbook 0.5.8, `metrics.jsonl`, also as written against SkyRL's server. */
export const tinkerMetrics = jsonLinesReader("tinker-metrics", rowOfFields);
/** ART 0.3 to 0.5.23, `history.jsonl`: lines of several splits share a step; `recorded_at` without a zone. */
export const artHistory = jsonLinesReader("art-history", rowOfFields);

function rowOfFields(record: Fields): Row | null {
  if (ROLLOUT.some((key) => key in record)) return null;
  return rowOf(record["step"], valuesOf(Object.entries(record), NOT_METRICS), timeOf(record));
}

/** Seconds since the epoch (Python's `time.time()`) or an ISO date, as milliseconds; null where there is neither. */
function timeOf(record: Fields): number | null {
  for (const key of ["time", "timestamp", "_timestamp", "recorded_at"]) {
    const value = record[key];
    if (typeof value === "number" && value > 1e9 && value < 1e11) return Math.round(value * 1000);
    if (typeof value === "string" && /^\d{4}-\d\d-\d\d[T ]/.test(value)) {
      const at = Date.parse(value);
      if (Number.isFinite(at)) return at;
    }
  }
  return null;
}
