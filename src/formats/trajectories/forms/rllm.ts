import { encodeValue } from "../../../core/scoring/encode";
import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  message,
  nameOf,
  others,
  taggedFields,
  taggedOf,
  textMessage,
  textOr,
  trajectory,
} from "../build";
import type { TrajectoryForm } from "../form";
import { chatMessages, partsOf } from "../chat";
import { sameMessage } from "../same";
import { integersOf } from "../tokens";
import type { Branch, Message, TokenData, Trajectory } from "../../../schema/trajectory";

const KNOWN = new Set([
  "id",
  "episode_id",
  "task",
  "trajectories",
  "termination_reason",
  "metrics",
  "is_correct",
  "training_step",
]);
const STEP_NAME = /^(train|val)_step_(\d+)_epoch_/;

/**
 * rLLM's episodes, one JSON file each (rLLM 0.3.0.pre, commit 9beb6e0: `EpisodeStore.write` of evaluations dumps the whole
 * `Episode`; `EpisodeLogger.log_episode` of training calls its id `episode_id` and leaves tokens and signals out; before
 * it `Episode.to_dict`). The group is the id before its colon. An episode of several agents has a trajectory of each:
 * they are its branches, and its reward is the first one's.
 */
export const rllmEpisode: TrajectoryForm = {
  id: "rllm-episode",
  title: "rLLM episode",
  framework: "rllm",
  containers: ["document", "lines"],
  grouping: "given",
  credit: null,
  recognise: ({ records }) =>
    records.some(
      (record) =>
        isFields(record) &&
        Array.isArray(record["trajectories"]) &&
        ("termination_reason" in record || "eval_idx" in record || "is_correct" in record) &&
        listOf(record["trajectories"]).every((one) => isFields(one) && "steps" in one),
    ),
  read(record, { folders }) {
    if (!isFields(record)) return [];
    const id = nameOf(record["id"] ?? record["episode_id"]);
    const parts = listOf(record["trajectories"]).map(fieldsOf);
    const named = folders.map((folder) => STEP_NAME.exec(folder)).find((found) => found !== null);
    const branches = parts.flatMap((part, at) => branchOf(part, at));
    const steps = parts.flatMap((part) => listOf(part["steps"]).map(fieldsOf));
    const versions = steps
      .map((step) => finiteOf(step["weight_version"]))
      .filter((version) => version !== null);
    const [first] = parts;
    const reason = textOr(record["termination_reason"]);
    const reference = fieldsOf(record["task"])["ground_truth"] ?? null;
    return [
      trajectory({
        id,
        group: id === null ? null : id.slice(0, id.includes(":") ? id.lastIndexOf(":") : undefined),
        step: named?.[2] === undefined ? finiteOf(record["training_step"]) : Number(named[2]),
        split: named?.[1] ?? null,
        task: nameOf(record["task"]) ?? textOr(fieldsOf(record["task"])["question"]),
        branches: branches.length > 0 ? branches : [{ id: "main", name: null, from: null, messages: [] }],
        reward: taggedOf(first?.["reward"]),
        rewards: rewardsOf(parts),
        metrics: {
          ...fieldsOf(record["metrics"]),
          ...(record["is_correct"] === undefined ? {} : { is_correct: record["is_correct"] }),
        },
        advantage: advantageOf(first),
        outcome: { kind: outcomeOf(reason), inFile: reason },
        errors: errorsOf(record),
        policy: versions.length === 0 ? null : { from: Math.min(...versions), to: Math.max(...versions) },
        reference,
        columns: {
          ...others(record, KNOWN),
          ...(record["task"] === undefined ? {} : { task: record["task"] }),
        },
      }),
    ];
  },
};

/** Signals of one agent by name; of several by agent and name, with the reward of each. */
function rewardsOf(parts: readonly Fields[]): Trajectory["rewards"] {
  const [only] = parts;
  if (parts.length <= 1) return taggedFields(only?.["signals"]);
  return entriesOf(
    parts.flatMap((part, at) => {
      const name = nameOf(part["name"]) ?? String(at);
      const signals = Object.entries(taggedFields(part["signals"]));
      return [
        [name, taggedOf(part["reward"])] satisfies [string, Trajectory["reward"]],
        ...signals.map(
          ([signal, value]) => [`${name}/${signal}`, value] satisfies [string, Trajectory["reward"]],
        ),
      ];
    }),
  );
}

