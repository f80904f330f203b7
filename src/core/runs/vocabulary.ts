import type { RunMetric } from "../../schema/runView";
import { ALIASES, type Alias, type Framework } from "./aliases";

export type Direction = "higher" | "lower" | null;

/** What a metric is: `direction` says which way is better, null where neither is by itself. */
export interface Meaning {
  readonly id: string;
  readonly panel: string;
  readonly unit: RunMetric["unit"];
  readonly direction: Direction;
}

/** Every id but `other/…`; those that end in `/` have a name after it. One panel has one unit: its metrics share an axis. */
export const MEANINGS: readonly (Meaning & { readonly means: string })[] = [
  meaning("reward", "reward", "reward", "higher", "mean total reward of the step's completions"),
  meaning("reward/", "reward", "reward", "higher", "mean of one reward function, component or environment"),
  meaning("reward-with-kl", "reward", "reward", "higher", "mean reward after the trainer's KL penalty"),
  meaning("reward-min", "reward", "reward", null, "lowest total reward of the step"),
  meaning("reward-max", "reward", "reward", null, "highest total reward of the step"),
  meaning(
    "reward-spread",
    "reward-spread",
    "reward",
    null,
    "standard deviation of the total reward within groups",
  ),
  meaning("reward-spread/", "reward-spread", "reward", null, "standard deviation of one component"),
  meaning("eval-reward", "evaluation", "reward", "higher", "mean reward on the evaluation set"),
  meaning("eval-reward/", "evaluation", "reward", "higher", "mean reward of one part of the evaluation set"),
  meaning(
    "success",
    "success",
    "share",
    "higher",
    "share of tasks that were solved, by a measure that isn't the reward",
  ),
  meaning("success/", "success", "share", "higher", "the same, by name"),
  meaning("eval-success", "success", "share", "higher", "share of evaluation tasks that were solved"),
  meaning("eval-success/", "success", "share", "higher", "the same, by name"),
  meaning("unsafe", "failures", "share", "lower", "share of rollouts that did what they must not"),
  meaning(
    "invalid",
    "failures",
    "share",
    "lower",
    "share of rollouts that gave no valid result (exceptions, errors, aborts)",
  ),
  meaning("empty", "failures", "share", "lower", "share of rollouts without an answer"),
  meaning("tool-failures", "failures", "share", "lower", "share of tool calls that failed"),
  meaning("tied", "groups", "share", "lower", "share of groups without any spread of rewards"),
  meaning("tied-right", "groups", "share", null, "share of groups in which all are right"),
  meaning("tied-wrong", "groups", "share", null, "share of groups in which all are wrong"),
  meaning("mixed", "groups", "share", "higher", "share of groups in which rewards differ"),
  meaning("filter-passed", "groups", "share", null, "share of groups that the trainer's own filter kept"),
  meaning("filtered", "groups-count", "count", "lower", "groups that the trainer's own filter dropped"),
  meaning("length", "length", "tokens", null, "mean length of the completions"),
  meaning("length-min", "length", "tokens", null, "shortest completion"),
  meaning("length-max", "length", "tokens", null, "longest completion"),
  meaning("length-finished", "length", "tokens", null, "mean length of completions that ended by themselves"),
  meaning("length-finished-min", "length", "tokens", null, "shortest of those"),
  meaning("length-finished-max", "length", "tokens", null, "longest of those"),
  meaning("sequence-length", "length", "tokens", null, "mean length of prompt and completion"),
  meaning("prompt-length", "length", "tokens", null, "mean length of the prompts"),
  meaning("truncated", "truncation", "share", "lower", "share of completions cut off by a limit"),
  meaning("turns", "turns", "count", null, "mean turns of a rollout"),
  meaning("tool-calls", "turns", "count", null, "mean tool calls of a rollout"),
  meaning("entropy", "entropy", "nats", null, "mean entropy of the policy at a token"),
  meaning("kl", "kl", "nats", null, "KL divergence to the reference policy, at a token"),
  meaning(
    "policy-change",
    "kl",
    "nats",
    null,
    "KL divergence to the policy that sampled (or to that of the last update)",
  ),
  meaning(
    "gap",
    "gap",
    "nats",
    "lower",
    "train / inference gap: KL or log-probability difference between trainer and sampler",
  ),
  meaning(
    "gap-max",
    "gap",
    "nats",
    "lower",
    "largest log-probability difference between trainer and sampler",
  ),
  meaning("gap-ratio", "gap-ratio", "none", null, "importance ratio between trainer and sampler"),
  meaning("clipped", "clip", "share", null, "share of tokens (or sequences) whose ratio was clipped"),
  meaning("clipped-low", "clip", "share", null, "the same, at the lower bound"),
  meaning("clipped-high", "clip", "share", null, "the same, at the upper bound"),
  meaning("staleness", "staleness", "versions", "lower", "policy versions between sampling and training"),
  meaning("grad-norm", "grad-norm", "none", null, "norm of the gradient before it is clipped"),
  meaning("loss", "loss", "none", null, "the trainer's loss; no measure of progress in GRPO"),
  meaning("advantage", "advantage", "none", null, "mean advantage"),
  meaning("learning-rate", "learning-rate", "none", null, "learning rate"),
  meaning("step-time", "step-time", "seconds", "lower", "time of one step"),
  meaning("sampling-time", "step-time", "seconds", "lower", "time of generation in a step"),
  meaning("reward-time", "step-time", "seconds", "lower", "time of rewards in a step"),
  meaning("training-time", "step-time", "seconds", "lower", "time of the update in a step"),
  meaning("tokens-seen", "tokens", "tokens", null, "tokens processed since the start"),
  meaning("cost", "cost", "currency", "lower", "money spent"),
  meaning("epoch", "progress", "none", null, "passes over the data"),
];

