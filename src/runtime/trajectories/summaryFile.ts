import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import type { IndexEvent } from "../../formats/trajectories/indexing";
import { ToldEvent } from "./threadMessages";

/**
 * A file of frames: each has its length (uint32, little-endian), the first 8 bytes of its SHA-1, and the event as V8
 * writes it; the last is a trailer, and behind that stands how long the trailer is.
 */
const LENGTH_BYTES = 4;
const SUM_BYTES = 8;
const HEAD_BYTES = LENGTH_BYTES + SUM_BYTES;
const MOST_FRAME_BYTES = 200_000_000;

export function frameOf(value: unknown): Buffer {
  const payload = serialize(value);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(payload.length, 0);
  sumOf(payload).copy(head, LENGTH_BYTES);
  return Buffer.concat([head, payload]);
}

export function trailerOf(value: unknown): Buffer {
  const frame = frameOf(value);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(frame.length, 0);
  return Buffer.concat([frame, length]);
}

/** Null where the file has none, or a damaged one. */
export async function readTrailer(file: FileHandle): Promise<{ value: unknown; at: number } | null> {
  const { size } = await file.stat();
  const last = await readExactly(file, size - LENGTH_BYTES, LENGTH_BYTES);
  const at = size - LENGTH_BYTES - (last?.readUInt32LE(0) ?? 0);
  const frame = await readFrame(file, at);
  return frame === null ? null : { value: frame.value, at };
}

/** The events before `end`; up to the first that is damaged. */
export async function* readEvents(
  file: FileHandle,
  end: number,
): AsyncGenerator<IndexEvent, void, undefined> {
  for (let at = 0; at < end;) {
    const frame = await readFrame(file, at);
    const event = ToldEvent.safeParse(frame?.value);
    if (frame === null || !event.success) return;
    at += frame.length;
    if (event.data.kind !== "batch") yield event.data;
    // A view on the texts would hold the whole frame in memory.
    else yield { ...event.data, batch: { ...event.data.batch, texts: event.data.batch.texts.slice() } };
  }
}

async function readFrame(file: FileHandle, at: number): Promise<{ value: unknown; length: number } | null> {
  const head = at < 0 ? null : await readExactly(file, at, HEAD_BYTES);
  const length = head?.readUInt32LE(0) ?? 0;
  if (head === null || length === 0 || length > MOST_FRAME_BYTES) return null;
  const payload = await readExactly(file, at + HEAD_BYTES, length);
  if (!payload || !sumOf(payload).equals(head.subarray(LENGTH_BYTES))) return null;
  try {
    return { value: deserialize(payload), length: HEAD_BYTES + length };
  } catch {
    // Another Node wrote it.
    return null;
  }
}

/** Null where there isn't as much. */
export async function readExactly(file: FileHandle, at: number, length: number): Promise<Buffer | null> {
  if (at < 0) return null;
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length;) {
    const { bytesRead } = await file.read(bytes, read, length - read, at + read);
    if (bytesRead === 0) return null;
    read += bytesRead;
  }
  return bytes;
}

function sumOf(payload: Uint8Array): Buffer {
  return createHash("sha1").update(payload).digest().subarray(0, SUM_BYTES);
}
