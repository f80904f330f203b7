/**
 * Points in time as files have them, in Unix milliseconds: ISO 8601 (without a zone: UTC, as trainers on servers write
 * it), or numbers of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size.
 */
export function timeOf(value: unknown): number | null {
  if (typeof value === "bigint") return fromNumber(Number(value));
  if (typeof value === "number") return fromNumber(value);
  if (typeof value !== "string" || value === "") return null;
  if (/^\d+(\.\d+)?$/.test(value)) return fromNumber(Number(value));
  const zoned = /(Z|[+-]\d\d:?\d\d)$/i.test(value) || !/\d\d:\d\d/.test(value) ? value : `${value}Z`;
  const at = Date.parse(zoned.replace(/^(\d{4}-\d\d-\d\d) /, "$1T"));
  return Number.isNaN(at) ? null : at;
}

function fromNumber(value: number): number | null {
  if (!Number.isFinite(value) || value <= 0) return null;
  if (value < 1e11) return value * 1000;
  if (value < 1e14) return value;
  return value < 1e17 ? value / 1e3 : value / 1e6;
}

/** Milliseconds between two points as files have them; null where one is missing. */
export function between(from: unknown, to: unknown): number | null {
  return elapsed(timeOf(from), timeOf(to));
}

/** Milliseconds to hundredths: a double of Unix milliseconds holds no more. */
export function elapsed(start: number | null, end: number | null): number | null {
  if (start === null || end === null) return null;
  return Math.max(0, Math.round((end - start) * 100) / 100);
}