const BY_ID = new Map(MEANINGS.map((one) => [one.id, one]));

/** Which frameworks' names a reader's file has; several in the order they are looked up. */
const FRAMEWORKS_OF: Readonly<Record<string, readonly Framework[]>> = {
  "trl-console": ["trl"],
  "trainer-state": ["trl"],
  "verl-file": ["verl"],
  "verl-console": ["verl"],
  "art-history": ["art"],
  "nemo-rl-console": ["nemo-rl"],
  "prime-rl-metrics": ["prime-rl"],
  "tinker-metrics": ["tinker", "skyrl"],
  openrlhf: ["openrlhf"],
  // A script logs under its framework's names, and there is no telling which from the file alone.
  "rewardsmith-log": [
    "trl",
    "verl",
    "prime-rl",
    "tinker",
    "nemo-rl",
    "art",
    "openrlhf",
    "skyrl",
    "areal",
    "plain",
  ],
  "step-lines": [
    "prime-rl",
    "tinker",
    "art",
    "skyrl",
    "areal",
    "nemo-rl",
    "openrlhf",
    "plain",
    "trl",
    "verl",
  ],
};

/**
 * The meaning of a framework's own name. The reader settles what a name alone doesn't: `clip_ratio` is clipping of the
 * update in TRL, and verl's `response_length/clip_ratio` is truncation. A name that isn't known is `other/<name>`, in a
 * panel of its own as its unit isn't known either.
 */
export function meaningOf(name: string, reader: string): Meaning {
  for (const framework of FRAMEWORKS_OF[reader] ?? ["plain"]) {
    for (const alias of ALIASES[framework]) {
      const id = idBy(alias, name);
      const known = id === null ? null : knownMeaning(id);
      if (known) return known;
    }
  }
  return { id: `other/${name}`, panel: `other/${name}`, unit: "none", direction: null };
}

/** `reward/NAME` has the meaning of `reward/` under its own id; null: no such id. */
export function knownMeaning(id: string): Meaning | null {
  const slash = id.indexOf("/");
  const found = BY_ID.get(slash < 0 ? id : id.slice(0, slash + 1));
  if (!found || (slash >= 0 && slash === id.length - 1)) return null;
  const { panel, unit, direction } = found;
  return { id, panel, unit, direction };
}

function idBy([pattern, id]: Alias, name: string): string | null {
  if (!pattern.includes("*")) return pattern === name ? id : null;
  const [before = "", after = ""] = pattern.split("*");
  const end = after.endsWith("#") ? after.slice(0, -1) + (/\d+$/.exec(name)?.[0] ?? "#") : after;
  if (name.length <= before.length + end.length) return null;
  if (!name.startsWith(before) || !name.endsWith(end)) return null;
  return id.replace("*", () => name.slice(before.length, name.length - end.length));
}

function meaning(id: string, panel: string, unit: Meaning["unit"], direction: Direction, means: string) {
  return { id, panel, unit, direction, means };
}
