import { encodeValue } from "../scoring/encode";
import { fromTagged } from "../../schema/number";
import type { Message, Part, Trajectory } from "../../schema/trajectory";

export type JsonRow = Record<string, unknown>;

/** Forms whose prompt and completion are texts: their rewards read texts. */
const TEXT_FORMS = /^(?:verl|areal|skyrl|openrlhf)/;

export interface PromptAndCompletion {
  readonly prompt: readonly Message[];
  readonly completion: readonly Message[];
}

/** Where the model begins to answer: its first message and all after it are the completion. */
export function splitAtAnswer(messages: readonly Message[]): PromptAndCompletion {
  const at = messages.findIndex((message) => message.role === "assistant");
  return at < 0
    ? { prompt: messages, completion: [] }
    : { prompt: messages.slice(0, at), completion: messages.slice(at) };
}

/** A message in OpenAI's chat form, as trainers and their reward functions read it. */
export function chatRow(message: Message): JsonRow {
  const row: JsonRow = {
    role: message.role === "event" ? "user" : message.role,
    content: contentOf(message.parts),
  };
  if (message.reasoning !== null) row["reasoning_content"] = message.reasoning;
  if (message.calls.length > 0)
    row["tool_calls"] = message.calls.map((call, at) => ({
      id: call.id ?? `call_${at}`,
      type: "function",
      function: { name: call.name, arguments: call.raw ?? encodeValue(call.arguments ?? {}) },
    }));
  if (message.role === "tool") {
    if (message.callId !== null) row["tool_call_id"] = message.callId;
    if (message.name !== null) row["name"] = message.name;
  }
  return row;
}

function contentOf(parts: readonly Part[]): unknown {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length === parts.length) return texts.join("\n");
  return parts.map((part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "image":
        return {
          type: "image_url",
          image_url: {
            url:
              part.data === null
                ? (part.address ?? "")
                : `data:${part.mime ?? "image/png"};base64,${part.data}`,
          },
        };
      case "other":
        return { type: part.kind, value: part.value };
    }
  });
}

/** Text of messages, as a prompt is compared with another. */
export function textOfMessages(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
    .join("\n");
}

/**
 * A trajectory as a row that a reward function can be scored on: `prompt` and `completion` (texts where its form has
 * texts, else chat messages), the record's own columns, the reference, and what the file said of reward and outcome.
 */
export function sampleRow(trajectory: Trajectory, form: string, id: string, group: string): JsonRow {
  const { prompt, completion } = splitAtAnswer(trajectory.branches[0]?.messages ?? []);
  const text = TEXT_FORMS.test(trajectory.form ?? form);
  const row: JsonRow = {
    id,
    group,
    prompt: text ? textOfMessages(prompt) : prompt.map(chatRow),
    completion: text ? textOfMessages(completion) : completion.map(chatRow),
  };
  for (const [key, value] of Object.entries(trajectory.columns))
    if (!Object.hasOwn(row, key)) define(row, key, value);
  if (trajectory.reference !== null && !Object.hasOwn(row, "reference"))
    define(row, "reference", trajectory.reference);
  if (trajectory.tools.length > 0 && !Object.hasOwn(row, "tools"))
    define(
      row,
      "tools",
      trajectory.tools.map(({ name, description, schema }) => ({
        type: "function",
        function: { name, description, parameters: schema },
      })),
    );
  define(row, "reward_in_file", trajectory.reward === null ? null : fromTagged(trajectory.reward));
  define(row, "outcome", trajectory.outcome.kind);
  return row;
}

function define(row: JsonRow, key: string, value: unknown): void {
  Object.defineProperty(row, key, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * One line of JSON as Python's `json` writes and reads it: NaN and infinities as its literals, integers beyond 2^53 with
 * all digits, as the file had them.
 */
export function jsonLine(row: JsonRow): string {
  return `${encodeValue(row)}\n`;
}
