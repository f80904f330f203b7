import { entriesOf, numberOf } from "../../../base/fields";
import type { MetricRow } from "../../../schema/run";
import { toTagged, type TaggedNumber } from "../../../schema/number";
import type { TelemetryReading } from "../telemetry";
import { Segments } from "./segments";

export type Row = Omit<MetricRow, "from">;
type Values = MetricRow["values"];

/**
 * Numbers by name, also those written as text; null where the name stands without a number. Texts, lists, objects and
 * booleans are no metric. `skip`: names that say where or when, not how much.
 */
export function valuesOf(
  entries: Iterable<readonly [string, unknown]>,
  skip: ReadonlySet<string> = new Set(),
): Values {
  const kept: [string, TaggedNumber | null][] = [];
  for (const [name, value] of entries) {
    if (skip.has(name) || isNoNumber(value)) continue;
    if (value === null) kept.push([name, null]);
    else {
      const number = numberOf(value);
      if (number !== null) kept.push([name, toTagged(number)]);
    }
  }
  return entriesOf(kept);
}

function isNoNumber(value: unknown): boolean {
  if (typeof value === "string") return /^(true|false)$/i.test(value);
  return typeof value === "boolean" || Array.isArray(value);
}

/** A row where there is a step and at least one name; steps are whole and not negative. */
export function rowOf(step: unknown, values: Values, at: number | null = null): Row | null {
  const number = typeof step === "boolean" || Array.isArray(step) ? null : numberOf(step);
  if (number === null || !Number.isSafeInteger(number) || number < 0) return null;
  if (Object.keys(values).length === 0) return null;
  return { step: number, at, values };
}

/** A reading of a file in which each line stands for itself. */
export function lineReading(read: (line: string) => readonly Row[]): TelemetryReading {
  const segments = new Segments();
  return {
    push: (text) => segments.push(text).flatMap(read),
    end: () => segments.end().flatMap(read),
  };
}
