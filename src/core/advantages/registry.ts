import type { AdvantageRule } from "./rule";
import { TRL_RULES } from "./trl";

export const ADVANTAGE_RULES: readonly AdvantageRule[] = [...TRL_RULES];

/**
 * The rule that a suite's trainer settings ask for. Plain functions belong to no trainer; they are shown under TRL's
 * formula, which the report names.
 */
export function advantageRule(trainer: {
  readonly advantages: "group" | "batch" | "none";
  readonly aggregation: "sum_then_normalize" | "normalize_then_sum";
}): AdvantageRule {
  const id =
    trainer.aggregation === "normalize_then_sum" ? "trl.normalize-then-sum" : `trl.${trainer.advantages}`;
  const rule = ADVANTAGE_RULES.find((r) => r.id === id);
  if (rule === undefined) throw new Error(`No advantage rule ${id}`);
  return rule;
}
