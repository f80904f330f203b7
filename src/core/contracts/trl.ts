import { assertNever } from "../../base/assert";
import type { RecognitionReason, RewardFunction } from "../../schema/reward";
import type { Fate, ScoreState } from "../../schema/score";
import type { CallPlan } from "../../schema/worker";
import { importsPackage } from "../python/imports";
import type { FunctionModel, SourceModel } from "../python/model";
import type { ContractContext, FateContext, Recognition, RewardContract } from "./contract";
import { ROW, STOPS, UNKNOWN } from "./fates";
import { hasForeignSignature, isForeignFile, isMarkedForeign } from "./foreign";
import { hasKwargs, isPrivate, isRewardName, isToolName, parameterNames, usersOf } from "./usage";
import { atLeast } from "./version";

/**
 * When what came into `GRPOTrainer`: read in `trl/trainer/grpo_trainer.py` of each release from 0.14.0 to 1.16.0.
 */
export const TRL_SINCE = {
  /** `reward if reward is not None else torch.nan`; before, a None fails in `torch.tensor`. */
  none: "0.16.0",
  completionIds: "0.18.0",
  trainerState: "0.20.0",
  /** `scale_rewards="batch"`. */
  batchScaling: "0.22.0",
  /** `async def` is awaited (`inspect.iscoroutinefunction`). */
  asyncFunctions: "0.27.0",
  /** `log_extra` and `log_metric`. */
  logging: "1.0.0",
  /** Rows for which all said None are NaN and left out (`unscorable_mask`), and advantages go through `nan_to_num`. */
  unscorable: "1.6.0",
  /** "returned N rewards, but M were expected"; before, one value was spread over the batch in silence. */
  countCheck: "1.10.0",
  /** `is_async_callable`: objects with an async `__call__` are awaited too. */
  asyncObjects: "1.14.0",
} as const;

/** Keywords that `GRPOTrainer` passes besides the columns, in its order. */
export function trlKeywords(version: string | null): string[] {
  return [
    "prompts",
    "completions",
    ...(atLeast(version, TRL_SINCE.completionIds) ? ["completion_ids"] : []),
    ...(atLeast(version, TRL_SINCE.trainerState) ? ["trainer_state"] : []),
    ...(atLeast(version, TRL_SINCE.logging) ? ["log_extra", "log_metric"] : []),
  ];
}

/** Parameters that the trainer itself may fill in some version: never columns. */
export const TRL_RESERVED: ReadonlySet<string> = new Set([
  "prompts",
  "completions",
  "completion_ids",
  "trainer_state",
  "log_extra",
  "log_metric",
  "environments",
]);

function recognise(source: SourceModel, fn: FunctionModel): Recognition | null {
  if (isMarkedForeign(fn)) return null;
  const unsloth: RecognitionReason[] = importsPackage(source.imports, "unsloth") ? ["imports-unsloth"] : [];
  if (source.rewardFuncs.includes(fn.name))
    return { strength: 100, reasons: ["in-reward-funcs", ...unsloth] };
  if (isPrivate(fn.name) || isToolName(fn.name) || hasForeignSignature(fn)) return null;
  const names = parameterNames(fn);
  const asks = names.includes("completions") || names.includes("completion_ids");
  if (!asks || source.rubricFuncs.includes(fn.name)) return null;
  const list =
    fn.returnKinds.includes("list") || /\b(?:list|List|Sequence|Iterable)\b/.test(fn.returns ?? "");
  const more: RecognitionReason[] = list ? ["returns-list"] : [];
  const kwargs = hasKwargs(fn);
  const imports = importsPackage(source.imports, "trl");
  if (imports || unsloth.length > 0) {
    if (!kwargs && isHelper(source, fn)) return null;
    const reasons: RecognitionReason[] = [...(imports ? (["imports-trainer"] as const) : []), ...unsloth];
    return {
      strength: 80,
      reasons: [...reasons, kwargs ? "completions-and-kwargs" : "completions-parameter", ...more],
    };
  }
  if (isForeignFile(source)) return null;
  if (kwargs) return { strength: 60, reasons: ["completions-and-kwargs", ...more] };
  if (isHelper(source, fn)) return null;
  const named = isRewardName(fn.name);
  if (!named && !list) return null;
  return {
    strength: 40,
    reasons: ["completions-parameter", ...more, ...(named ? (["name-like-reward"] as const) : [])],
  };
}

/** Used by another function of the file and not called like a reward. */
function isHelper(source: SourceModel, fn: FunctionModel): boolean {
  return !isRewardName(fn.name) && usersOf(source, fn).length > 0;
}

