import type {
  Branch,
  Message,
  OutcomeKind,
  Snapshot,
  ToolCall,
  Trajectory,
} from "../../../schema/trajectory";
import type { Fields } from "../build";
import {
  fieldsOf,
  isFields,
  listOf,
  message,
  nameOf,
  numberOf,
  others,
  textOr,
  toolCall,
  trajectory,
} from "../build";
import { callOf, chatMessage, partsOf } from "../chat";
import type { TrajectoryForm } from "../form";
import { parseValue } from "../jsonValue";

const KNOWN = new Set(["trajectory", "history", "info", "attempts", "replay_config"]);
const STEP = new Set(["action", "observation", "response", "thought", "state", "execution_time", "query"]);

/**
 * SWE-agent `.traj`, older (2024) and newer (1.1) keys. It has no reward: that is a benchmark's, kept elsewhere. Shown
 * are the steps (thought, action, observation) after what the history says before the first of them; a file of a
 * demonstration may have the history alone.
 */
export const sweAgent: TrajectoryForm = {
  id: "swe-agent",
  title: "SWE-agent trajectory",
  framework: "swe-agent",
  containers: ["document"],
  grouping: "given",
  credit: null,
  recognise({ records: [record], name }) {
    if (!isFields(record) || "schema_version" in record) return false;
    const steps = listOf(record["trajectory"]).map(fieldsOf);
    if (steps.some((step) => "action" in step && "observation" in step)) return true;
    const history = listOf(record["history"]).map(fieldsOf);
    return /\.traj$/i.test(name) && history.some((item) => "role" in item);
  },
  read(record, { name, problem }) {
    if (!isFields(record)) return [];
    const instance = name.replace(/\.traj(\.json)?$/i, "");
    const info = fieldsOf(record["info"]);
    const best = numberOf(info["best_attempt_idx"]) ?? 0;
    const attempts = listOf(record["attempts"]).map(fieldsOf);
    const own = "trajectory" in record || "history" in record ? record : (attempts[best] ?? record);
    const { messages, snapshots } = conversation(own);
    if (messages.length === 0) problem("The record has neither steps nor a history.");
    const further = attempts.flatMap((attempt, at): Branch[] =>
      at === best
        ? []
        : [
            {
              id: `attempt-${at}`,
              name: `attempt ${at}`,
              from: null,
              messages: conversation(attempt).messages,
            },
          ],
    );
    const stats = fieldsOf(info["model_stats"]);
    const status = textOr(info["exit_status"]);
    return [
      trajectory({
        group: instance,
        task: instance,
        branches: [{ id: "main", name: null, from: null, messages }, ...further],
        outcome: { kind: exitKind(status), inFile: status },
        usage: usageOf(stats),
        cost: numberOf(stats["instance_cost"]) ?? numberOf(stats["total_cost"]),
        metrics: stats,
        snapshots,
        ms: sumOf(listOf(own["trajectory"]).map((step) => numberOf(fieldsOf(step)["execution_time"]))),
        columns: {
          ...others(record, KNOWN),
          ...others(info, new Set(["model_stats"])),
          replay_config: parsed(record["replay_config"]),
        },
      }),
    ];
  },
};

function usageOf(stats: Fields): Trajectory["usage"] {
  const [input, output] = [numberOf(stats["tokens_sent"]), numberOf(stats["tokens_received"])];
  return input === null && output === null ? null : { input, output };
}

/** Seconds of all steps, in milliseconds; null where no step says it. */
function sumOf(seconds: readonly (number | null)[]): number | null {
  const known = seconds.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) * 1000;
}

