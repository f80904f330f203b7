import * as z from "zod";
import { FilterProblem } from "./filter";
import { LabelStream, LabelValue } from "./label";
import { TaggedNumber } from "./number";
import {
  Message,
  Role,
  Tool,
  Trajectory,
  TrajectoryProblem,
  TrajectoryQuery,
  TrajectoryRow,
} from "./trajectory";

/**
 * What the trajectory viewer asks and is told. Trajectories are named by `index`, their 0-based position in the source
 * (a file, or the files of a folder in order); it stays while files only grow. Texts longer than `maxText` UTF-16 units
 * come cut, with their full length, and are read on by slices.
 */
const Count = z.int().nonnegative();
const Index = Count;

/** A run as its folder shows it. */
export const RunInfo = z.object({
  framework: z.string(),
  steps: z
    .array(
      z.object({
        step: z.number(),
        split: z.string().nullable(),
        n: Count,
        groups: Count,
        /** Over those with a finite reward (`scored`); null: none. */
        mean: z.number().nullable(),
        scored: Count,
      }),
    )
    .max(10_000),
});
export type RunInfo = z.infer<typeof RunInfo>;

export const SourceInfo = z.object({
  /** What people call it: its file or folder name. */
  name: z.string(),
  folder: z.boolean(),
  /** Titles of the forms in it, most files first. */
  forms: z.array(z.string()).max(50),
  framework: z.string().nullable(),
  /** Relative names, in order; at most 1,000, `fileCount` in all. */
  files: z.array(z.string()).max(1000),
  fileCount: Count,
  /** Names of reward components and of metrics with numbers seen so far: columns, filter fields. */
  components: z.array(z.string()).max(200),
  metrics: z.array(z.string()).max(200),
  run: RunInfo.nullable(),
  /** Advantage rule that goes with the framework; null: none is known. */
  rule: z.string().nullable(),
});
export type SourceInfo = z.infer<typeof SourceInfo>;

/** One line of the outline: enough to find one's way, and for the minimap. */
export const OutlineEntry = z.object({
  at: Count,
  role: Role,
  name: z.string().nullable(),
  /** First 120 characters, one line. */
  text: z.string().max(130),
  calls: z.array(z.string().max(80)).max(20),
  callCount: Count,
  error: z.boolean(),
  reward: TaggedNumber.nullable(),
  reasoning: z.boolean(),
  sampled: z.boolean().nullable(),
  /** UTF-16 units of its text, reasoning and calls. */
  characters: Count,
  tokens: Count.nullable(),
  /** Belongs to the part shared with the branch it comes from. */
  shared: z.boolean(),
});
export type OutlineEntry = z.infer<typeof OutlineEntry>;

/** All of a trajectory but its messages; large values come cut as text. */
export const TrajectoryHead = Trajectory.omit({ branches: true }).extend({
  row: TrajectoryRow,
  fileName: z.string(),
  form: z.string(),
  /** Position in its group and the group's size. */
  place: z.object({ at: Count, of: Count }),
  /** By the source's rule over the group, in the trainer's arithmetic; null: no rule, or a reward is missing. */
  ruleAdvantage: TaggedNumber.nullable(),
  branches: z
    .array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        from: z.object({ branch: Count, message: Count }).nullable(),
        messages: Count,
      }),
    )
    .max(1000),
  tools: z.array(Tool).max(500),
  /** UTF-16 units of the record as text. */
  rawLength: Count,
});
export type TrajectoryHead = z.infer<typeof TrajectoryHead>;

/** A message with its place on the way; texts longer than asked for are cut and listed in `cut`. */
export const PlacedMessage = Message.extend({
  position: Count,
  shared: z.boolean(),
  /** Texts that are longer than what came: `part` 0…, `reasoning`, `error`, or `call:0`. */
  cut: z.array(z.object({ what: z.string(), length: Count })),
});
export type PlacedMessage = z.infer<typeof PlacedMessage>;

/** A text within a message, to be read on by slices. */
export const TextPlace = z.strictObject({
  index: Index,
  branch: Count,
  /** Null: the whole record, as the file has it. */
  message: Count.nullable(),
  /** As in `PlacedMessage.cut`; `raw` for the record. */
  what: z.string().max(40),
});
export type TextPlace = z.infer<typeof TextPlace>;

export const SearchHit = z.object({
  index: Index,
  branch: Count,
  message: Count.nullable(),
  /** Text around the hit; the hit itself is [from, to) in it. */
  excerpt: z.string().max(400),
  from: Count,
  to: Count,
});
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchAsk = z.strictObject({
  text: z.string().min(1).max(1000),
  matchCase: z.boolean(),
  /** Where an earlier answer stopped; null: from the start. */
  cursor: z.string().max(200).nullable(),
  /** Hits at most; the answer also comes after about 300 ms with what was found till then. */
  limit: z.int().positive().max(1000),
});
export type SearchAsk = z.infer<typeof SearchAsk>;

