/** Values of files whose shape isn't known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object there, or an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const NUMBER_TEXT = /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/;
const SPECIAL = new Map([
  ["nan", Number.NaN],
  ["inf", Number.POSITIVE_INFINITY],
  ["+inf", Number.POSITIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["-infinity", Number.NEGATIVE_INFINITY],
]);

/**
 * A number as files have it: a number, a bool, text of one (verl writes through `str`), or a list of one (NeMo RL).
 * Null where it is none: never 0.
 */
export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string") {
    const special = SPECIAL.get(value.trim().toLowerCase());
    if (special !== undefined) return special;
    if (/^(true|false)$/i.test(value)) return value.toLowerCase() === "true" ? 1 : 0;
    return NUMBER_TEXT.test(value) ? Number(value) : null;
  }
  if (Array.isArray(value) && value.length === 1) return numberOf(value[0]);
  return null;
}

/** `Object.fromEntries` that keeps a key called `__proto__` as a key of its own. */
export function entriesOf<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  const result: Record<string, T> = {};
  for (const [key, value] of entries) put(result, key, value);
  return result;
}

/** Assigns, but for the one key that isn't a plain one: defining every property takes ten times as long. */
export function put<T>(into: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__")
    Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true });
  else into[key] = value;
}

/** A finite number that stands there as one; else null. */
export function finiteOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
