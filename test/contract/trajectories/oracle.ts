import type { Trajectory } from "../../../src/schema/trajectory";
import { formOf } from "../../../src/formats/trajectories/registry";
import type { ReadAll } from "../../support/readAll";

/** What bytes say, worked out by plain `JSON.parse`: the strings and numbers in them. */
export interface Said {
  readonly texts: Set<string>;
  /** Texts that aren't keys, in their order. */
  readonly values: string[];
  readonly numbers: Set<number>;
}

export interface Sayings {
  /** By line; null: it is no JSON of its own. */
  readonly lines: readonly (Said | null)[];
  readonly all: Said;
  /** One value, or several printed over lines: a record's position is no line then. */
  readonly printed: boolean;
}

/** What forms say themselves: sums over tokens or components, what stands beside the file, an event as a sentence. */
const DERIVED = new Set(["verifiers-traces", "skyrl-eval", "atif", "tinker-rollouts"]);
const SENTENCE = /^human(?:: |\.approval\n)/;

/** Raw in a text they are read as what they are; line ends aren't among them. */
// eslint-disable-next-line no-control-regex -- those are what is meant
const CONTROL = /[\u0000-\u0009\u000b\u000c\u000e-\u001f]/g;
const escaped = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
const NOT_JSON = /\b(?:NaN|Infinity)\b|-\bInfinity\b/g;

/** What a file of text says; null for any other. Lines of a list in JSON or YAML count by the items they hold. */
export function sayingsOf(bytes: Uint8Array): Sayings | null {
  const text = textOf(bytes);
  if (text === null) return null;
  const all = nothing();
  const lines = text.split("\n").map((line) => {
    const item = line.trim().replace(/^(?:- |\[)(?=\{)/, "");
    const value = parsed(item) ?? parsed(item.replace(/[,\]]$/, ""));
    if (value === undefined) return null;
    const said = nothing();
    gather(value, said, 0);
    gather(value, all, 0);
    return said;
  });
  const parts = [text, ...text.split(/^(?<=^\}[ \t]*\r?\n)/m)].map(parsed).filter((one) => one !== undefined);
  for (const value of parts) gather(value, all, 0);
  const written = text.split("\n").filter((line) => line.trim() !== "").length;
  const whole = lines.filter((line) => line !== null).length;
  return { lines, all, printed: parts.length > 0 || whole < written / 2 };
}

function nothing(): Said {
  return { texts: new Set(), values: [], numbers: new Set() };
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const text = new TextDecoder().decode(bytes);
  return /^\s*(?:[[{]|- |---|\w+:)/.test(text) ? text : null;
}

function parsed(text: string): unknown {
  for (const one of [text, text.replace(NOT_JSON, "null").replace(CONTROL, escaped)])
    try {
      return JSON.parse(one);
    } catch {
      // Undefined then.
    }
  return undefined;
}

function gather(value: unknown, said: Said, depth: number): void {
  if (depth > 200) return;
  if (typeof value === "number") said.numbers.add(value);
  else if (typeof value === "string") {
    said.texts.add(value);
    said.values.push(value);
    if (value.trim() !== "" && Number.isFinite(Number(value))) said.numbers.add(Number(value));
    const inner = /^\s*[[{"]/.test(value) ? parsed(value) : undefined;
    if (inner !== undefined && inner !== value) gather(inner, said, depth + 1);
  } else if (Array.isArray(value))
    for (const item of value as readonly unknown[]) gather(item, said, depth + 1);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) {
      said.texts.add(key);
      gather(item, said, depth + 1);
    }
}

/** Texts and rewards that are shown of a line of which no problem is told, and that the bytes don't say. */
export function unsaid(
  { form, trajectories, problems }: ReadAll,
  { lines, all, printed }: Sayings,
): string[] {
  const told = new Set(problems.map(({ line }) => line));
  const together = printed || formOf(form)?.whole === true;
  // Which of the lines it is made of has the problem isn't known.
  if (together && problems.length > 0) return [];
  return trajectories.flatMap((one) => {
    if (told.has(one.line)) return [];
    const said = (together ? null : lines[one.line - 1]) ?? all;
    const reader = one.form ?? form;
    // Without the key ART's reward is 0.
    const reward = DERIVED.has(reader) || (reader.startsWith("art-") && one.reward === 0) ? null : one.reward;
    return [
      ...textsIn(one).filter((text) => !isSaid(text, said) && !SENTENCE.test(text)),
      ...(typeof reward === "number" && !said.numbers.has(reward) ? [`reward ${reward}`] : []),
    ];
  });
}

/** Lines that are objects, and of which nothing is shown and no problem told. */
export function silent({ form, trajectories, problems }: ReadAll, { lines, printed }: Sayings): number[] {
  if (printed || formOf(form)?.whole === true) return [];
  const heard = new Set([...trajectories, ...problems].map(({ line }) => line));
  return lines.flatMap((said, at) => (said === null || heard.has(at + 1) ? [] : [at + 1]));
}

function textsIn({ branches }: Trajectory): string[] {
  return branches.flatMap(({ messages }) =>
    messages.flatMap(({ parts, reasoning, calls }) => [
      ...parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
      ...(reasoning === null ? [] : [reasoning]),
      ...calls.flatMap(({ name, raw }) => (raw === null ? [name] : [name, raw])),
    ]),
  );
}

function isSaid(text: string, { texts, values }: Said): boolean {
  if (text === "" || texts.has(text)) return true;
  for (const one of texts) if (one.includes(text)) return true;
  // A turn may begin in one text and end in the next.
  return values.join("").includes(text);
}
