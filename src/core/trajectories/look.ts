import { encodeValue } from "../scoring/encode";
import type { Message, Part } from "../../schema/trajectory";

/**
 * How a message looks, as one text: two messages with equal looks show the same content. Times, tokens and what
 * frameworks note beside the content don't count.
 */
export function lookOf(message: Message): string {
  return encodeValue([
    message.role,
    message.parts.map(partLook),
    message.reasoning ?? "",
    message.calls.map((call) => [call.name, call.raw ?? call.arguments]),
    message.error ?? "",
  ]);
}

/** What kind of turn it is: its role and the tools it calls, or the tool that answers. */
export function kindOf(message: Message): string {
  const tools = message.calls.map((call) => call.name).join(",");
  return `${message.role}:${message.role === "tool" ? (message.name ?? "") : tools}`;
}

function partLook(part: Part): unknown {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return ["image", part.mime, part.address, part.data];
    case "other":
      return ["other", part.kind, part.value];
  }
}
