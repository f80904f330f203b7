import { encodeValue } from "../scoring/encode";
import type { Message, Part, Trajectory } from "../../schema/trajectory";

/** UTF-16 units that a title has at most. */
export const LONGEST_TITLE = 200;
/** Looked at for a title: a prompt may be a megabyte, its beginning is enough. */
const LOOKED_AT = 2000;

/** Start of the first user message (else of the first message that has text), in one line. */
export function titleOf({ branches }: Trajectory): string {
  const messages = branches[0]?.messages ?? [];
  const user = messages.find((message) => message.role === "user" && hasText(message));
  const first = user ?? messages.find((message) => hasText(message));
  return first ? oneLine(startOfText(first.parts)) : "";
}

/** Runs of white space and control characters as one space, and never half a character at the end. */
export function oneLine(text: string, atMost = LONGEST_TITLE): string {
  // Mostly the first part is enough.
  const first = spaced(text.slice(0, 2 * atMost));
  const looked = Math.max(LOOKED_AT, atMost);
  const line = first.length > atMost || text.length <= 2 * atMost ? first : spaced(text.slice(0, looked));
  if (line.length <= atMost) return line;
  return `${line.slice(0, atMost - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

// Single spaces stay: they are most of what there is, and each replacement costs.
// eslint-disable-next-line no-control-regex -- those are what a line must not hold
const SPACES = / ?(?:[^\S ]|[\u0000-\u001f\u007f])[\s\u0000-\u001f\u007f]*| {2}[\s\u0000-\u001f\u007f]*/g;

function spaced(text: string): string {
  return text.replace(SPACES, " ").trim();
}

/** What comes before the first word of the policy: equal for rollouts of one prompt. */
export function promptOf({ branches }: Trajectory): string {
  const messages = branches[0]?.messages ?? [];
  const first = messages.findIndex((message) => message.role === "assistant" || message.sampled === true);
  const prompt = first < 0 ? messages : messages.slice(0, first);
  if (prompt.length === 1) return prompt[0] ? lookOf(prompt[0]) : "";
  return prompt.map((message) => lookOf(message)).join("\u0000");
}

function lookOf({ role, parts, calls }: Message): string {
  const [only] = parts;
  const text =
    parts.length === 1 && only?.type === "text" ? only.text : parts.map((part) => partText(part)).join("\n");
  const called = calls.map((call) => `${call.name} ${call.raw ?? encodeValue(call.arguments)}`).join("\n");
  return `${role}\u0001${text}${called}`;
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return part.address ?? part.data ?? "";
    case "other":
      return encodeValue(part.value);
  }
}

function hasText({ parts }: Message): boolean {
  return parts.some((part) => part.type === "text" && /\S/.test(part.text.slice(0, LOOKED_AT)));
}

function startOfText(parts: readonly Part[]): string {
  let text = "";
  for (const part of parts) {
    if (part.type !== "text") continue;
    text += `${part.text.slice(0, LOOKED_AT)}\n`;
    if (text.length >= LOOKED_AT) break;
  }
  return text;
}
