import type { Message } from "../../schema/trajectory";
import { fieldsOf, isFields, listOf, message, nameOf, textOr } from "./build";
import { chatMessage, partsOf, textOfParts } from "./chat";

/**
 * A conversation as Anthropic's Messages API has it: `system` beside it, content as blocks, results of tools as blocks
 * of a user's message. Each result becomes a tool message of its own, before what else the user's message says.
 */
export function anthropicMessages(system: unknown, messages: unknown): Message[] {
  const parts = partsOf(system);
  return [
    ...(parts.length > 0 ? [message({ role: "system", parts })] : []),
    ...listOf(messages).flatMap((item) => anthropicMessage(item)),
  ];
}

/** The answer of a call: a `message` object with content blocks, `stop_reason`, `model`. */
export function anthropicAnswer(response: unknown): Message {
  const answer = fieldsOf(response);
  const [made = message({ role: "assistant" })] = anthropicMessage({
    role: answer["role"] ?? "assistant",
    content: answer["content"],
  });
  return {
    ...made,
    sampled: true,
    finish: textOr(answer["stop_reason"]),
    model: textOr(answer["model"]),
  };
}

function anthropicMessage(value: unknown): Message[] {
  const content = isFields(value) ? value["content"] : undefined;
  const results = listOf(content).filter((block) => isResult(block));
  if (!isFields(value) || results.length === 0) return [ownMessage(value)];
  const rest = listOf(content).filter((block) => !isResult(block));
  const tools = results.map((block) => resultMessage(fieldsOf(block)));
  return rest.length === 0 ? tools : [...tools, ownMessage({ ...value, content: rest })];
}

/** What is hidden from readers (`redacted_thinking`, signatures) stays beside the message. */
function ownMessage(value: unknown): Message {
  const made = chatMessage(value);
  const kept = listOf(fieldsOf(value)["content"]).filter(
    (block) => isFields(block) && (block["type"] === "redacted_thinking" || "signature" in block),
  );
  return kept.length === 0 ? made : { ...made, extra: { ...made.extra, thinking: kept } };
}

function isResult(block: unknown): boolean {
  return isFields(block) && block["type"] === "tool_result";
}

function resultMessage(block: Readonly<Record<string, unknown>>): Message {
  const parts = partsOf(block["content"]);
  return message({
    role: "tool",
    parts,
    callId: nameOf(block["tool_use_id"]),
    error: block["is_error"] === true ? textOfParts(parts) || "error" : null,
  });
}
