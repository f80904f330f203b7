import type { Message, Trajectory } from "../../schema/trajectory";
import type { SearchHit } from "../../schema/trajectoryView";

const BEFORE = 80;
const LONGEST = 400;

type Hit = Omit<SearchHit, "index">;

/** Where a text occurs: once a message, in order of branches and messages; last what belongs to no message. */
export function* hitsIn(trajectory: Trajectory, text: string, matchCase: boolean): Generator<Hit> {
  const needle = matchCase ? text : text.toLowerCase();
  for (const [branch, { messages }] of trajectory.branches.entries())
    for (const [message, one] of messages.entries()) {
      const found = first(textsOf(one), needle, matchCase);
      if (found) yield { branch, message, ...found };
    }
  const found = first(otherTexts(trajectory), needle, matchCase);
  if (found) yield { branch: 0, message: null, ...found };
}

function first(
  texts: Iterable<string>,
  needle: string,
  matchCase: boolean,
): Pick<Hit, "excerpt" | "from" | "to"> | null {
  for (const text of texts) {
    const at = (matchCase ? text : text.toLowerCase()).indexOf(needle);
    if (at >= 0) return excerptOf(text, at, needle.length);
  }
  return null;
}

function excerptOf(text: string, at: number, length: number): Pick<Hit, "excerpt" | "from" | "to"> {
  const start = Math.max(0, at - BEFORE);
  const excerpt = text.slice(start, start + LONGEST);
  const from = Math.min(at - start, excerpt.length);
  return { excerpt, from, to: Math.min(from + length, excerpt.length) };
}

function* textsOf(message: Message): Generator<string> {
  for (const part of message.parts) if (part.type === "text") yield part.text;
  if (message.reasoning !== null) yield message.reasoning;
  for (const call of message.calls) {
    yield call.name;
    yield call.raw ?? asText(call.arguments);
  }
  if (message.error !== null) yield message.error;
  if (message.name !== null) yield message.name;
}

function* otherTexts(trajectory: Trajectory): Generator<string> {
  for (const text of [trajectory.id, trajectory.group, trajectory.task, trajectory.excluded])
    if (text !== null) yield text;
  for (const { message, traceback } of trajectory.errors) {
    yield message;
    if (traceback !== null) yield traceback;
  }
  for (const value of [trajectory.reference, ...Object.values(trajectory.columns)])
    if (typeof value === "string") yield value;
}

function asText(value: unknown): string {
  const text: unknown = JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? String(item) : item,
  );
  return typeof text === "string" ? text : "";
}