export const SearchAnswer = z.object({
  hits: z.array(SearchHit).max(1000),
  /** Null: all is searched. */
  cursor: z.string().nullable(),
  bytesDone: Count,
  bytes: Count,
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;

export const TrajectoryGroup = z.object({
  id: z.string(),
  step: z.number().nullable(),
  split: z.string().nullable(),
  task: z.string().nullable(),
  title: z.string(),
  n: Count,
  /** Those with a finite reward. */
  scored: Count,
  mean: z.number().nullable(),
  /** Population standard deviation over the scored. */
  std: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  tied: z.boolean(),
  members: z.array(z.object({ index: Index, reward: TaggedNumber.nullable() })).max(64),
});
export type TrajectoryGroup = z.infer<typeof TrajectoryGroup>;

export const GroupOrder = z.enum(["first", "step", "n", "mean", "std"]);

/** One trajectory in a comparison. */
export const CompareColumn = z.object({
  row: TrajectoryRow,
  ruleAdvantage: TaggedNumber.nullable(),
  /** Best or worst total of those compared (none where all are equal). */
  mark: z.enum(["best", "worst"]).nullable(),
});
export type CompareColumn = z.infer<typeof CompareColumn>;

export const CompareCell = z.object({
  /** Position of the message in its trajectory's first branch. */
  position: Count,
  role: Role,
  name: z.string().nullable(),
  text: z.string().max(2000),
  characters: Count,
  calls: z.array(z.object({ name: z.string().max(200), arguments: z.string().max(500) })).max(20),
  error: z.string().max(500).nullable(),
  reward: TaggedNumber.nullable(),
  /** Equal cells of one line share a number: what looks the same is the same. */
  alike: Count,
});
export type CompareCell = z.infer<typeof CompareCell>;

export const Comparison = z.object({
  columns: z.array(CompareColumn).max(64),
  /** Messages that all have in common from the start. */
  shared: Count,
  /** After the shared ones: lines of aligned messages; null where a trajectory has none there. */
  lines: z.array(z.array(CompareCell.nullable())).max(5000),
  /** The line (after the shared ones) in which they first part; null: they are equal. */
  parts: Count.nullable(),
  /** What separates them: shares of the spread of rewards by component, largest first, summing to 1. */
  separatedBy: z.array(z.object({ component: z.string(), share: z.number() })),
  rule: z.string(),
  /** Rules that can be chosen; one that needs what isn't here says so. */
  rules: z.array(z.object({ id: z.string(), title: z.string(), missing: z.string().nullable() })),
  /** Of the group, where one group is compared whole. */
  group: z.string().nullable(),
  mean: z.number().nullable(),
  std: z.number().nullable(),
});
export type Comparison = z.infer<typeof Comparison>;

export const Curve = z.object({
  name: z.string(),
  file: z.string(),
  points: z.array(z.tuple([z.number(), z.number().nullable()])).max(20_000),
});
export type Curve = z.infer<typeof Curve>;

/** Buckets of failures (DESIGN §6) that can be told without a judge; a trajectory may be in several. */
export const BucketCount = z.object({
  bucket: z.string(),
  n: Count,
  unsure: Count,
  examples: z.array(Index).max(5),
});
export type BucketCount = z.infer<typeof BucketCount>;

export const TrajectoryLabelAct = z.strictObject({
  index: Index,
  value: LabelValue.nullable(),
  stream: LabelStream,
});
export type TrajectoryLabelAct = z.infer<typeof TrajectoryLabelAct>;

/**
 * What trajectories are written as: sample rows, the same with the verdict that failed (regression set), tasks for an
 * environment, demonstrations (TRL's conversational SFT form), preference pairs (TRL's DPO form), prompts of middling
 * difficulty, and three files of splits.
 */
export const TrajectoryExport = z.enum(["samples", "regression", "task", "sft", "dpo", "filtered", "splits"]);
export type TrajectoryExport = z.infer<typeof TrajectoryExport>;

export const ViewTab = z.enum(["list", "groups", "search", "run", "buckets", "problems"]);
export type ViewTab = z.infer<typeof ViewTab>;

/** What the page keeps over tab switch, reload and restart. */
export const TrajectoriesState = z.object({
  at: z.number().default(0),
  query: TrajectoryQuery.catch({ filter: "", sort: "index", descending: false }),
  tab: ViewTab.catch("list"),
  index: Index.nullable().catch(null),
  branch: Count.catch(0),
  /** Message at the upper edge of the conversation. */
  message: Count.catch(0),
  search: z.string().max(1000).catch(""),
  columns: z.record(z.string(), z.number()).catch({}),
  outline: z.boolean().catch(true),
  markdown: z.boolean().catch(false),
  follow: z.boolean().catch(false),
  split: z.number().min(0).max(1).catch(0.4),
  compared: z.array(Index).max(64).catch([]),
  rule: z.string().nullable().catch(null),
});
export type TrajectoriesState = z.infer<typeof TrajectoriesState>;

export const GroupsAnswer = z.object({
  total: Count,
  groups: z.array(TrajectoryGroup).max(500),
  problem: FilterProblem.nullable(),
});
export const ProblemsAnswer = z.object({ total: Count, problems: z.array(TrajectoryProblem).max(500) });
