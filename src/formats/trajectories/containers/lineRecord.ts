import { JsonTextError, JsonTextReader, UNFINISHED } from "../../jsonText";
import { isFields } from "../build";
import type { FileAccess, FileLimits, FileProblem } from "../container";
import { isTooDeep, parseInSteps, parseValue, type JsonOutcome } from "../jsonValue";
import { type Decoded, decodeBytes, decodeSlowly } from "./bytes";
import type { Pace } from "./pace";

const STEP_TOKENS = 20_000;

/** What one line holds. Usually one record; places count from the line's first byte. */
export interface LineContent {
  readonly records: readonly { readonly value: unknown; readonly at: number; readonly length: number }[];
  readonly problems: readonly Omit<FileProblem, "line">[];
  /** The record ends inside a value: "torn" if others follow, else "unfinished". */
  readonly cut: string | null;
}

const NOTHING: LineContent = { records: [], problems: [], cut: null };

/** Reads a line of ordinary length; same rules as for sample files (`formats/jsonl.ts`). */
export function readLine(bytes: Uint8Array, limits: FileLimits, ascii?: FileAccess["ascii"]): LineContent {
  if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 13)) return NOTHING;
  const plain = ascii?.(bytes) ?? null;
  const decoded = plain === null ? decodeBytes(bytes) : { text: plain, bad: false };
  if (isTooDeep(decoded.text, limits.depth)) return tooDeep(limits);
  const parsed = parseValue(decoded.text);
  // Nearly every line: one object, as the standard has it.
  if (parsed.ok && parsed.strict === true && !decoded.bad && isFields(parsed.value))
    return { records: [{ value: parsed.value, at: 0, length: bytes.length }], problems: [], cut: null };
  const steps = understand(bytes, decoded, parsed);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Reads a line that takes long: gives how much of it is done (0 to 1) between turns of the event loop. */
export async function* readLongLine(
  bytes: Uint8Array,
  limits: FileLimits,
  pace: Pace,
): AsyncGenerator<number, LineContent, undefined> {
  const decoded = await decodeSlowly(bytes, pace);
  const { text } = decoded;
  yield 0.2;
  if (isTooDeep(text, limits.depth)) return tooDeep(limits);
  await pace.turn();
  const parsing = parseInSteps(text);
  for (;;) {
    const step = parsing.next();
    if (step.done !== true) {
      if (!pace.due) continue;
      await pace.turn();
      yield 0.2 + (0.8 * step.value) / text.length;
      continue;
    }
    const steps = understand(bytes, decoded, step.value);
    for (;;) {
      const next = steps.next();
      if (next.done === true) return next.value;
      await pace.turn();
    }
  }
}

function tooDeep({ depth }: FileLimits): LineContent {
  return {
    ...NOTHING,
    problems: [
      { code: "too-deep", message: `The record is nested deeper than ${depth} levels, so it isn't read.` },
    ],
  };
}

function* understand(
  bytes: Uint8Array,
  { text, bad }: Decoded,
  parsed: JsonOutcome,
): Generator<undefined, LineContent, undefined> {
  if (!parsed.ok && text.trim() === "") return NOTHING;
  const problems: Omit<FileProblem, "line">[] = [];
  if (bad)
    problems.push({
      code: "bad-bytes",
      message: `The line holds bytes that aren't UTF-8 (near character ${text.indexOf("\ufffd") + 1}); they are shown as \ufffd. The file isn't changed.`,
    });
  const zero = text.indexOf("\u0000");
  if (zero >= 0)
    problems.push({
      code: "bad-bytes",
      message: `The line holds NUL bytes (from character ${zero + 1}), which no JSON has: it is damaged.`,
    });
  if (!parsed.ok) return yield* readBroken(bytes, text, parsed, problems);
  const { value } = parsed;
  if (isFields(value)) return { records: [{ value, at: 0, length: bytes.length }], problems, cut: null };
  problems.push({ code: "not-an-object", message: `The line holds ${describe(value)}, not an object.` });
  return { records: [], problems, cut: null };
}

/** Reads whole records at the start of a line that isn't one record, and says what is left. */
function* readBroken(
  bytes: Uint8Array,
  text: string,
  first: Extract<JsonOutcome, { ok: false }>,
  problems: Omit<FileProblem, "line">[],
): Generator<undefined, LineContent, undefined> {
  const reader = new JsonTextReader(
    text,
    () => undefined,
    () => null,
  );
  const records: LineContent["records"][number][] = [];
  let failure: { message: string; at: number; unfinished: boolean } = first;
  let at = reader.skipSpace(0);
  let byte = 0;
  while (at < text.length) {
    try {
      reader.begin(at);
      let value = reader.advance(STEP_TOKENS);
      while (value === UNFINISHED) {
        yield undefined;
        value = reader.advance(STEP_TOKENS);
      }
      if (!isFields(value)) break;
      const extent = extentOf(bytes, byte);
      if (!extent) break;
      records.push({ value, at: extent.from, length: extent.to - extent.from });
      byte = extent.to;
      at = reader.skipSpace(reader.end);
    } catch (error) {
      if (!(error instanceof JsonTextError)) throw error;
      failure = error;
      break;
    }
  }
  const { length } = records;
  if (length > 0) {
    const read = length === 1 ? "The first record is read" : `The first ${length} records are read`;
    problems.push({
      code: "glued",
      message:
        at >= text.length
          ? `${length} records stand on one line. All are read.`
          : `More than one record stands on this line. ${read}; the rest, from character ${at + 1}, isn't.`,
    });
    return { records, problems, cut: null };
  }
  if (text.trimStart().startsWith("{")) {
    if (failure.unfinished)
      return { records, problems, cut: `The record ends after ${text.length} characters, inside a value.` };
    if (text.slice(1, failure.at + 1).includes("{") && /[{,]\s*$/.test(text.slice(0, failure.at))) {
      problems.push({
        code: "glued",
        message: `A record breaks off and another begins at character ${failure.at + 1}; neither is read.`,
      });
      return { records, problems, cut: null };
    }
  }
  problems.push({
    code: "not-json",
    message: `The line isn't JSON: ${failure.message} at character ${failure.at + 1}.`,
  });
  return { records, problems, cut: null };
}

/**
 * Bytes of the object that begins at or after `start`. Told from the bytes themselves: where some aren't UTF-8, a
 * position in the text says nothing about them.
 */
function extentOf(bytes: Uint8Array, start: number): { from: number; to: number } | null {
  const from = bytes.indexOf(0x7b, start);
  if (from < 0) return null;
  let level = 0;
  let quoted = false;
  for (let at = from; at < bytes.length; at++) {
    const c = bytes[at];
    if (quoted) {
      if (c === 0x5c) at++;
      else if (c === 0x22) quoted = false;
    } else if (c === 0x22) quoted = true;
    else if (c === 0x7b || c === 0x5b) level++;
    else if ((c === 0x7d || c === 0x5d) && --level === 0) return { from, to: at + 1 };
  }
  return null;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
