import { entriesOf, fieldsOf, isFields, listOf, message, nameOf, others, textOr, toolCall } from "./build";
import { alternativesOf, choiceTokens } from "./tokens";
import type { Message, Part, Role, Tool, ToolCall } from "../../schema/trajectory";

/** Words for roles in files of several ages; anything else is an `event` and keeps its word. */
export const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["agent", "assistant"],
  ["ai", "assistant"],
  ["gpt", "assistant"],
  ["model", "assistant"],
  ["bot", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
  ["ipython", "tool"],
  ["observation", "tool"],
]);

const KNOWN = new Set([
  "role",
  "from",
  "content",
  "value",
  "name",
  "tool_calls",
  "tool_call_id",
  "function_call",
  "reasoning_content",
  "reasoning",
  "thinking",
]);

/** A conversation: a list of chat messages in any shape seen in files, or a text, which is then one message. */
export function chatMessages(value: unknown, textRole: Role = "user"): Message[] {
  if (typeof value === "string")
    return value === "" ? [] : [message({ role: textRole, parts: partsOf(value) })];
  return listOf(value).map((item) => chatMessage(item));
}

/** One OpenAI-like chat message (a Choice that holds one, too). */
export function chatMessage(value: unknown): Message {
  if (typeof value === "string") return message({ role: "event", parts: partsOf(value) });
  if (!isFields(value)) return message({ role: "event", parts: [{ type: "other", kind: "value", value }] });
  if (!("role" in value) && isFields(value["message"])) {
    const inner = chatMessage(value["message"]);
    const alternatives = alternativesOf(value);
    return {
      ...inner,
      sampled: true,
      finish: textOr(value["finish_reason"]),
      tokens: choiceTokens(value),
      extra: alternatives === null ? inner.extra : { ...inner.extra, logprobs: alternatives },
    };
  }
  const word = textOr(value["role"]) ?? textOr(value["from"]) ?? "";
  const role = ROLES.get(word.toLowerCase()) ?? "event";
  const old = isFields(value["function_call"]) ? [value["function_call"]] : [];
  const made = message({
    role,
    roleInFile: word === role ? null : word || null,
    name: nameOf(value["name"]),
    parts: partsOf(value["content"] ?? value["value"]),
    reasoning: reasoningOf(value),
    calls: [...listOf(value["tool_calls"]), ...old].map((call) => callOf(call)),
    callId: nameOf(value["tool_call_id"]),
    extra: present(others(value, KNOWN)),
  });
  return takeBlocks(made, value["content"]);
}

/** Without the keys that clients write for what isn't there (`refusal: null`). */
function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return entriesOf(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function reasoningOf(value: Readonly<Record<string, unknown>>): string | null {
  for (const key of ["reasoning_content", "reasoning", "thinking"]) {
    const text = textOr(value[key]);
    if (text !== null && text !== "") return text;
  }
  return null;
}

/** Tool calls: OpenAI's object, the JSON text of one (older verifiers), or flat `{id, name, arguments}`. */
export function callOf(value: unknown): ToolCall {
  if (typeof value === "string") {
    try {
      const parsed: unknown = JSON.parse(value);
      if (isFields(parsed)) return callOf(parsed);
    } catch {
      // Shown as the model wrote it.
    }
    return { ...toolCall("", value, null), raw: value, problem: "not-json" };
  }
  const call = fieldsOf(value);
  const inner = isFields(call["function"]) ? call["function"] : call;
  return toolCall(
    nameOf(inner["name"]) ?? "",
    inner["arguments"] ?? inner["args"] ?? inner["input"],
    nameOf(call["id"] ?? call["call_id"]),
  );
}

/** Content: text, null, or a list of parts (OpenAI's, Responses', Anthropic's, Inspect's). */
export function partsOf(content: unknown): Part[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [partOf(content)];
  return content.filter((item) => !isBlock(item)).map((item: unknown) => partOf(item));
}

/** Blocks that are no content but a call, its result or reasoning: `takeBlocks` puts them in their places. */
const BLOCKS = new Set(["tool_use", "thinking", "redacted_thinking", "reasoning"]);

function isBlock(item: unknown): boolean {
  return isFields(item) && typeof item["type"] === "string" && BLOCKS.has(item["type"]);
}

function takeBlocks(into: Message, content: unknown): Message {
  const blocks = listOf(content)
    .filter((item) => isBlock(item))
    .map(fieldsOf);
  if (blocks.length === 0) return into;
  const calls = blocks.filter((block) => block["type"] === "tool_use").map((block) => callOf(block));
  const thoughts = blocks
    .filter((block) => block["type"] !== "tool_use")
    .map((block) => textOr(block["thinking"]) ?? textOr(block["reasoning"]) ?? textOr(block["text"]) ?? "")
    .filter((text) => text !== "");
  return {
    ...into,
    calls: [...into.calls, ...calls],
    reasoning: [...(into.reasoning === null ? [] : [into.reasoning]), ...thoughts].join("\n\n") || null,
  };
}

const DATA_URL = /^data:([^;,]+)?(?:;[^,]*)?;base64,/i;

export function partOf(value: unknown): Part {
  if (typeof value === "string") return { type: "text", text: value };
  if (!isFields(value)) return { type: "other", kind: "value", value };
  const kind = textOr(value["type"]) ?? "";
  const text = textOr(value["text"]);
  if (text !== null && (kind === "" || kind.endsWith("text"))) return { type: "text", text };
  if (kind === "refusal" && typeof value["refusal"] === "string")
    return { type: "text", text: value["refusal"] };
  const image = value["image_url"] ?? value["image"] ?? (kind === "image" ? value["source"] : undefined);
  if (image !== undefined || kind.endsWith("image")) return imageOf(image, value);
  return { type: "other", kind: kind || "object", value: entriesOf(Object.entries(value)) };
}

function imageOf(image: unknown, whole: Readonly<Record<string, unknown>>): Part {
  const source = fieldsOf(image);
  const address =
    textOr(image) ?? textOr(source["url"]) ?? textOr(source["path"]) ?? textOr(whole["url"]) ?? null;
  const mime = textOr(source["media_type"]) ?? textOr(whole["media_type"]) ?? textOr(whole["mime_type"]);
  const data = textOr(source["data"]) ?? textOr(source["bytes"]);
  if (data !== null) return { type: "image", mime, data, address: null };
  const inline = address === null ? null : DATA_URL.exec(address.slice(0, 200));
  if (address !== null && inline)
    return { type: "image", mime: inline[1] ?? mime, data: address.slice(inline[0].length), address: null };
  return { type: "image", mime, data: null, address };
}

/** All text of a message's parts, joined by line ends: for titles, search and prompts. */
export function textOfParts(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Tools offered to a model: OpenAI's `{type, function}`, flat ones, or Anthropic's with `input_schema`. */
export function toolsOf(value: unknown): Tool[] {
  return listOf(value).map((item): Tool => {
    const tool = fieldsOf(isFields(item) && isFields(item["function"]) ? item["function"] : item);
    return {
      name: nameOf(tool["name"]) ?? textOr(fieldsOf(item)["type"]) ?? "",
      description: textOr(tool["description"]),
      schema: tool["parameters"] ?? tool["input_schema"] ?? tool["inputSchema"] ?? null,
    };
  });
}
