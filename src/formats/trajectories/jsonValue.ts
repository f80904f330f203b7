import { JsonTextError, JsonTextReader, UNFINISHED, parseJsonText } from "../jsonText";

const LONG_DIGITS = 16;
/** Tokens that are read between two looks at the clock. */
const STEP_TOKENS = 20_000;

export type JsonOutcome =
  /** `strict`: it is JSON as the standard has it, without raw control characters. */
  | { readonly ok: true; readonly value: unknown; readonly strict?: boolean }
  /** `unfinished`: the text ended inside a value. `at`: UTF-16 position. */
  | { readonly ok: false; readonly message: string; readonly at: number; readonly unfinished: boolean };

/**
 * JSON as Python writes it (NaN, Infinity, long integers as bigint). The engine's own parser reads nearly all of it;
 * the tolerant one only what that refuses. Never throws.
 */
export function parseValue(text: string): JsonOutcome {
  if (!hasLongInteger(text)) {
    try {
      const value: unknown = JSON.parse(text);
      return { ok: true, value, strict: true };
    } catch {
      // NaN, Infinity, raw control characters: the tolerant reader decides.
    }
  }
  try {
    return {
      ok: true,
      value: parseJsonText(
        text,
        () => undefined,
        () => null,
      ),
    };
  } catch (error) {
    return failure(error);
  }
}

/**
 * `parseValue` for texts that take long: gives the position it has come to every few milliseconds, so that its caller
 * can let others have a turn, and returns the outcome.
 */
export function* parseInSteps(text: string): Generator<number, JsonOutcome, undefined> {
  const reader = new JsonTextReader(
    text,
    () => undefined,
    () => null,
  );
  try {
    reader.begin(0);
    for (;;) {
      const value = reader.advance(STEP_TOKENS);
      if (value === UNFINISHED) {
        yield reader.end;
        continue;
      }
      const rest = reader.skipSpace(reader.end);
      return rest < text.length
        ? { ok: false, message: "more text after the value", at: rest, unfinished: false }
        : { ok: true, value };
    }
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): JsonOutcome {
  if (!(error instanceof JsonTextError)) throw error;
  return { ok: false, message: error.message, at: error.at, unfinished: error.unfinished };
}

/**
 * Whole numbers that a double may not hold: ids of some frameworks. Digits after a point are no such number, and most
 * long runs of digits in real files are those.
 */
function hasLongInteger(text: string): boolean {
  // A run that long covers one of these positions: only each sixteenth character is looked at.
  for (let at = LONG_DIGITS - 1; at < text.length; at += LONG_DIGITS) {
    if (!isDigit(text, at)) continue;
    let from = at;
    while (isDigit(text, from - 1)) from--;
    let to = at + 1;
    while (isDigit(text, to)) to++;
    at += to - at - ((to - at) % LONG_DIGITS);
    if (to - from < LONG_DIGITS) continue;
    const sign = text.charCodeAt(from - 1) === 45 ? 1 : 0;
    const before = text[from - 1 - sign] ?? " ";
    const after = text[to] ?? " ";
    if (/[\s:[,]/.test(before) && /[\s,\]}]/.test(after)) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 48 && unit <= 57;
}

/**
 * Whether lists and objects stand in each other deeper than `depth`. Such a value would be read, but what works on it
 * later calls itself for each level.
 */
export function isTooDeep(text: string, depth: number): boolean {
  // A level has two brackets: nearly every text is told by its length or by how many there are.
  if (text.length <= 2 * depth || !hasMoreThan(text, depth)) return false;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 34) {
      at = stringEnd(text, at);
      if (at < 0) return false;
    } else if (c === 123 || c === 91) {
      if (++level > depth) return true;
    } else if (c === 125 || c === 93) level--;
  }
  return false;
}

function hasMoreThan(text: string, brackets: number): boolean {
  let count = 0;
  for (const bracket of ["[", "{"])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > brackets) return true;
  return false;
}

/** Position of the quote that ends the string which begins at `from`; -1 where none does. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** The value of a text that is JSON; anything else as it is. */
export function parsedOr(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const parsed = parseValue(value);
  return parsed.ok ? parsed.value : value;
}
