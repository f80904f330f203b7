import { finiteOf, isFields, nameOf, others, taggedOf, textOr, trajectory } from "../build";
import type { TrajectoryForm } from "../form";
import { promptAndAnswer } from "../templated";
import type { Message } from "../../../schema/trajectory";

const KNOWN = new Set([
  "task_id",
  "sample_idx",
  "prompt",
  "completion",
  "reward",
  "head_version",
  "tail_version",
  "seqlen",
  "prompt_len",
]);

/**
 * AReaL's `{rollout | eval-rollout}/{tail_version}/{task_id}.jsonl` (AReaL 1.0.4, `WorkflowExecutor._dump_trajectory`).
 * The file's cut between prompt and completion is a number of tokens; over several turns it falls on no turn's edge.
 */
export const areal: TrajectoryForm = {
  id: "areal-rollout",
  title: "AReaL rollout dump",
  framework: "areal",
  containers: ["lines"],
  grouping: "given",
  credit: null,
  recognise: ({ records }) =>
    records.some(
      (record) =>
        isFields(record) && "task_id" in record && "sample_idx" in record && "tail_version" in record,
    ),
  read(record, { folders }) {
    if (!isFields(record)) return [];
    const prompt = textOr(record["prompt"]) ?? "";
    const completion = textOr(record["completion"]) ?? "";
    const { messages, split } = promptAndAnswer(prompt, completion);
    const [task, sample] = [nameOf(record["task_id"]), nameOf(record["sample_idx"])];
    const head = finiteOf(record["head_version"]);
    const tail = finiteOf(record["tail_version"]);
    const length = finiteOf(record["seqlen"]);
    const asked = finiteOf(record["prompt_len"]);
    const usage = { input: asked, output: length === null || asked === null ? null : length - asked };
    return [
      trajectory({
        id: task === null || sample === null ? null : `${task}:${sample}`,
        group: task,
        step: tail,
        split: folders.includes("eval-rollout") ? "eval" : folders.includes("rollout") ? "train" : null,
        messages:
          split && !/assistant(?:<\|end_header_id\|>)?\s*$/.test(prompt) ? undecided(messages) : messages,
        reward: taggedOf(record["reward"]),
        policy: head === null || tail === null ? null : { from: head, to: tail },
        usage: usage.input === null && usage.output === null ? null : usage,
        columns: { ...others(record, KNOWN), ...(split ? { prompt, completion } : {}) },
      }),
    ];
  },
};

/** Over several turns the cut doesn't say which turns the model wrote. */
function undecided(messages: readonly Message[]): Message[] {
  return messages.map((message) => (message.role === "assistant" ? { ...message, sampled: null } : message));
}
