import { type FileAccess, OFFSETS_EVERY, type OffsetBatch, type OffsetOptions } from "../container";
import { firstLine } from "./lineScan";

const CHUNK_BYTES = 4_000_000;
const NEWLINE = 10;

/**
 * Counts the ends of lines, keeping the offset of every `OFFSETS_EVERY`-th line. A batch is a few milliseconds of
 * work; the next part of the file is read meanwhile.
 */
export async function* countLines(
  file: FileAccess,
  { from, signal }: OffsetOptions,
): AsyncGenerator<OffsetBatch, void, undefined> {
  let offset = from.bytes === 0 ? await firstLine(file) : from.bytes;
  let { lines } = from;
  // A line that begins at `from` is known only to the one who stopped there; the very first is told here.
  let starts: number[] = from.bytes === 0 && offset < file.bytes ? [offset] : [];
  const readNext = (at: number): Promise<Uint8Array> => {
    const part = file.read(at, Math.min(CHUNK_BYTES, Math.max(0, file.bytes - at)));
    // Heard where it is awaited, also when nobody comes to that any more.
    part.catch(() => undefined);
    return part;
  };
  let next = readNext(offset);
  while (offset < file.bytes) {
    signal?.throwIfAborted();
    const chunk = await next;
    if (chunk.length === 0) return;
    next = readNext(offset + chunk.length);
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      lines++;
      if (lines % OFFSETS_EVERY === 0 && offset + at + 1 < file.bytes) starts.push(offset + at + 1);
    }
    offset += chunk.length;
    yield { starts, position: { bytes: offset, lines, records: from.records } };
    starts = [];
  }
}
