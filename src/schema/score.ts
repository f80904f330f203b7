import * as z from "zod";
import { TaggedNumber } from "./number";

/** What happened when one sample was scored. Only `scored` (finite) enters a mean. */
export const SCORE_STATES = [
  "scored",
  "non-finite",
  "not-applicable",
  "invalid-return",
  "raised",
  "timed-out",
  "crashed",
  "cancelled",
  "unscored",
  "held",
] as const;
export const ScoreState = z.enum(SCORE_STATES);
export type ScoreState = z.infer<typeof ScoreState>;

/** Kinds of side effect that the live guard stops until the user allows them for a function. */
export const SideEffect = z.enum(["connect", "process", "write", "remove"]);
export type SideEffect = z.infer<typeof SideEffect>;

/** Why a row is not `scored`; the host chooses the words, `text` is the raw Python message where there is one. */
export const ReasonCode = z.enum([
  "exception",
  "signature",
  "wrong-count",
  "not-a-list",
  "wrong-type",
  "coroutine",
  "no-tokens",
  "none",
  "nan",
  "infinite",
  "row-timeout",
  "pass-timeout",
  "memory",
  "exit",
  "signal",
  "user-cancelled",
  "side-effect",
  "module",
]);
export type ReasonCode = z.infer<typeof ReasonCode>;

export const Reason = z.object({
  code: ReasonCode,
  /** Python's own words: exception type and message, signal name, what was returned. */
  text: z.string().max(4000).optional(),
  /** Exception type name, e.g. `ValueError`. */
  type: z.string().max(200).optional(),
  /** 1-based line in the reward file (innermost frame there), or where a hang stood. */
  line: z.number().int().positive().optional(),
  /** Rendered traceback relative to the user's file, capped. */
  traceback: z.string().max(20_000).optional(),
  effect: SideEffect.optional(),
  /** Address, program or path of the side effect. */
  target: z.string().max(2000).optional(),
  expected: z.number().int().optional(),
  got: z.number().int().optional(),
});
export type Reason = z.infer<typeof Reason>;

export const RowScore = z.object({
  /** 0-based position in the sample set. */
  row: z.number().int().nonnegative(),
  id: z.string(),
  group: z.string(),
  state: ScoreState,
  /** Present for `scored` and `non-finite` only. */
  value: TaggedNumber.nullable(),
  /** Scored alone after its batch failed: shown, but the trainer would never have seen it. */
  recovered: z.boolean(),
  reason: Reason.nullable(),
  /** What user code printed while this row (or its batch) ran, capped. */
  output: z.string().nullable(),
  /** Milliseconds: the row's own call, or the batch's time divided by its rows. */
  ms: z.number().nonnegative(),
});
export type RowScore = z.infer<typeof RowScore>;

/** What the trainer does with a state, by version and configuration (SCIENCE §1). */
export const Fate = z.object({
  /**
   * `value`: used as it is; `zero`: trains on 0; `ignored`: left out; `stops`: the run stops; `poisons`: spoils others
   * too; `unknown`: in a run the function would have said something, and what isn't known here.
   */
  word: z.enum(["value", "zero", "ignored", "stops", "poisons", "unknown"]),
  /** The number the trainer uses, where it uses one. */
  given: TaggedNumber.nullable(),
  inBaseline: z.boolean(),
  inLoss: z.boolean(),
  scope: z.enum(["row", "group", "batch", "run"]),
  retries: z.number().int().nonnegative(),
  /** The trainer waits without limit (no timeout of its own). */
  waits: z.boolean(),
});
export type Fate = z.infer<typeof Fate>;
