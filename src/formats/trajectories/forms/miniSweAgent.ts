import type { Message, OutcomeKind, ToolCall } from "../../../schema/trajectory";
import type { Fields } from "../build";
import { fieldsOf, isFields, listOf, nameOf, numberOf, others, textOr, toolCall, trajectory } from "../build";
import { chatMessage } from "../chat";
import type { TrajectoryForm } from "../form";
import { timeOf } from "../time";

const NAME = /\.traj\.json$/i;
const KNOWN = new Set(["info", "messages", "trajectory_format"]);

/**
 * mini-swe-agent `.traj.json`: `mini-swe-agent-1` and `-1.1`, and the bare array of messages before them
 * (mini-swe-agent 2.0). No reward; the patch is in `info.submission`.
 */
export const miniSweAgent: TrajectoryForm = {
  id: "mini-swe-agent",
  title: "mini-swe-agent trajectory",
  framework: "mini-swe-agent",
  containers: ["document"],
  grouping: "given",
  credit: null,
  recognise({ records: [record], name }) {
    if (isFields(record)) {
      if (/^mini-swe-agent/.test(textOr(record["trajectory_format"]) ?? "")) return true;
      return NAME.test(name) && Array.isArray(record["messages"]) && isFields(record["info"]);
    }
    return (
      NAME.test(name) && Array.isArray(record) && record.some((item) => isFields(item) && "role" in item)
    );
  },
  // A bare array is one trajectory, not a list of records.
  split: (records) => ({ shared: null, records: records.slice(0, 1) }),
  read(record, { name, problem }) {
    const whole = Array.isArray(record) ? { messages: record } : fieldsOf(record);
    const info = fieldsOf(whole["info"]);
    const messages = listOf(whole["messages"]).flatMap(miniMessages);
    if (messages.length === 0) problem("The record has no messages.");
    const instance = nameOf(whole["instance_id"]) ?? name.replace(NAME, "");
    const stats = fieldsOf(info["model_stats"]);
    const status = textOr(info["exit_status"]);
    const config = fieldsOf(info["config"]);
    return [
      trajectory({
        group: instance,
        task: instance,
        messages,
        outcome: { kind: exitKind(status), inFile: status },
        cost: numberOf(stats["instance_cost"]),
        model: textOr(fieldsOf(config["model"])["model_name"]),
        metrics: stats,
        columns: { ...others(whole, KNOWN), ...others(info, new Set(["model_stats"])) },
      }),
    ];
  },
};

/** Chat messages, or items of the Responses API where such a model was used. */
function miniMessages(item: unknown): Message[] {
  const fields = fieldsOf(item);
  const extra = fieldsOf(fields["extra"]);
  if ("output" in fields && Array.isArray(fields["output"]))
    return fields["output"].map((part: unknown) => timed(responseItem(fieldsOf(part)), extra));
  if (!("role" in fields) && "type" in fields) return [timed(responseItem(fields), extra)];
  const made = chatMessage(item);
  // What a command printed goes back as a user's message; it is the shell's answer all the same.
  if (made.role === "user" && "returncode" in extra)
    Object.assign(made, { role: "tool", roleInFile: "user" });
  if (made.role === "tool") made.error = returnError(extra);
  if (made.role === "assistant") {
    made.sampled = true;
    if (made.calls.length === 0) made.calls = actionsOf(extra);
  }
  return [timed(made, extra)];
}

function timed(made: Message, extra: Fields): Message {
  return { ...made, at: timeOf(extra["timestamp"]), extra: { ...made.extra, ...extra } };
}

/** A command's exit code says that it failed; its output stays the message. */
function returnError(extra: Fields): string | null {
  const code = numberOf(extra["returncode"]);
  return code === null || code === 0 ? null : `exit code ${code}`;
}

/** Actions written as text blocks: mini-swe-agent has one tool, the shell. */
function actionsOf(extra: Fields): ToolCall[] {
  return listOf(extra["actions"]).flatMap((action) => {
    const command = isFields(action) ? textOr(action["command"]) : textOr(action);
    return command === null
      ? []
      : [{ ...toolCall("bash", { command }, nameOf(fieldsOf(action)["tool_call_id"])), raw: command }];
  });
}

function responseItem(item: Fields): Message {
  switch (item["type"]) {
    case "function_call":
      return {
        ...chatMessage({ role: "assistant", content: null }),
        calls: [toolCall(nameOf(item["name"]) ?? "", item["arguments"], nameOf(item["call_id"]))],
        sampled: true,
      };
    case "function_call_output":
      return chatMessage({ role: "tool", content: item["output"], tool_call_id: item["call_id"] });
    case "reasoning": {
      const text = listOf(item["summary"]).map((part) => textOr(fieldsOf(part)["text"]) ?? "");
      return { ...chatMessage({ role: "assistant", content: null }), reasoning: text.join("\n\n") || null };
    }
    default:
      return chatMessage(item);
  }
}

/** `info.exit_status`: the agent's own words, else the class of the exception that ended it. */
const EXITS: readonly (readonly [RegExp, OutcomeKind])[] = [
  [/^Submitted$/, "finished"],
  [/LimitsExceeded|StepLimit/, "turns"],
  [/Time(Exceeded|out)/, "time"],
  [/ContextWindow|ContextLength/, "length"],
  [/Interrupt|Cancel/, "cancelled"],
  [
    /RetryError|API|RateLimit|Connection|Authentication|ServiceUnavailable|NotFoundError|BadRequest/,
    "infrastructure",
  ],
  [/Error|Exception/, "environment"],
];

function exitKind(status: string | null): OutcomeKind {
  if (status === null) return "unknown";
  return EXITS.find(([pattern]) => pattern.test(status))?.[1] ?? "unknown";
}
