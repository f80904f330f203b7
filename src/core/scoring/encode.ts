import { ITEM, below } from "./paths";
import type { SampleTable } from "./table";

/** Nesting that Python's own `json` reads without RecursionError (its C scanner counts against the limit of 1,000). */
export const MAX_DEPTH = 500;

const NONE: ReadonlySet<string> = new Set();

/**
 * JSON texts of `SamplesPart`s, each of at most `rowsPerPart` rows, as `json.loads` would have read the file itself:
 * NaN and infinities as Python's literals, bigint with all digits, whole numbers of float columns as `4.0`, lone
 * surrogates as escapes. Each text is one line.
 */
export function* encodeParts(table: SampleTable, rowsPerPart: number): Generator<string, void, undefined> {
  const head = `{"set":${JSON.stringify(table.info.set)},`;
  for (let from = 0; from < table.n || from === 0; from += rowsPerPart) {
    const to = Math.min(table.n, from + rowsPerPart);
    const slice = (values: readonly unknown[] | null, place: string): string =>
      values === null ? "null" : encodeList(values, from, to, place, table.floats);
    const columns = [...table.columns].map(
      ([name, values]) => `${JSON.stringify(name)}:${slice(values, name)}`,
    );
    yield `${head}"from":${from},"count":${to - from},"total":${table.n},"prompt":${slice(table.prompt, "prompt")},"completion":${slice(
      table.completion,
      "completion",
    )},"completionIds":${slice(table.completionIds, "completion_ids")},"columns":{${columns.join(",")}}}`;
  }
}

function encodeList(
  values: readonly unknown[],
  from: number,
  to: number,
  place: string,
  floats: ReadonlySet<string>,
): string {
  let relevant = NONE;
  for (const float of floats) {
    if (float === place || float.startsWith(below(place, ""))) {
      relevant = floats;
      break;
    }
  }
  const parts: string[] = [];
  for (let row = from; row < to; row++) parts.push(encodeValue(values[row], place, relevant));
  return `[${parts.join(",")}]`;
}

/** One value as JSON text that Python reads. `place` says where it stands, for `floats`. */
export function encodeValue(value: unknown, place = "", floats: ReadonlySet<string> = NONE): string {
  switch (typeof value) {
    case "string":
      // Well-formed since ES2019: lone surrogates come out as escapes.
      return JSON.stringify(value);
    case "number":
      return encodeNumber(value, floats.has(place));
    case "bigint":
      return floats.has(place) ? encodeNumber(Number(value), true) : value.toString();
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return encodeArray(value, place, floats);
      return `{${Object.entries(value)
        .map(
          ([key, item]) =>
            `${JSON.stringify(key)}:${encodeValue(item, floats.size > 0 ? below(place, key) : place, floats)}`,
        )
        .join(",")}}`;
    default:
      return "null";
  }
}

function encodeArray(values: readonly unknown[], place: string, floats: ReadonlySet<string>): string {
  const items = floats.size > 0 ? below(place, ITEM) : place;
  // Token ids and the like: by far the most values there are.
  if (!floats.has(items) && values.every(Number.isFinite)) return JSON.stringify(values);
  const parts: string[] = [];
  for (const value of values) parts.push(encodeValue(value, items, floats));
  return `[${parts.join(",")}]`;
}

function encodeNumber(value: number, float: boolean): string {
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "Infinity";
  if (value === Number.NEGATIVE_INFINITY) return "-Infinity";
  // Only a float has a sign at zero; the integer -0 is 0.
  if (Object.is(value, -0)) return float ? "-0.0" : "0";
  const text = String(value);
  // "1e+21" is a float for Python already; "4" isn't.
  return float && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Whether a value is nested deeper than `limit`; walks without recursion. */
export function deeperThan(value: unknown, limit: number): boolean {
  let level: object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let depth = 0; depth < limit && level.length > 0; depth++) {
    const next: object[] = [];
    for (const item of level) {
      const children: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return level.length > 0;
}
