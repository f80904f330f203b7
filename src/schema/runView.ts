import * as z from "zod";
import { TaggedNumber } from "./number";
import { RunEvent, RunId, RunReasonCode, RunRecord, RunState, RunStatus } from "./run";

/** A run as a list or tree shows it. */
export const RunSummary = z.object({
  id: RunId,
  name: z.string(),
  folder: z.string(),
  created: z.number(),
  backend: z.string(),
  recipe: z.string(),
  state: RunState,
  reason: RunReasonCode.nullable(),
  step: z.int().nonnegative().nullable(),
  steps: z.int().positive().nullable(),
  elapsedS: z.number().nonnegative(),
  /** Mean total reward over the steps, thinned to at most 40 points; empty: nothing measured yet. */
  reward: z.array(z.number()).max(40),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** What a metric is about: one vocabulary over all frameworks (core/runs/vocabulary.ts), with its unit. */
export const MetricUnit = z.enum([
  "reward",
  "share",
  "tokens",
  "nats",
  "seconds",
  "count",
  "currency",
  "versions",
  "none",
]);
export type MetricUnit = z.infer<typeof MetricUnit>;

export const RunMetric = z.object({
  /** `reward`, `reward/correctness`, `success`, `length` … ; `other/<name>` for names the vocabulary doesn't know. */
  id: z.string(),
  /** Panel it is drawn in: metrics of one panel share their axis. */
  panel: z.string(),
  unit: MetricUnit,
  /** The framework's own name, kept as it wrote it. */
  original: z.string(),
  from: z.string(),
  /** Ascending steps, thinned to at most `points` asked for; the last point is always there. */
  points: z.array(z.tuple([z.int().nonnegative(), TaggedNumber.nullable()])),
  /** Points before thinning. */
  n: z.int().nonnegative(),
});
export type RunMetric = z.infer<typeof RunMetric>;

export const AlarmCode = z.enum([
  "reward-up-success-flat",
  "all-tied",
  "invalid-rising",
  "non-finite",
  "length-collapse",
  "length-explosion",
  "truncation",
  "entropy-collapse",
  "kl-explosion",
  "gradient-explosion",
  "gap-growing",
  "reward-slow",
  "stalled",
]);
export type AlarmCode = z.infer<typeof AlarmCode>;

/** Something to look at, over a window of steps; `values` are what the sentence says, by name. */
export const RunAlarm = z.object({
  code: AlarmCode,
  metric: z.string(),
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  values: z.record(z.string(), z.number()),
});
export type RunAlarm = z.infer<typeof RunAlarm>;

export const RunDashboard = z.object({
  record: RunRecord,
  status: RunStatus,
  metrics: z.array(RunMetric),
  alarms: z.array(RunAlarm),
  events: z.array(RunEvent).max(200),
  /** Seconds left, as a range; null: not known yet. */
  leftS: z.tuple([z.number(), z.number()]).nullable(),
  /** Absolute path of rollouts that the trajectory viewer can open; null: none on disk yet. */
  rollouts: z.string().nullable(),
});
export type RunDashboard = z.infer<typeof RunDashboard>;

/** A slice of the log by byte offset, so that scrolling back works in a file of any size. */
export const LogSlice = z.object({
  text: z.string(),
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  total: z.int().nonnegative(),
});
export type LogSlice = z.infer<typeof LogSlice>;

/** Two or more runs: what differs in their settings and reward, and their curves on one axis. */
export const RunComparison = z.object({
  runs: z.array(RunSummary),
  differences: z.array(z.object({ key: z.string(), values: z.array(z.string().nullable()) })),
  rewardChanged: z.boolean(),
  metrics: z.array(z.object({ run: RunId, metric: RunMetric })),
});
export type RunComparison = z.infer<typeof RunComparison>;

/** What a dashboard's page keeps over tab switch, reload and restart. */
export const RunPageState = z.object({
  at: z.number().default(0),
  tab: z.enum(["curves", "settings", "log", "events"]).default("curves"),
  /** Metrics whose names hold this are drawn. */
  filter: z.string().max(200).default(""),
  logScale: z.boolean().default(false),
  /** Running mean over this many points; 1: none. */
  smoothing: z.int().min(1).max(200).default(1),
  /** Step under the mark, chosen by key or pointer. */
  step: z.int().nonnegative().nullable().default(null),
  /** Settings that equal the framework's default are shown too. */
  allSettings: z.boolean().default(false),
});
export type RunPageState = z.infer<typeof RunPageState>;
