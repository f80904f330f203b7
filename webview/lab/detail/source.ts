import type { TextChange } from "../../../src/schema/text";

/** Text after changes whose offsets are all in the text before. */
export function changed(text: string, changes: readonly TextChange[]): string {
  let out = text;
  for (const { offset, length, text: put } of [...changes].sort((a, b) => b.offset - a.offset))
    out = out.slice(0, offset) + put + out.slice(offset + length);
  return out;
}

/** 1-based line. Empty where there is none. */
export function lineOf(source: string | null, line: number): string {
  return source?.split(/\r?\n/u)[line - 1]?.trim() ?? "";
}

const METHODS = "search|match|fullmatch|findall|finditer|split|subn?";
const OWN = new RegExp(`([A-Za-z_][\\w.]*)\\.(?:${METHODS})\\(`, "u");
const OF_MODULE = new RegExp(`\\bre(?:gex)?\\.(?:${METHODS})\\(\\s*([A-Za-z_][\\w.]*)\\s*,`, "u");

/** What the reward calls the pattern of a line: `SHAPE` in `SHAPE.match(text)`. Null where it has no name there. */
export function patternName(line: string): string | null {
  const given = OF_MODULE.exec(line)?.[1];
  if (given !== undefined) return given;
  const own = OWN.exec(line)?.[1];
  return own === undefined || own === "re" || own === "regex" ? null : own;
}

/** Names of a function's parameters, with their stars; `line` is 0-based. Null where no `def` is there. */
export function parametersOf(source: string | null, line: number): string[] | null {
  if (source === null) return null;
  const rest = source.split("\n").slice(line).join("\n");
  const open = /^\s*(?:async\s+)?def\s+\w+\s*(?:\[[^\]]*\])?\s*\(/u.exec(rest);
  if (!open) return null;
  const names: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of rest.slice(open[0].length).replace(/#.*$/gmu, "")) {
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character)) depth--;
    if (depth < 0 || (depth === 0 && character === ",")) {
      const name = /^\s*(\*{0,2}\s*[A-Za-z_]\w*)/u.exec(current)?.[1]?.replace(/\s/gu, "");
      if (name !== undefined) names.push(name);
      current = "";
      if (depth < 0) return names;
    } else current += character;
  }
  return names;
}

export interface Frame {
  readonly text: string;
  /** 1-based line in the reward's own file; null: the line isn't a place there. */
  readonly line: number | null;
}

/** A traceback's lines; places in the file called `name` have their line. */
export function framesOf(traceback: string, name: string): Frame[] {
  return traceback
    .trimEnd()
    .split("\n")
    .map((text) => {
      const place = /^\s*File "([^"]+)", line (\d+)/u.exec(text);
      return { text, line: place?.[1] === name ? Number(place[2]) : null };
    });
}
