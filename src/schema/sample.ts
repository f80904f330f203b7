import * as z from "zod";

/** Which columns of a file play which part. Names are the file's own column names. */
export const SampleMapping = z.object({
  prompt: z.string().nullable(),
  completion: z.string(),
  /** Column that identifies a sample; null = hash of prompt, completion and the other columns. */
  id: z.string().nullable(),
  group: z.discriminatedUnion("by", [
    z.object({ by: z.literal("column"), column: z.string() }),
    /** Rows with the same prompt (told apart where the used columns differ). */
    z.object({ by: z.literal("prompt") }),
    /** n rows in a row. */
    z.object({ by: z.literal("size"), size: z.number().int().positive() }),
  ]),
  /** Token ids of the completion, if the file has them. */
  completionIds: z.string().nullable(),
  /** A person's verdict in the data, if any: bool, number, good/bad. */
  label: z.string().nullable(),
  /** Renames for reward parameters: parameter name → file column. */
  columns: z.record(z.string(), z.string()).default({}),
});
export type SampleMapping = z.infer<typeof SampleMapping>;

/** Shape of completions: strings, or lists of chat messages. */
export const SampleShape = z.enum(["text", "chat", "mixed"]);
export type SampleShape = z.infer<typeof SampleShape>;

export const ProblemCode = z.enum([
  "not-json",
  "torn",
  "glued",
  "unfinished",
  "not-an-object",
  "bad-bytes",
  "lone-surrogate",
  "missing-completion",
  "duplicate-id",
  "bad-csv",
  "bad-parquet",
  "git-lfs-pointer",
  "encoded-number",
  "odd-record",
  "too-large",
  "empty",
]);

/** One thing wrong with a file, at a line or row; the rest of the file is still read. */
export const ReadProblem = z.object({
  /** 1-based line of the file (row for Parquet and JSON arrays). */
  line: z.number().int().positive(),
  code: ProblemCode,
  message: z.string().max(1000),
});
export type ReadProblem = z.infer<typeof ReadProblem>;

export const ColumnInfo = z.object({
  name: z.string(),
  kinds: z.array(z.enum(["string", "number", "bool", "null", "list", "object"])),
  /** Rows in which the column is present. */
  present: z.number().int().nonnegative(),
  examples: z.array(z.string().max(200)).max(5),
});
export type ColumnInfo = z.infer<typeof ColumnInfo>;

export const SampleSetInfo = z.object({
  /** Stable handle within the engine. */
  set: z.string(),
  files: z.array(z.string()),
  /** `trajectories`: read by the form of a framework (`src/formats/trajectories`), one row a trajectory. */
  reader: z.enum(["jsonl", "json", "csv", "parquet", "trajectories"]),
  rows: z.number().int().nonnegative(),
  /** Rows that the files hold besides: without a completion, or nested too deep. `problems` says which and why. */
  leftOut: z.number().int().nonnegative().optional(),
  groups: z.number().int().nonnegative(),
  shape: SampleShape,
  mapping: SampleMapping,
  /** The mapping was guessed (and may be edited) or given. */
  mappingSource: z.enum(["guessed", "project", "user"]),
  columns: z.array(ColumnInfo),
  problems: z.array(ReadProblem).max(1000),
  problemCount: z.number().int().nonnegative(),
  /** Content identity of the files. */
  hash: z.string(),
});
export type SampleSetInfo = z.infer<typeof SampleSetInfo>;

/** One sample for display. Values are JSON; long texts are cut by the sender where asked. */
export const SampleRow = z.object({
  row: z.number().int().nonnegative(),
  id: z.string(),
  group: z.string(),
  line: z.number().int().positive(),
  prompt: z.unknown(),
  completion: z.unknown(),
  columns: z.record(z.string(), z.unknown()),
  label: z.unknown(),
});
export type SampleRow = z.infer<typeof SampleRow>;
