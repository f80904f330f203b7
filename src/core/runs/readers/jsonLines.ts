import { type Fields, isFields } from "../../../base/fields";
import type { TelemetryReader } from "../telemetry";
import { parsePythonJson } from "./pythonJson";
import { lineReading, type Row } from "./rows";

/** Objects tried in a torn line: more than two writers tear hardly ever at one place. */
const MOST_TRIES = 16;

/** A reader of JSON lines: `row` says what an object of the file means. */
export function jsonLinesReader(id: string, row: (record: Fields) => Row | null): TelemetryReader {
  const read = (line: string): readonly Row[] =>
    objectsOf(line).flatMap((record) => {
      const made = row(record);
      return made === null ? [] : [made];
    });
  return { id, shape: "lines", open: () => lineReading(read) };
}

/**
 * Objects of a line. Two processes that write one file glue lines together or tear them: what stands whole in the line
 * is read, the torn part is not.
 */
export function objectsOf(line: string): readonly Fields[] {
  const text = line.trim();
  if (!text.includes("{")) return [];
  const whole = parsePythonJson(text);
  if (isFields(whole)) return [whole];
  if (whole !== undefined) return [];
  const found: Fields[] = [];
  let tries = 0;
  for (let at = text.indexOf('{"'); at >= 0 && tries < MOST_TRIES; tries++) {
    const end = objectEnd(text, at);
    const value = end < 0 ? undefined : parsePythonJson(text.slice(at, end));
    if (isFields(value)) found.push(value);
    at = text.indexOf('{"', isFields(value) ? end : at + 1);
  }
  return found;
}

/** Position after the object that begins at `from`; -1 where it has no end. */
function objectEnd(text: string, from: number): number {
  let level = 0;
  for (let at = from; at < text.length; at++) {
    const c = text[at];
    if (c === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (c === "{") level++;
    else if (c === "}" && --level === 0) return at + 1;
  }
  return -1;
}
