/** Any JSON value, for showing: its kind, and its parts. */
export type Shape =
  | {
      readonly kind: "object" | "array";
      readonly entries: readonly (readonly [key: string, value: unknown])[];
    }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "other"; readonly text: string };

export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value))
    return { kind: "array", entries: value.map((item: unknown, at) => [String(at), item] as const) };
  if (typeof value === "object" && value !== null) return { kind: "object", entries: Object.entries(value) };
  if (typeof value === "string") return { kind: "string", text: value };
  return { kind: "other", text: JSON.stringify(value ?? null) };
}

export function jsonText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
}

const MOST_VALUE = 80;

/** A value on one line, cut. */
export function shortValue(value: unknown, most = MOST_VALUE): string {
  const text = JSON.stringify(value ?? null);
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** `city: "Oslo", seats: 3`: the arguments of a call on one line, at most `most` characters. */
export function argumentsLine(value: unknown, most = 240): string {
  const shape = shapeOf(value);
  const line =
    shape.kind === "object"
      ? shape.entries.map(([key, item]) => `${key}: ${shortValue(item)}`).join(", ")
      : shortValue(value, most);
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

export function wordsIn(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0;
}