function conversation(part: Fields): { readonly messages: Message[]; readonly snapshots: Snapshot[] } {
  const history = listOf(part["history"]).map(fieldsOf);
  const steps = listOf(part["trajectory"]).filter(isFields);
  if (steps.length === 0) return { messages: history.map(historyMessage), snapshots: [] };
  const answers = history.filter((item) => item["role"] === "assistant" && item["is_demo"] !== true);
  const first = history.findIndex((item) => item === answers[0]);
  const opening = first < 0 ? openingOf(steps[0]) : history.slice(0, first);
  const messages = opening.map(historyMessage);
  const snapshots: Snapshot[] = [];
  // Steps and answers go together one to one, unless answers were taken back (format errors): then calls come from actions.
  const paired = answers.length === steps.length;
  steps.forEach((step, at) => {
    messages.push(...stepMessages(step, paired ? answers[at] : undefined));
    const state = parsed(step["state"]);
    if (state !== null && state !== "")
      snapshots.push({ before: messages.length, label: `step ${at + 1}`, state });
  });
  return { messages, snapshots };
}

/** Newer files without a history still have what was asked at the first step. */
function openingOf(step: Fields | undefined): readonly Fields[] {
  return listOf(step?.["query"]).map(fieldsOf);
}

function historyMessage(item: Fields): Message {
  const made = chatMessage(item);
  const ids = listOf(item["tool_call_ids"]);
  return {
    ...made,
    callId: made.callId ?? nameOf(ids[0]),
    reasoning: made.reasoning ?? thinking(item["thinking_blocks"]),
    sampled: made.role === "assistant" ? item["is_demo"] !== true : null,
  };
}

function thinking(blocks: unknown): string | null {
  const texts = listOf(blocks).map((block) => textOr(fieldsOf(block)["thinking"]) ?? "");
  return texts.filter((text) => text !== "").join("\n\n") || null;
}

function stepMessages(step: Fields, answer: Fields | undefined): Message[] {
  const seconds = numberOf(step["execution_time"]);
  const calls = listOf(answer?.["tool_calls"]).map(callOf);
  const action = textOr(step["action"]) ?? "";
  const made = calls.length > 0 ? calls : actionCall(action);
  const text = textOr(step["response"]) || textOr(step["thought"]) || "";
  const asked = message({
    role: "assistant",
    parts: partsOf(text),
    reasoning: thinking(answer?.["thinking_blocks"]),
    calls: made,
    sampled: true,
    extra: { ...others(step, STEP), thought: step["thought"] ?? null, action },
  });
  const observation = partsOf(step["observation"]);
  if (made.length === 0 && observation.length === 0) return [asked];
  return [
    asked,
    message({
      role: made.length > 0 ? "tool" : "user",
      roleInFile: "observation",
      parts: observation,
      callId: made.length > 0 ? (made[0]?.id ?? null) : null,
      ms: seconds === null ? null : seconds * 1000,
    }),
  ];
}

/** An action written as text is a call of the command that it begins with. */
function actionCall(action: string): ToolCall[] {
  const command = action.trim();
  if (command === "") return [];
  return [{ ...toolCall(/^\S+/.exec(command)?.[0] ?? "", { command }, null), raw: action }];
}

/** `state` and `replay_config` are JSON text in some ages, objects in others. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value ?? null;
  const outcome = parseValue(value);
  return outcome.ok ? outcome.value : value;
}

/** `info.exit_status` of SWE-agent 1.1; "submitted (exit_cost)" is a limit that ended with a submission. */
const EXITS: readonly (readonly [RegExp, OutcomeKind])[] = [
  [/exit_cost|exit_context|exit_token/i, "length"],
  [/timeout|exit_time|total_execution_time/i, "time"],
  [/exit_api|connection|rate.?limit/i, "infrastructure"],
  [/environment|exit_error|\bError\b/i, "environment"],
  [/early_exit|skipped|interrupt|cancel/i, "cancelled"],
  [/^submitted|exit_forfeit/i, "finished"],
];

function exitKind(status: string | null): OutcomeKind {
  if (status === null) return "unknown";
  return EXITS.find(([pattern]) => pattern.test(status))?.[1] ?? "unknown";
}
