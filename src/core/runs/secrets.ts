import type { Json } from "../../schema/json";

/** What stands in a secret's place in all that is written or shown. */
export const HIDDEN = "[hidden]";

/** Shorter values would hide every other word of a log; they are refused at the start of a run. */
export const SHORTEST_SECRET = 4;

/** Replaces secrets by value. Safe for text that is shown: nothing but the secrets changes. */
export type Hide = (text: string) => string;

/**
 * Forms in which a value turns up in text: as it is, inside JSON, inside a URL, as base64; and each line of a value of
 * several lines (a private key), as logs print line by line. The longest first, so that none leaves a rest of another.
 */
export function formsOf(values: Iterable<string>): readonly string[] {
  const forms = new Set<string>();
  const add = (form: string): void => {
    if (form.length >= SHORTEST_SECRET) forms.add(form);
  };
  for (const value of values) {
    if (value.length < SHORTEST_SECRET) continue;
    for (const one of [value, value.trim()]) {
      add(one);
      add(JSON.stringify(one).slice(1, -1));
      add(asciiJson(one));
      add(urlEncoded(one));
      add(base64(one));
    }
    const lines = value.split(/\r?\n/u);
    if (lines.length > 1) for (const line of lines) if (line.trim().length >= 8) add(line.trim());
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

/** As Python's `json.dumps` writes it: everything beyond ASCII escaped. */
function asciiJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\u0020-\u007e]/gu, (character) =>
      [...Array(character.length).keys()]
        .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
        .join(""),
    );
}

function urlEncoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half a surrogate pair has no such form.
    return text;
  }
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let out = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const word = (a << 16) | (b << 8) | c;
    const take = bytes.length - at;
    out += ALPHABET.charAt(word >> 18) + ALPHABET.charAt((word >> 12) & 63);
    if (take > 1) out += ALPHABET.charAt((word >> 6) & 63);
    if (take > 2) out += ALPHABET.charAt(word & 63);
  }
  // Without padding: it is there or not, and a longer text goes on with other characters.
  return out;
}

export function hider(values: Iterable<string>): Hide {
  const forms = formsOf(values);
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(forms.map(escaped).join("|"), "g");
  return (text) => text.replace(pattern, HIDDEN);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/**
 * Hides secrets in a stream that may be cut anywhere, also inside a secret: what could still become one is held back
 * until the next piece. Works on any alphabet; the supervisor gives it bytes as Latin-1 text (see `bytesAsText`), so
 * that what isn't UTF-8 stays as it is.
 */
export class SecretStream {
  readonly #forms: readonly string[];
  readonly #hide: Hide;
  readonly #longest: number;
  #held = "";

  constructor(forms: readonly string[]) {
    this.#forms = forms;
    const pattern = forms.length === 0 ? null : new RegExp(forms.map(escaped).join("|"), "g");
    this.#hide = (text) => (pattern === null ? text : text.replace(pattern, HIDDEN));
    this.#longest = Math.max(0, ...forms.map((form) => form.length));
  }

  push(piece: string): string {
    if (this.#longest === 0) return piece;
    const text = this.#held + piece;
    const cut = this.#cut(text);
    this.#held = text.slice(cut);
    return this.#hide(text.slice(0, cut));
  }

  /** The rest. More than half of a secret is hidden too: nothing more comes, and most of it would be told. */
  end(): string {
    const text = this.#hide(this.#held);
    this.#held = "";
    const most = this.#forms.some(
      (form) => text.length * 2 > form.length && text.length >= SHORTEST_SECRET && form.startsWith(text),
    );
    return most ? HIDDEN : text;
  }

  /** Where the part begins that may become a secret: a suffix that some form starts with, and no whole form cut by it. */
  #cut(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
      const rest = text.length - at;
      if (this.#forms.some((form) => form.length > rest && text.startsWith(form.slice(0, rest), at)))
        return this.#beforeWhole(text, at);
    }
    return text.length;
  }

  /** A whole secret that reaches over the cut is hidden now: its end isn't held back as another one's start. */
  #beforeWhole(text: string, cut: number): number {
    for (const form of this.#forms)
      for (let at = Math.max(0, cut - form.length + 1); at < cut; at++)
        if (text.startsWith(form, at)) return Math.max(cut, at + form.length);
    return cut;
  }
}

/** Each byte of the text's UTF-8 as one character: what a stream of bytes read as Latin-1 is compared with. */
export function bytesAsText(text: string): string {
  let out = "";
  for (const byte of new TextEncoder().encode(text)) out += String.fromCharCode(byte);
  return out;
}

/** Every string in a value, keys too. */
export function hideIn(value: Json, hide: Hide): Json {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [hide(key), hideIn(one, hide)]));
}
