import type { FileAccess } from "../../formats/trajectories/container";
import type { LineOffsets } from "../../formats/trajectories/indexing";

const SLICE = 4_000_000;
const EVERY = 512;
const NEWLINE = 10;
const PROGRESS_MS = 200;

/** Counts newlines with the C library's search for a byte, and notes where each `EVERY`-th line begins. */
export async function countLines(
  file: FileAccess,
  onProgress: (soFar: LineOffsets) => void,
  signal: AbortSignal,
): Promise<LineOffsets> {
  const offsets: number[] = [0];
  let lines = 0;
  let lastByte = NEWLINE;
  let told = performance.now();
  for (let from = 0; from < file.bytes;) {
    signal.throwIfAborted();
    const slice = await file.read(from, SLICE);
    if (slice.length === 0) break;
    for (let at = slice.indexOf(NEWLINE); at >= 0; at = slice.indexOf(NEWLINE, at + 1))
      if (++lines % EVERY === 0) offsets.push(from + at + 1);
    lastByte = slice[slice.length - 1] ?? NEWLINE;
    from += slice.length;
    if (performance.now() - told > PROGRESS_MS) {
      told = performance.now();
      onProgress({ every: EVERY, offsets: Float64Array.from(offsets), lines, bytes: from });
    }
  }
  if (lastByte !== NEWLINE) lines++;
  return { every: EVERY, offsets: Float64Array.from(offsets), lines, bytes: file.bytes };
}
