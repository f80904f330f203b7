import type { Message, OutcomeKind, Trajectory, TrajectoryError } from "../../../schema/trajectory";
import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  nameOf,
  others,
  taggedFields,
  taggedOf,
  textOr,
  trajectory,
} from "../build";
import { chatMessages, toolsOf } from "../chat";
import type { RecordContext, TrajectoryForm } from "../form";
import { parsedOr } from "../jsonValue";

const NAMED = { framework: "eval-protocol", grouping: "prompt", credit: null } as const;

/** Rows of eval-protocol as lines: the older logger's days, exports of experiments, `experiment_results` (0.3.33). */
export const evalProtocolRows: TrajectoryForm = {
  ...NAMED,
  id: "eval-protocol-rows",
  title: "eval-protocol rows",
  containers: ["lines"],
  recognise: ({ records }) => records.some((record) => isFields(record) && isRow(record)),
  read: (record, context) => (isFields(record) ? [readRow(record, context)] : []),
};

/** `.eval_protocol/logs.db`: a table `evaluationrow` with one row as JSON text in each `data`. */
export const evalProtocolLogs: TrajectoryForm = {
  ...NAMED,
  id: "eval-protocol-logs",
  title: "eval-protocol logs",
  containers: ["sqlite"],
  recognise: ({ names }) => names.includes("evaluationrow.data"),
  tables: () => ({ table: "evaluationrow", json: ["data"] }),
  read(record, context) {
    const row = parsedOr(fieldsOf(record)["data"]);
    if (isFields(row)) return [readRow(row, context)];
    context.problem("The row's data is no JSON object.");
    return [];
  },
};

function isRow(record: Fields): boolean {
  if (!Array.isArray(record["messages"])) return false;
  if ("rollout_status" in record || "evaluation_result" in record || "execution_metadata" in record)
    return true;
  return "evals" in record && "eval_details" in record;
}

const KNOWN = new Set([
  "messages",
  "tools",
  "ground_truth",
  "evaluation_result",
  "usage",
  "rollout_status",
  "evals",
  "eval_details",
]);

function readRow(row: Fields, { problem }: RecordContext): Trajectory {
  const result = fieldsOf(row["evaluation_result"] ?? row["eval_details"]);
  const input = fieldsOf(row["input_metadata"]);
  const execution = fieldsOf(row["execution_metadata"]);
  const named = (key: string): string | null => nameOf(execution[key]) ?? nameOf(row[key]);
  const rowId = nameOf(input["row_id"]) ?? nameOf(row["row_id"]);
  const run = named("invocation_id");
  const usage = fieldsOf(row["usage"] ?? execution["usage"]);
  const seconds = finiteOf(execution["rollout_duration_seconds"] ?? execution["duration_seconds"]);
  const messages = chatMessages(row["messages"]);
  const steps = listOf(result["step_outputs"]).filter(isFields);
  giveSteps(messages, steps);
  if (messages.length === 0) problem("The row has no messages.");
  const status = fieldsOf(row["rollout_status"]);
  const { rewards, details } = componentsOf(result);
  return trajectory({
    id: named("rollout_id"),
    group: rowId === null ? null : run === null ? rowId : `${rowId} · ${run}`,
    task: nameOf(fieldsOf(row["eval_metadata"])["name"]),
    messages,
    tools: toolsOf(row["tools"]),
    reward: taggedOf(result["score"] ?? fieldsOf(row["evals"])["score"]),
    rewards,
    metrics: present({
      reason: result["reason"],
      agg_score: result["agg_score"],
      standard_error: result["standard_error"],
      details,
      step_outputs: steps,
      trajectory_info: result["trajectory_info"],
      final_control_plane_info: result["final_control_plane_info"],
    }),
    outcome: outcomeOf(status, nameOf(execution["finish_reason"])),
    errors: errorsOf(status, result),
    excluded: result["is_score_valid"] === false ? "is_score_valid: false" : null,
    model: nameOf(fieldsOf(parsedOr(input["completion_params"]))["model"]),
    usage:
      Object.keys(usage).length === 0
        ? null
        : { input: finiteOf(usage["prompt_tokens"]), output: finiteOf(usage["completion_tokens"]) },
    cost: finiteOf(fieldsOf(execution["cost_metrics"])["total_cost_dollar"]),
    ms: seconds === null ? null : seconds * 1000,
    reference: row["ground_truth"] ?? null,
    columns: present({ ground_truth: row["ground_truth"], ...others(row, KNOWN) }),
  });
}

