/**
 * A Python pattern as a JavaScript one, for patterns that surely mean the same in both: no look-around tricks with
 * flags, no backtracking traps, no constructs of which only one language knows. Everything else is refused.
 */
export interface TranslatedPattern {
  /** A dot stands outside a character class. */
  readonly hasDot: boolean;
  /**
   * Whether the pattern matches as the `re` method would; null where the text makes the languages differ.
   * @param dotAll with that flag, whether it is written or not
   * @param method `match` at the start, `fullmatch` from start to end, all others anywhere
   */
  matches(text: string, method: string, dotAll: boolean): boolean | null;
}

/** Upper bound of steps that a try may take; what may take more isn't tried. */
const MOST_STEPS = 2e7;

const FLAGS: Readonly<Record<string, string>> = {
  S: "s",
  DOTALL: "s",
  I: "i",
  IGNORECASE: "i",
  M: "m",
  MULTILINE: "m",
  U: "",
  UNICODE: "",
};

/** Null where the literal, its flags or its constructs can't be taken over safely. */
export function translatePattern(literal: string, flagsText: string): TranslatedPattern | null {
  const value = literalValue(literal);
  const given = readFlags(flagsText);
  if (value === null || given === null) return null;
  const inline = /^\(\?([imsu]+)\)/.exec(value);
  const flags = given + (inline?.[1] ?? "");
  const multiline = flags.includes("m");
  const body = translateBody(value.slice(inline?.[0].length ?? 0), multiline);
  if (!body) return null;
  const ignoreCase = flags.includes("i");
  return {
    hasDot: body.hasDot,
    matches(text, method, dotAll) {
      const start = method === "match" || method === "fullmatch";
      if (stepsOn(text, body.follows, ignoreCase) * (start ? 1 : text.length + 1) > MOST_STEPS) return null;
      // Letters and digits beyond ASCII are words in Python alone; pairs of surrogates are one character there.
      if (body.wordy || ignoreCase ? /[^\0-\x7f]/.test(text) : /[\ud800-\udfff]/.test(text)) return null;
      const dot = dotAll || flags.includes("s") ? "[\\s\\S]" : "[^\\n]";
      const source = body.parts.join(dot);
      const whole = method === "fullmatch" ? `(?:${source})(?![\\s\\S])` : source;
      try {
        return new RegExp(whole, `${ignoreCase ? "i" : ""}${start ? "y" : ""}`).test(text);
      } catch {
        return null;
      }
    },
  };
}

function readFlags(text: string): string | null {
  if (text.trim() === "" || text.trim() === "0") return "";
  let flags = "";
  for (const part of text.split(/[|+]/)) {
    const name = /^\s*(?:(?:re|regex)\.)?([A-Z]+)\s*$/.exec(part)?.[1];
    const flag = name === undefined ? undefined : FLAGS[name];
    if (flag === undefined) return null;
    flags += flag;
  }
  return flags;
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
};

