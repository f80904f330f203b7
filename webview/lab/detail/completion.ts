import * as z from "zod";
import { lastText } from "../../../src/words/completionText";

/** A tool call as chat templates and traces write it; arguments are an object or JSON in a text. */
const Call = z
  .object({
    name: z.string().optional(),
    arguments: z.unknown().optional(),
    function: z.object({ name: z.string(), arguments: z.unknown().optional() }).optional(),
  })
  .loose();
const Part = z.union([z.string(), z.object({ text: z.string() }).loose()]);
const MessageShape = z
  .object({
    role: z.string(),
    content: z.union([z.string(), z.array(z.unknown())]).nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(Call).nullish().catch(null),
    name: z.string().nullish().catch(null),
  })
  .loose();

export interface ToolCall {
  readonly name: string;
  /** By parameter; null where the arguments aren't an object. */
  readonly arguments: readonly (readonly [name: string, value: unknown])[] | null;
  readonly raw: unknown;
}

export interface Message {
  readonly role: string;
  readonly name: string | null;
  readonly text: string;
  readonly reasoning: string | null;
  readonly calls: readonly ToolCall[];
  /** Something in the content isn't text. */
  readonly others: boolean;
  readonly raw: unknown;
}

/** A conversation's messages; null: it isn't one. */
export function messagesOf(value: unknown): Message[] | null {
  const list: unknown = typeof value === "object" && value !== null && "role" in value ? [value] : value;
  if (!Array.isArray(list) || list.length === 0) return null;
  const messages: Message[] = [];
  for (const raw of list) {
    const parsed = MessageShape.safeParse(raw);
    if (!parsed.success) return null;
    const { role, content, reasoning_content: reasoning, tool_calls: calls, name } = parsed.data;
    const parts = typeof content === "string" ? [content] : (content ?? []);
    const texts = parts.map((part) => Part.safeParse(part));
    messages.push({
      role,
      name: name ?? null,
      text: texts
        .flatMap((part) => (part.success ? [typeof part.data === "string" ? part.data : part.data.text] : []))
        .join(""),
      reasoning: reasoning ?? null,
      calls: (calls ?? []).map(toolCall),
      others: texts.some((part) => !part.success),
      raw,
    });
  }
  return messages;
}

function toolCall(raw: z.infer<typeof Call>): ToolCall {
  const { name, arguments: given } = raw.function ?? raw;
  const value = typeof given === "string" ? parsed(given) : given;
  const object = typeof value === "object" && value !== null && !Array.isArray(value);
  return { name: name ?? "", arguments: object ? Object.entries(value) : null, raw };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** What of a completion can be edited as text, and the completion with another text there. */
export interface Editable {
  readonly text: string;
  /** Null: the text can't be put there (JSON that doesn't parse). */
  put(text: string): unknown;
}

/** Text as it is; of a conversation the last assistant's content (else the last message's); anything else as JSON. */
export function editable(completion: unknown): Editable {
  if (typeof completion === "string") return { text: completion, put: (text) => text };
  const messages = messagesOf(completion);
  if (Array.isArray(completion) && messages) {
    const own = messages.findLastIndex(({ role }) => role === "assistant");
    const at = own === -1 ? messages.length - 1 : own;
    const message = messages[at];
    // Parts that aren't text would be lost by writing text in their place.
    if (message && !message.others)
      return {
        text: message.text,
        put: (text) =>
          completion.map((raw: unknown, i) =>
            i === at && typeof raw === "object" && raw !== null ? { ...raw, content: text } : raw,
          ),
      };
  }
  return {
    text: JSON.stringify(completion ?? null, null, 2),
    put: (text) => parsed(text) ?? null,
  };
}

/**
 * Texts of a completion that a reward may search, likeliest first: the whole, or the last assistant's, the last
 * message's with its parts joined, each message's.
 */
export function textsOf(completion: unknown): string[] {
  if (typeof completion === "string") return [completion];
  const messages = messagesOf(completion) ?? [];
  return [editable(completion).text, lastText(completion), ...messages.map(({ text }) => text)];
}
