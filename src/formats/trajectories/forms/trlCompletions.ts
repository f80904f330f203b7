import { fieldsOf, isFields } from "../build";
import type { TrajectoryForm } from "../form";
import { type RewardColumns, rewardColumnsOf, rewardNames, stepInName, trlTrajectory } from "./trlRow";
import { weightsIn, weightsOf } from "./trlWeights";

const STATE = "../trainer_state.json";

function columnsOf(shared: unknown): RewardColumns {
  return rewardColumnsOf(fieldsOf(fieldsOf(shared)["metadata"])["pandas"]);
}

/**
 * TRL's `completions/completions_{step}.parquet` (TRL 1.13 and 1.16, `log_completions`). There is no group id: groups
 * are consecutive rows of one prompt.
 */
export const trlCompletions: TrajectoryForm = {
  id: "trl-completions",
  title: "TRL completions",
  framework: "trl",
  containers: ["parquet"],
  grouping: "runs",
  credit: null,
  recognise: ({ names }) => ["prompt", "completion", "advantage"].every((name) => names.includes(name)),
  beside: () => [STATE],
  learn(records, { name, shared, beside }) {
    const rows = records.filter(isFields);
    const known = columnsOf(shared);
    const names = rewardNames(rows, known);
    return weightsOf(rows, names, beside.get(STATE), stepInName(name));
  },
  read(record, context) {
    if (!isFields(record)) return [];
    return [trlTrajectory(record, columnsOf(context.shared), context, weightsIn(context.learnt))];
  },
};
