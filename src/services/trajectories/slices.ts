import type { Branch, Message, Part, Trajectory } from "../../schema/trajectory";
import type { OutlineEntry, PlacedMessage, TextPlace } from "../../schema/trajectoryView";

/** A message on the way of a branch: those that it shares with another come first. */
export interface OnWay {
  readonly message: Message;
  readonly shared: boolean;
}

const OUTLINE_TEXT = 120;

/** All messages of a branch from its start, with those that it has in common with the branch it comes from. */
export function wayOf(trajectory: Trajectory, branch: number): OnWay[] {
  const parts: OnWay[][] = [];
  /** Last position on the way that is still taken. */
  let last = Number.POSITIVE_INFINITY;
  // A file may name a circle of branches.
  const seen = new Set<number>();
  for (let number: number | null = branch; number !== null && !seen.has(number);) {
    seen.add(number);
    const at: Branch | undefined = trajectory.branches[number];
    if (!at) break;
    const start = at.from ? at.from.message + 1 : 0;
    const shared = number !== branch;
    parts.push(upTo(at.messages, last - start + 1).map((message) => ({ message, shared })));
    last = Math.min(last, start - 1);
    number = at.from?.branch ?? null;
  }
  return withAnswers(parts.reverse().flat());
}

/** Calls in what is shared have the answers that they have on this way: another branch may have others. */
function withAnswers(way: readonly OnWay[]): OnWay[] {
  if (way[0]?.shared !== true) return [...way];
  const answers = new Map<string, number[]>();
  way.forEach(({ message: { answersTo } }, at) => {
    if (answersTo === null) return;
    const key = `${answersTo.message}:${answersTo.call}`;
    answers.set(key, [...(answers.get(key) ?? []), at]);
  });
  return way.map((one, at) => {
    if (!one.shared || one.message.calls.length === 0) return one;
    const calls = one.message.calls.map((call, nth) => ({
      ...call,
      answers: answers.get(`${at}:${nth}`) ?? [],
    }));
    return { shared: true, message: { ...one.message, calls } };
  });
}

/** A branch may come from a place that the branch before it shares with yet another: then it has none of its own. */
function upTo(messages: readonly Message[], count: number): readonly Message[] {
  return count >= messages.length ? messages : messages.slice(0, Math.max(0, count));
}

export function outlineOf(way: readonly OnWay[], from: number, count: number): OutlineEntry[] {
  return way.slice(from, from + count).map(({ message, shared }, at) => ({
    at: from + at,
    role: message.role,
    name: message.name?.slice(0, 200) ?? null,
    text: oneLine(message),
    calls: message.calls.slice(0, 20).map((call) => call.name.slice(0, 80)),
    callCount: message.calls.length,
    error: message.error !== null || message.calls.some((call) => call.problem !== null),
    reward: message.reward,
    reasoning: message.reasoning !== null,
    sampled: message.sampled,
    characters: charactersOf(message),
    tokens: message.tokens?.count ?? null,
    shared,
  }));
}

function oneLine(message: Message): string {
  for (const part of message.parts)
    if (part.type === "text") {
      // Cut first: a text may be megabytes of blanks.
      const line = part.text.slice(0, 2000).replace(/\s+/g, " ").trim();
      if (line !== "") return safeCut(line, OUTLINE_TEXT);
    }
  return "";
}

/** Cut without leaving half of a surrogate pair. */
export function safeCut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function charactersOf(message: Message): number {
  let sum = message.reasoning?.length ?? 0;
  for (const part of message.parts) if (part.type === "text") sum += part.text.length;
  for (const call of message.calls) sum += (call.raw ?? "").length;
  return sum;
}

const MOST_TOKENS = 4000;
const EXTRA_TEXT = 20_000;

/** A message whose texts are cut at `maxText`, with what was cut; images come without their bytes. */
export function placed({ message, shared }: OnWay, position: number, maxText: number): PlacedMessage {
  const cut: PlacedMessage["cut"] = [];
  let left = maxText;
  const take = (text: string, what: string): string => {
    const kept = safeCut(text, Math.max(0, left));
    left -= kept.length;
    if (kept.length < text.length) cut.push({ what, length: text.length });
    return kept;
  };
  const parts = message.parts.map((part, at): Part => {
    switch (part.type) {
      case "text":
        return { type: "text", text: take(part.text, `part:${at}`) };
      case "image":
        return { ...part, data: null, address: part.address === null ? null : safeCut(part.address, 2000) };
      case "other":
        return { type: "other", kind: part.kind, value: take(asText(part.value), `part:${at}`) };
    }
  });
  const tokens = message.tokens;
  return {
    ...message,
    parts,
    reasoning: message.reasoning === null ? null : take(message.reasoning, "reasoning"),
    error: message.error === null ? null : take(message.error, "error"),
    calls: message.calls.map((call, at) => {
      const text = call.raw ?? asText(call.arguments);
      const kept = take(text, `call:${at}`);
      return kept.length === text.length
        ? { ...call, arguments: plainJson(call.arguments) }
        : { ...call, arguments: null, raw: kept };
    }),
    tokens:
      tokens === null
        ? null
        : {
            count: tokens.count,
            ids: tokens.ids?.slice(0, MOST_TOKENS) ?? null,
            mask: tokens.mask?.slice(0, MOST_TOKENS) ?? null,
            logprobs: tokens.logprobs?.slice(0, MOST_TOKENS) ?? null,
            advantages: tokens.advantages?.slice(0, MOST_TOKENS) ?? null,
            versions: tokens.versions?.slice(0, MOST_TOKENS) ?? null,
          },
    extra: bounded(message.extra, EXTRA_TEXT),
    position,
    shared,
    cut,
  };
}

/** The text that `place.what` names, whole; null: there is none. */
export function textAt(way: readonly OnWay[], place: TextPlace): string | null {
  const message = place.message === null ? undefined : way[place.message]?.message;
  if (!message) return null;
  if (place.what === "reasoning") return message.reasoning;
  if (place.what === "error") return message.error;
  const [kind, number] = place.what.split(":");
  const at = Number(number);
  if (kind === "call") {
    const call = message.calls[at];
    return call ? (call.raw ?? asText(call.arguments)) : null;
  }
  if (kind !== "part") return null;
  const part = message.parts[at];
  if (!part) return null;
  return part.type === "text"
    ? part.text
    : part.type === "other"
      ? asText(part.value)
      : (part.address ?? null);
}

/** Any value as JSON text; integers beyond 2^53 as their digits. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value ?? null, jsonable, 1);
}

function jsonable(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}

/** A value that JSON can carry as it is. */
export function plainJson(value: unknown): unknown {
  if (value === undefined) return null;
  const plain: unknown = JSON.parse(JSON.stringify(value, jsonable));
  return plain;
}

/** The entries of an object as JSON values; one that is longer than `most` as the start of its text. */
export function bounded(value: Readonly<Record<string, unknown>>, most: number): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const text = asText(item);
    const kept = text.length > most ? `${safeCut(text, most)}…` : plainJson(item);
    Object.defineProperty(result, safeCut(key, 200), {
      value: kept,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return result;
}
