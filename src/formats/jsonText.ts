import { ITEM, placeOf } from "../core/scoring/paths";

/**
 * A reader of JSON as Python's `json` writes it: NaN, Infinity and -Infinity literals, integers of any size (bigint
 * beyond 2^53), numbers that overflow to infinity, lone surrogates, raw control characters in strings. It keeps an own
 * stack, so depth is bounded by memory, and notes where numbers are written as floats (`4.0` is not `4` in Python).
 */
export class JsonTextError extends Error {
  readonly at: number;
  /** The text ended inside a value: half a record, not a wrong one. */
  readonly unfinished: boolean;

  constructor(message: string, at: number, unfinished: boolean) {
    super(message);
    this.name = "JsonTextError";
    this.at = at;
    this.unfinished = unfinished;
  }
}

/**
 * Text in which `JSON.parse` alone could lose something: a number written as a float, or an integer that a double
 * can't hold. It may match inside a string; that costs time only.
 */
const NEEDS_CARE = /\d\.\d|\d[eE][-+\d]|\d{16}/;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
// eslint-disable-next-line no-control-regex -- raw control characters are what it looks for
const CONTROLS = /[\u0000-\u001f]/g;

export type NoteFloat = (place: string) => void;
/** Maps the keys down to a float (list items as `[]`) to a place inside a row; null where it isn't in one. */
export type ToPlace = (keys: readonly string[]) => string | null;

/** `advance` has not read the whole value yet. */
export const UNFINISHED = Symbol("unfinished");

interface Frame {
  readonly list: unknown[] | null;
  readonly object: Record<string, unknown> | null;
  key: string;
  /** Float already noted for this list, or for this key of the object. */
  noted: string | null;
}

/** Parses one whole text. Throws JsonTextError. */
export function parseJsonText(text: string, note: NoteFloat, toPlace: ToPlace = placeOf): unknown {
  if (!NEEDS_CARE.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      return value;
    } catch {
      // The tolerant reader below either reads it or says where it stops.
    }
  }
  const reader = new JsonTextReader(text, note, toPlace);
  const value = reader.next(0);
  const rest = reader.skipSpace(reader.end);
  if (rest < text.length) throw new JsonTextError("more text after the value", rest, false);
  return value;
}

export class JsonTextReader {
  readonly #text: string;
  readonly #note: NoteFloat;
  readonly #toPlace: ToPlace;
  #frames: Frame[] = [];
  #slash = -1;
  /** A container was just opened: only then may it close without a value before it. */
  #fresh = false;
  /** Position after the last value read. */
  end = 0;

  constructor(text: string, note: NoteFloat, toPlace: ToPlace = placeOf) {
    this.#text = text;
    this.#note = note;
    this.#toPlace = toPlace;
  }

  skipSpace(from: number): number {
    let at = from;
    for (;;) {
      const c = this.#text.charCodeAt(at);
      if (c === 32 || c === 10 || c === 13 || c === 9 || c === 0xfeff) at++;
      else return at;
    }
  }

  /** Reads the value that starts at or after `from`; `end` is then the position after it. */
  next(from: number): unknown {
    this.begin(from);
    return this.advance(Number.POSITIVE_INFINITY);
  }

  /** Begins a value that `advance` then reads in pieces. */
  begin(from: number): void {
    this.#frames = [];
    this.#fresh = false;
    this.end = from;
  }

  /** The value, or UNFINISHED after so many tokens: then call it again. */
  advance(tokens: number): unknown {
    const text = this.#text;
    const frames = this.#frames;
    for (let left = tokens; ; left--) {
      if (left <= 0) return UNFINISHED;
      let at = this.skipSpace(this.end);
      const frame = frames.at(-1);
      const fresh = this.#fresh;
      this.#fresh = false;
      if (fresh && frame && text.charCodeAt(at) === (frame.list ? 93 : 125)) {
        this.end = at + 1;
        frames.pop();
        const closed = this.#deliver(frame.list ?? frame.object);
        if (closed !== PENDING) return closed;
        continue;
      }
      if (frame?.object) {
        if (text.charCodeAt(at) !== 34) throw this.#wrong(at, "expected a key in double quotes");
        frame.key = this.#string(at);
        frame.noted = null;
        at = this.skipSpace(this.end);
        if (text.charCodeAt(at) !== 58) throw this.#wrong(at, "expected ':'");
        at = this.skipSpace(at + 1);
      }
      const c = text.charCodeAt(at);
      let value: unknown;
      if (c === 123 || c === 91) {
        const list = c === 91;
        frames.push({ list: list ? [] : null, object: list ? null : {}, key: ITEM, noted: null });
        this.end = at + 1;
        this.#fresh = true;
        continue;
      }
      if (c === 34) value = this.#string(at);
      else value = this.#scalar(at, c);
      const done = this.#deliver(value);
      if (done !== PENDING) return done;
    }
  }

