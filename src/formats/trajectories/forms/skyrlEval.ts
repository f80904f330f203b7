import { fieldsOf, finiteOf, isFields, listOf, others, taggedOf, textOr, trajectory } from "../build";
import type { TrajectoryForm } from "../form";
import { chatMessages } from "../chat";
import { promptAndAnswer } from "../templated";
import type { TaggedNumber } from "../../../schema/number";
import type { Trajectory } from "../../../schema/trajectory";

const KNOWN = new Set(["input_prompt", "output_response", "score", "stop_reason", "data_source"]);
const STEP = /^global_step_(\d+)_evals$/;

/**
 * SkyRL's `dumped_evals/global_step_N_evals/*.jsonl` (SkyRL 0.3.0 with skyrl-gym 0.4.0, commit a956457,
 * `dump_per_dataset_eval_results`): texts with special tokens; `score` a number or one for each token, whose sum is the
 * reward.
 */
export const skyrlEval: TrajectoryForm = {
  id: "skyrl-eval",
  title: "SkyRL evaluation dump",
  framework: "skyrl",
  containers: ["lines"],
  grouping: "prompt",
  credit: "per-token",
  recognise: ({ records }) =>
    records.some(
      (record) =>
        isFields(record) && "input_prompt" in record && "output_response" in record && "score" in record,
    ),
  read(record, { folders, problem }) {
    if (!isFields(record)) return [];
    const prompt = record["input_prompt"];
    const answer = textOr(record["output_response"]) ?? "";
    const text = textOr(prompt);
    const asked = chatMessages(prompt);
    const { messages, split } =
      text === null
        ? { messages: [...asked, ...chatMessages(record["output_response"], "assistant")], split: false }
        : promptAndAnswer(text, answer);
    const score = record["score"];
    const tokens = Array.isArray(score) ? score : null;
    const reward = tokens === null ? taggedOf(score) : sumOf(tokens);
    if (reward === null && score !== null && score !== undefined)
      problem("The score is neither a number nor a list of numbers.");
    const stop = textOr(record["stop_reason"]);
    const folder = folders.map((name) => STEP.exec(name)?.[1]).find((step) => step !== undefined);
    return [
      trajectory({
        step: folder === undefined ? null : Number(folder),
        split: "eval",
        task: textOr(record["data_source"]),
        messages,
        reward,
        credit: tokens === null ? null : "per-token",
        outcome: { kind: outcomeOf(stop), inFile: stop },
        reference: fieldsOf(fieldsOf(record["env_extras"])["reward_spec"])["ground_truth"] ?? null,
        columns: {
          ...others(record, KNOWN),
          data_source: record["data_source"] ?? null,
          ...(tokens === null ? {} : { token_scores: tokens }),
          ...(split ? { input_prompt: text ?? "", output_response: answer } : {}),
        },
      }),
    ];
  },
};

/** Null where the list is empty or one of it is no number: no reward is not 0. */
function sumOf(scores: readonly unknown[]): TaggedNumber | null {
  const numbers = listOf(scores).map((score) => finiteOf(score));
  if (numbers.length === 0 || numbers.some((number) => number === null))
    return scores.length === 1 ? taggedOf(scores) : null;
  return numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0);
}

function outcomeOf(stop: string | null): Trajectory["outcome"]["kind"] {
  if (stop === "stop" || stop === "eos") return "finished";
  if (stop === "length") return "length";
  if (stop === "abort") return "cancelled";
  return "unknown";
}
