import * as z from "zod";
import { FilterProblem } from "./filter";
import { TaggedNumber } from "./number";

/**
 * The normal form of a trajectory: what every framework's file becomes. Field by field it says less than any one
 * framework and loses nothing: what has no place here is in `extra`, and the record itself is one click away (`raw`).
 */
const Count = z.int().nonnegative();

/** One piece of a message's content. Bytes of images stay in the engine until one is asked for. */
export const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("image"),
    mime: z.string().nullable(),
    /** Where it comes from: in the file (`data`: base64), or an address or a path, which is only shown, never loaded. */
    data: z.string().nullable(),
    address: z.string().nullable(),
  }),
  /** Content that is neither text nor an image: audio, files, blocks of other kinds. */
  z.object({ type: z.literal("other"), kind: z.string(), value: z.unknown() }),
]);
export type Part = z.infer<typeof Part>;

export const Role = z.enum(["system", "user", "assistant", "tool", "event"]);
export type Role = z.infer<typeof Role>;

export const ToolCall = z.object({
  id: z.string().nullable(),
  name: z.string(),
  /** Parsed arguments; where they can't be parsed null, and `raw` has what the model wrote. */
  arguments: z.unknown(),
  raw: z.string().nullable(),
  /** `encoded-twice`: the text held an object's text; `arguments` is that object. */
  problem: z.enum(["not-json", "not-an-object", "encoded-twice"]).nullable(),
  /** Positions of the tool messages that answer it, on the way of its branch: see `answersTo`. */
  answers: z.array(Count),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** Tokens of one message; all lists present have `count` entries. */
export const TokenData = z.object({
  count: Count,
  ids: z.array(z.int()).nullable(),
  /** Which tokens are trained. */
  mask: z.array(z.boolean()).nullable(),
  /** Natural logarithms; null where a token has none. */
  logprobs: z.array(z.number().nullable()).nullable(),
  advantages: z.array(z.number().nullable()).nullable(),
  /** Version of the policy that sampled each token. */
  versions: z.array(z.int()).nullable(),
});
export type TokenData = z.infer<typeof TokenData>;

export const Message = z.object({
  role: Role,
  /** The role as the file has it, where it is another word (`developer`, `ipython`, `human`). */
  roleInFile: z.string().nullable(),
  /** Who speaks: an agent's, user's or tool's name. */
  name: z.string().nullable(),
  parts: z.array(Part),
  /** The model's reasoning, where the file keeps it apart. */
  reasoning: z.string().nullable(),
  calls: z.array(ToolCall),
  /**
   * A tool message: the call it answers, by position of message and of call. Positions count from the start of its
   * branch's way, with the messages that the branch shares with those it comes from.
   */
  answersTo: z.object({ message: Count, call: Count }).nullable(),
  callId: z.string().nullable(),
  /** A tool's or a model call's failure. */
  error: z.string().nullable(),
  /** Nothing in the file marks the failure: the answer begins with words that often say one. */
  errorGuessed: z.boolean(),
  /** Reward of this turn, and its components. */
  reward: TaggedNumber.nullable(),
  rewards: z.record(z.string(), TaggedNumber.nullable()),
  /** Written by the policy (and so possibly trained); null: the file doesn't say. */
  sampled: z.boolean().nullable(),
  tokens: TokenData.nullable(),
  /** Unix milliseconds. */
  at: z.number().nullable(),
  /** Milliseconds that the model or tool took. */
  ms: z.number().nullable(),
  model: z.string().nullable(),
  finish: z.string().nullable(),
  extra: z.record(z.string(), z.unknown()),
});
export type Message = z.infer<typeof Message>;

/** One way through a trajectory. The first of a trajectory's branches is the one that is shown first. */
export const Branch = z.object({
  id: z.string(),
  /** Agent, sub-agent or why it began (compaction, continuation), as the file says. */
  name: z.string().nullable(),
  /** It shares the messages of another branch up to and with `message`, which are not repeated here; null: it shares none. */
  from: z.object({ branch: Count, message: Count }).nullable(),
  messages: z.array(Message),
});
export type Branch = z.infer<typeof Branch>;

/** How the rollout ended; apart from its score (SCIENCE §1). */
export const OutcomeKind = z.enum([
  "finished",
  "length",
  "turns",
  "time",
  "environment",
  "infrastructure",
  "cancelled",
  "running",
  "unknown",
]);
export type OutcomeKind = z.infer<typeof OutcomeKind>;

/** What a trainer does with rewards of single turns (SCIENCE §7). */
export const Credit = z.enum(["summed", "last-token", "per-token"]);
export type Credit = z.infer<typeof Credit>;

export const TrajectoryError = z.object({
  kind: z.string().nullable(),
  message: z.string(),
  traceback: z.string().nullable(),
});
export type TrajectoryError = z.infer<typeof TrajectoryError>;

export const Tool = z.object({ name: z.string(), description: z.string().nullable(), schema: z.unknown() });
export type Tool = z.infer<typeof Tool>;

/** Things worth a mark in lists; a closed list, words are the views'. */
export const TrajectoryFlag = z.enum([
  "error",
  "truncated",
  "tool-error",
  "bad-arguments",
  "branches",
  "no-reward",
  "non-finite",
  "no-messages",
  "excluded",
  "intervention",
]);
export type TrajectoryFlag = z.infer<typeof TrajectoryFlag>;

export const Snapshot = z.object({
  /** It stands before this message of the first branch. */
  before: Count,
  label: z.string().nullable(),
  state: z.unknown(),
});
export type Snapshot = z.infer<typeof Snapshot>;

export const Trajectory = z.object({
  /** The file's own id, else null: then its place names it. */
  id: z.string().nullable(),
  /** The file's own group id; null: the store finds the group as the form says. */
  group: z.string().nullable(),
  step: z.number().nullable(),
  /** Split or phase as the framework calls it: train, val, eval. */
  split: z.string().nullable(),
  task: z.string().nullable(),
  branches: z.array(Branch).min(1),
  tools: z.array(Tool),
  reward: TaggedNumber.nullable(),
  /** Components by name; null: this one gave none. */
  rewards: z.record(z.string(), TaggedNumber.nullable()),
  /** Weights of components, where the file says them. */
  weights: z.record(z.string(), z.number()),
  metrics: z.record(z.string(), z.unknown()),
  /** Advantage as the trainer wrote it. */
  advantage: TaggedNumber.nullable(),
  credit: Credit.nullable(),
  outcome: z.object({ kind: OutcomeKind, inFile: z.string().nullable() }),
  errors: z.array(TrajectoryError),
  /** The trainer leaves it out (masked, filtered, dropped), in its own word. */
  excluded: z.string().nullable(),
  model: z.string().nullable(),
  /** Versions of the policy at its first and last token. */
  policy: z.object({ from: z.number(), to: z.number() }).nullable(),
  usage: z.object({ input: z.number().nullable(), output: z.number().nullable() }).nullable(),
  cost: z.number().nullable(),
  ms: z.number().nullable(),
  /** Reference answer, where the file has one. */
  reference: z.unknown(),
  snapshots: z.array(Snapshot),
  /** Further columns of the record: what a reward function may ask for. */
  columns: z.record(z.string(), z.unknown()),
  /** The record is a part of another trajectory that stands elsewhere: said, not followed. */
  continuedIn: z.string().nullable(),
  /** Id of the form that read it, where its line is of another form than the rest of its file; else null. */
  form: z.string().nullable(),
});
export type Trajectory = z.infer<typeof Trajectory>;

export const TrajectoryProblemCode = z.enum([
  "not-json",
  "torn",
  "glued",
  "unfinished",
  "not-an-object",
  "bad-bytes",
  "bad-parquet",
  "bad-zip",
  "bad-yaml",
  "bad-sqlite",
  "git-lfs-pointer",
  "pickle",
  "too-large",
  "too-deep",
  "empty",
  "unknown-form",
  "other-form",
  "missing-file",
  "odd-record",
]);
export type TrajectoryProblemCode = z.infer<typeof TrajectoryProblemCode>;

export const TrajectoryProblem = z.object({
  /** Position of the file in the source's list. */
  file: Count,
  /** 1-based line, row or entry. */
  line: z.int().positive(),
  code: TrajectoryProblemCode,
  message: z.string().max(1000),
});
export type TrajectoryProblem = z.infer<typeof TrajectoryProblem>;

/** What a list shows of a trajectory, made while the file is indexed. */
export const TrajectorySummary = z.object({
  id: z.string(),
  group: z.string(),
  step: z.number().nullable(),
  split: z.string().nullable(),
  task: z.string().nullable(),
  line: z.int().positive(),
  /** Start of the first user message (else the first message), at most 200 characters, one line. */
  title: z.string(),
  reward: TaggedNumber.nullable(),
  rewards: z.record(z.string(), TaggedNumber.nullable()),
  advantage: TaggedNumber.nullable(),
  outcome: OutcomeKind,
  flags: z.array(TrajectoryFlag),
  /** Assistant messages of the first branch. */
  turns: Count,
  /** Messages of all branches. */
  messages: Count,
  calls: Count,
  /** Tool messages that are errors. */
  toolErrors: Count,
  branches: Count,
  tokens: Count.nullable(),
  /** UTF-16 units of all text. */
  characters: Count,
  ms: z.number().nullable(),
  cost: z.number().nullable(),
});
export type TrajectorySummary = z.infer<typeof TrajectorySummary>;

export const TrajectoryRow = TrajectorySummary.extend({
  /** Position in the source: stable while the source only grows. */
  index: Count,
  file: Count,
  label: z.union([z.literal("good"), z.literal("bad"), z.number()]).nullable(),
  /** Total by the open reward, once scored: null = no score (see `nowState`). */
  now: TaggedNumber.nullable(),
  nowState: z.string().nullable(),
});
export type TrajectoryRow = z.infer<typeof TrajectoryRow>;

export const TrajectorySort = z.enum([
  "index",
  "step",
  "group",
  "reward",
  "advantage",
  "turns",
  "calls",
  "toolErrors",
  "tokens",
  "characters",
  "ms",
  "cost",
  "now",
  "id",
]);
export type TrajectorySort = z.infer<typeof TrajectorySort>;

export const TrajectoryQuery = z.strictObject({
  filter: z.string().max(2000),
  sort: TrajectorySort,
  descending: z.boolean(),
});
export type TrajectoryQuery = z.infer<typeof TrajectoryQuery>;

/** How far a source is read. */
export const SourceProgress = z.object({
  seq: Count,
  /** Trajectories known so far. */
  known: Count,
  files: Count,
  filesDone: Count,
  /** Bytes read of all; decompressed where the file is compressed. */
  bytes: Count,
  bytesDone: Count,
  complete: z.boolean(),
  /** Looks for more as the files grow. */
  following: z.boolean(),
  problems: Count,
});
export type SourceProgress = z.infer<typeof SourceProgress>;

export const TrajectoryPage = z.object({
  progress: SourceProgress,
  total: Count,
  rows: z.array(TrajectoryRow).max(1000),
  problem: FilterProblem.nullable(),
});
export type TrajectoryPage = z.infer<typeof TrajectoryPage>;
