import { fieldsOf, isFields } from "../build";
import type { TrajectoryForm } from "../form";
import { rewardColumnsOf, trlTrajectory } from "./trlRow";

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
  read(record, context) {
    if (!isFields(record)) return [];
    const metadata = fieldsOf(fieldsOf(context.shared)["metadata"]);
    return [trlTrajectory(record, rewardColumnsOf(metadata["pandas"]), context)];
  },
};
