import type { FunctionModel, SourceModel } from "../python/model";

/** A name that says the function gives marks. */
const REWARD_NAME =
  /reward|score|scor(?:er|ing)|grad(?:e|er|ing)(?![a-z])|correct|accura|penalt|bonus|judge|verif(?:y|ier)|rating|fitness|^r_|^rm_/i;

export function isRewardName(name: string): boolean {
  return REWARD_NAME.test(name);
}

export function isPrivate(name: string): boolean {
  return name.startsWith("_");
}

/** Names that tools call, never a trainer. */
export function isToolName(name: string): boolean {
  return /^(?:test_|main$|setup$|teardown)/.test(name);
}

export function parameterNames(fn: FunctionModel): string[] {
  return fn.parameters.filter(({ kind }) => kind !== "args" && kind !== "kwargs").map(({ name }) => name);
}

export function hasKwargs(fn: { readonly parameters: FunctionModel["parameters"] }): boolean {
  return fn.parameters.some(({ kind }) => kind === "kwargs");
}

/** Functions of the file whose bodies use this one. */
export function usersOf(source: SourceModel, fn: FunctionModel): FunctionModel[] {
  return source.functions.filter((other) => other.name !== fn.name && other.mentions.has(fn.name));
}