function plan(_fn: RewardFunction, context: ContractContext): CallPlan {
  const { version } = context;
  const list: CallPlan["arguments"] = [
    { name: "prompts", from: "prompt" },
    { name: "completions", from: "completion" },
  ];
  if (atLeast(version, TRL_SINCE.completionIds))
    list.push({ name: "completion_ids", from: "completion_ids" });
  list.push({ from: "columns" });
  if (atLeast(version, TRL_SINCE.trainerState)) list.push({ name: "trainer_state", from: "trainer_state" });
  if (atLeast(version, TRL_SINCE.logging)) {
    list.push({ name: "log_extra", from: "log_extra" }, { name: "log_metric", from: "log_metric" });
  }
  return {
    unit: "batch",
    arguments: list,
    passing: "keyword",
    returns: "list",
    awaits: atLeast(version, TRL_SINCE.asyncObjects) ? "callables" : "functions",
  };
}

/**
 * What `GRPOTrainer` makes of a state. `trl` 1.16.0, `trainer/grpo_trainer.py`, `_calculate_rewards` and
 * `_generate_and_score_completions`; there is no `try` around a reward function and no limit of time.
 */
function fate(state: ScoreState, context: FateContext): Fate {
  switch (state) {
    case "scored":
      // `torch.tensor(output_reward_func, dtype=torch.float32)`
      return ROW;
    case "non-finite":
      return context.reason === "nan" ? noneFate(context) : infiniteFate(context);
    case "not-applicable":
      // Without token ids here the function said nothing; in a run the trainer has them.
      return context.reason === "no-tokens" ? UNKNOWN : noneFate(context);
    case "invalid-return":
      // Not iterable, a coroutine, a text: TypeError or ValueError. Wrong count: ValueError since 1.10; before that
      // the assignment `rewards_per_func[:, i] = …` fails, except that a single value is spread over the batch.
      return STOPS;
    case "raised":
      return STOPS;
    case "crashed":
      // The function runs in the trainer's own process, so what ends the process ends the run.
      return STOPS;
    case "timed-out":
      // `pass-timeout`: our time was up before this row's turn; it says nothing of the row.
      if (context.reason === "pass-timeout") return UNKNOWN;
      return { ...STOPS, waits: true };
    case "cancelled":
    case "unscored":
    case "held":
      return UNKNOWN;
    default:
      return assertNever(state);
  }
}

/** A None, or a NaN, which the trainer doesn't tell apart: `reward if reward is not None else torch.nan`. */
function noneFate(context: FateContext): Fate {
  const nan = context.reason === "nan";
  if (!atLeast(context.version, TRL_SINCE.none)) {
    // `torch.tensor([None])` is a TypeError; a NaN goes through mean and std and makes the group's advantages NaN.
    return nan ? { ...ROW, word: "poisons", scope: "group" } : STOPS;
  }
  if (context.othersScored) {
    // sum_then_normalize: `(rewards_per_func * weights).nansum(dim=1)`: the part counts as 0 in the total.
    // normalize_then_sum: `reward_k … .nansum(dim=1)`: nothing is added, and `nanmean` leaves it out of its baseline.
    return context.aggregation === "normalize_then_sum"
      ? { ...ROW, word: "ignored", inBaseline: false }
      : { ...ROW, word: "zero", given: 0 };
  }
  if (!atLeast(context.version, TRL_SINCE.unscorable)) return { ...ROW, word: "zero", given: 0 };
  // `rewards[unscorable_mask] = torch.nan`, `nanmean`, `nan_to_num(advantages, nan=0.0)`: left out of the baseline,
  // advantage 0. Its tokens stay in the loss mask, so they still count in the normaliser (and the KL term if any).
  return { ...ROW, word: "ignored", inBaseline: false };
}

/**
 * One infinite value. group: mean and std of the group are inf and NaN, `nan_to_num` makes its advantages 0. batch:
 * the one std is NaN, so every advantage of the batch is 0. none: the others get inf below the mean,
 * `nan_to_num(-inf)` = −3.4e38, and the update ruins the model. normalize_then_sum scales by group whatever is set.
 * Before 1.6 there was no `nan_to_num`: NaN advantages make the loss NaN.
 */
function infiniteFate(context: FateContext): Fate {
  const poisons: Fate = { ...ROW, word: "poisons" };
  if (!atLeast(context.version, TRL_SINCE.unscorable)) return { ...poisons, scope: "run" };
  if (context.aggregation === "normalize_then_sum") return { ...poisons, scope: "group" };
  switch (context.advantages) {
    case "group":
      return { ...poisons, scope: "group" };
    case "batch":
      return { ...poisons, scope: "batch" };
    case "none":
      return { ...poisons, scope: "run" };
  }
}

export const trl: RewardContract = {
  id: "trl",
  distribution: "trl",
  checked: ["0.14.0", "1.16.0"],
  recognise,
  plan,
  fate,
};
