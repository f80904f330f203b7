import * as z from "zod";
import { TaggedNumber } from "./number";
import { ContractId, Finding, RecognitionReason } from "./reward";
import { SampleShape } from "./sample";
import { Fate, ScoreState, SideEffect } from "./score";

/** What a live session shows for one reward file: a snapshot, replaced as a whole, ordered by `seq`. */

const Count = z.int().nonnegative();

export const RowBrief = z.object({
  row: Count,
  id: z.string(),
  group: z.string(),
  state: ScoreState,
  value: TaggedNumber.nullable(),
  /** First characters of the completion, one line. */
  text: z.string().max(200),
});
export type RowBrief = z.infer<typeof RowBrief>;

/** Interval and unit of a mean: half width at 95 %, clustered by group (task). */
export const MeanEstimate = z.object({
  mean: TaggedNumber,
  halfWidth: z.number().nonnegative().nullable(),
  n: Count,
  /** What was resampled or clustered. */
  unit: z.enum(["row", "group"]),
  clusters: Count,
});
export type MeanEstimate = z.infer<typeof MeanEstimate>;

export const LinePreview = z.object({
  /** 0-based line in the document version of the snapshot. */
  line: Count,
  /** Traced samples that reached the line. */
  hits: Count,
  /** Final scores of those samples, most frequent first; at most 4, the rest in `others`. */
  scores: z.array(z.object({ value: TaggedNumber.nullable(), count: Count })).max(4),
  others: Count,
  /** Line is a `return`, a branch head, or appends / yields a score: worth showing counts at. */
  kind: z.enum(["return", "branch", "append", "raise", "other"]),
  /** Of the pinned sample: names assigned at this line and their values as text. */
  values: z.array(z.object({ name: z.string(), text: z.string().max(200) })),
});
export type LinePreview = z.infer<typeof LinePreview>;

export const Previews = z.object({
  traced: Count,
  of: Count,
  /** Why there are none: a batch of one gives another score than the batch, no rows, a failed load. */
  off: z.enum(["differs", "failed", "async", "none"]).nullable(),
  lines: z.array(LinePreview),
  /** 0-based lines of function bodies that no traced sample reached. */
  neverHit: z.array(Count),
});
export type Previews = z.infer<typeof Previews>;

export const FunctionScores = z.object({
  name: z.string(),
  /** 0-based line of the definition in `docVersion`. */
  line: Count,
  contract: ContractId,
  reasons: z.array(RecognitionReason),
  /** `old`: kept from an earlier version of the text because the present one can't be scored. */
  status: z.enum(["fresh", "old", "running", "none"]),
  /** Rows in this pass and rows in the set: "n of N". */
  n: Count,
  of: Count,
  states: z.partialRecord(ScoreState, Count),
  recovered: Count,
  estimate: MeanEstimate.nullable(),
  /** Against the baseline: rows whose score, or rank in the group, went up or down. */
  flips: z.object({ up: Count, down: Count, rows: z.array(Count).max(200) }).nullable(),
  baseline: z.object({ kind: z.enum(["saved", "head", "pin"]), hash: z.string() }).nullable(),
  groups: z.object({ n: Count, tied: Count, noGradient: Count }),
  /** Wall clock of the pass, milliseconds. */
  ms: z.number().nonnegative(),
  histogram: z.object({ edges: z.array(z.number()), counts: z.array(Count) }).nullable(),
  best: z.array(RowBrief).max(3),
  worst: z.array(RowBrief).max(3),
  raised: z.array(
    z.object({
      line: z.int().positive().nullable(),
      type: z.string(),
      message: z.string(),
      count: Count,
      rows: z.array(Count).max(20),
    }),
  ),
  held: z.array(z.object({ effect: SideEffect, target: z.string(), count: Count })),
  previews: Previews.nullable(),
  /** What the trainer does with each state that occurs. */
  fates: z.partialRecord(ScoreState, Fate).optional(),
});
export type FunctionScores = z.infer<typeof FunctionScores>;

export const FileScores = z.object({
  path: z.string(),
  seq: Count,
  /** Version of the document that these results are from; -1 for the text on disk. */
  docVersion: z.int(),
  status: z.enum(["idle", "running", "fresh", "old", "blocked"]),
  blocked: z.enum(["untrusted", "consent", "no-samples", "no-python", "paused", "manual", "gone"]).nullable(),
  /** Why the present text gives no numbers (the ones shown are old). 1-based line. */
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      path: z.string().nullable(),
      line: z.int().positive().nullable(),
      column: z.int().nullable(),
      /** Module that isn't installed, interpreter that isn't there … */
      name: z.string().nullable(),
    })
    .nullable(),
  set: z
    .object({
      set: z.string(),
      files: z.array(z.string()),
      rows: Count,
      groups: Count,
      shape: SampleShape,
      hash: z.string(),
    })
    .nullable(),
  pinned: Count.nullable(),
  functions: z.array(FunctionScores),
  findings: z.array(Finding),
  /** Hash over source, local helpers, interpreter, packages, contract, weights, data, seed. */
  versionHash: z.string().nullable(),
  timing: z
    .object({
      queuedMs: z.number(),
      passMs: z.number(),
      totalMs: z.number(),
      mode: z.enum(["fork", "spare", "none"]),
    })
    .nullable(),
});
export type FileScores = z.infer<typeof FileScores>;
