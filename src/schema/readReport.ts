import * as z from "zod";
import { ColumnInfo, ReadProblem, SampleMapping, SampleRow, SampleSetInfo, SampleShape } from "./sample";

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
