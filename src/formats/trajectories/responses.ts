import type { Message, TokenData } from "../../schema/trajectory";
import type { Fields } from "./build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  message,
  nameOf,
  others,
  textOr,
  toolCall,
} from "./build";
import { chatMessage, chatMessages, partsOf } from "./chat";
import { integersOf } from "./tokens";

/** Kinds of items that are calls of tools on the server's side: their name is their kind. */
const SERVER_CALL = /_call$/;

const KNOWN = new Set([
  "type",
  "role",
  "content",
  "id",
  "call_id",
  "name",
  "arguments",
  "input",
  "output",
  "summary",
  "status",
  "phase",
  "namespace",
  "prompt_token_ids",
  "generation_token_ids",
  "generation_log_probs",
]);

/** What a request of the Responses API gives the model: its instructions, then the items (or text) of `input`. */
export function responseMessages(input: unknown, instructions: unknown): Message[] {
  const asked = responseItems(input ?? [], false);
  return instructions === null || instructions === undefined || instructions === ""
    ? asked
    : [message({ role: "system", parts: partsOf(instructions), sampled: false }), ...asked];
}

/** What a response holds: turns of the model and, where an agent collected a whole rollout in it, what came between. */
export function responseAnswers(response: unknown): Message[] {
  return responseItems(fieldsOf(response)["output"] ?? [], true);
}

/**
 * Items of the Responses API (openai 2.x, `ResponseInputItem` and `ResponseOutputItem`) as messages. Reasoning, text and
 * calls that follow each other are one turn of the model; an answer of a tool, a message of somebody else or the next
 * text begins another.
 */
function responseItems(items: unknown, sampled: boolean): Message[] {
  if (!Array.isArray(items)) return chatMessages(items);
  const made: Message[] = [];
  let open: Message | null = null;
  for (const item of items) {
    const one = itemMessage(item, sampled);
    if (open !== null && one.role === "assistant" && joins(open, one)) {
      open = join(open, one);
      made[made.length - 1] = open;
      continue;
    }
    made.push(one);
    open = one.role === "assistant" ? one : null;
  }
  return made;
}

/** Reasoning goes before text, text before calls: what stands the other way round is another turn. */
function joins(open: Message, next: Message): boolean {
  if (open.calls.length > 0)
    return next.calls.length > 0 && next.parts.length === 0 && next.reasoning === null;
  if (open.parts.length > 0)
    return next.calls.length > 0 && next.parts.length === 0 && next.reasoning === null;
  return open.reasoning !== null;
}

function join(open: Message, next: Message): Message {
  return {
    ...open,
    parts: [...open.parts, ...next.parts],
    reasoning: [open.reasoning, next.reasoning].filter((text) => text !== null).join("\n\n") || null,
    calls: [...open.calls, ...next.calls],
    tokens: next.tokens ?? open.tokens,
    finish: next.finish ?? open.finish,
    extra: { ...open.extra, ...next.extra },
  };
}

function itemMessage(item: unknown, sampled: boolean): Message {
  if (!isFields(item)) return chatMessage(item);
  const kind = textOr(item["type"]) ?? (typeof item["role"] === "string" ? "message" : "");
  const extra = present(others(item, KNOWN));
  const tokens = tokensOf(item);
  switch (kind) {
    case "message": {
      const { role, roleInFile, name, parts, calls } = chatMessage(item);
      const own = role === "assistant";
      return message({
        role,
        roleInFile,
        name,
        parts,
        calls,
        extra,
        tokens,
        sampled: own && sampled,
        finish: own ? finishOf(item) : null,
      });
    }
    case "reasoning":
      return message({
        role: "assistant",
        reasoning: reasoningOf(item),
        sampled,
        tokens,
        extra,
      });
    case "function_call":
    case "custom_tool_call":
      return message({
        role: "assistant",
        calls: [
          kind === "function_call"
            ? toolCall(nameOf(item["name"]) ?? "", item["arguments"], nameOf(item["call_id"] ?? item["id"]))
            : toolCall(
                nameOf(item["name"]) ?? "",
                { input: item["input"] },
                nameOf(item["call_id"] ?? item["id"]),
              ),
        ],
        sampled,
        tokens,
        finish: finishOf(item),
        extra,
      });
    case "function_call_output":
    case "custom_tool_call_output":
    case "computer_call_output":
    case "local_shell_call_output":
    case "shell_call_output":
      return message({
        role: "tool",
        parts: partsOf(item["output"]),
        callId: nameOf(item["call_id"]),
        sampled: false,
        error: item["status"] === "failed" || item["status"] === "incomplete" ? textOr(item["status"]) : null,
        extra,
      });
    default: {
      const rest = entriesOf(Object.entries(item).filter(([key]) => key !== "type"));
      if (SERVER_CALL.test(kind))
        return message({
          role: "assistant",
          calls: [toolCall(kind.replace(SERVER_CALL, ""), rest, nameOf(item["call_id"] ?? item["id"]))],
          sampled,
          extra: {},
        });
      return message({ role: "event", parts: [{ type: "other", kind: kind || "item", value: item }] });
    }
  }
}

function reasoningOf(item: Fields): string | null {
  const texts = [...listOf(item["summary"]), ...listOf(item["content"])].map(
    (piece) => textOr(piece) ?? textOr(fieldsOf(piece)["text"]) ?? "",
  );
  return texts.filter((text) => text !== "").join("\n\n") || null;
}

function finishOf(item: Fields): string | null {
  const status = textOr(item["status"]);
  return status === "completed" ? null : status;
}

/** NeMo Gym puts the tokens of a model call on its items where the rollouts are for training. */
function tokensOf(item: Fields): TokenData | null {
  const ids = integersOf(item["generation_token_ids"]);
  if (ids === null || ids.length === 0) return null;
  const logprobs = listOf(item["generation_log_probs"]).map((value) => finiteOf(value));
  return {
    count: ids.length,
    ids,
    mask: null,
    logprobs: logprobs.length === ids.length ? logprobs : null,
    advantages: null,
    versions: null,
  };
}

function present(fields: Fields): Record<string, unknown> {
  return entriesOf(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
