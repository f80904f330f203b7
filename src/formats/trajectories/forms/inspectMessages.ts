import { encodeValue } from "../../../core/scoring/encode";
import type { Message } from "../../../schema/trajectory";
import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  isFields,
  listOf,
  nameOf,
  numberOf,
  others,
  textMessage,
  textOr,
  toolCall,
} from "../build";
import { chatMessage } from "../chat";
import { timeOf } from "../time";

const PROTOCOL = "attachment://";

/** Puts what Inspect moved out of the way (`attachment://<hash>`) back in its place, at any depth. */
export function withAttachments(value: unknown, attachments: Fields): unknown {
  if (typeof value === "string")
    return value.startsWith(PROTOCOL) ? (attachments[value.slice(PROTOCOL.length)] ?? value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withAttachments(item, attachments));
  if (!isFields(value)) return value;
  return entriesOf(Object.entries(value).map(([key, item]) => [key, withAttachments(item, attachments)]));
}

const KNOWN = new Set(["function", "error", "model", "source"]);

/** One ChatMessage of Inspect. */
export function inspectMessage(value: unknown): Message {
  const made = chatMessage(value);
  const fields = fieldsOf(value);
  const error = fields["error"];
  const serverCalls = listOf(fields["content"])
    .map(fieldsOf)
    .filter((block) => block["type"] === "tool_use");
  return {
    ...made,
    // Blocks of tools that the provider ran itself are calls as well; their results stay in `extra`.
    calls: [
      ...listOf(fields["tool_calls"]).map((call) => inspectCall(fieldsOf(call))),
      ...serverCalls.map((block) =>
        toolCall(nameOf(block["name"]) ?? "", block["arguments"], nameOf(block["id"])),
      ),
    ],
    name: made.name ?? textOr(fields["function"]),
    error: error === undefined || error === null ? null : errorText(error),
    sampled: made.role === "assistant" ? fields["source"] !== "input" : null,
    model: textOr(fields["model"]),
    extra: {
      ...others(made.extra, KNOWN),
      ...kept(fields),
      ...(serverCalls.length > 0 ? { toolUse: serverCalls } : {}),
    },
  };
}

/** Where the message came from, and a tool's error with its type, stay readable. */
function kept(fields: Fields): Record<string, unknown> {
  const entries = ["source", "error"].filter((key) => fields[key] !== undefined && fields[key] !== null);
  return entriesOf(entries.map((key) => [key, fields[key]]));
}

/** `{type, message}`; types are parsing, timeout, unicode_decode, permission, limit, approval and more. */
export function errorText(error: unknown): string {
  if (!isFields(error)) return nameOf(error) ?? "unknown error";
  const kind = textOr(error["type"]);
  const text = textOr(error["message"]) ?? "";
  return kind === null ? text : `${kind}: ${text}`;
}

/** Arguments are an object; where the model's text couldn't be parsed Inspect says so in `parse_error`. */
function inspectCall(call: Fields): Message["calls"][number] {
  const made = toolCall(nameOf(call["function"]) ?? "", call["arguments"], nameOf(call["id"]));
  const problem = textOr(call["parse_error"]);
  if (problem === null) return made;
  const written = fieldsOf(call["arguments"]);
  const raw = Object.values(written).length === 1 ? textOr(Object.values(written)[0]) : null;
  return { ...made, raw: made.raw ?? raw ?? encodeValue(written), problem: "not-json" };
}

export interface InspectEvents {
  /** Messages of the sample with times, latencies and usage of the events that made them. */
  readonly messages: Message[];
  readonly branches: readonly { readonly name: string | null; readonly messages: Message[] }[];
  /** Name, description and schema of tools, by the model calls. */
  readonly tools: readonly Fields[];
}

interface Placed {
  readonly id: string | null;
  readonly message: Message;
}

/** Reads what a sample's events carry: times, latencies, people's input and approvals, conversations of sub-agents. */
export function inspectEvents(sample: Fields): InspectEvents {
  const attachments = fieldsOf(sample["attachments"]);
  const events = listOf(sample["events"]).map(fieldsOf);
  const main: Placed[] = listOf(sample["messages"]).map((item) => {
    const value = withAttachments(item, attachments);
    return { id: nameOf(fieldsOf(value)["id"]), message: inspectMessage(value) };
  });
  const models = events.filter((event) => event["event"] === "model");
  const spans = new Map(
    events.filter((event) => event["event"] === "span_begin").map((event) => [nameOf(event["id"]), event]),
  );
  timeModels(main, models);
  timeTools(
    main,
    events.filter((event) => event["event"] === "tool"),
  );
  return {
    messages: withPeople(
      main.map((one) => one.message),
      events,
      attachments,
    ),
    branches: subAgents(sample, main, models, spans, attachments),
    tools: listOf(models.find((event) => listOf(event["tools"]).length > 0)?.["tools"]).map(fieldsOf),
  };
}

