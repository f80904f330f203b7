import type { FileAccess } from "../container";
import { Pace } from "./pace";

/** Decoded at once: more would hold up everybody else. */
const DECODE_BYTES = 4_000_000;

/** Bytes in memory in the place of those of a file (unpacked, converted); what lies beside it stays the same. */
export function memoryAccess(file: FileAccess, bytes: Uint8Array, name = file.name): FileAccess {
  return {
    name,
    folders: file.folders,
    bytes: bytes.length,
    read: (from, length) => Promise.resolve(bytes.subarray(from, from + Math.max(0, length))),
    beside: (relative, atMost) => file.beside(relative, atMost),
  };
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder("utf-8");

export interface Decoded {
  readonly text: string;
  /** Bytes that aren't UTF-8 stand in it as U+FFFD. */
  readonly bad: boolean;
}

export function decodeBytes(bytes: Uint8Array): Decoded {
  try {
    return { text: strict.decode(bytes), bad: false };
  } catch {
    return { text: lenient.decode(bytes), bad: true };
  }
}

/** `decodeBytes` with turns of the event loop in between. */
export async function decodeSlowly(bytes: Uint8Array, pace: Pace = new Pace()): Promise<Decoded> {
  if (bytes.length <= DECODE_BYTES) return decodeBytes(bytes);
  for (const fatal of [true, false]) {
    const decoder = new TextDecoder("utf-8", { fatal });
    const parts: string[] = [];
    try {
      for (let at = 0; at < bytes.length; at += DECODE_BYTES) {
        parts.push(decoder.decode(bytes.subarray(at, at + DECODE_BYTES), { stream: true }));
        await pace.turn();
      }
      parts.push(decoder.decode());
      return { text: parts.join(""), bad: !fatal };
    } catch (error) {
      if (!fatal || !(error instanceof TypeError)) throw error;
    }
  }
  return decodeBytes(bytes);
}

export function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}

/** Text of the first bytes, for looking at only. */
export function peekText(bytes: Uint8Array): string {
  const encoding = startsWith(bytes, [0xff, 0xfe])
    ? "utf-16le"
    : startsWith(bytes, [0xfe, 0xff])
      ? "utf-16be"
      : "utf-8";
  return new TextDecoder(encoding).decode(bytes).trimStart();
}
