import type { ContractId, FileModel, RecognitionReason, RewardFunction } from "../../schema/reward";
import { parseSource } from "../python/source";
import type { FunctionModel, SourceModel } from "../python/model";
import type { RewardContract } from "./contract";
import { completionParameter, plain } from "./plain";
import { TRL_RESERVED, trl } from "./trl";
import { hasKwargs, parameterNames } from "./usage";

/** In the order in which equal strengths are taken. */
export const CONTRACTS: readonly RewardContract[] = [trl, plain];

export function contractOf(id: ContractId): RewardContract {
  return id === "trl" ? trl : plain;
}

/** What a user or `rewardsmith.json` says of a function, whatever the text looks like. */
export interface Override {
  /** `auto`: a reward, of the contract that fits; `none`: not a reward. */
  readonly contract: ContractId | "auto" | "none";
  readonly by: "user" | "project";
}

/** By function name. */
export type Overrides = ReadonlyMap<string, Override>;

const NO_OVERRIDES: Overrides = new Map();

/** The reward functions of a file, in the order of their text; of a name defined twice the last, as Python does. */
export function modelFile(
  path: string,
  version: number,
  text: string,
  overrides: Overrides = NO_OVERRIDES,
): FileModel {
  return modelOf(path, version, parseSource(text), overrides);
}

/** As `modelFile`, for a text that is parsed already. */
export function modelOf(
  path: string,
  version: number,
  source: SourceModel,
  overrides: Overrides = NO_OVERRIDES,
): FileModel {
  const last = new Map(source.functions.map((fn) => [fn.name, fn]));
  const functions = source.functions
    .filter((fn) => last.get(fn.name) === fn)
    .flatMap((fn) => rewardOf(source, fn, overrides.get(fn.name)) ?? []);
  return { path, version, functions, broken: source.broken };
}

function rewardOf(
  source: SourceModel,
  fn: FunctionModel,
  override: Override | undefined,
): RewardFunction | null {
  if (override?.contract === "none") return null;
  const best = CONTRACTS.flatMap((contract) => {
    const recognition = contract.recognise(source, fn);
    return recognition ? [{ id: contract.id, ...recognition }] : [];
  }).sort((a, b) => b.strength - a.strength)[0];
  if (!override) return best ? toReward(fn, best.id, best.reasons) : null;
  const id = override.contract === "auto" ? (best?.id ?? guess(fn)) : override.contract;
  const chosen: RecognitionReason = override.by === "user" ? "chosen-by-user" : "chosen-by-project";
  return toReward(fn, id, [chosen, ...(best?.id === id ? best.reasons : [])]);
}

/** A function that was chosen and that no contract recognises. */
function guess(fn: FunctionModel): ContractId {
  const names = parameterNames(fn);
  if (names.some((name) => TRL_RESERVED.has(name))) return "trl";
  return completionParameter(names) === null && hasKwargs(fn) ? "trl" : "plain";
}

function toReward(
  fn: FunctionModel,
  contract: ContractId,
  reasons: readonly RecognitionReason[],
): RewardFunction {
  return {
    name: fn.name,
    line: fn.range.start.line,
    range: fn.range,
    nameRange: fn.nameRange,
    contract,
    reasons: [...reasons],
    isAsync: fn.isAsync,
    parameters: fn.parameters,
    columns: columnsOf(fn, contract),
  };
}

/** Columns that a function asks for: by parameter, or by key of its `**kwargs`. */
export function columnsOf(fn: FunctionModel, contract: ContractId): RewardFunction["columns"] {
  const names = parameterNames(fn);
  const own = contract === "plain" ? (completionParameter(names) ?? names[0]) : undefined;
  const provided = contract === "trl" ? TRL_RESERVED : new Set(["prompt", "completion_ids", "token_ids"]);
  const columns = new Map<string, boolean>();
  for (const { name, kind, hasDefault } of fn.parameters) {
    if (kind === "args" || kind === "kwargs" || name === own || provided.has(name)) continue;
    columns.set(name, !hasDefault);
  }
  const asked = new Set(fn.kwargsKeys.filter(({ how }) => how !== "index").map(({ name }) => name));
  for (const { name } of fn.kwargsKeys) {
    if (!columns.has(name) && !provided.has(name)) columns.set(name, !asked.has(name));
  }
  return [...columns].map(([name, required]) => ({ name, required }));
}