/** Value of a string literal, or of several in a row; null for bytes, f-strings and rare escapes. */
export function literalValue(literal: string): string | null {
  let rest = literal.trim();
  let value = "";
  while (rest !== "") {
    const start = /^([a-zA-Z]*)("""|'''|"|')/.exec(rest);
    const [head, prefix = "", quote = ""] = start ?? [];
    if (head === undefined || !/^[rRuU]?$/.test(prefix)) return null;
    let at = head.length;
    const raw = prefix.toLowerCase() === "r";
    while (!rest.startsWith(quote, at)) {
      const letter = rest[at];
      if (letter === undefined) return null;
      if (letter !== "\\") {
        value += letter;
        at++;
        continue;
      }
      const next = rest[at + 1];
      if (next === undefined) return null;
      if (raw) value += `\\${next}`;
      else if (next in SIMPLE_ESCAPES) value += SIMPLE_ESCAPES[next] ?? "";
      else if (/[0-7xuUNabfv]/.test(next)) return null;
      else value += `\\${next}`;
      at += 2;
    }
    rest = rest.slice(at + quote.length).replace(/^(?:\s|\\\n|#[^\n]*\n)+/, "");
  }
  return value;
}

interface Body {
  /** Source between the dots. */
  readonly parts: readonly string[];
  readonly hasDot: boolean;
  /** It speaks of words, digits or word ends. */
  readonly wordy: boolean;
  /** Per open-ended repeat the literal text right behind it; empty where there is none. */
  readonly follows: readonly string[];
}

/** A repeat stops at most as often as what follows it is found; where nothing literal follows, anywhere. */
function stepsOn(text: string, follows: readonly string[], ignoreCase: boolean): number {
  const hay = ignoreCase ? text.toLowerCase() : text;
  return follows.reduce((steps, literal) => {
    if (literal === "") return steps * (text.length + 1);
    return steps * hay.split(ignoreCase ? literal.toLowerCase() : literal).length;
  }, text.length + 1);
}

/** Plain letters at the start of a pattern, closing brackets of groups skipped. */
function literalAhead(pattern: string): string {
  const run = /^\)*((?:[^\\.^$*+?()[\]{}|]|\\[^A-Za-z0-9])+)([*?{]?)/.exec(pattern);
  const letters = (run?.[1] ?? "").replace(/\\(.)/g, "$1");
  return run?.[2] ? letters.slice(0, -1) : letters;
}

function translateBody(pattern: string, multiline: boolean): Body | null {
  const parts: string[] = [];
  let part = "";
  let wordy = false;
  const follows: string[] = [];
  /** Per open group: whether an open-ended repeat or a choice stands inside. */
  const open: boolean[] = [false];
  let closed = false;
  for (let i = 0; i < pattern.length;) {
    const rest = pattern.slice(i);
    const letter = rest.charAt(0);
    const repeat = /^(?:[*+?]|\{\d*,?\d*\})/.exec(rest)?.[0];
    if (repeat !== undefined && repeat !== "{}" && repeat !== "{,}" && i > 0) {
      if (/^(?:[*+?]|\{\d*,?\d*\})[*+]/.test(rest.slice(0, repeat.length + 1))) return null;
      const endless = repeat === "*" || repeat === "+" || /^\{\d*,\}$/.test(repeat);
      if (endless) {
        if (closed) return null;
        open[open.length - 1] = true;
      }
      part += repeat.startsWith("{,") ? `{0${repeat.slice(1)}` : repeat;
      i += repeat.length;
      if (pattern[i] === "?") {
        part += "?";
        i++;
      }
      if (endless) follows.push(literalAhead(pattern.slice(i)));
      closed = false;
      continue;
    }
    closed = false;
    switch (letter) {
      case ".":
        parts.push(part);
        part = "";
        i++;
        break;
      case "^":
        part += multiline ? "(?<![^\\n])" : "(?<![\\s\\S])";
        i++;
        break;
      case "$":
        part += multiline ? "(?![^\\n])" : "(?=\\n?(?![\\s\\S]))";
        i++;
        break;
      case "(": {
        const group = /^\((?:\?(?::|=|!|<=|<!|P<([A-Za-z_]\w*)>))?/.exec(rest);
        if (!group || (group[0] === "(" && rest.charAt(1) === "?")) return null;
        part += group[1] === undefined ? group[0] : `(?<${group[1]}>`;
        open.push(false);
        i += group[0].length;
        break;
      }
      case ")": {
        const inner = open.pop() ?? false;
        if (open.length === 0) return null;
        if (inner) open[open.length - 1] = true;
        closed = inner;
        part += ")";
        i++;
        break;
      }
      case "[": {
        const set = readSet(rest);
        if (set === null) return null;
        wordy ||= /\\[wdWD]/.test(set);
        part += set.startsWith("[]") || set.startsWith("[^]") ? set.replace("]", "\\]") : set;
        i += set.length;
        break;
      }
      case "\\": {
        const escape = rest.charAt(1);
        const translated = translateEscape(escape);
        if (translated === null) return null;
        wordy ||= /[wWdDbB]/.test(escape);
        part += translated;
        i += 2;
        break;
      }
      default:
        if (letter === "|") open[open.length - 1] = true;
        part += letter;
        i++;
    }
  }
  if (open.length !== 1) return null;
  parts.push(part);
  return { parts, hasDot: parts.length > 1, wordy, follows };
}

function translateEscape(escape: string): string | null {
  if (escape === "A") return "(?<![\\s\\S])";
  if (escape === "Z") return "(?![\\s\\S])";
  if (/[dDwWsSbBnrtfv]/.test(escape) || /[^A-Za-z0-9]/.test(escape)) return `\\${escape}`;
  return /[1-9]/.test(escape) ? `\\${escape}` : null;
}

/** `[…]` at the start of a text; null where it isn't closed or holds an escape that isn't shared. */
function readSet(text: string): string | null {
  let i = text.charAt(1) === "^" ? 2 : 1;
  if (text.charAt(i) === "]") i++;
  for (; i < text.length; i++) {
    const letter = text.charAt(i);
    if (letter === "]") return text.slice(0, i + 1);
    if (letter !== "\\") continue;
    const escape = text.charAt(++i);
    if (!/[dDwWsSbnrtfv]/.test(escape) && !/[^A-Za-z0-9]/.test(escape)) return null;
  }
  return null;
}
