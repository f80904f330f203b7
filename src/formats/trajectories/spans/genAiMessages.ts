import { encodeValue } from "../../../core/scoring/encode";
import type { Message } from "../../../schema/trajectory";
import type { Fields } from "../build";
import { fieldsOf, isFields, listOf, message, nameOf, textOr } from "../build";
import { chatMessage, chatMessages } from "../chat";
import { unflatten, unpack } from "./attributes";
import type { RawSpan } from "./otlp";

/** Messages sent and answered by a model call's span; input null where the span holds none. */
export interface Exchange {
  readonly input: readonly Message[] | null;
  readonly output: readonly Message[];
}

/**
 * OpenTelemetry's GenAI conventions by age: 1.37 and later (`gen_ai.input.messages`, parts), events of 1.28 to 1.36
 * (`gen_ai.user.message`, `gen_ai.choice`), before that `gen_ai.prompt` whole or flattened (OpenLLMetry); and
 * OpenInference (`llm.input_messages.N.message.…`), Vercel's AI SDK (`ai.prompt.messages`).
 */
export function exchangeOf(span: RawSpan): Exchange {
  for (const reader of READERS) {
    const found = reader(span);
    if (found && (found.input !== null || found.output.length > 0)) return found;
  }
  return { input: null, output: [] };
}

type Reader = (span: RawSpan) => Exchange | null;

const withParts: Reader = ({ attributes, events }) => {
  const details = events.find((event) => event.name === "gen_ai.client.inference.operation.details");
  const all = { ...details?.attributes, ...attributes };
  const input = unpack(all["gen_ai.input.messages"]);
  const output = unpack(all["gen_ai.output.messages"]);
  if (!Array.isArray(input) && !Array.isArray(output)) return null;
  const system = listOf(unpack(all["gen_ai.system_instructions"]));
  const opening = system.length > 0 ? partMessages({ role: "system", parts: system }) : [];
  return {
    input: Array.isArray(input)
      ? [...opening, ...input.flatMap(partMessages)]
      : opening.length > 0
        ? opening
        : null,
    output: listOf(output).flatMap(partMessages),
  };
};

/** A message of parts; each response of a tool in it is a message of its own here. */
function partMessages(value: unknown): Message[] {
  const fields = fieldsOf(value);
  if (!Array.isArray(fields["parts"])) return [chatMessage(value)];
  const parts = fields["parts"].map(fieldsOf);
  const responses = parts.filter((part) => part["type"] === "tool_call_response");
  const rest = parts.filter((part) => part["type"] !== "tool_call_response");
  const made = chatMessage({
    role: fields["role"],
    name: fields["name"],
    content: rest.filter((part) => part["type"] !== "tool_call").map(contentOf),
    tool_calls: rest.filter((part) => part["type"] === "tool_call"),
  });
  const answers = responses.map((part) =>
    chatMessage({
      role: "tool",
      tool_call_id: part["id"],
      content: asText(part["response"] ?? part["result"]),
    }),
  );
  const own =
    rest.length > 0 || answers.length === 0 ? [{ ...made, finish: textOr(fields["finish_reason"]) }] : [];
  return [...own, ...answers];
}

function contentOf(part: Fields): Fields {
  switch (part["type"]) {
    case "text":
      return { type: "text", text: part["content"] };
    case "reasoning":
      return { type: "reasoning", text: part["content"] };
    case "blob":
      return {
        type: "image",
        source: { data: part["content"] ?? part["data"], media_type: part["mime_type"] },
      };
    case "uri":
      return { type: "image", url: part["uri"], mime_type: part["mime_type"] };
    default:
      return part;
  }
}

/** Tools answer with text or with any value. */
export function asText(value: unknown): unknown {
  return isFields(value) || (Array.isArray(value) && !value.every((item) => isFields(item) && "type" in item))
    ? encodeValue(value)
    : value;
}

const EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;

const withEvents: Reader = ({ events }) => {
  const input: Message[] = [];
  const output: Message[] = [];
  for (const { name, attributes } of events) {
    const role = EVENT.exec(name)?.[1];
    const body = { ...attributes, ...fieldsOf(unpack(attributes["gen_ai.event.content"])) };
    if (role !== undefined)
      input.push(
        chatMessage({
          role: body["role"] ?? role,
          content: unpackContent(body["content"]),
          tool_calls: unpack(body["tool_calls"]),
          tool_call_id: role === "tool" ? (body["id"] ?? body["tool_call_id"]) : undefined,
        }),
      );
    if (name === "gen_ai.choice") output.push(choiceOf(body));
    if (name === "gen_ai.content.prompt") input.push(...promptOf(attributes["gen_ai.prompt"]));
    if (name === "gen_ai.content.completion") output.push(...answersOf(attributes["gen_ai.completion"]));
  }
  return { input: input.length > 0 ? input : null, output };
};

function choiceOf(body: Fields): Message {
  const inner = unpack(body["message"]);
  const from: Fields = isFields(inner) ? inner : body;
  const content = isFields(inner) ? inner["content"] : (inner ?? body["content"]);
  const made = chatMessage({
    role: "assistant",
    content: unpackContent(content),
    tool_calls: unpack(from["tool_calls"] ?? body["tool_calls"]),
  });
  return { ...made, finish: textOr(body["finish_reason"]) };
}

function unpackContent(content: unknown): unknown {
  const whole = unpack(content);
  return Array.isArray(whole) ? whole : content;
}

