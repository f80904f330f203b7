import * as z from "zod";

/** Zero-based position, as VS Code counts; `character` in UTF-16 units. */
export const Position = z.object({ line: z.int().nonnegative(), character: z.int().nonnegative() });
export type Position = z.infer<typeof Position>;
export const Range = z.object({ start: Position, end: Position });
export type Range = z.infer<typeof Range>;

export const ContractId = z.enum(["trl", "plain"]);
export type ContractId = z.infer<typeof ContractId>;

/** Why a contract was recognised; the view chooses the words. */
export const RecognitionReason = z.enum([
  "in-reward-funcs",
  "imports-trainer",
  "imports-unsloth",
  "completions-and-kwargs",
  "completions-parameter",
  "returns-list",
  "name-like-reward",
  "completion-parameter",
  "chosen-by-user",
  "chosen-by-project",
]);
export type RecognitionReason = z.infer<typeof RecognitionReason>;

/** A reward function as found in source text, before anything runs. */
export const RewardFunction = z.object({
  name: z.string(),
  /** Of the `def` line (or of the assignment for objects, partials and lambdas). */
  line: z.int().nonnegative(),
  range: Range,
  nameRange: Range,
  contract: ContractId,
  reasons: z.array(RecognitionReason),
  isAsync: z.boolean(),
  parameters: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(["positional", "keyword", "args", "kwargs"]),
      hasDefault: z.boolean(),
      range: Range,
    }),
  ),
  /** Columns the function asks for by name (needed when without default). */
  columns: z.array(z.object({ name: z.string(), required: z.boolean() })),
});
export type RewardFunction = z.infer<typeof RewardFunction>;

export const FileModel = z.object({
  path: z.string(),
  version: z.int(),
  functions: z.array(RewardFunction),
  /** The text doesn't parse as Python as it is; functions are those still recognisable. */
  broken: z.boolean(),
});
export type FileModel = z.infer<typeof FileModel>;

export const Finding = z.object({
  /** Stable code, e.g. `trl-missing-kwargs`; page in docs/findings/. */
  code: z.string(),
  severity: z.enum(["error", "warning", "info"]),
  /** English sentence: what, why, cure. Values are already in it. */
  message: z.string(),
  function: z.string().nullable(),
  rows: z.array(z.int().nonnegative()).max(200),
  /** 0-based range in the reward file, where there is one. */
  range: Range.nullable(),
  cure: z.string().nullable(),
});
export type Finding = z.infer<typeof Finding>;
