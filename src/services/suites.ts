import type { Override } from "../core/contracts/registry";
import { ContractId } from "../schema/reward";
import { DEFAULT_TRAINER, type TrainerOptions } from "./composition";
import type { ResolvedSuite } from "./project";

/** Null batch: the settings say how many rows go into a call. */
export type SuiteTrainer = Omit<TrainerOptions, "batch"> & { readonly batch: number | null };

/** A suite's trainer settings and weights for the functions of one file, defaults for the rest. */
export function suiteTrainer(suite: ResolvedSuite | null, file: string): SuiteTrainer {
  const { framework, advantages, aggregation, batch } = suite?.trainer ?? {};
  const rewards = suite?.rewards.filter(({ path }) => path === file) ?? [];
  const group = suite?.mapping.group;
  return {
    framework: framework ?? DEFAULT_TRAINER.framework,
    advantages: advantages ?? DEFAULT_TRAINER.advantages,
    aggregation: aggregation ?? DEFAULT_TRAINER.aggregation,
    batch: batch ?? null,
    weights: Object.fromEntries(rewards.map((reward) => [reward.function, reward.weight])),
    groupSize: group?.by === "size" ? group.size : null,
  };
}

/** Contracts that a suite names for the functions of one file; one that it only lists is a reward all the same. */
export function suiteOverrides(suite: ResolvedSuite | null, file: string): Map<string, Override> {
  const rewards = suite?.rewards.filter(({ path, function: name }) => path === file && name !== "") ?? [];
  return new Map(
    rewards.map((reward): [string, Override] => {
      const contract = ContractId.safeParse(reward.contract);
      return [reward.function, { contract: contract.success ? contract.data : "auto", by: "project" }];
    }),
  );
}
