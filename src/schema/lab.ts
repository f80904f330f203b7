import * as z from "zod";
import { FilterProblem } from "./filter";
import { anyNames } from "./json";
import { LabelStream, LabelValue, SampleLabel } from "./label";
import { MeanEstimate } from "./live";
import { TaggedNumber } from "./number";
import { GroupReport } from "./report";
import { ContractId } from "./reward";
import { Fate, Reason, ScoreState } from "./score";

/**
 * What the Reward Lab asks and is told. Rows are 0-based positions in the sample set; a page is of one snapshot, which
 * `seq` numbers: a page of an older snapshot is dropped by whoever asked.
 */

const Count = z.int().nonnegative();
const Row = Count;

/** `row`, `group`, `state`, `total`, `advantage`, `ifFixed`, `label`, `change`, `ms`, `length`, `component:NAME`, `column:NAME`. */
export const SortKey = z.string().min(1).max(300);

export const LabQuery = z.object({
  /** In the filter language (`core/query`); empty = all. */
  filter: z.string().max(2000),
  /** Ties keep the order of the file. */
  sort: z.array(z.object({ key: SortKey, descending: z.boolean() })).max(3),
  /** Rows of a group together; groups in the order of their first row by `sort`. */
  grouped: z.boolean(),
  /** By function, in place of the suite's: totals, advantages and groups are worked out anew; nothing is scored. */
  weights: z.record(z.string(), z.number()).nullable(),
});
export type LabQuery = z.infer<typeof LabQuery>;

/** `message`: for a log; people read `filterErrorInWords` (src/words). */
export const FilterError = FilterProblem.extend({ message: z.string() });
export type FilterError = z.infer<typeof FilterError>;

/** What stands above every answer: of which snapshot it is. */
const snapshot = {
  seq: Count,
  /** Version of the document that the scores are of; -1 for the text on disk. */
  docVersion: z.int(),
  /** `partial`: a pass is still running; `old`: the present text could not be scored. */
  status: z.enum(["none", "partial", "fresh", "old"]),
};

export const LabFunction = z.object({
  name: z.string(),
  contract: ContractId,
  weight: z.number(),
  /** 0-based line of the definition. */
  line: Count,
});
export type LabFunction = z.infer<typeof LabFunction>;

export const LabCell = z.object({
  state: ScoreState,
  value: TaggedNumber.nullable(),
  recovered: z.boolean(),
  /** Score under the baseline's version, where it differs; null = no score there. */
  before: TaggedNumber.nullable().optional(),
});
export type LabCell = z.infer<typeof LabCell>;

export const LabRow = z.object({
  row: Row,
  /** Of the sample and of its group, as `shownName` (core/text) has them. */
  id: z.string(),
  group: z.string(),
  /** Index of the group in the set. */
  groupAt: Count,
  /** The worst of its functions' states; null = not scored in this pass. */
  state: ScoreState.nullable(),
  /** One a function, in the order of `functions`; null = not scored in this pass. */
  cells: z.array(LabCell.nullable()),
  /** Weighted sum as the trainer has it; null where no function gave a score. */
  total: TaggedNumber.nullable(),
  /** As trained, fates applied / over scored rows alone. Null: the trainer never sees it, or it has no total. */
  advantage: TaggedNumber.nullable(),
  ifFixed: TaggedNumber.nullable(),
  label: SampleLabel.nullable(),
  /** Of the total against the baseline; null: no baseline, or no difference. */
  change: z
    .object({
      direction: z.union([z.literal(1), z.literal(0), z.literal(-1)]),
      /** Now minus then; null where one side has no score. */
      by: TaggedNumber.nullable(),
      state: z.boolean(),
      rank: z.boolean(),
      sign: z.boolean(),
    })
    .nullable(),
  /** Milliseconds over all functions. */
  ms: z.number().nonnegative().nullable(),
  /** Characters of the completion. */
  length: Count,
  /** First characters of the completion, in one line. */
  text: z.string().max(240),
  /** Why it isn't scored, short: `ValueError line 19`. Null where it is. */
  reason: Reason.pick({ code: true, type: true, line: true }).nullable(),
});
export type LabRow = z.infer<typeof LabRow>;

export const LabPage = z.object({
  ...snapshot,
  functions: z.array(LabFunction),
  /** Rows in the set, rows scored, rows that the filter lets through. */
  rows: Count,
  scored: Count,
  matched: Count,
  from: Count,
  page: z.array(LabRow),
  filterError: FilterError.nullable(),
  /** Names of the data's further columns, for filter and sort. */
  columns: z.array(z.string()),
});
export type LabPage = z.infer<typeof LabPage>;

