import * as z from "zod";
import { TaggedNumber } from "./number";

/** One metric of a run over its steps, in ascending order of step; null: the file has the step, but no number for it. */
export const MetricSeries = z.object({
  name: z.string(),
  points: z.array(z.tuple([z.number(), TaggedNumber.nullable()])),
});
export type MetricSeries = z.infer<typeof MetricSeries>;

export const MetricsProblem = z.object({ line: z.int().positive(), code: z.enum(["not-json", "no-step"]) });
export type MetricsProblem = z.infer<typeof MetricsProblem>;

/** A file of metrics, whatever framework wrote it. */
export const MetricsFile = z.object({
  /** Id of the form that was recognised. */
  form: z.string(),
  framework: z.string().nullable(),
  series: z.array(MetricSeries),
  problems: z.array(MetricsProblem),
});
export type MetricsFile = z.infer<typeof MetricsFile>;
