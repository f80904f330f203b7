import { ITEM, below } from "../../core/scoring/paths";
import type { FileAccess } from "./container";
import { memoryAccess, startsWith } from "./containers/bytes";

/**
 * JSON's `1.0` and `1` are one number in JavaScript and two in Python, and forms make rows of values that they rename,
 * nest and unpack. So a file is read twice: as it is, and with each whole float moved by a half. Numbers of a row that
 * move are floats.
 */
const BINARY = [
  [0x50, 0x41, 0x52, 0x31],
  [0x50, 0x4b, 0x03, 0x04],
  [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65],
];

const DOT = 0x2e;
const ZERO = 0x30;
const FIVE = 0x35;
const NINE = 0x39;

/** The file as it reads with its whole floats moved. Text is changed as a whole; other containers do it themselves. */
export async function withMovedFloats(file: FileAccess): Promise<FileAccess> {
  const first = await file.read(0, 8);
  if (BINARY.some((magic) => startsWith(first, magic))) {
    const { name, folders, bytes } = file;
    return {
      name,
      folders,
      bytes,
      floatsMoved: true,
      read: (from, length) => file.read(from, length),
      beside: (relative, atMost) => file.beside(relative, atMost),
    };
  }
  return memoryAccess(file, movedBytes(await file.read(0, file.bytes)));
}

/** A text of the same length: `1.0` becomes `1.5`, `1e5` becomes `2e5`, also in texts within it. */
export function movedBytes(bytes: Uint8Array): Uint8Array {
  // A copy: the `slice` of a Node buffer would be the same memory.
  const moved = new Uint8Array(bytes);
  for (let at = 1; at < bytes.length; at++) {
    const c = bytes[at] ?? 0;
    if (!isDigit(bytes[at - 1])) continue;
    if (c === DOT) {
      if (bytes[at + 1] === ZERO) moved[at + 1] = FIVE;
    } else if ((c | 0x20) === 0x65 && isExponent(bytes, at)) {
      let from = at - 1;
      while (from > 0 && isDigit(bytes[from - 1])) from--;
      // A mantissa with a point has moved behind it.
      const digit = bytes[from] ?? ZERO;
      if (bytes[from - 1] !== DOT) moved[from] = digit === NINE ? NINE - 1 : digit + 1;
    }
  }
  return moved;
}

export function movedText(text: string): string {
  return new TextDecoder().decode(movedBytes(new TextEncoder().encode(text)));
}

/** A value of a table whose float columns are known by their places; texts in it may be JSON. */
export function movedValue(value: unknown, place: string, floats: ReadonlySet<string>): unknown {
  if (typeof value === "number") return floats.has(place) && Number.isInteger(value) ? value + 0.5 : value;
  if (typeof value === "string") return movedText(value);
  if (Array.isArray(value)) {
    const items = below(place, ITEM);
    return value.map((item: unknown) => movedValue(item, items, floats));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]): [string, unknown] => [
      key,
      movedValue(item, below(place, key), floats),
    ]),
  );
}

/** Adds the places (`core/scoring/paths`) of floats in a value: numbers with a fraction, and those that moved. */
export function noteFloats(value: unknown, moved: unknown, place: string, floats: Set<string>): void {
  if (typeof value === "number") {
    if (!Number.isInteger(value) || (typeof moved === "number" && moved !== value)) floats.add(place);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    const items = below(place, ITEM);
    const others: readonly unknown[] = Array.isArray(moved) ? moved : [];
    value.forEach((item: unknown, at) => {
      noteFloats(item, others[at], items, floats);
    });
    return;
  }
  const others = new Map<string, unknown>(
    typeof moved === "object" && moved !== null ? Object.entries(moved) : [],
  );
  for (const [key, item] of Object.entries(value))
    noteFloats(item, others.get(key), below(place, key), floats);
}

function isDigit(c: number | undefined): boolean {
  return c !== undefined && c >= ZERO && c <= NINE;
}

function isExponent(bytes: Uint8Array, at: number): boolean {
  const next = bytes[at + 1];
  return isDigit(next) || ((next === 0x2b || next === 0x2d) && isDigit(bytes[at + 2]));
}
