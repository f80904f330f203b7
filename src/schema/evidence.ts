import * as z from "zod";

/**
 * Why a run was launched or a checkpoint promoted, as a file beside the code: `.rewardsmith/evidence/<name>.json`. Holds
 * everything that its verdict was worked out from but the rollouts themselves.
 */
export const EVIDENCE_SCHEMA = 1;

export const GateVerdict = z.enum(["pass", "fail", "not-enough-tasks"]);
export type GateVerdict = z.infer<typeof GateVerdict>;

export const LaunchCheckCode = z.enum([
  "same-source",
  "mixed-groups",
  "infrastructure",
  "reward-time",
  "looked-at",
  "gold",
  "anti-gold",
  "findings",
]);
export type LaunchCheckCode = z.infer<typeof LaunchCheckCode>;

/** `unknown`: it wasn't measured, which isn't met. `limit` and `value` are in the check's own unit. */
export const LaunchCheck = z.object({
  code: LaunchCheckCode,
  state: z.enum(["met", "not-met", "unknown"]),
  value: z.number().nullable(),
  limit: z.number().nullable(),
  n: z.int().nonnegative().nullable(),
});
export type LaunchCheck = z.infer<typeof LaunchCheck>;

export const LaunchEvidence = z.object({
  schema: z.literal(EVIDENCE_SCHEMA),
  kind: z.literal("launch"),
  at: z.number(),
  checks: z.array(LaunchCheck),
  verdict: z.enum(["pass", "fail", "overridden"]),
  override: z.string().nullable(),
  /** Findings that were set aside, with the reason that was given. */
  suppressed: z.array(z.object({ code: z.string(), reason: z.string() })),
});
export type LaunchEvidence = z.infer<typeof LaunchEvidence>;

export const Measured = z.object({
  /** `success`, `invalid`, `unsafe`, `latency`, `cost`, `reward`, or `check/<name>`. */
  name: z.string(),
  /** Share, or for latency and cost the relative change. */
  unit: z.enum(["share", "relative", "reward"]),
  /** What is asked of it; `told`: nothing, it is only shown. */
  test: z.enum(["superior", "non-inferior", "told"]),
  baseline: z.number().nullable(),
  candidate: z.number().nullable(),
  /** Candidate − baseline, mean over tasks, and its interval at `level`. */
  difference: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** For `superior` the gain that should be seen; for `non-inferior` the loss that is accepted. */
  margin: z.number().nullable(),
  tasks: z.int().nonnegative(),
  met: z.boolean().nullable(),
  /** Tasks at which the test would be met in 4 of 5 tries: a gain of `margin`, or no loss at all. */
  needs: z.int().positive().nullable(),
});
export type Measured = z.infer<typeof Measured>;

export const PromotionReason = z.enum([
  "not-sealed",
  "conditions-differ",
  "reward-up-success-not",
  "reward-up-unsafe-up",
  "success-not-up",
  "harmed",
  "not-shown-harmless",
  "not-measured",
  "too-few-tasks",
]);
export type PromotionReason = z.infer<typeof PromotionReason>;

export const PromotionEvidence = z.object({
  schema: z.literal(EVIDENCE_SCHEMA),
  kind: z.literal("promotion"),
  at: z.number(),
  baseline: z.string(),
  candidate: z.string(),
  verdict: GateVerdict,
  reasons: z.array(z.object({ code: PromotionReason, metric: z.string().nullable() })),
  /** Tasks that would be enough; null where more of them wouldn't change the verdict. */
  needs: z.int().positive().nullable(),
  measures: z.array(Measured),
  tasks: z.int().nonnegative(),
  leftOut: z.object({
    /** Tasks that only one side has. */
    unpaired: z.int().nonnegative(),
    /** Rollouts that failed for the machine's sake, on each side. */
    infrastructure: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
  }),
  sealed: z.object({ split: z.enum(["validation", "test"]), openings: z.int().nonnegative() }),
  conditions: z.record(z.string(), z.tuple([z.string(), z.string()])),
  method: z.object({
    name: z.literal("paired cluster bootstrap over tasks, percentile; Agresti–Min bound for shares"),
    resamples: z.int().positive(),
    seed: z.int().nonnegative(),
    /** Two-sided error of each interval: 0.05, divided by the openings of the sealed test. */
    level: z.number(),
  }),
});
export type PromotionEvidence = z.infer<typeof PromotionEvidence>;

export const Evidence = z.discriminatedUnion("kind", [LaunchEvidence, PromotionEvidence]);
export type Evidence = z.infer<typeof Evidence>;