const GroupMember = z.object({
  row: Row,
  total: TaggedNumber.nullable(),
  advantage: TaggedNumber.nullable(),
  state: ScoreState.nullable(),
});

export const LabGroup = z.object({
  index: Count,
  id: z.string(),
  /** Rows in the group / in this pass. */
  size: Count,
  n: Count,
  mean: TaggedNumber.nullable(),
  std: TaggedNumber.nullable(),
  tied: z.boolean(),
  filtered: z.boolean(),
  noGradient: z.boolean(),
  cause: GroupReport.shape.cause,
  /** Of its rows, in file order, at most 64: for the strip. */
  members: z.array(GroupMember).max(64),
  /** Share of the spread of totals by component, largest first; empty where there is no spread. Sums to 1. */
  separatedBy: z.array(z.object({ function: z.string(), share: z.number().min(0).max(1) })),
  /**
   * Tie-break amplification (SCIENCE §3): the heaviest component is tied and the spread left is a crumb beside it, yet
   * the largest advantage is as large as a real success would get.
   */
  crumb: z.object({ function: z.string(), spread: z.number(), advantage: z.number() }).nullable(),
  /** First characters of the prompt, in one line. */
  prompt: z.string().max(200),
});
export type LabGroup = z.infer<typeof LabGroup>;

export const GroupSort = z.enum(["file", "mean", "std", "size"]);
export const LabGroups = z.object({
  ...snapshot,
  functions: z.array(LabFunction),
  total: Count,
  /** Over all groups that are complete in this pass. */
  counts: z.object({ n: Count, tied: Count, filtered: Count, noGradient: Count, crumbs: Count }),
  /** Range of totals over all groups, for one axis. Null: nothing scored. */
  range: z.tuple([z.number(), z.number()]).nullable(),
  formula: z.string(),
  hypothetical: z.boolean(),
  from: Count,
  groups: z.array(LabGroup),
});
export type LabGroups = z.infer<typeof LabGroups>;

export const DetailFunction = z.object({
  name: z.string(),
  line: Count,
  weight: z.number(),
  state: ScoreState.nullable(),
  value: TaggedNumber.nullable(),
  recovered: z.boolean(),
  reason: Reason.nullable(),
  output: z.string().nullable(),
  ms: z.number().nonnegative().nullable(),
  fate: Fate.nullable(),
  /** Under the baseline's version; undefined = not compared. */
  before: z.object({ state: ScoreState, value: TaggedNumber.nullable() }).optional(),
  /** What a second call gave, where the user asked for one and it differed. */
  again: TaggedNumber.nullable().optional(),
});
export type DetailFunction = z.infer<typeof DetailFunction>;

export const LabDetail = z.object({
  ...snapshot,
  row: Row,
  id: z.string(),
  group: z.string(),
  groupAt: Count,
  /** File's base name and 1-based line of the sample. */
  file: z.string(),
  line: z.int().positive(),
  prompt: z.unknown(),
  completion: z.unknown(),
  columns: anyNames(z.unknown()),
  /** Some text was longer than the Lab asked for and was cut. */
  cut: z.boolean(),
  label: SampleLabel.nullable(),
  functions: z.array(DetailFunction),
  total: TaggedNumber.nullable(),
  advantage: TaggedNumber.nullable(),
  ifFixed: TaggedNumber.nullable(),
  /** The group's rows, best first, at most 64. */
  members: z.array(GroupMember).max(64),
});
export type LabDetail = z.infer<typeof LabDetail>;

/**
 * Where a text that the function looked at lies in the sample; offsets in UTF-16 units of the part's text: of a
 * conversation the content of its last message (its parts joined by a space).
 */
export const Place = z.object({
  part: z.enum(["completion", "prompt", "column"]),
  /** The column's name; empty for the others. */
  name: z.string(),
  from: Count,
  to: Count,
});
export type Place = z.infer<typeof Place>;

const Span = z.tuple([Count, Count]);
/** Where the expression stands, when that is another file of the user's; `line` is the reward file's that led there. */
const Helper = z.object({ file: z.string(), line: z.int().positive() });

