import type { Message, Trajectory, TrajectoryError } from "../../../schema/trajectory";
import type { Fields } from "../build";
import {
  entriesOf,
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
import { chatMessages, toolsOf } from "../chat";
import type { TrajectoryForm } from "../form";
import { parsedOr } from "../jsonValue";
import { verifiersOutcome } from "./verifiersOutcome";

const METADATA = "metadata.json";

/** Keys with a place of their own; `answer`, `info` and `task` stay columns too, because rewards name them. */
const KNOWN = new Set([
  "example_id",
  "id",
  "prompt",
  "completion",
  "reward",
  "metrics",
  "is_completed",
  "is_truncated",
  "stop_condition",
  "error",
  "error_chain",
  "long_error_chain",
  "tool_defs",
  "token_usage",
]);

/** Numbers of old rows that are no metrics. */
const NO_METRICS = new Set(["answer", "generation_ms", "scoring_ms", "total_ms", "seed"]);

/** What the library counts itself beside the reward functions (verifiers 0.3.1, its monitor rubrics). */
const COUNTED = new Set(["num_turns", "total_tool_calls"]);

/**
 * `vf-eval` of verifiers' first generation: `results.jsonl`, one rollout a line, `metadata.json` beside it (verifiers
 * 0.3.1 `save_utils`; older files have `id`, metrics only at the top, tools in `info.oai_tools`).
 */
export const verifiersResults: TrajectoryForm = {
  id: "verifiers-results",
  title: "verifiers results",
  framework: "verifiers",
  containers: ["lines"],
  grouping: "prompt",
  credit: null,
  recognise: ({ records }) => records.some((record) => isFields(record) && isResult(record)),
  beside: () => [METADATA],
  read(record, { beside, problem }) {
    if (!isFields(record)) return [];
    if (!("prompt" in record) && !("completion" in record)) {
      problem("The record has neither a prompt nor a completion.");
      return [];
    }
    return [readResult(record, fieldsOf(beside.get(METADATA)))];
  },
};

function isResult(record: Fields): boolean {
  if (!("prompt" in record && "completion" in record && "reward" in record)) return false;
  if ("example_id" in record || isFields(record["metrics"])) return true;
  return "id" in record && ("task" in record || "info" in record || "answer" in record);
}

function readResult(record: Fields, metadata: Fields): Trajectory {
  const info = parsedOr(record["info"]);
  const tools = toolsOf(record["tool_defs"] ?? parsedOr(fieldsOf(info)["oai_tools"]) ?? metadata["tools"]);
  const metrics = metricsOf(record);
  const errors = errorsOf(record);
  const usage = record["token_usage"];
  const task = nameOf(record["task"]);
  const environment = nameOf(metadata["env_id"]) ?? nameOf(metadata["env"]);
  return trajectory({
    group: nameOf(record["example_id"] ?? record["id"]),
    task: environment ?? (task === "" ? null : task),
    messages: messagesOf(record),
    tools,
    reward: taggedOf(record["reward"]),
    rewards: taggedFields(
      others(metrics, new Set([...COUNTED, ...tools.map(({ name }) => `${name}_calls`)])),
    ),
    metrics,
    outcome: verifiersOutcome({
      stop: textOr(record["stop_condition"]),
      completed: flag(record["is_completed"]),
      truncated: record["is_truncated"] === true,
      timeout: false,
      errors,
    }),
    errors,
    model: nameOf(metadata["model"]),
    usage: isFields(usage)
      ? { input: finiteOf(usage["input_tokens"]), output: finiteOf(usage["output_tokens"]) }
      : null,
    ms: milliseconds(record),
    reference: record["answer"] ?? null,
    columns: entriesOf(Object.entries(others(record, KNOWN)).filter(([key]) => !Object.hasOwn(metrics, key))),
  });
}

function flag(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** Chat messages, or the two texts of a completion model. What the completion holds of the model is sampled. */
function messagesOf(record: Fields): Message[] {
  const completion = chatMessages(record["completion"], "assistant");
  return [
    ...chatMessages(record["prompt"], "user"),
    ...completion.map((one) => (one.role === "assistant" ? { ...one, sampled: true } : one)),
  ];
}

/** `metrics` where there is one; older rows have them only among their own keys. */
function metricsOf(record: Fields): Record<string, unknown> {
  if (isFields(record["metrics"])) return entriesOf(Object.entries(record["metrics"]));
  return entriesOf(
    Object.entries(record).filter(
      ([key, value]) => !KNOWN.has(key) && !NO_METRICS.has(key) && typeof value === "number",
    ),
  );
}

function errorsOf(record: Fields): TrajectoryError[] {
  const error = record["error"];
  const chain = textOr(record["error_chain"]);
  if (isFields(error))
    return [
      {
        kind: nameOf(error["error"] ?? error["type"]),
        message: textOr(error["error_chain_repr"]) ?? textOr(error["message"]) ?? chain ?? "",
        traceback: textOr(error["traceback"]) ?? textOr(error["error_chain_str"]),
      },
    ];
  const text = textOr(error);
  return text === null || text === "" ? [] : [{ kind: null, message: text, traceback: chain }];
}

function milliseconds(record: Fields): number | null {
  const timing = fieldsOf(record["timing"]);
  const given = finiteOf(timing["total_ms"] ?? record["total_ms"]);
  if (given !== null) return given;
  const seconds = numberOf(timing["total"]);
  return seconds !== null && Number.isFinite(seconds) ? seconds * 1000 : null;
}
