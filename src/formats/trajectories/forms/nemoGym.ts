import { encodeValue } from "../../../core/scoring/encode";
import type { Fields } from "../build";
import {
  fieldsOf,
  finiteOf,
  isFields,
  nameOf,
  numberOf,
  others,
  taggedFields,
  taggedOf,
  textOr,
  trajectory,
} from "../build";
import type { TrajectoryForm } from "../form";
import { toolsOf } from "../chat";
import { responseAnswers, responseMessages } from "../responses";
import type { Trajectory, TrajectoryError } from "../../../schema/trajectory";

const KNOWN = new Set([
  "responses_create_params",
  "response",
  "reward",
  "reward_components",
  "_ng_task_index",
  "_ng_rollout_index",
  "mask_sample",
  "failure_kind",
  "failure_reason",
  "expected_answer",
]);

/**
 * NeMo Gym's rollouts (NeMo Gym 0.7, `RolloutCollectionHelper`; files of 2025 have no indices): a Responses API request,
 * the whole rollout as items of one response, and the reward. Rows come as rollouts finish, not in order of tasks.
 */
export const nemoGym: TrajectoryForm = {
  id: "nemo-gym-rollouts",
  title: "NeMo Gym rollouts",
  framework: "nemo-gym",
  containers: ["lines"],
  grouping: "prompt",
  credit: null,
  recognise: ({ records }) =>
    records.some(
      (record) =>
        isFields(record) && isFields(record["responses_create_params"]) && isFields(record["response"]),
    ),
  read(record, { problem }) {
    if (!isFields(record)) return [];
    const request = fieldsOf(record["responses_create_params"]);
    const response = fieldsOf(record["response"]);
    if (!("response" in record)) problem("The row has no response.");
    const tools = toolsOf(response["tools"] ?? request["tools"]);
    return [
      trajectory({
        ...placeOf(record),
        messages: [
          ...responseMessages(request["input"], request["instructions"]),
          ...responseAnswers(response),
        ],
        tools: tools.length > 0 ? tools : toolsOf(request["tools"]),
        reward: taggedOf(record["reward"]),
        rewards: taggedFields(record["reward_components"]),
        outcome: outcomeOf(record, response),
        errors: errorsOf(record, response),
        excluded: record["mask_sample"] === true ? "mask_sample" : null,
        model: textOr(response["model"]),
        usage: usageOf(response["usage"]),
        reference: record["expected_answer"] ?? null,
        columns: {
          ...others(record, KNOWN),
          ...(record["expected_answer"] === undefined ? {} : { expected_answer: record["expected_answer"] }),
        },
      }),
    ];
  },
};

/** The sidecar `<stem>_failures.jsonl`: rollouts that never came to a reward. NeMo Gym 0.7. */
export const nemoGymFailures: TrajectoryForm = {
  id: "nemo-gym-failures",
  title: "NeMo Gym failures",
  framework: "nemo-gym",
  containers: ["lines"],
  grouping: "given",
  credit: null,
  recognise: ({ records }) =>
    records.some((record) => isFields(record) && "_ng_failure_class" in record && !("reward" in record)),
  read(record) {
    if (!isFields(record)) return [];
    const request = fieldsOf(record["responses_create_params"]);
    const kind = textOr(record["_ng_failure_class"]);
    const body = textOr(record["_ng_failure_response_body"]);
    const text = textOr(record["_ng_failure_message"]) ?? kind ?? "";
    return [
      trajectory({
        ...placeOf(record),
        messages: responseMessages(request["input"], request["instructions"]),
        outcome: { kind: "infrastructure", inFile: kind },
        errors: [{ kind: textOr(record["_ng_failure_type"]) ?? kind, message: text, traceback: body }],
        excluded: kind,
        columns: others(record, new Set(["responses_create_params", "_ng_task_index", "_ng_rollout_index"])),
      }),
    ];
  },
};

function placeOf(record: Fields): Pick<Trajectory, "id" | "group" | "task"> {
  const task = nameOf(record["_ng_task_index"]);
  const rollout = nameOf(record["_ng_rollout_index"]);
  const attempt = numberOf(record["_ng_attempt_index"]) ?? 0;
  const id = task === null || rollout === null ? null : `${task}-${rollout}`;
  return {
    id: nameOf(record["_ng_rollout_id"]) ?? (id !== null && attempt > 0 ? `${id}-${attempt}` : id),
    group: task,
    task: nameOf(fieldsOf(record["agent_ref"])["name"]),
  };
}

function outcomeOf(record: Fields, response: Fields): Trajectory["outcome"] {
  const failure = textOr(record["failure_kind"]);
  if (failure !== null) return { kind: "infrastructure", inFile: failure };
  const reason = textOr(fieldsOf(response["incomplete_details"])["reason"]);
  if (reason !== null) return { kind: reason === "max_output_tokens" ? "length" : "unknown", inFile: reason };
  if (record["truncated"] === true) return { kind: "turns", inFile: "truncated" };
  if (record["terminated"] === true) return { kind: "finished", inFile: "terminated" };
  const status = textOr(response["status"]);
  if (status === "completed") return { kind: "finished", inFile: status };
  if (status === "failed") return { kind: "infrastructure", inFile: status };
  if (status === "cancelled") return { kind: "cancelled", inFile: status };
  if (status === "in_progress") return { kind: "running", inFile: status };
  return { kind: "unknown", inFile: status };
}

function errorsOf(record: Fields, response: Fields): TrajectoryError[] {
  const reason = textOr(record["failure_reason"]);
  const own =
    reason === null ? [] : [{ kind: textOr(record["failure_kind"]), message: reason, traceback: null }];
  const error = response["error"];
  if (error === null || error === undefined) return own;
  const fields = fieldsOf(error);
  const text = textOr(fields["message"]) ?? textOr(error) ?? encodeValue(error);
  return [...own, { kind: nameOf(fields["code"]), message: text, traceback: null }];
}

function usageOf(value: unknown): Trajectory["usage"] {
  if (!isFields(value)) return null;
  return { input: finiteOf(value["input_tokens"]), output: finiteOf(value["output_tokens"]) };
}