/** One thing that the function asked of the sample on its way. */
export const Observation = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("match"),
    /** Index of the step that it belongs to. */
    step: Count,
    /** 1-based line in the reward file. */
    line: z.int().positive(),
    helper: Helper.optional(),
    /** How it was called: search, match, fullmatch, findall, finditer, split, sub, subn. */
    method: z.string(),
    pattern: z.string(),
    flags: z.string(),
    /** The text that was searched, cut; spans are in the whole of it. */
    text: z.string(),
    cut: z.boolean(),
    /** Whole matches, in order, at most 100. */
    spans: z.array(Span).max(100),
    /** Of the first match: its groups; null = took no part. */
    groups: z.array(Span.nullable()).max(50),
    /** Where that text lies in the sample; null: it was made on the way (cleaned, lower-cased …). */
    place: Place.nullable(),
    /** No match: how far the longest beginning of the pattern that matches got, and which flag or method would have. */
    reached: z.object({ pattern: Count, text: Span }).nullable(),
    wouldMatch: z.array(z.enum(["DOTALL", "IGNORECASE", "MULTILINE", "search", "strip"])),
  }),
  z.object({
    kind: z.literal("compare"),
    step: Count,
    line: z.int().positive(),
    helper: Helper.optional(),
    /** Of a comparison, or a method of texts: startswith, endswith, find, index, count (`result`: it is there). */
    op: z.string(),
    /** As Python's `repr` shows them, cut. */
    left: z.string(),
    right: z.string(),
    result: z.boolean(),
    /** Where the sides' texts lie in the sample, where they are texts that occur there. */
    leftPlace: Place.nullable(),
    rightPlace: Place.nullable(),
  }),
]);
export type Observation = z.infer<typeof Observation>;

export const LabWay = z.object({
  function: z.string(),
  state: ScoreState,
  value: TaggedNumber.nullable(),
  reason: Reason.nullable(),
  output: z.string().nullable(),
  /** 1-based lines of the reward file, in the order they ran, with the values that became visible after each. */
  steps: z.array(z.object({ line: z.int().positive(), values: z.record(z.string(), z.string()) })),
  /** More steps ran than are kept. */
  cut: z.boolean(),
  observations: z.array(Observation),
  /** Why there is no way to show. */
  off: z.enum(["async", "failed", "not-scored"]).nullable(),
  /** Called alone it gives another score than in its batch. */
  differs: z.boolean(),
});
export type LabWay = z.infer<typeof LabWay>;

/** A completion that was edited or pasted, scored in place of the sample's own. */
export const LabTry = z.object({
  functions: z.array(DetailFunction.omit({ before: true, again: true })),
  total: TaggedNumber.nullable(),
  /** What it would get in the sample's group, in the sample's place. */
  advantage: TaggedNumber.nullable(),
  error: z.object({ code: z.string(), message: z.string(), line: z.int().nullable() }).nullable(),
});
export type LabTry = z.infer<typeof LabTry>;

export const LabFlip = z.object({
  row: Row,
  group: z.string(),
  function: z.string(),
  before: z.object({ state: ScoreState, value: TaggedNumber.nullable(), rank: Count.nullable() }),
  now: z.object({ state: ScoreState, value: TaggedNumber.nullable(), rank: Count.nullable() }),
  direction: z.union([z.literal(1), z.literal(0), z.literal(-1)]),
  rank: z.boolean(),
  sign: z.boolean(),
  text: z.string().max(240),
});
export type LabFlip = z.infer<typeof LabFlip>;

export const LabFlips = z.object({
  ...snapshot,
  baseline: z.object({ kind: z.enum(["saved", "head", "pin"]), hash: z.string() }).nullable(),
  total: Count,
  from: Count,
  flips: z.array(LabFlip),
  /** One a function. */
  summary: z.array(
    z.object({
      function: z.string(),
      compared: Count,
      up: Count,
      down: Count,
      rank: Count,
      sign: Count,
      /** Kendall's tau-b within groups, mean over the groups where both versions have a spread; null: none has. */
      tau: z.number().nullable(),
      tauGroups: Count,
    }),
  ),
});
export type LabFlips = z.infer<typeof LabFlips>;

/** A part of the difference between the baseline's text and the present one. Lines 1-based; `to` is exclusive. */
export const Hunk = z.object({
  id: Count,
  before: z.object({ from: z.int().positive(), to: z.int().positive() }),
  now: z.object({ from: z.int().positive(), to: z.int().positive() }),
  removed: z.array(z.string()),
  added: z.array(z.string()),
});
export type Hunk = z.infer<typeof Hunk>;

export const LabHunks = z.object({
  hunks: z.array(Hunk),
  /** Flips by the hunks that cause each alone; `hunks` empty: none does alone, only together (or another file did). */
  causes: z.array(z.object({ row: Row, function: z.string(), hunks: z.array(Count) })),
  /** Hunks whose version alone can't be scored, with Python's words. */
  failed: z.array(z.object({ id: Count, message: z.string() })),
  /** Helper files that differ too: their part isn't taken apart. */
  otherFiles: z.array(z.string()),
});
export type LabHunks = z.infer<typeof LabHunks>;

