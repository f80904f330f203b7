import * as z from "zod";
import { TaggedNumber } from "./number";
import { ColumnInfo, ReadProblem, SampleMapping, SampleRow, SampleSetInfo, SampleShape } from "./sample";
import {
  Branch,
  Message,
  OutcomeKind,
  Tool,
  TrajectoryError,
  TrajectoryFlag,
  TrajectoryProblem,
} from "./trajectory";

/** Values that JSON hasn't are said otherwise: non-finite numbers as tagged objects, integers beyond 2^53 as digits. */
export const ReadTrajectory = z.object({
  /** Position in the files, from 0. */
  row: z.int().nonnegative(),
  id: z.string(),
  group: z.string(),
  step: z.number().nullable(),
  split: z.string().nullable(),
  task: z.string().nullable(),
  /** Position in `files`, and 1-based line, row or entry. */
  file: z.int().nonnegative(),
  line: z.int().positive(),
  /** Of the branch that is shown first. */
  messages: z.array(Message),
  /** The further ones, without what they share: `from.branch` 0 is `messages`, 1 the first of these. */
  branches: z.array(Branch),
  reward: TaggedNumber.nullable(),
  rewards: z.record(z.string(), TaggedNumber.nullable()),
  advantage: TaggedNumber.nullable(),
  metrics: z.record(z.string(), z.unknown()),
  outcome: z.object({ kind: OutcomeKind, inFile: z.string().nullable() }),
  errors: z.array(TrajectoryError),
  excluded: z.string().nullable(),
  flags: z.array(TrajectoryFlag),
  tools: z.array(Tool),
  reference: z.unknown(),
  columns: z.record(z.string(), z.unknown()),
});
export type ReadTrajectory = z.infer<typeof ReadTrajectory>;

/** `rewardsmith read --json` for files and folders of trajectories. */
export const TrajectoryReport = z.object({
  schema: z.literal(1),
  product: z.object({ name: z.literal("rewardsmith"), version: z.string() }),
  files: z.array(z.string()),
  /** Id of the form (`verl-rollout`); null: the files are of several, or none could be read. */
  reader: z.string().nullable(),
  /** Trajectories in the files; `trajectories` may be a part of them. */
  count: z.int().nonnegative(),
  trajectories: z.array(ReadTrajectory),
  problems: z.array(TrajectoryProblem),
  problemCount: z.int().nonnegative(),
});
export type TrajectoryReport = z.infer<typeof TrajectoryReport>;

/**
 * `rewardsmith read --json` for sample files: one stable, versioned form. `row` counts from 0, `line` from 1. Rows hold
 * JSON values; non-finite numbers are tagged objects, integers beyond 2^53 their digits as text.
 */
export const READ_SCHEMA = 1;

export const ReadReport = z.object({
  schema: z.literal(READ_SCHEMA),
  product: z.object({ name: z.literal("rewardsmith"), version: z.string() }),
  files: z.array(z.string()),
  reader: SampleSetInfo.shape.reader,
  /** Samples in the files; `rows` may be a part of them. */
  count: z.int().nonnegative(),
  groups: z.int().nonnegative(),
  shape: SampleShape,
  mapping: SampleMapping,
  mappingSource: SampleSetInfo.shape.mappingSource,
  columns: z.array(ColumnInfo),
  rows: z.array(SampleRow),
  problems: z.array(ReadProblem),
  problemCount: z.int().nonnegative(),
  hash: z.string(),
});
export type ReadReport = z.infer<typeof ReadReport>;
