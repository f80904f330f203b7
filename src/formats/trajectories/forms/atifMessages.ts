import type { Branch, Message, TokenData } from "../../../schema/trajectory";
import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  message,
  nameOf,
  numberOf,
  others,
  textOr,
  toolCall,
} from "../build";
import { partsOf } from "../chat";
import { timeOf } from "../time";

const STEP = new Set([
  "step_id",
  "timestamp",
  "source",
  "message",
  "observation",
  "model_name",
  "reasoning_content",
  "tool_calls",
]);
const ROLES = new Map([
  ["system", "system"],
  ["user", "user"],
  ["agent", "assistant"],
] as const);

/** Messages of an ATIF trajectory's steps (v1.0 to v1.8): the step, then what its observation holds. */
export function atifMessages(steps: unknown, problem: (message: string) => void): Message[] {
  return listOf(steps).flatMap((item, at) => {
    if (isFields(item)) return stepMessages(item);
    problem(`Step ${at + 1} isn't an object.`);
    return [];
  });
}

function stepMessages(step: Fields): Message[] {
  const source = textOr(step["source"]) ?? "";
  const role = [...ROLES].find(([word]) => word === source)?.[1] ?? "event";
  const metrics = fieldsOf(step["metrics"]);
  const copied = step["is_copied_context"] === true;
  const calls = listOf(step["tool_calls"]).map(fieldsOf);
  const own = message({
    role,
    roleInFile: role === source ? null : source || null,
    parts: partsOf(step["message"]),
    reasoning: textOr(step["reasoning_content"]) || null,
    calls: calls.map((call) =>
      toolCall(nameOf(call["function_name"]) ?? "", call["arguments"], nameOf(call["tool_call_id"])),
    ),
    // What is repeated from the part before was sampled there.
    sampled: role === "assistant" ? !copied : null,
    tokens: tokensOf(metrics),
    at: timeOf(step["timestamp"]),
    model: textOr(step["model_name"]),
    extra: {
      ...others(step, STEP),
      ...(calls.some((call) => "extra" in call)
        ? { callExtra: calls.map((call) => call["extra"] ?? null) }
        : {}),
    },
  });
  const observed = fieldsOf(step["observation"]);
  return [own, ...listOf(observed["results"]).map((result) => resultMessage(fieldsOf(result), own))];
}

/**
 * A result answers its call by id. Terminal agents observe without calling tools: then it is what the model is told
 * next, as a user's message is.
 */
function resultMessage(result: Fields, step: Message): Message {
  const callId = nameOf(result["source_call_id"]);
  const answers = callId !== null || step.calls.length > 0;
  return message({
    role: answers ? "tool" : "user",
    roleInFile: "observation",
    parts: partsOf(result["content"]),
    callId,
    at: step.at,
    extra: others(result, new Set(["source_call_id", "content"])),
  });
}

function tokensOf(metrics: Fields): TokenData | null {
  const ids = listOf(metrics["completion_token_ids"])
    .map(numberOf)
    .filter((id) => id !== null);
  if (ids.length === 0) {
    const count = finiteOf(metrics["completion_tokens"]);
    return count === null || count < 0
      ? null
      : { count: Math.round(count), ids: null, mask: null, logprobs: null, advantages: null, versions: null };
  }
  const logprobs = listOf(metrics["logprobs"]).map(finiteOf);
  return {
    count: ids.length,
    ids,
    mask: null,
    logprobs: logprobs.length === ids.length ? logprobs : null,
    advantages: null,
    versions: null,
  };
}

/** Complete trajectories of sub-agents (v1.7), theirs included, as branches of their own. */
export function atifSubagents(
  value: unknown,
  problem: (message: string) => void,
  depth = 0,
): readonly Branch[] {
  if (depth > 20) return [];
  return listOf(value).flatMap((item, at) => {
    const sub = fieldsOf(item);
    const id = nameOf(sub["trajectory_id"]) ?? nameOf(sub["session_id"]) ?? `subagent-${depth}-${at + 1}`;
    return [
      {
        id,
        name: nameOf(fieldsOf(sub["agent"])["name"]),
        from: null,
        messages: atifMessages(sub["steps"], problem),
      },
      ...atifSubagents(sub["subagent_trajectories"], problem, depth + 1),
    ];
  });
}

/** Ids that two branches share would make them one. */
export function distinctIds(branches: readonly Branch[]): Branch[] {
  const seen = new Map<string, number>();
  return branches.map((branch) => {
    const times = seen.get(branch.id) ?? 0;
    seen.set(branch.id, times + 1);
    return times === 0 ? branch : { ...branch, id: `${branch.id}#${times + 1}` };
  });
}

/** Metrics of all sub-agents by branch, so that nothing of them is lost. */
export function subagentMetrics(value: unknown): Record<string, unknown> {
  return entriesOf(
    listOf(value).flatMap((item, at) => {
      const sub = fieldsOf(item);
      const metrics = sub["final_metrics"];
      return isFields(metrics) ? [[nameOf(sub["trajectory_id"]) ?? String(at + 1), metrics] as const] : [];
    }),
  );
}
