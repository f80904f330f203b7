import { RewardsmithError } from "../../../base/errors";
import { toTagged, type TaggedNumber } from "../../../schema/number";
import type { MetricsFile, MetricsProblem } from "../../../schema/metrics";
import { isFields, numberOf } from "../build";
import { parseValue } from "../jsonValue";
import { fileLogger } from "./fileLogger";
import type { MetricsForm } from "./form";
import { artHistory, stepLines, tinkerMetrics } from "./stepLines";
import { trainerState } from "./trainerState";

/** In order of certainty. */
export const METRICS_FORMS: readonly MetricsForm[] = [
  trainerState,
  fileLogger,
  artHistory,
  tinkerMetrics,
  stepLines,
];

const HEAD = 8;

interface Records {
  readonly records: readonly { readonly line: number; readonly value: unknown }[];
  readonly problems: readonly MetricsProblem[];
}

/**
 * Reads a file of metrics from its text. Rows of one step are merged (several processes may write the same step); a
 * metric that a step has twice keeps its last number. Throws `FormatUnknown` where no form knows the file.
 */
export function readMetrics(name: string, text: string): MetricsFile {
  const { records, problems } = recordsOf(text);
  const head = records.slice(0, HEAD).map((record) => record.value);
  const form = METRICS_FORMS.find((one) => one.recognise(head, name));
  if (!form) throw new RewardsmithError("FormatUnknown", `${name}: no known form of metrics`, { path: name });
  const series = new Map<string, Map<number, TaggedNumber | null>>();
  const without: MetricsProblem[] = [];
  for (const { line, value } of records) {
    for (const { step, values } of form.rows(value)) {
      const at = typeof step === "boolean" ? null : numberOf(step);
      if (at === null || !Number.isFinite(at)) without.push({ line, code: "no-step" });
      else for (const [key, item] of Object.entries(values)) addPoint(series, key, at, item);
    }
  }
  return {
    form: form.id,
    framework: form.framework,
    series: [...series]
      .map(([key, points]) => ({ name: key, points: [...points].sort(([a], [b]) => a - b) }))
      .filter(({ points }) => points.some(([, value]) => value !== null)),
    problems: [...problems, ...without].sort((a, b) => a.line - b.line),
  };
}

/** Numbers, also as text; a null says that the step had none. Texts, lists and objects are no metric. */
function addPoint(
  series: Map<string, Map<number, TaggedNumber | null>>,
  key: string,
  step: number,
  value: unknown,
): void {
  if (typeof value === "object" && value !== null) return;
  const number = value === null ? null : numberOf(value);
  if (number === null && value !== null) return;
  const points = series.get(key) ?? new Map<number, TaggedNumber | null>();
  series.set(key, points);
  // A null beside a number of the same step comes from a process that doesn't measure it.
  if (number !== null || !points.has(step)) points.set(step, number === null ? null : toTagged(number));
}

/** One document, or JSON lines; torn and glued lines of a run that two processes log are problems, not the end. */
function recordsOf(text: string): Records {
  const whole = parseValue(text);
  if (whole.ok) return { records: [{ line: 1, value: whole.value }], problems: [] };
  const records: { line: number; value: unknown }[] = [];
  const problems: MetricsProblem[] = [];
  text.split("\n").forEach((line, at) => {
    if (line.trim() === "") return;
    const parsed = parseValue(line);
    if (parsed.ok && isFields(parsed.value)) records.push({ line: at + 1, value: parsed.value });
    else problems.push({ line: at + 1, code: "not-json" });
  });
  return { records, problems };
}