export const LabPictures = z.object({
  ...snapshot,
  /** One a function, then the total (`function` null). */
  histograms: z.array(
    z.object({
      function: z.string().nullable(),
      edges: z.array(z.number()),
      counts: z.array(Count),
      n: Count,
      estimate: MeanEstimate.nullable(),
    }),
  ),
  /**
   * Score against length within prompts: for each row the completion's length and the total, each minus its group's
   * mean. At most `points` rows, chosen evenly; the slope and correlation are over all.
   */
  length: z.object({
    points: z.array(z.object({ row: Row, length: z.number(), total: z.number() })),
    of: Count,
    /** Pearson's r within groups, and the slope in score a 100 characters; null where lengths or scores don't vary. */
    r: z.number().nullable(),
    slope: z.number().nullable(),
    groups: Count,
    unit: z.enum(["characters", "tokens"]),
  }),
});
export type LabPictures = z.infer<typeof LabPictures>;

export const LabelCounts = z.object({
  /** Sidecar's base name. */
  file: z.string(),
  labelled: Count,
  random: Count,
  hunting: Count,
  chosen: Count,
  good: Count,
  bad: Count,
  numbers: Count,
  pairs: Count,
  /** From a column of the data. */
  data: Count,
  /** Random outputs looked at in guided inspections, and how many make one complete. */
  looked: Count,
  lookedOf: Count,
  /** Lines of the sidecar that could not be read; they are kept. */
  problems: Count,
  /** Of rows labelled in the random stream that have a total: how many agree with it. Absent: not worked out. */
  agreement: z.object({ n: Count, agree: Count }).nullable().optional(),
});
export type LabelCounts = z.infer<typeof LabelCounts>;

export const LabelAct = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verdict"), row: Row, value: LabelValue, stream: LabelStream }),
  z.object({ kind: z.literal("pair"), better: Row, worse: Row, stream: LabelStream }),
  z.object({ kind: z.literal("clear"), row: Row }),
  z.object({ kind: z.literal("looked"), row: Row, stream: LabelStream }),
]);
export type LabelAct = z.infer<typeof LabelAct>;

/** Why a sample is in the queue. */
export const ReviewReason = z.enum(["random", "disagrees", "tied", "flipped", "large-update", "not-scored"]);
export const ReviewQueue = z.object({
  stream: LabelStream,
  items: z.array(z.object({ row: Row, reason: ReviewReason })).max(500),
  /** Samples of the stream without a label, before the limit. */
  left: Count,
});
export type ReviewQueue = z.infer<typeof ReviewQueue>;

/** What the Lab keeps over tab switch, reload and restart. */
export const LAB_STATE = 1;
export const LabState = z.object({
  v: z.literal(LAB_STATE),
  /** When it was kept, milliseconds since the epoch: of two keepings the later one counts. */
  at: z.number().optional(),
  tab: z.enum(["samples", "groups", "flips", "findings", "pictures", "review"]),
  detail: z.enum(["prompt", "completion", "columns", "output", "way", "why"]),
  /** Identity of the selected sample: positions move when the data does. */
  selected: z.object({ id: z.string(), row: Row }).nullable(),
  /** First visible row of the table, 0-based position in the filtered order. */
  scroll: z.number().nonnegative(),
  filter: z.string().max(2000),
  sort: LabQuery.shape.sort,
  grouped: z.boolean(),
  weights: LabQuery.shape.weights,
  columns: z.record(
    z.string(),
    z.object({ width: z.number().positive().optional(), hidden: z.boolean().optional() }),
  ),
  /** Shares of the panes, 0 to 1. */
  split: z.object({ editor: z.number().min(0).max(1), detail: z.number().min(0).max(1) }),
  /** The completion being tried, so that nothing typed is lost. */
  attempt: z.object({ id: z.string(), text: z.string().max(1_000_000) }).nullable(),
  /** Cursor and first visible line of the Lab's own editor. */
  editor: z.object({ line: Count, character: Count, top: Count }).nullable(),
});
export type LabState = z.infer<typeof LabState>;

export const EMPTY_LAB_STATE: LabState = {
  v: LAB_STATE,
  tab: "samples",
  detail: "completion",
  selected: null,
  scroll: 0,
  filter: "",
  sort: [],
  grouped: false,
  weights: null,
  columns: {},
  split: { editor: 0.42, detail: 0.36 },
  attempt: null,
  editor: null,
};
