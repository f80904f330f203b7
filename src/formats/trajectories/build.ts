import { entriesOf, type Fields, fieldsOf, isFields, listOf, numberOf, put } from "../../base/fields";
import { toTagged, type TaggedNumber } from "../../schema/number";
import type { Branch, Message, ToolCall, Trajectory } from "../../schema/trajectory";
import { parseValue } from "./jsonValue";

export { entriesOf, type Fields, fieldsOf, isFields, listOf, numberOf };

export function textOr(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Names and ids: text as it is, numbers and bools as their text; else null. */
export function nameOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  return null;
}

/** A number that can be counted with; null where it is none or not finite. */
export function finiteOf(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && Number.isFinite(number) ? number : null;
}

export function taggedOf(value: unknown): TaggedNumber | null {
  const number = numberOf(value);
  return number === null ? null : toTagged(number);
}

/** Numbers by name; what is none becomes null and stays visible. */
export function taggedFields(value: unknown): Record<string, TaggedNumber | null> {
  return entriesOf(Object.entries(fieldsOf(value)).map(([name, item]) => [name, taggedOf(item)]));
}

/** The fields that aren't among `known`: nothing of a record is lost by having no place in the normal form. */
export function others(value: Fields, known: ReadonlySet<string>): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (!known.has(key)) put(rest, key, value[key]);
  return rest;
}

export function message(fields: Partial<Message> & Pick<Message, "role">): Message {
  return {
    roleInFile: null,
    name: null,
    parts: [],
    reasoning: null,
    calls: [],
    answersTo: null,
    callId: null,
    error: null,
    errorGuessed: false,
    reward: null,
    rewards: {},
    sampled: null,
    tokens: null,
    at: null,
    ms: null,
    model: null,
    finish: null,
    extra: {},
    ...fields,
  };
}

export function textMessage(role: Message["role"], text: string, fields: Partial<Message> = {}): Message {
  return message({ role, parts: text === "" ? [] : [{ type: "text", text }], ...fields });
}

/** A trajectory of these messages (one branch) or branches; links tool messages to their calls. */
export function trajectory(
  fields: Partial<Trajectory> & ({ readonly messages: Message[] } | Pick<Trajectory, "branches">),
): Trajectory {
  const { messages, branches, ...rest } = { messages: [], branches: undefined, ...fields };
  const made: Trajectory = {
    id: null,
    group: null,
    step: null,
    split: null,
    task: null,
    branches: branches ?? [{ id: "main", name: null, from: null, messages }],
    tools: [],
    reward: null,
    rewards: {},
    weights: {},
    metrics: {},
    advantage: null,
    credit: null,
    outcome: { kind: "unknown", inFile: null },
    errors: [],
    excluded: null,
    model: null,
    policy: null,
    usage: null,
    cost: null,
    ms: null,
    reference: null,
    snapshots: [],
    columns: {},
    continuedIn: null,
    form: null,
    ...rest,
  };
  made.branches.forEach((branch, at) => {
    const answering = branch.from !== null && branch.messages.some(({ role }) => role === "tool");
    linkCalls(branch.messages, answering ? sharedBefore(made.branches, at) : [], wayStart(branch));
    for (const one of branch.messages) markError(one);
  });
  return made;
}

function wayStart({ from }: Branch): number {
  return from === null ? 0 : from.message + 1;
}

/** The messages that a branch shares with those it comes from, from the start of its way. */
function sharedBefore(branches: readonly Branch[], at: number): readonly Message[] {
  const parts: (readonly Message[])[] = [];
  let end = wayStart(branches[at] ?? { id: "", name: null, from: null, messages: [] });
  // A file may name a circle of branches.
  const seen = new Set([at]);
  for (let from = branches[at]?.from ?? null; from !== null && !seen.has(from.branch);) {
    seen.add(from.branch);
    const branch = branches[from.branch];
    if (!branch) break;
    const start = wayStart(branch);
    parts.push(branch.messages.slice(0, Math.max(0, end - start)));
    end = Math.min(end, start);
    ({ from } = branch);
  }
  return parts.reverse().flat();
}