/** Components by name; one whose score isn't valid has none. Reasons and data stay with the metrics. */
function componentsOf(result: Fields): { rewards: Trajectory["rewards"]; details: Fields } {
  const metrics = Object.entries(fieldsOf(result["metrics"]));
  return {
    rewards: taggedFields(
      entriesOf(
        metrics.map(([name, metric]): [string, unknown] => {
          const { score, is_score_valid: valid } = fieldsOf(metric);
          return [name, valid === false ? null : (score ?? null)];
        }),
      ),
    ),
    details: entriesOf(
      metrics.map(([name, metric]) => [name, isFields(metric) ? others(metric, new Set(["score"])) : metric]),
    ),
  };
}

/** Rewards of steps go to the assistant's message of the same number; the list stays whole with the metrics. */
function giveSteps(messages: readonly Message[], steps: readonly Fields[]): void {
  const turns = messages.filter(({ role }) => role === "assistant");
  steps.forEach((step, nth) => {
    const turn = turns[finiteOf(step["step_index"]) ?? nth];
    if (turn) turn.reward = taggedOf(step["base_reward"]);
  });
  for (const one of messages) {
    const reward = fieldsOf(one.extra["control_plane_step"])["reward"];
    if (reward !== undefined) one.reward ??= taggedOf(reward);
  }
}

/** gRPC codes, and eval-protocol's own from 100 on. */
const CODES = new Map<number, OutcomeKind>([
  [0, "finished"],
  [1, "cancelled"],
  [2, "environment"],
  [4, "time"],
  [8, "infrastructure"],
  [10, "cancelled"],
  [13, "environment"],
  [14, "infrastructure"],
  [100, "finished"],
  [101, "running"],
  [102, "finished"],
]);
const WORDS = new Map<string, OutcomeKind>([
  ["finished", "finished"],
  ["running", "running"],
  ["stopped", "cancelled"],
  ["error", "environment"],
  ["max_steps", "turns"],
  ["length", "length"],
]);

function outcomeOf(status: Fields, finish: string | null): Trajectory["outcome"] {
  const reason =
    nameOf(status["termination_reason"]) ??
    listOf(status["details"])
      .map((item) => nameOf(fieldsOf(item)["termination_reason"]))
      .find((word) => word !== null) ??
    finish;
  const code = finiteOf(status["code"]);
  const word = textOr(status["status"]);
  const kind = (code === null ? undefined : CODES.get(code)) ?? WORDS.get(word ?? "") ?? "unknown";
  const ended = kind === "finished" ? WORDS.get(reason ?? "") : undefined;
  return { kind: ended ?? kind, inFile: reason ?? textOr(status["message"]) ?? word };
}

function errorsOf(status: Fields, result: Fields): TrajectoryError[] {
  const errors: TrajectoryError[] = [];
  const code = finiteOf(status["code"]);
  if (code !== null && code > 0 && code < 100)
    errors.push({ kind: `code ${code}`, message: textOr(status["message"]) ?? "", traceback: null });
  else if (status["status"] === "error")
    errors.push({
      kind: null,
      message: textOr(status["error_message"]) ?? textOr(status["message"]) ?? "error",
      traceback: null,
    });
  const scoring = textOr(result["error"]);
  if (scoring !== null && scoring !== "")
    errors.push({ kind: "evaluation", message: scoring, traceback: null });
  return errors;
}

function present(fields: Fields): Record<string, unknown> {
  return entriesOf(
    Object.entries(fields).filter(([, value]) => {
      if (value === null || value === undefined) return false;
      if (Array.isArray(value)) return value.length > 0;
      return !isFields(value) || Object.keys(value).length > 0;
    }),
  );
}