const wholePrompt: Reader = ({ attributes }) => {
  if (!("gen_ai.prompt" in attributes) && !("gen_ai.completion" in attributes)) return null;
  const input = promptOf(attributes["gen_ai.prompt"]);
  return { input: input.length > 0 ? input : null, output: answersOf(attributes["gen_ai.completion"]) };
};

function promptOf(value: unknown): Message[] {
  const whole = unpack(value);
  return chatMessages(isFields(whole) && Array.isArray(whole["messages"]) ? whole["messages"] : whole);
}

function answersOf(value: unknown): Message[] {
  const whole = unpack(value);
  if (isFields(whole)) return listOf(whole["choices"] ?? [whole]).map((item) => chatMessage(item));
  return chatMessages(whole, "assistant");
}

const flattened: Reader = ({ attributes }) => {
  const input = unflatten(attributes, "gen_ai.prompt");
  const output = unflatten(attributes, "gen_ai.completion");
  if (!input && !output) return null;
  return {
    input: input?.map(flatMessage) ?? null,
    output: (output ?? []).map((item) => ({
      ...flatMessage(item),
      role: "assistant",
      finish: textOr(fieldsOf(item)["finish_reason"]),
    })),
  };
};

function flatMessage(value: unknown): Message {
  const fields = fieldsOf(value);
  return chatMessage({ ...fields, content: unpackContent(fields["content"]) });
}

const openInference: Reader = ({ attributes }) => {
  const input = unflatten(attributes, "llm.input_messages");
  const output = unflatten(attributes, "llm.output_messages");
  if (!input && !output) return null;
  return { input: input?.map(inferenceMessage) ?? null, output: (output ?? []).map(inferenceMessage) };
};

/** OpenInference names each level again: `message.contents.0.message_content.type`. */
function inferenceMessage(value: unknown): Message {
  const fields = fieldsOf(fieldsOf(value)["message"]);
  const contents = listOf(fields["contents"]).map((item) => {
    const content = fieldsOf(fieldsOf(item)["message_content"]);
    const image = fieldsOf(fieldsOf(content["image"])["image"]);
    return content["type"] === "image" ? { type: "image", image_url: image["url"] } : content;
  });
  return chatMessage({
    role: fields["role"],
    content: contents.length > 0 ? contents : fields["content"],
    name: fields["name"],
    tool_call_id: fields["tool_call_id"],
    tool_calls: listOf(fields["tool_calls"]).map((item) => fieldsOf(fieldsOf(item)["tool_call"])),
  });
}

const vercel: Reader = ({ attributes }) => {
  const prompt = unpack(attributes["ai.prompt.messages"]);
  const text = textOr(attributes["ai.response.text"]);
  const calls = listOf(unpack(attributes["ai.response.toolCalls"])).map(fieldsOf);
  if (!Array.isArray(prompt) && text === null && calls.length === 0) return null;
  const answer = chatMessage({
    role: "assistant",
    content: text,
    tool_calls: calls.map((call) => ({
      id: call["toolCallId"],
      name: call["toolName"],
      arguments: call["args"] ?? call["input"],
    })),
  });
  return { input: Array.isArray(prompt) ? prompt.flatMap(vercelMessage) : null, output: [answer] };
};

function vercelMessage(value: unknown): Message[] {
  const fields = fieldsOf(value);
  const parts = listOf(fields["content"]).map(fieldsOf);
  const results = parts.filter((part) => part["type"] === "tool-result");
  if (results.length > 0)
    return results.map((part) =>
      message({
        ...chatMessage({
          role: "tool",
          tool_call_id: part["toolCallId"],
          content: asText(part["result"] ?? part["output"]),
        }),
        name: nameOf(part["toolName"]),
      }),
    );
  const calls = parts.filter((part) => part["type"] === "tool-call");
  if (calls.length === 0) return [chatMessage(value)];
  return [
    chatMessage({
      role: fields["role"],
      content: parts.filter((part) => part["type"] !== "tool-call"),
      tool_calls: calls.map((part) => ({
        id: part["toolCallId"],
        name: part["toolName"],
        arguments: part["args"] ?? part["input"],
      })),
    }),
  ];
}

/** OpenInference's and MLflow's whole request and answer, where nothing finer is there. */
export function exchangeOfValues(input: unknown, output: unknown): Exchange {
  const asked = unpack(input);
  const answered = unpack(output);
  const messages = isFields(asked) ? (asked["messages"] ?? asked["input"]) : asked;
  const sent = Array.isArray(messages)
    ? chatMessages(messages.length === 1 && Array.isArray(messages[0]) ? messages[0] : messages)
    : chatMessages(typeof messages === "string" ? messages : null);
  return { input: sent.length > 0 ? sent : null, output: answersOfValue(answered) };
}

function answersOfValue(value: unknown): Message[] {
  if (typeof value === "string") return chatMessages(value, "assistant");
  const fields = isFields(value) ? value : {};
  const items = fields["choices"] ?? fields["messages"] ?? (Array.isArray(value) ? value : null);
  if (Array.isArray(items)) return items.map((item: unknown) => chatMessage(item));
  if (isFields(fields["message"])) return [chatMessage(fields["message"])];
  return "role" in fields || "content" in fields ? [chatMessage({ role: "assistant", ...fields })] : [];
}

const values: Reader = ({ attributes }) =>
  "input.value" in attributes || "output.value" in attributes
    ? exchangeOfValues(attributes["input.value"], attributes["output.value"])
    : null;

const READERS: readonly Reader[] = [
  withParts,
  withEvents,
  flattened,
  wholePrompt,
  openInference,
  vercel,
  values,
];
