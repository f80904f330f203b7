import { assertNever } from "../../base/assert";
import type { RecognitionReason, RewardFunction } from "../../schema/reward";
import type { Fate, ScoreState } from "../../schema/score";
import type { CallPlan } from "../../schema/worker";
import type { FunctionModel, SourceModel } from "../python/model";
import type { ContractContext, FateContext, Recognition, RewardContract } from "./contract";
import { ROW, STOPS, UNKNOWN } from "./fates";
import { hasForeignSignature, isForeignFile, isMarkedForeign } from "./foreign";
import { hasKwargs, isPrivate, isRewardName, isToolName, parameterNames, usersOf } from "./usage";

/** Parameters that take the completion, the surest first. */
const COMPLETION_NAMES = [
  "completion",
  "response",
  "completion_text",
  "response_text",
  "generation",
  "prediction",
  "model_output",
  "output",
  "text",
];

/**
 * Of these an ordinary helper may have any (`def extract(text)`), so they need a name like a reward's, or a return
 * annotation `float` or `bool`.
 */
const VAGUE_NAMES = new Set(["output", "text"]);

export function completionParameter(names: readonly string[]): string | null {
  return COMPLETION_NAMES.find((name) => names.includes(name)) ?? null;
}

function recognise(source: SourceModel, fn: FunctionModel): Recognition | null {
  if (isMarkedForeign(fn) || isPrivate(fn.name) || isToolName(fn.name)) return null;
  if (source.rewardFuncs.includes(fn.name) || isForeignFile(source) || hasForeignSignature(fn)) return null;
  const names = parameterNames(fn);
  const parameter = completionParameter(names);
  if (parameter === null || names.includes("completions")) return null;
  const number = givesNumber(fn);
  if (number === false) return null;
  const users = usersOf(source, fn);
  // What a batch function of the same file calls is a part of that reward.
  if (users.some((user) => parameterNames(user).includes("completions"))) return null;
  if (isRewardName(fn.name)) {
    const reasons: RecognitionReason[] = ["name-like-reward", "completion-parameter"];
    return { strength: 50, reasons };
  }
  if (users.length > 0 || number !== true) return null;
  if (VAGUE_NAMES.has(parameter) && !/^["']?(?:float|bool)\b/.test(fn.returns ?? "")) return null;
  return { strength: VAGUE_NAMES.has(parameter) ? 25 : 30, reasons: ["completion-parameter"] };
}

/** true: annotated or plainly written so; false: gives something else; null: can't be read from the text. */
function givesNumber(fn: FunctionModel): boolean | null {
  if (fn.returns !== null) return /^["']?(?:typing\.)?(?:Optional\[)?(?:float|int|bool)\b/.test(fn.returns);
  const kinds = fn.returnKinds.filter((kind) => kind !== "none");
  if (kinds.some((kind) => kind === "list" || kind === "string" || kind === "dict")) return false;
  return kinds.length > 0 && kinds.every((kind) => kind === "number") ? true : null;
}

/** By name, and only what the function asks for: the completion, the prompt, and columns. */
function plan(fn: RewardFunction, context: ContractContext): CallPlan {
  const names = fn.parameters
    .filter(({ kind }) => kind !== "args" && kind !== "kwargs")
    .map(({ name }) => name);
  const completion = completionParameter(names) ?? names[0];
  const list: CallPlan["arguments"] = [];
  for (const name of names) {
    if (name === completion) list.push({ name, from: "completion" });
    else if (context.columns.includes(name)) list.push({ name, from: "column", column: name });
    else if (name === "prompt") list.push({ name, from: "prompt" });
    else if (name === "completion_ids" || name === "token_ids") list.push({ name, from: "completion_ids" });
  }
  if (hasKwargs(fn)) list.push({ from: "columns" });
  return { unit: "sample", arguments: list, passing: "named", returns: "number", awaits: "callables" };
}

/**
 * No framework calls a plain function, so nothing catches, converts or limits: an exception ends the caller, a value
 * that isn't finite goes into every mean it is part of, and a None is no score.
 */
function fate(state: ScoreState, context: FateContext): Fate {
  switch (state) {
    case "scored":
      return ROW;
    case "cancelled":
    case "unscored":
    case "held":
      return UNKNOWN;
    case "non-finite":
      return { ...ROW, word: "poisons", scope: context.advantages === "batch" ? "batch" : "group" };
    case "not-applicable":
      if (context.reason === "no-tokens") return UNKNOWN;
      return { ...ROW, word: "ignored", inBaseline: false, inLoss: false };
    case "invalid-return":
    case "raised":
    case "crashed":
      return STOPS;
    case "timed-out":
      if (context.reason === "pass-timeout") return UNKNOWN;
      return { ...STOPS, waits: true };
    default:
      return assertNever(state);
  }
}

export const plain: RewardContract = {
  id: "plain",
  distribution: null,
  checked: null,
  recognise,
  plan,
  fate,
};
