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

/** Words that alone make a name one of a secret, whatever stands beside them. */
const STRONG = new Set([
  "password",
  "passwd",
  "passphrase",
  "pwd",
  "secret",
  "secrets",
  "apikey",
  "authorization",
  "credential",
  "credentials",
  "bearer",
  "pat",
]);
/** Last words of a name that need more: `tokenizer.pad_token` and `prompt_key` are settings. */
const WEAK = new Set(["key", "token", "auth", "cookie", "dsn", "signature"]);
/** Before `key`: these open something; `prompt_key`, `sort_key`, `label_key` name a column. */
const OPENING = new Set([
  "api",
  "access",
  "account",
  "secret",
  "private",
  "ssh",
  "service",
  "master",
  "auth",
  "admin",
  "encryption",
  "signing",
  "deploy",
  "subscription",
  "license",
  "hf",
  "hub",
  "wandb",
  "openai",
  "anthropic",
  "azure",
  "gemini",
  "google",
  "tinker",
  "fireworks",
  "together",
  "groq",
  "mistral",
  "runpod",
  "modal",
  "aws",
]);
/** Before `token`: texts of the model's vocabulary. */
const VOCABULARY = new Set([
  "bos",
  "eos",
  "pad",
  "unk",
  "sep",
  "cls",
  "mask",
  "stop",
  "special",
  "start",
  "end",
  "begin",
  "image",
  "video",
  "audio",
  "think",
  "thinking",
  "tool",
  "answer",
  "response",
  "user",
  "system",
  "assistant",
  "turn",
  "first",
  "last",
  "next",
  "decoder",
  "extra",
  "additional",
  "per",
  "boi",
  "eoi",
  "fim",
]);
/** After a word that opens something: still the thing itself (`AWS_ACCESS_KEY_ID`, `api_key_value`). */
const TRAILING = new Set(["id", "value", "hash", "string", "text"]);

/** Keys as services give them out, wherever they stand. */
const SHAPED =
  /\b(?:sk-[\w-]{16,}|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|nvapi-[\w-]{20,}|r8_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}|tml-[\w-]{16,}|fw_[A-Za-z0-9]{16,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+)/g;