  /** Puts a value into the open container and reads what follows it; closes as many containers as end here. */
  #deliver(first: unknown): unknown {
    const text = this.#text;
    let value = first;
    for (;;) {
      const frame = this.#frames.at(-1);
      if (!frame) return value;
      if (frame.list) frame.list.push(value);
      else if (frame.object) setKey(frame.object, frame.key, value);
      const at = this.skipSpace(this.end);
      const c = text.charCodeAt(at);
      this.end = at + 1;
      if (c === 44) return PENDING;
      if (c !== (frame.list ? 93 : 125))
        throw this.#wrong(at, frame.list ? "expected ',' or ']'" : "expected ',' or '}'");
      this.#frames.pop();
      value = frame.list ?? frame.object;
    }
  }

  #string(at: number): string {
    const text = this.#text;
    let close = text.indexOf('"', at + 1);
    if (close < 0) throw new JsonTextError("the text ends inside a string", text.length, true);
    if (this.#slash < at) {
      const found = text.indexOf("\\", at);
      this.#slash = found < 0 ? text.length : found;
    }
    if (this.#slash > close) {
      this.end = close + 1;
      return text.slice(at + 1, close);
    }
    let slash = this.#slash;
    while (slash < close) {
      const from = slash + 2;
      if (close < from) close = text.indexOf('"', from);
      if (close < 0) throw new JsonTextError("the text ends inside a string", text.length, true);
      const next = text.indexOf("\\", from);
      slash = next < 0 ? text.length : next;
    }
    this.#slash = slash;
    this.end = close + 1;
    const raw = text.slice(at, close + 1);
    return unescape(raw, at);
  }

  #scalar(at: number, c: number): unknown {
    const text = this.#text;
    // Plain integers of up to 15 digits (token ids) without the regular expression.
    if (c >= 49 && c <= 57) {
      let value = c - 48;
      let i = at + 1;
      let d = text.charCodeAt(i);
      while (d >= 48 && d <= 57 && i - at < 15) {
        value = value * 10 + (d - 48);
        d = text.charCodeAt(++i);
      }
      if (d !== 46 && d !== 101 && d !== 69 && !(d >= 48 && d <= 57)) {
        this.end = i;
        return value;
      }
    }
    if ((c >= 48 && c <= 57) || c === 45) {
      if (text.startsWith("-Infinity", at)) return this.#float(at + 9, Number.NEGATIVE_INFINITY);
      NUMBER.lastIndex = at;
      const found = NUMBER.exec(text);
      if (!found) throw this.#wrong(at + 1, "expected a number");
      const [token, fraction, exponent] = found;
      const end = at + token.length;
      if (fraction !== undefined || exponent !== undefined) return this.#float(end, Number(token));
      this.end = end;
      const value = Number(token);
      if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
      return BigInt(token);
    }
    if (text.startsWith("true", at)) return this.#literal(at + 4, true);
    if (text.startsWith("false", at)) return this.#literal(at + 5, false);
    if (text.startsWith("null", at)) return this.#literal(at + 4, null);
    if (text.startsWith("NaN", at)) return this.#float(at + 3, Number.NaN);
    if (text.startsWith("Infinity", at)) return this.#float(at + 8, Number.POSITIVE_INFINITY);
    const rest = text.slice(at, at + 9);
    if (rest !== "" && ["true", "false", "null", "NaN", "Infinity"].some((w) => w.startsWith(rest)))
      throw new JsonTextError("the text ends inside a value", text.length, true);
    throw this.#wrong(at, "expected a value");
  }

  #literal(end: number, value: unknown): unknown {
    this.end = end;
    return value;
  }

  #float(end: number, value: number): number {
    this.end = end;
    const frame = this.#frames.at(-1);
    if (frame && frame.noted !== frame.key) {
      frame.noted = frame.key;
      const place = this.#toPlace(this.#frames.map((f) => f.key));
      if (place !== null) this.#note(place);
    }
    return value;
  }

  #wrong(at: number, expected: string): JsonTextError {
    if (at >= this.#text.length) return new JsonTextError("the text ends inside a value", at, true);
    return new JsonTextError(
      `${expected}, found ${JSON.stringify(this.#text.slice(at, at + 12))}`,
      at,
      false,
    );
  }
}

const PENDING = Symbol("pending");

/** `__proto__` is a key like any other. */
function setKey(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

function unescape(raw: string, at: number): string {
  const escaped = raw.replace(CONTROLS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  try {
    const value: unknown = JSON.parse(escaped);
    if (typeof value === "string") return value;
  } catch {
    // Said below, with the place.
  }
  throw new JsonTextError("a string holds an escape that JSON doesn't have", at, false);
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE = /\p{Surrogate}/u;

/** Whether a JSON text holds half a surrogate pair; the text itself was well-formed UTF-8, so only escapes can. */
export function hasLoneSurrogate(text: string, value: unknown): boolean {
  if (!SURROGATE_ESCAPE.test(text)) return false;
  const todo: unknown[] = [value];
  while (todo.length > 0) {
    const next = todo.pop();
    if (typeof next === "string") {
      if (LONE.test(next)) return true;
    } else if (typeof next === "object" && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        if (LONE.test(key)) return true;
        todo.push(item);
      }
    }
  }
  return false;
}

export function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
