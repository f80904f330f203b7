/** Characters that a page wouldn't show, or would take for a line's end; a text in quotes may hold them escaped. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** JSON for a file that people read: what they couldn't see is escaped. */
export function jsonText(value: unknown, indent: number): string {
  const text = escapeHidden(JSON.stringify(value, null, indent), (char) =>
    Array.from({ length: char.length }, (_, i) => short(char.charCodeAt(i))).join(""),
  );
  return `${text}\n`;
}

/** `\u2028`. */
function short(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** As YAML's double quotes have it, where a pair of `\u` isn't one character. */
export function yamlEscape(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : short(code);
}

/** Hidden characters of a text escaped; its own line ends stay. */
export function escapeHidden(text: string, escape: (char: string) => string): string {
  return text.replace(HIDDEN, (char) => (char === "\n" ? char : escape(char)));
}
