import type { Message } from "../../schema/trajectory";
import { textOfParts } from "./chat";

/**
 * Whether two records of a message are the same message: role, text and calls. Ids, reasoning and names differ between
 * what a model answered and how it is repeated in the next request.
 */
export function sameMessage(a: Message, b: Message | undefined): boolean {
  return b !== undefined && keyOf(a) === keyOf(b);
}

const KEYS = new WeakMap<Message, string>();

function keyOf(message: Message): string {
  const known = KEYS.get(message);
  if (known !== undefined) return known;
  const key = JSON.stringify([
    message.role,
    textOfParts(message.parts).trim(),
    message.parts.filter((part) => part.type !== "text").length,
    message.calls.map((call) => [
      call.name,
      call.raw === null || call.arguments !== null ? sorted(call.arguments) : call.raw,
    ]),
  ]);
  KEYS.set(message, key);
  return key;
}

/** JSON with the keys in one order: writers don't keep it. */
function sorted(value: unknown): string {
  return JSON.stringify({ value }, (_key, item: unknown) => {
    if (typeof item === "bigint") return String(item);
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
