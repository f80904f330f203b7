/** Bytes of JSON text searched as they are: nothing is parsed, and nearly nothing is copied. */
export const byteSearch = {
  compile(text: string, matchCase: boolean): { find(bytes: Uint8Array, from: number): number } {
    // eslint-disable-next-line no-control-regex -- what JSON writes as it is
    if (matchCase && /^[^"\\/\u0000-\u001f\u007f-\uffff]+$/.test(text)) return exactly(Buffer.from(text));
    return bySpelling(new RegExp(spellings(text, matchCase), matchCase ? "g" : "gi"));
  },
};

function exactly(needle: Buffer): { find(bytes: Uint8Array, from: number): number } {
  return { find: (bytes, from) => bufferOf(bytes).indexOf(needle, from) };
}

/** Each byte as one character: V8 compiles the pattern for such strings, which runs at hundreds of MB a second. */
function bySpelling(pattern: RegExp): { find(bytes: Uint8Array, from: number): number } {
  let last: { readonly bytes: Uint8Array; readonly text: string } | null = null;
  return {
    find(bytes, from) {
      if (last?.bytes !== bytes) last = { bytes, text: bufferOf(bytes).toString("latin1") };
      pattern.lastIndex = from;
      return pattern.exec(last.text)?.index ?? -1;
    },
  };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * A pattern over bytes for every spelling that JSON has for the text: raw UTF-8, `\uXXXX`, short escapes, and any number
 * of backslashes before them, since JSON lies in strings of JSON (RFC 8259 §7).
 */
function spellings(text: string, matchCase: boolean): string {
  return Array.from(text, (char) => spelling(char, matchCase)).join("");
}

const SHORT = new Map([
  ["\n", "n"],
  ["\r", "r"],
  ["\t", "t"],
  ["\b", "b"],
  ["\f", "f"],
]);

function spelling(char: string, matchCase: boolean): string {
  if (char === '"') return String.raw`(?:\\*"|\\+u0022)`;
  if (char === "\\") return String.raw`\\+`;
  if (char === "/") return String.raw`\\*/`;
  const short = SHORT.get(char);
  if (short !== undefined) return String.raw`(?:\\+${short}|\\+u${hexOf(char)})`;
  if (/^[\u0020-\u007e]$/.test(char)) return char.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const variants = matchCase ? [char] : [...new Set([char, char.toLowerCase(), char.toUpperCase()])];
  return `(?:${variants.flatMap((one) => [rawBytes(one), escaped(one)]).join("|")})`;
}

function rawBytes(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => String.raw`\\+u${hexOf(text.charAt(at))}`).join("");
}

/** Four hex digits in either case. */
function hexOf(unit: string): string {
  return Array.from(unit.charCodeAt(0).toString(16).padStart(4, "0"))
    .map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit))
    .join("");
}
