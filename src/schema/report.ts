import * as z from "zod";
import { TaggedNumber } from "./number";
import { ContractId, Finding, RecognitionReason } from "./reward";
import { Fate, RowScore, ScoreState } from "./score";
import { ReadProblem, SampleMapping, SampleShape } from "./sample";

/**
 * `rewardsmith score --json`, `check --json` and the editor's export: one stable, versioned form
 * (`docs/schema/score.schema.json` is generated from here). `row` counts from 0.
 */
export const REPORT_SCHEMA = 1;

export const GroupReport = z.object({
  id: z.string(),
  n: z.int(),
  rows: z.array(z.int()),
  /** Over rows with a total, in float32 as the trainer computes it. */
  mean: TaggedNumber.nullable(),
  std: TaggedNumber.nullable(),
  tied: z.boolean(),
  /** This trainer's own rule drops the group. */
  filtered: z.boolean(),
  noGradient: z.boolean(),
  cause: z
    .enum([
      "all-right",
      "all-wrong",
      "identical-completions",
      "nothing-scored",
      "one-left",
      "poisoned",
      "constant",
    ])
    .nullable(),
  /** As the trainer would compute them, fates applied. Null for rows it never sees. */
  advantages: z.array(TaggedNumber.nullable()),
  /** Over scored rows only. */
  advantagesIfFixed: z.array(TaggedNumber.nullable()),
});
export type GroupReport = z.infer<typeof GroupReport>;

export const FunctionReport = z.object({
  name: z.string(),
  file: z.string(),
  contract: ContractId,
  reasons: z.array(RecognitionReason),
  weight: z.number(),
  rows: z.array(RowScore),
  states: z.partialRecord(ScoreState, z.int()),
  /** Over scored rows. */
  mean: TaggedNumber.nullable(),
  n: z.int(),
  /** State → what the trainer does with it. */
  fates: z.partialRecord(ScoreState, Fate),
  again: z.array(z.int()).optional(),
  /** Against the baseline, where one was named: rows whose score, state or place in the group differs. */
  flips: z.object({ up: z.int(), down: z.int(), rows: z.array(z.int()) }).optional(),
});
export type FunctionReport = z.infer<typeof FunctionReport>;

export const ScoreReport = z.object({
  schema: z.literal(REPORT_SCHEMA),
  product: z.object({ name: z.literal("rewardsmith"), version: z.string() }),
  samples: z.object({
    files: z.array(z.string()),
    rows: z.int(),
    /** Rows of the files that are not among them: `problems` says why. */
    leftOut: z.int().optional(),
    shape: SampleShape,
    mapping: SampleMapping,
    problems: z.array(ReadProblem),
    hash: z.string(),
  }),
  trainer: z.object({
    framework: z.enum(["trl", "plain"]),
    version: z.string().nullable(),
    /** Facts about this contract were checked against the installed version, or not. */
    checked: z.boolean(),
    advantages: z.enum(["group", "batch", "none"]),
    aggregation: z.enum(["sum_then_normalize", "normalize_then_sum"]),
    formula: z.string(),
    batch: z.int(),
  }),
  functions: z.array(FunctionReport),
  /** Weighted total per row; null where no function gave a score. */
  totals: z.array(TaggedNumber.nullable()),
  groups: z.array(GroupReport),
  /** True where the trainer would have stopped: both sets of advantages are then hypothetical. */
  hypothetical: z.boolean(),
  labels: z.object({ n: z.int(), agree: z.int(), disagreeRows: z.array(z.int()) }).nullable(),
  findings: z.array(Finding),
  error: z
    .object({ code: z.string(), message: z.string(), path: z.string().nullable(), line: z.int().nullable() })
    .nullable(),
  versionHash: z.string().nullable(),
  /** What was compared with, where a baseline was named; `error`: why it gives no scores. */
  baseline: z.object({ ref: z.string(), error: z.string().nullable() }).optional(),
  timing: z.object({
    loadMs: z.number(),
    passMs: z.number(),
    totalMs: z.number(),
    mode: z.enum(["fork", "spare"]),
  }),
});
export type ScoreReport = z.infer<typeof ScoreReport>;
