import { importsPackage } from "../python/imports";
import type { FunctionModel, SourceModel } from "../python/model";

/** Decorators by which other frameworks mark what they call (last part of the dotted name). */
const DECORATORS = new Set([
  "reward_function",
  "evaluation_test",
  "reward",
  "metric",
  "advantage",
  "evaluator",
  "rollout",
  "scorer",
]);

/** Base classes of other frameworks' reward objects. */
const BASES = new Set([
  "EnvironmentInterface",
  "SimpleResourcesServer",
  "BaseTextEnv",
  "ProblemEnv",
  "Env",
  "EnvGroupBuilder",
  "Rubric",
  "Environment",
  "BaseEnv",
  "RewardFunction",
  "RewardManagerBase",
  "AbstractRewardManager",
  "RolloutWorkflow",
  "AgentInstanceBase",
]);

/** Sets of parameters that only one other framework passes. */
const SIGNATURES: readonly (readonly string[])[] = [
  ["data_source", "solution_str"],
  ["data_sources", "solution_strs"],
  ["solution_str", "ground_truth"],
  ["queries", "labels"],
  ["queries", "prompts"],
  ["prompt_ids", "completion_ids"],
  ["sample", "item"],
  ["state", "target"],
  ["task", "episode"],
  ["messages", "ground_truth"],
];

const PACKAGES = [
  "verifiers",
  "verl",
  "openrlhf",
  "areal",
  "nemo_rl",
  "nemo_gym",
  "skyrl_gym",
  "rllm",
  "atroposlib",
  "eval_protocol",
  "reward_kit",
  "inspect_ai",
  "tinker_cookbook",
  "openenv",
  "art",
];

function last(dotted: string): string {
  return dotted.split(".").pop() ?? dotted;
}

/** The marks of another framework on the function itself: nothing of ours outweighs them. */
export function isMarkedForeign(fn: FunctionModel): boolean {
  if (fn.decorators.some((decorator) => DECORATORS.has(last(decorator)))) return true;
  return fn.bases.some((base) => BASES.has(last(base)));
}

/** Name or parameters that say another framework calls it. */
export function hasForeignSignature(fn: FunctionModel): boolean {
  const names = new Set(fn.parameters.map((parameter) => parameter.name));
  if (/^compute_score(?:_batch(?:ed)?)?$/.test(fn.name)) return true;
  if (SIGNATURES.some((signature) => signature.every((name) => names.has(name)))) return true;
  // verifiers v0 hands its rollout state around; a plain function has no such thing.
  if (names.has("completion") && (names.has("state") || names.has("info") || names.has("parser")))
    return true;
  return /(?:^|\.)(?:Trajectory|EvaluateResult|EvaluationRow|Score|StepResult|EvalOutput)\b/.test(
    (fn.returns ?? "").replaceAll('"', ""),
  );
}

/** The file is written for another framework. */
export function isForeignFile(source: SourceModel): boolean {
  return (
    importsPackage(source.imports, ...PACKAGES) ||
    source.rubricFuncs.length > 0 ||
    source.functions.some((fn) => fn.name === "load_environment")
  );
}
