import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  nameOf,
  others,
  taggedOf,
  textOr,
  toolCall,
  trajectory,
} from "../build";
import type { PlacedRecord, TrajectoryForm } from "../form";
import { chatMessage, chatMessages } from "../chat";
import { timeOf } from "../time";
import { trlTrajectory } from "./trlRow";
import type { Message, Trajectory } from "../../../schema/trajectory";

/**
 * trackio's `{project}.db`, table `traces` (trackio 0.43). The database holds metrics and tables of samples besides: where
 * there are traces these are the rollouts, and the tables, which often hold the same ones again, aren't read.
 */
export const trackioTraces: TrajectoryForm = {
  id: "trackio-traces",
  title: "trackio traces",
  framework: null,
  containers: ["sqlite"],
  grouping: "given",
  credit: null,
  recognise: ({ names }) => names.includes("traces.messages") && names.includes("traces.run_id"),
  tables: () => ({ table: "traces", json: ["messages", "metadata", "spans"] }),
  read(record) {
    if (!isFields(record)) return [];
    return [
      traced(fieldsOf(record["metadata"]), {
        id: nameOf(record["id"]),
        step: finiteOf(record["step"]),
        task: nameOf(record["key"]),
        messages: chatMessages(record["messages"]),
        columns: others(record, new Set(["id", "step", "messages", "metadata", "search_text", "timestamp"])),
      }),
    ];
  },
};

/** Tables of samples that trackio keeps inside its metrics, where the database has no traces (trackio 0.43). */
export const trackioTables: TrajectoryForm = {
  id: "trackio-tables",
  title: "trackio tables",
  framework: "trl",
  containers: ["sqlite"],
  grouping: "runs",
  credit: null,
  recognise: ({ names }) => names.includes("metrics.metrics") && names.includes("metrics.run_id"),
  tables: () => ({ table: "metrics", json: ["metrics"] }),
  read(record, context) {
    if (!isFields(record)) return [];
    const step = finiteOf(record["step"]);
    return Object.entries(fieldsOf(record["metrics"])).flatMap(([key, value]) => {
      if (!isFields(value) || value["_type"] !== "trackio.table") return [];
      return listOf(value["_value"])
        .filter((row): row is Fields => isFields(row) && "prompt" in row && "completion" in row)
        .map((row): Trajectory => {
          const made = trlTrajectory(row, null, context);
          // A column called reward is the total itself.
          const reward = "reward" in row ? taggedOf(row["reward"]) : made.reward;
          return { ...made, step: made.step ?? step, task: key, reward };
        });
    });
  },
};

/** trackio's `traces/{project}/{run}/*.jsonl`: one session a file, a line an entry (trackio 0.43, session version 3). */
export const trackioSession: TrajectoryForm = {
  id: "trackio-session",
  title: "trackio trace session",
  framework: null,
  containers: ["lines"],
  grouping: "given",
  credit: null,
  whole: true,
  recognise: ({ records: [session] }) =>
    isFields(session) && session["type"] === "session" && session["harness"] === "trackio",
  owns: (entry) => typeof entry["type"] === "string",
  split(records) {
    const sessions: { session: unknown; entries: unknown[]; line: number }[] = [];
    for (const { value, line } of records) {
      if (fieldsOf(value)["type"] === "session") sessions.push({ session: value, entries: [], line });
      else sessions.at(-1)?.entries.push(value);
    }
    return { shared: null, records: sessions.map(({ line, ...value }): PlacedRecord => ({ value, line })) };
  },
  read(record) {
    if (!isFields(record)) return [];
    const session = fieldsOf(record["session"]);
    const about = fieldsOf(session["trackio"]);
    const entries = listOf(record["entries"]).map(fieldsOf);
    const model = entries.map((entry) => textOr(entry["modelId"])).find((name) => name !== null) ?? null;
    const written = entries.filter((entry) => entry["type"] === "message");
    const further = entries.filter(
      (entry) => entry["type"] !== "message" && entry["type"] !== "model_change",
    );
    return [
      traced(fieldsOf(about["metadata"]), {
        id: nameOf(session["id"]),
        step: finiteOf(about["step"]),
        task: nameOf(session["name"]),
        messages: written.map(entryMessage),
        model,
        columns: {
          ...entriesOf(
            Object.entries(about).filter(
              ([key, value]) => key !== "metadata" && key !== "step" && value !== null,
            ),
          ),
          ...(further.length > 0 ? { entries: further } : {}),
        },
      }),
    ];
  },
};

const META = new Set(["reward", "group", "task", "status"]);

/** What people put beside a trace has no fixed names: these are taken for what they say. */
function traced(meta: Fields, fields: Partial<Trajectory> & { readonly messages: Message[] }): Trajectory {
  const status = textOr(meta["status"]);
  return trajectory({
    ...fields,
    messages: fields.messages.map((one) => (one.role === "assistant" ? { ...one, sampled: true } : one)),
    group: nameOf(meta["group"]),
    task: nameOf(meta["task"]) ?? fields.task ?? null,
    reward: taggedOf(meta["reward"]),
    outcome: { kind: status === "ok" ? "finished" : "unknown", inFile: status },
    columns: { ...fields.columns, ...others(meta, META) },
  });
}

/** Roles and blocks of the session form (`toolResult`, `toolCall`), as chat messages have them. */
function entryMessage(entry: Fields): Message {
  const inner = fieldsOf(entry["message"]);
  const blocks = listOf(inner["content"]).map(fieldsOf);
  const calls = blocks.filter((block) => block["type"] === "toolCall");
  const thoughts = blocks
    .filter((block) => block["type"] === "thinking")
    .flatMap((block) => textOr(block["thinking"]) ?? []);
  const content = Array.isArray(inner["content"])
    ? blocks.filter((block) => block["type"] !== "toolCall" && block["type"] !== "thinking")
    : inner["content"];
  const result = inner["role"] === "toolResult";
  const base = chatMessage({
    ...others(inner, new Set(["toolCallId", "toolName", "isError"])),
    content,
    role: result ? "tool" : inner["role"],
  });
  return {
    ...base,
    roleInFile: result ? "toolResult" : base.roleInFile,
    name: nameOf(inner["toolName"]) ?? base.name,
    callId: nameOf(inner["toolCallId"]) ?? base.callId,
    error: inner["isError"] === true ? "isError" : base.error,
    reasoning: thoughts.join("\n\n") || base.reasoning,
    calls: [
      ...base.calls,
      ...calls.map((call) => toolCall(nameOf(call["name"]) ?? "", call["arguments"], nameOf(call["id"]))),
    ],
    at: timeOf(entry["timestamp"]),
  };
}
