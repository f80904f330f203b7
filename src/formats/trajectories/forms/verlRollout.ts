import type { Fields } from "../build";
import { entriesOf, isFields, nameOf, numberOf, others, taggedOf, textOr, trajectory } from "../build";
import type { TrajectoryForm } from "../form";
import { promptAndAnswer } from "../templated";
import type { TaggedNumber } from "../../../schema/number";

const KNOWN = new Set(["input", "output", "score", "step", "gts", "request_id", "uid"]);

/**
 * `trainer.rollout_data_dir` and `validation_data_dir` of verl: `{step}.jsonl`, one object a rollout with the templated
 * texts, special tokens skipped (verl 0.9.1, `RayPPOTrainer._dump_generations`: v0 trainer with the reward function's
 * extra info and `request_id`; v1 trainer with `uid`, `{sample}_{rollout}_{output}`, and for training nothing else).
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
  read(record, { problem, name, folders }) {
    if (!isFields(record)) return [];
    const input = textOr(record["input"]);
    const output = textOr(record["output"]);
    if (input === null && output === null) problem("The record has neither an input nor an output.");
    const { messages, split } = promptAndAnswer(input ?? "", output ?? "");
    const uid = nameOf(record["uid"]);
    return [
      trajectory({
        id: nameOf(record["request_id"]) ?? uid,
        group: /^(.+)_\d+_\d+$/.exec(uid ?? "")?.[1] ?? null,
        step: numberOf(record["step"]) ?? stepOfName(name),
        split: folders.some((folder) => /^val/i.test(folder)) ? "val" : null,
        messages,
        reward: taggedOf(record["score"]),
        rewards: components(record),
        reference: record["gts"] ?? null,
        columns: {
          ...others(record, KNOWN),
          // What the reward function was given: the messages are only a view of it.
          ...(split ? { input: input ?? "", output: output ?? "" } : {}),
        },
      }),
    ];
  },
};

function stepOfName(name: string): number | null {
  const step = /^(\d+)\.jsonl$/.exec(name)?.[1];
  return step === undefined ? null : Number(step);
}

/** Extracted answers are numbers too, and no components: these are names that they go by. */
const ANSWERS = /^(pred|prediction|answer|extracted|gold|label|target|ground_truth|index)/i;

/** Number columns that the reward function returned beside `score`; numbers written through `str` keep their point. */
function components(record: Fields): Record<string, TaggedNumber | null> {
  const extra = Object.entries(others(record, KNOWN)).filter(
    ([key, value]) =>
      !ANSWERS.test(key) &&
      numberOf(value) !== null &&
      (typeof value !== "string" || /^(true|false|-?\d+\.\d+(e[-+]?\d+)?|-?inf|nan)$/i.test(value)),
  );
  return entriesOf(extra.map(([key, value]) => [key, taggedOf(value)]));
}
