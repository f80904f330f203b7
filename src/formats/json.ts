import { ITEM, placeOf } from "../core/scoring/paths";
import { JsonTextError, JsonTextReader, hasLoneSurrogate, isRow, parseJsonText } from "./jsonText";
import { type Row, ProblemList, type ReadLimits, type ReadResult, type SampleReader } from "./reader";
import { decodeText } from "./text";

/** Keys under which a wrapping object holds its list of rows, best first. */
const LIST_KEYS = ["samples", "rows", "data", "items", "records", "outputs", "results"];

/**
 * One JSON text, as a list of row objects, an object holding such a list, a table of `columns` and `data`
 * (Weights & Biases), an object of equally long column lists (pandas), a single row, or several values one after
 * another (pretty-printed). Line = row number, from 1.
 */
export const jsonReader: SampleReader = {
  id: "json",
  read(bytes: Uint8Array, limits: ReadLimits): ReadResult {
    const problems = new ProblemList();
    const floats = new Set<string>();
    const rows: Row[] = [];
    const lines: number[] = [];
    const result: ReadResult = { reader: "json", rows, lines, problems, floats };
    if (bytes.length > limits.lineBytes) {
      problems.add(
        1,
        "too-large",
        `The file is ${bytes.length} bytes of one JSON value; up to ${limits.lineBytes} are read. JSON Lines has no such limit.`,
      );
      return result;
    }
    const text = decodeText(bytes, problems);
    const places: string[][] = [];
    let value: unknown;
    try {
      value = parseJsonText(
        text,
        () => undefined,
        (keys) => {
          places.push([...keys]);
          return null;
        },
      );
    } catch (error) {
      if (!(error instanceof JsonTextError)) throw error;
      const several = readSeveral(text, places);
      if (several.length === 0) {
        problems.add(
          lineAt(text, error.at),
          error.unfinished ? "unfinished" : "not-json",
          error.unfinished
            ? "The JSON text ends inside a value, so nothing of it is read."
            : `The file isn't JSON: ${error.message}.`,
        );
        return result;
      }
      if (several.rest !== null)
        problems.add(
          lineAt(text, several.rest),
          "torn",
          `The values before this line are read, the rest isn't JSON: ${error.message}.`,
        );
      value = several.values;
    }
    const table = unwrap(value, places);
    for (const place of table.floats) floats.add(place);
    table.items.forEach((item, index) => {
      if (!isRow(item)) {
        problems.add(index + 1, "not-an-object", "The row isn't an object with columns.");
        return;
      }
      rows.push(item);
      lines.push(index + 1);
    });
    if (hasLoneSurrogate(text, rows))
      problems.add(1, "lone-surrogate", "A text holds half of a surrogate pair. It goes to Python as it is.");
    if (rows.length === 0 && problems.count === 0) problems.add(1, "empty", "The file holds no records.");
    return result;
  },
};

interface Unwrapped {
  readonly items: readonly unknown[];
  /** Places of floats inside a row. */
  readonly floats: readonly string[];
}

/** `places`: keys from the top of the file down to each float. */
function unwrap(value: unknown, places: readonly (readonly string[])[]): Unwrapped {
  if (Array.isArray(value)) return { items: value, floats: below(places, [ITEM]) };
  if (!isRow(value)) return { items: [value], floats: [] };
  const table = wandbTable(value);
  if (table) return table;
  for (const key of LIST_KEYS) {
    const list = value[key];
    if (Array.isArray(list) && list.some(isRow)) return { items: list, floats: below(places, [key, ITEM]) };
  }
  const columns = Object.entries(value);
  const lengths = new Set(columns.map(([, list]) => (Array.isArray(list) ? list.length : -1)));
  const [length] = lengths;
  // A single row may hold lists too (messages): columns are told by at least two of equal length.
  if (lengths.size === 1 && length !== undefined && length >= 0 && columns.length > 1) {
    const items = Array.from({ length }, (_, i) =>
      Object.fromEntries(columns.map(([name, list]): [string, unknown] => [name, at(list, i)])),
    );
    return { items, floats: places.map((keys) => placeOf([...keys.slice(0, 1), ...keys.slice(2)])) };
  }
  return { items: [value], floats: below(places, []) };
}

/** Places in a row: what lies under `prefix`, without it. */
function below(places: readonly (readonly string[])[], prefix: readonly string[]): string[] {
  return places
    .filter((keys) => keys.length > prefix.length && prefix.every((key, i) => keys[i] === key))
    .map((keys) => placeOf(keys.slice(prefix.length)));
}

function wandbTable(value: Row): Unwrapped | null {
  const names = value["columns"];
  const data = value["data"];
  if (!Array.isArray(names) || !Array.isArray(data) || !data.every(Array.isArray)) return null;
  const columns = names.map(String);
  const items = data.map((cells) =>
    Object.fromEntries(columns.map((name, i): [string, unknown] => [name, at(cells, i)])),
  );
  // All cells of a list share one place, so a column's floats are told by its values.
  const floats = columns.filter((_, i) => data.some((cells) => isFraction(at(cells, i))));
  return { items, floats };
}

function isFraction(value: unknown): boolean {
  return typeof value === "number" && !Number.isInteger(value);
}

function at(list: unknown, index: number): unknown {
  if (!Array.isArray(list)) return null;
  const item: unknown = list[index];
  return item ?? null;
}

function readSeveral(
  text: string,
  places: string[][],
): { values: unknown[]; length: number; rest: number | null } {
  places.length = 0;
  const reader = new JsonTextReader(
    text,
    () => undefined,
    (keys) => {
      places.push([ITEM, ...keys]);
      return null;
    },
  );
  const values: unknown[] = [];
  let position = reader.skipSpace(0);
  while (position < text.length) {
    try {
      values.push(reader.next(position));
    } catch (error) {
      if (!(error instanceof JsonTextError)) throw error;
      return { values, length: values.length, rest: position };
    }
    position = reader.skipSpace(reader.end);
    if (text.charCodeAt(position) === 44) position = reader.skipSpace(position + 1);
  }
  return { values, length: values.length, rest: null };
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < at; i = text.indexOf("\n", i + 1)) line++;
  return line;
}