function outputOf(event: Fields): Fields {
  return fieldsOf(fieldsOf(listOf(fieldsOf(event["output"])["choices"])[0])["message"]);
}

function timeModels(main: readonly Placed[], models: readonly Fields[]): void {
  const byId = new Map(models.map((event) => [nameOf(outputOf(event)["id"]), event]));
  for (const { id, message } of main) {
    const event = id === null ? undefined : byId.get(id);
    if (!event || message.role !== "assistant") continue;
    const output = fieldsOf(event["output"]);
    const seconds = numberOf(event["working_time"]) ?? numberOf(output["time"]);
    message.ms = seconds === null ? null : seconds * 1000;
    message.at = timeOf(event["completed"]) ?? timeOf(event["timestamp"]);
    message.finish = textOr(fieldsOf(listOf(output["choices"])[0])["stop_reason"]);
    if (isFields(output["usage"])) message.extra = { ...message.extra, usage: output["usage"] };
  }
}

function timeTools(main: readonly Placed[], tools: readonly Fields[]): void {
  const byId = new Map(tools.map((event) => [nameOf(event["id"]), event]));
  for (const { message } of main) {
    const event = message.role === "tool" && message.callId !== null ? byId.get(message.callId) : undefined;
    if (!event) continue;
    const seconds = numberOf(event["working_time"]);
    message.ms = seconds === null ? null : seconds * 1000;
    message.at = timeOf(event["completed"]) ?? timeOf(event["timestamp"]);
    message.error ??= isFields(event["error"]) ? errorText(event["error"]) : null;
  }
}

/** What people did: typed input and decisions about tool calls that weren't waved through. */
function withPeople(messages: Message[], events: readonly Fields[], attachments: Fields): Message[] {
  const result = [...messages];
  for (const event of events) {
    const text = personText(event, attachments);
    if (text === null) continue;
    const at = timeOf(event["timestamp"]);
    const before = result.findLastIndex((one) => one.at !== null && at !== null && one.at <= at);
    const made = textMessage("event", text, { roleInFile: String(event["event"]), at });
    result.splice(before < 0 ? result.length : before + 1, 0, made);
  }
  return result;
}

function personText(event: Fields, attachments: Fields): string | null {
  if (event["event"] === "input") return textOr(withAttachments(event["input"], attachments));
  if (event["event"] !== "approval" || event["decision"] === "approve") return null;
  const why = textOr(event["explanation"]);
  return [nameOf(event["approver"]), nameOf(event["decision"]), why].filter((one) => one !== null).join(": ");
}

/** Conversations of agents that didn't become the sample's own messages; the last call of each has all of it. */
function subAgents(
  sample: Fields,
  main: readonly Placed[],
  models: readonly Fields[],
  spans: ReadonlyMap<string | null, Fields>,
  attachments: Fields,
): { readonly name: string | null; readonly messages: Message[] }[] {
  const own = new Set(main.map((one) => one.id));
  const last = new Map<string, { readonly name: string | null; readonly event: Fields }>();
  for (const event of models) {
    if (own.has(nameOf(outputOf(event)["id"]))) continue;
    const agent = enclosing(event, spans);
    if (agent) last.set(agent.id, { name: agent.name, event });
  }
  return [...last.values()].map(({ name, event }) => ({
    name,
    messages: [...inputOf(event, sample), outputOf(event)]
      .filter((item) => Object.keys(fieldsOf(item)).length > 0)
      .map((item) => inspectMessage(withAttachments(item, attachments))),
  }));
}

/** The innermost agent or subtask span around an event; null for the solvers' own calls and for scorers. */
function enclosing(
  event: Fields,
  spans: ReadonlyMap<string | null, Fields>,
): { readonly id: string; readonly name: string | null } | null {
  let id = nameOf(event["span_id"]);
  for (let depth = 0; id !== null && depth < 100; depth++) {
    const span = spans.get(id);
    if (!span) return null;
    const kind = span["type"];
    if (kind === "scorer" || kind === "scorers") return null;
    if (kind === "agent" || kind === "subtask") return { id, name: nameOf(span["name"]) };
    id = nameOf(span["parent_id"]);
  }
  return null;
}

/** Input of a model call: messages, or ranges of the sample's pool of them (`events_data`, 0.3.2xx and later). */
function inputOf(event: Fields, sample: Fields): readonly unknown[] {
  const pool = listOf(fieldsOf(sample["events_data"])["messages"]);
  const ranges = listOf(event["input_refs"]).map((range) => listOf(range).map((end) => numberOf(end) ?? 0));
  if (ranges.length === 0) return listOf(event["input"]);
  return ranges.flatMap(([from = 0, to = 0]) => pool.slice(from, to));
}
