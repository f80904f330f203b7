import type { OutcomeKind, Trajectory } from "../../../schema/trajectory";
import type { Fields } from "../build";
import {
  fieldsOf,
  isFields,
  listOf,
  nameOf,
  numberOf,
  others,
  taggedFields,
  textOr,
  trajectory,
} from "../build";
import type { RecordContext, TrajectoryForm } from "../form";
import { toolOf } from "../tools";
import { between } from "../time";
import { atifMessages, atifSubagents, distinctIds, subagentMetrics } from "./atifMessages";

const KNOWN = new Set([
  "steps",
  "agent",
  "subagent_trajectories",
  "final_metrics",
  "continued_trajectory_ref",
  "trajectory_id",
]);

/**
 * Agent Trajectory Interchange Format, v1.0 to v1.8 (Harbor 0.26, NVIDIA NeMo Agent Toolkit). The reward isn't in it:
 * Harbor's trial has `result.json` one folder up, with rewards by name and, possibly as well, an exception.
 */
export const atif: TrajectoryForm = {
  id: "atif",
  title: "ATIF trajectory (Harbor)",
  framework: "harbor",
  containers: ["document"],
  grouping: "prompt",
  credit: null,
  recognise: ({ records: [record] }) =>
    isFields(record) && /^ATIF-v/.test(textOr(record["schema_version"]) ?? ""),
  // In a trial's `agent` folder; a task of several steps has `steps/<name>/agent`.
  beside: (_name, folders) =>
    folders.at(-3) === "steps"
      ? ["../../../result.json", "../result.json"]
      : ["../result.json", "result.json"],
  read(record, context) {
    if (!isFields(record)) return [];
    const { problem } = context;
    const result = trialResult(context);
    const steps = atifMessages(record["steps"], problem);
    if (steps.length === 0) problem("The trajectory has no steps.");
    const agent = fieldsOf(record["agent"]);
    const totals = fieldsOf(record["final_metrics"]);
    return [
      trajectory({
        id: nameOf(record["trajectory_id"]) ?? nameOf(record["session_id"]),
        branches: distinctIds([
          { id: "main", name: nameOf(agent["name"]), from: null, messages: steps },
          ...atifSubagents(record["subagent_trajectories"], problem),
        ]),
        tools: listOf(agent["tool_definitions"]).map(toolOf),
        model: textOr(agent["model_name"]),
        usage: usageOf(totals),
        cost: numberOf(totals["total_cost_usd"]),
        metrics: { ...totals, ...subagentMetrics(record["subagent_trajectories"]) },
        continuedIn: nameOf(record["continued_trajectory_ref"]),
        ...(result ? fromTrial(result) : {}),
        columns: { ...others(record, KNOWN), agent, ...(result ? pick(result, TRIAL) : {}) },
      }),
    ];
  },
};

function usageOf(totals: Fields): Trajectory["usage"] {
  const [input, output] = [
    numberOf(totals["total_prompt_tokens"]),
    numberOf(totals["total_completion_tokens"]),
  ];
  return input === null && output === null ? null : { input, output };
}

/** A job's own `result.json` lies in the folder above a trial's: it has no trial in it. */
function trialResult({ beside }: RecordContext): Fields | null {
  for (const value of beside.values())
    if (isFields(value) && ("trial_name" in value || "verifier_result" in value)) return value;
  return null;
}

const TRIAL = [
  "trial_name",
  "task_id",
  "task_checksum",
  "source",
  "agent_result",
  "verifier_result",
  "step_results",
];

/**
 * What a trial's result says. One reward is the reward; several stay several, as Harbor doesn't combine them. After an
 * agent's exception the verifier still runs, so an error and rewards may both be there.
 */
function fromTrial(result: Fields): Partial<Trajectory> {
  const rewards = taggedFields(fieldsOf(result["verifier_result"])["rewards"]);
  const values = Object.values(rewards);
  const run = fieldsOf(result["agent_execution"]);
  const exception = fieldsOf(result["exception_info"]);
  const kind = textOr(exception["exception_type"]);
  const task = nameOf(result["task_name"]);
  const source = nameOf(result["source"]);
  return {
    group: task === null ? null : [source, task].filter((part) => part !== null).join("/"),
    task,
    reward: values.length === 1 ? (values[0] ?? null) : null,
    rewards,
    outcome: outcomeOf(result, kind),
    errors: isFields(result["exception_info"])
      ? [
          {
            kind,
            message: textOr(exception["exception_message"]) ?? "",
            traceback: textOr(exception["exception_traceback"]),
          },
        ]
      : [],
    excluded: result["reward_valid"] === false && values.length > 0 ? "reward_valid: false" : null,
    ms:
      between(run["started_at"], run["finished_at"]) ?? between(result["started_at"], result["finished_at"]),
  };
}

function pick(value: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(keys.filter((key) => key in value).map((key) => [key, value[key]]));
}

/** Harbor's exceptions by name (0.26); others are infrastructure only where they speak of connections or services. */
const EXCEPTIONS: readonly (readonly [RegExp, OutcomeKind])[] = [
  [/Cancel|KeyboardInterrupt/, "cancelled"],
  [/^Verifier|RewardFile|Environment|Docker|AddTests|DownloadVerifier|Sandbox/, "environment"],
  [/Timeout/, "time"],
  [/ContextLength|ContextWindow|OutputLength|MaxTokens/, "length"],
  [/MaxTurns|MaxSteps|MaxIterations/, "turns"],
  [/Connection|RateLimit|ServiceUnavailable|InternalServer|API|HTTP|Network|OSError/, "infrastructure"],
];

function outcomeOf(result: Fields, exception: string | null): Trajectory["outcome"] {
  if (exception !== null)
    return {
      kind: EXCEPTIONS.find(([pattern]) => pattern.test(exception))?.[1] ?? "environment",
      inFile: exception,
    };
  if (result["finished_at"] === null) return { kind: "running", inFile: null };
  return { kind: "finished", inFile: null };
}