/** User and password inside an address. */
const USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/)([^\s/?#@'"]+)@/gi;
const AUTHORIZATION = /\b(Bearer|Basic)\s+(?!\[hidden\])[\w.~+/=-]{6,}/g;
/** `Authorization: …`, `x-api-key: …` inside one text. */
const HEADER_LINE =
  /^(\s*(?:(?:proxy-)?authorization|x-api-key|api-key|x-auth-token|cookie|set-cookie)\s*:\s*)\S.*$/gim;
/** A secret that is only named: the variable or store that has it. */
const REFERENCE = /^(?:\$\{?\w+\}?|\$\{\{.*\}\}|(?:env|secret):[\w.-]+|%\w+%|<[^<>\s]*>|\[[A-Z]+\]|\*+|)$/;

/**
 * Whether a setting of this name is a secret. Names are taken apart into words (`wandbApiKey`, `WANDB-API-KEY`), so that
 * `num_memory_tokens`, `tokenizer` and `token_budget` are none.
 */
export function namesSecret(name: string, value: string): boolean {
  const words = wordsOf(name);
  while (words.length > 1 && TRAILING.has(words.at(-1) ?? "")) {
    words.pop();
    if (STRONG.has(words.at(-1) ?? "") || opens(words)) return true;
  }
  const last = words.at(-1) ?? "";
  if (STRONG.has(last)) return true;
  if (!WEAK.has(last)) return false;
  const before = words.at(-2);
  if (last === "token") return before === undefined || !VOCABULARY.has(before) ? !/\s/.test(value) : false;
  if (opens(words)) return true;
  return looksLikeKey(value);
}

function opens(words: readonly string[]): boolean {
  return words.at(-1) === "key" && OPENING.has(words.at(-2) ?? "");
}

/** Long, without a space or path, letters and digits mixed: nobody names a column so. */
function looksLikeKey(value: string): boolean {
  return value.length >= 20 && /^[\w+/=.~-]+$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Passwords and keys that give themselves away by their form, inside any text. */
export function hideShaped(text: string): string {
  return text
    .replace(USER_INFO, (whole, scheme: string, user: string) =>
      REFERENCE.test(user) ? whole : `${scheme}${HIDDEN}@`,
    )
    .replace(HEADER_LINE, (_, name: string) => `${name}${HIDDEN}`)
    .replace(AUTHORIZATION, (_, scheme: string) => `${scheme} ${HIDDEN}`)
    .replace(SHAPED, HIDDEN);
}

const NAME_FIELDS = ["name", "key", "header", "field"] as const;

/**
 * A copy of a configuration that may be written, shown or exported: values of secrets are hidden, and nothing else.
 * A secret is a text whose name says so (`namesSecret`), the value of a header pair (`{name, value}` or `[name, value]`)
 * or of an option (`--api-key VALUE` in a list), a part of a text that has a key's form or is the user and password of an
 * address, and any of `hide`'s known values. Numbers, booleans, and references to a secret (`$NAME`, `secret:NAME`)
 * stay.
 */
export function hideConfig(value: Json, hide: Hide = (text) => text): Json {
  return hidden(value, hide);
}

/** Where in a configuration `hideConfig` would hide something: paths like `judge.api_key` or `args[3]`. */
export function secretPlaces(value: Json): readonly string[] {
  const places: string[] = [];
  const compare = (before: Json, after: Json | undefined, path: string): void => {
    if (Array.isArray(before)) {
      const list = Array.isArray(after) ? after : [];
      before.forEach((one, at) => compare(one, list[at], `${path}[${at}]`));
    } else if (typeof before === "object" && before !== null) {
      const shown = typeof after === "object" && after !== null && !Array.isArray(after) ? after : {};
      for (const [key, one] of Object.entries(before))
        compare(one, shown[key], path === "" ? key : `${path}.${key}`);
    } else if (before !== after) places.push(path);
  };
  compare(value, hideConfig(value), "");
  return places;
}

function hidden(value: Json, hide: Hide): Json {
  if (typeof value === "string") return hideShaped(hide(value));
  if (Array.isArray(value)) return inList(value, hide);
  if (typeof value !== "object" || value === null) return value;
  const pairName = NAME_FIELDS.map((field) => value[field]).find((name) => typeof name === "string");
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) => {
      const byPair = key === "value" && typeof pairName === "string" ? pairName : null;
      return [hide(key), named(byPair ?? key, own, hide)];
    }),
  );
}

function named(name: string, value: Json, hide: Hide): Json {
  // A password may be all digits; a number of tokens is none.
  if (typeof value === "number" && /pass(?:word|wd|phrase)$/i.test(name)) return HIDDEN;
  if (typeof value === "string" && isSecret(name, value)) return HIDDEN;
  // Several keys under one name.
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string"))
    if (value.every((one) => isSecret(singular(name), one))) return value.map(() => HIDDEN);
  return hidden(value, hide);
}

function isSecret(name: string, value: string): boolean {
  return !REFERENCE.test(value.trim()) && namesSecret(name, value);
}

function singular(name: string): string {
  return name.replace(/(key|password|secret)s$/i, "$1");
}

/** Arguments (`--api-key`, VALUE), `NAME=VALUE`, and pairs of a header and its value. */
function inList(list: readonly Json[], hide: Hide): Json[] {
  return list.map((one, at) => {
    if (typeof one !== "string") return hidden(one, hide);
    const before = list[at - 1];
    if (typeof before === "string" && (before.startsWith("-") || (list.length === 2 && at === 1))) {
      const name = before.replace(/^-+/, "");
      if (!name.includes("=") && !one.startsWith("-") && isSecret(name, one)) return HIDDEN;
    }
    const pair = /^(-{0,2}[\w.+-]+)([=:])(\S.*)$/s.exec(one);
    if (pair?.[1] !== undefined && pair[3] !== undefined && isSecret(pair[1].replace(/^[-+]+/, ""), pair[3]))
      return `${pair[1]}${pair[2] ?? ""}${HIDDEN}`;
    return hidden(one, hide);
  });
}
