import { textHash } from "./ops";

/** Longest name that is shown whole, in UTF-16 units. */
export const LONGEST_NAME = 200;
const BEGINNING = 160;
/** Control pictures: a name is one line, and so is the filter that asks for it. */
const PICTURES: Readonly<Record<string, string>> = { "\n": "␊", "\r": "␍", "\t": "␉" };

/**
 * An id or a group's name as views show it and ask by it: in one line, and a very long one (a file may have them of a
 * megabyte) as its beginning, its length and a hash of the whole, so that two which differ still do. A name that has
 * been through this stays as it is.
 */
export function shownName(name: string): string {
  const text = /[\n\r\t]/.test(name) ? name.replace(/[\n\r\t]/g, (char) => PICTURES[char] ?? char) : name;
  if (text.length <= LONGEST_NAME) return text;
  // Never half a character.
  const beginning = text.slice(0, BEGINNING).replace(/[\ud800-\udbff]$/, "");
  return `${beginning}… (${text.length}, ${textHash(text).toString(16).padStart(8, "0")})`;
}
