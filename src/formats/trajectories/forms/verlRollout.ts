import type { Fields } from "../build";
import {
  isFields,
  nameOf,
  numberOf,
  others,
  taggedFields,
  taggedOf,
  textMessage,
  textOr,
  trajectory,
} from "../build";
import type { TrajectoryForm } from "../form";

const KNOWN = new Set(["input", "output", "score", "step", "gts", "request_id", "uid", "reward"]);

/**
 * `trainer.rollout_data_dir` and `validation_data_dir` of verl: `{step}.jsonl`, one object a rollout with the templated
 * texts (verl 0.9.1, `RayPPOTrainer._dump_generations`). Further keys are lists of the reward function's extra info.
 */
export const verlRollout: TrajectoryForm = {
  id: "verl-rollout",
  title: "verl rollout dump",
  framework: "verl",
  containers: ["lines"],
  grouping: "prompt",
  credit: "last-token",
  recognise: ({ records }) =>
    records.some(
      (record) => isFields(record) && "input" in record && "output" in record && "score" in record,
    ),
  read(record, { problem }) {
    if (!isFields(record)) return [];
    const input = textOr(record["input"]);
    const output = textOr(record["output"]);
    if (input === null && output === null) problem("The record has neither an input nor an output.");
    return [
      trajectory({
        id: nameOf(record["request_id"]) ?? nameOf(record["uid"]),
        step: numberOf(record["step"]),
        messages: [
          textMessage("user", input ?? ""),
          textMessage("assistant", output ?? "", { sampled: true }),
        ],
        reward: taggedOf(record["score"]),
        rewards: components(record),
        reference: record["gts"] ?? null,
        columns: others(record, KNOWN),
      }),
    ];
  },
};

/** Number columns that the reward function returned beside `score`. */
function components(record: Fields): ReturnType<typeof taggedFields> {
  const extra = Object.entries(others(record, KNOWN)).filter(([, value]) => numberOf(value) !== null);
  return taggedFields(Object.fromEntries(extra));
}