function advantageOf(part: Fields | undefined): Trajectory["advantage"] {
  const values = listOf(part?.["steps"]).map((step) => taggedOf(fieldsOf(step)["advantage"]));
  return values.length > 0 && values.every((value) => value === values[0]) ? (values[0] ?? null) : null;
}

function branchOf(part: Fields, at: number): Branch[] {
  const messages = messagesOf(listOf(part["steps"]).map(fieldsOf));
  return [
    { id: nameOf(part["uid"]) ?? `trajectory ${at}`, name: nameOf(part["name"]), from: null, messages },
  ];
}

const STEP_KNOWN = new Set([
  "chat_completions",
  "prompt_ids",
  "response_ids",
  "logprobs",
  "reward",
  "advantage",
  "weight_version",
]);

/** Each step has the conversation up to it: what it repeats isn't shown again. Steps without one have their texts. */
function messagesOf(steps: readonly Fields[]): Message[] {
  const all: Message[] = [];
  for (const step of steps) {
    const chat = chatMessages(step["chat_completions"]);
    if (chat.length > 0) {
      let shared = 0;
      while (
        shared < chat.length &&
        shared < all.length &&
        sameMessage(all[shared] ?? message({ role: "event" }), chat[shared])
      )
        shared++;
      all.push(...chat.slice(shared === all.length ? shared : commonEnd(all, chat)));
    } else all.push(...textsOf(step));
    markStep(all, step);
  }
  return all;
}

/** Where a step's conversation was cut or begun anew, only its system message may be a repetition. */
function commonEnd(all: readonly Message[], chat: readonly Message[]): number {
  const [first, begun] = [all[0], chat[0]];
  return first?.role === "system" && sameMessage(first, begun) ? 1 : 0;
}

function textsOf(step: Fields): Message[] {
  const seen = textOr(step["observation"]) ?? textOr(step["input"]);
  const said = textOr(step["model_response"]) ?? textOr(step["output"]) ?? textOr(step["action"]) ?? "";
  const thought = textOr(step["thought"]);
  return [
    ...(seen === null || seen === "" ? [] : [textMessage("user", seen, { sampled: false })]),
    message({
      role: "assistant",
      parts: partsOf(said),
      reasoning: thought === "" ? null : thought,
      sampled: true,
    }),
  ];
}

function markStep(all: Message[], step: Fields): void {
  let at = all.length - 1;
  while (at >= 0 && all[at]?.role !== "assistant") at--;
  const last = all[at];
  if (!last) return;
  all[at] = {
    ...last,
    sampled: true,
    reward: taggedOf(step["reward"]),
    tokens: tokensOf(step) ?? last.tokens,
    extra: { ...last.extra, ...present(others(step, STEP_KNOWN)) },
  };
}

function present(fields: Fields): Record<string, unknown> {
  return entriesOf(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== null && value !== undefined && !(isFields(value) && Object.keys(value).length === 0),
    ),
  );
}

function tokensOf(step: Fields): TokenData | null {
  const ids = integersOf(step["response_ids"]);
  if (ids === null || ids.length === 0) return null;
  const same = (values: readonly unknown[]): (number | null)[] | null =>
    values.length === ids.length ? values.map((value) => finiteOf(value)) : null;
  const version = finiteOf(step["weight_version"]);
  return {
    count: ids.length,
    ids,
    mask: null,
    logprobs: same(listOf(step["logprobs"])),
    advantages: same(listOf(step["advantage"])),
    versions: version === null || !Number.isInteger(version) ? null : ids.map(() => version),
  };
}

function outcomeOf(reason: string | null): Trajectory["outcome"]["kind"] {
  switch (reason?.toLowerCase()) {
    case "env_done":
    case "success":
      return "finished";
    case "max_prompt_length_exceeded":
    case "max_response_length_exceeded":
    case "truncation":
      return "length";
    case "max_turns_exceeded":
      return "turns";
    case "timeout":
      return "time";
    case "env_timeout":
      return "environment";
    case "error":
      return "infrastructure";
    default:
      return "unknown";
  }
}

function errorsOf(record: Fields): Trajectory["errors"] {
  const about = { ...fieldsOf(record["info"]), ...fieldsOf(record["metadata"]) };
  const error: unknown = about["error"];
  if (error === undefined || error === null || error === "") return [];
  const fields = fieldsOf(error);
  return [
    {
      kind: nameOf(fields["type"] ?? about["error_type"]),
      message: textOr(error) ?? textOr(fields["message"]) ?? encodeValue(error),
      traceback: textOr(fields["traceback"] ?? about["traceback"]),
    },
  ];
}