/** Tools that fail often answer with a text that says so first; few frameworks mark it otherwise. */
const TOOL_ERROR =
  /^\s*(?:(?:[A-Z]\w*)?Error|error|ERROR|Exception)\s*[:(!]|^\s*Traceback \(most recent call last\)/;
const ERROR_LENGTH = 300;

/**
 * What the file itself says decides: `is_error` (Anthropic), `isError` (MCP), `status` (LangChain), `returncode`
 * (mini-swe-agent). Chat messages of OpenAI's form and most trainers' files say nothing: then the first words are taken
 * for it, and said to be.
 */
function markError(one: Message): void {
  const [first] = one.parts;
  if (one.role !== "tool" || one.error !== null) return;
  const text = first?.type === "text" ? first.text.slice(0, ERROR_LENGTH).trim() : "";
  const marked = failureIn(one.extra);
  if (marked === false) return;
  if (marked === true) one.error = text === "" ? "error" : text;
  else if (TOOL_ERROR.test(text)) {
    one.error = text;
    one.errorGuessed = true;
  }
}

function failureIn({ is_error, isError, status, returncode }: Fields): boolean | null {
  for (const mark of [is_error, isError]) if (typeof mark === "boolean") return mark;
  if (status === "error" || status === "success") return status === "error";
  return typeof returncode === "number" ? returncode !== 0 : null;
}

/**
 * Links tool messages to the calls they answer: by id where both have one, else in order of the calls (TRL writes no
 * ids) of the last assistant message that has any. `shared`: what stands on the branch's way before its own messages;
 * its calls are another branch's, so that only the answer names the call. `start`: position of the first own message.
 */
export function linkCalls(own: Message[], shared: readonly Message[] = [], start = 0): void {
  let caller = -1;
  let next = 0;
  const byId = new Map<string, { message: number; call: number }>();
  const offset = start - shared.length;
  const messages = [...shared, ...own];
  messages.forEach((one, index) => {
    const at = index + offset;
    if (one.calls.length > 0) {
      caller = at;
      next = 0;
      one.calls.forEach(({ id }, call) => id !== null && byId.set(id, { message: at, call }));
    }
    if (one.role !== "tool") return;
    const known = one.callId === null ? undefined : byId.get(one.callId);
    const inOrder = one.callId === null && caller >= 0 ? { message: caller, call: next++ } : undefined;
    const to = known ?? inOrder;
    const call = to === undefined ? undefined : messages[to.message - offset]?.calls[to.call];
    if (!to || !call || index < shared.length) return;
    one.answersTo = to;
    if (to.message >= start && !call.answers.includes(at)) call.answers.push(at);
    one.name ??= call.name;
  });
}

/**
 * A tool call from its name and arguments, which may be an object or the text that the model wrote: JSON as Python
 * reads it, so that NaN and long integers are what they are.
 */
export function toolCall(name: string, args: unknown, id: string | null): ToolCall {
  const made = (fields: Partial<ToolCall>): ToolCall => ({
    id,
    name,
    arguments: null,
    raw: null,
    problem: null,
    answers: [],
    ...fields,
  });
  if (typeof args !== "string") {
    if (args === undefined || args === null) return made({ arguments: {} });
    return made({ arguments: args, problem: isFields(args) ? null : "not-an-object" });
  }
  if (args.trim() === "") return made({ arguments: {}, raw: args });
  const parsed = parseValue(args);
  // Raw control characters in a string are refused by Python, too.
  if (!parsed.ok || (CONTROL.test(args) && !isStrict(args))) return made({ raw: args, problem: "not-json" });
  const { value } = parsed;
  if (isFields(value)) return made({ arguments: value, raw: args });
  const inner = typeof value === "string" ? parseValue(value) : parsed;
  if (inner.ok && isFields(inner.value))
    return made({ arguments: inner.value, raw: args, problem: "encoded-twice" });
  return made({ arguments: value, raw: args, problem: "not-an-object" });
}

// eslint-disable-next-line no-control-regex -- those are looked for
const CONTROL = /[\u0000-\u001f]/;

function isStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
