import { own } from "../base/own";
import { advantageRule } from "../core/advantages/registry";
import type { AdvantageRule } from "../core/advantages/rule";
import type { ContractContext } from "../core/contracts/contract";
import { contractOf } from "../core/contracts/registry";
import { isChecked } from "../core/contracts/version";
import type { SampleTable } from "../core/scoring/table";
import type { FateOf } from "../core/scoring/totals";
import type { ScoreReport } from "../schema/report";
import type { RewardFunction } from "../schema/reward";
import type { SideEffect } from "../schema/score";
import type { CallPlan, Job, Ready } from "../schema/worker";

/** What a suite, the settings or the command line say of the trainer. */
export interface TrainerOptions {
  readonly framework: ScoreReport["trainer"]["framework"];
  readonly advantages: ScoreReport["trainer"]["advantages"];
  readonly aggregation: ScoreReport["trainer"]["aggregation"];
  /** Completions in one call. */
  readonly batch: number;
  /** By function name; 1 where there is none. */
  readonly weights: Readonly<Record<string, number>>;
  /** Completions of one prompt that the trainer samples; null = not said. */
  readonly groupSize: number | null;
}

export const DEFAULT_TRAINER: Omit<TrainerOptions, "batch"> & { readonly batch: null } = {
  framework: "trl",
  advantages: "group",
  aggregation: "sum_then_normalize",
  batch: null,
  weights: {},
  groupSize: null,
};

export interface ComposedFunction {
  readonly fn: RewardFunction;
  readonly plan: CallPlan;
  readonly fate: FateOf;
  readonly weight: number;
}

/** Reward functions with all that is known once interpreter, samples and trainer are. */
export interface Composition {
  readonly functions: readonly ComposedFunction[];
  readonly rule: AdvantageRule;
  /** What the trainer's own contract is told. */
  readonly context: ContractContext;
  readonly groupSize: number | null;
  readonly trainer: Pick<
    ScoreReport["trainer"],
    "framework" | "version" | "checked" | "advantages" | "aggregation" | "batch"
  >;
}

export function compose(
  functions: readonly RewardFunction[],
  table: SampleTable,
  ready: Pick<Ready, "packages">,
  trainer: TrainerOptions,
): Composition {
  const versionOf = (contract: RewardFunction["contract"]): string | null => {
    const { distribution } = contractOf(contract);
    return distribution === null ? null : (ready.packages[distribution] ?? null);
  };
  const contextOf = (contract: RewardFunction["contract"]): ContractContext => ({
    version: versionOf(contract),
    advantages: trainer.advantages,
    aggregation: trainer.aggregation,
    shape: table.info.shape,
    columns: [...table.columns.keys()],
    hasTokens: table.completionIds !== null,
  });
  const composed = functions.map((fn): ComposedFunction => {
    const contract = contractOf(fn.contract);
    const context = contextOf(fn.contract);
    return {
      fn,
      plan: contract.plan(fn, context),
      fate: (state, othersScored, reason) => contract.fate(state, { ...context, othersScored, reason }),
      weight: own(trainer.weights, fn.name) ?? 1,
    };
  });
  const context = contextOf(trainer.framework);
  const { version } = context;
  const { group } = table.info.mapping;
  return {
    functions: composed,
    rule: advantageRule(trainer),
    context,
    groupSize: trainer.groupSize ?? (group.by === "size" ? group.size : null),
    trainer: {
      framework: trainer.framework,
      version,
      checked: isChecked(version, contractOf(trainer.framework).checked),
      advantages: trainer.advantages,
      aggregation: trainer.aggregation,
      batch: trainer.batch,
    },
  };
}

export function jobFunctions(
  { functions }: Composition,
  allow: (name: string) => readonly SideEffect[],
): Job["functions"] {
  return functions.map(({ fn, plan }) => ({ name: fn.name, plan, allow: [...allow(fn.name)] }));
}
