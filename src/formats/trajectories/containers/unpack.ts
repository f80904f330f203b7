import { Inflate, Gunzip } from "fflate";
import { Decompress } from "fzstd";
import { joined, startsWith } from "./bytes";
import { Pace } from "./pace";

const STEP_BYTES = 65_536;
/** Largest window that a Zstandard decoder must support by default is 8 MB; writers go to 128 MB (`--long`). */
const ZSTD_WINDOW = 134_217_728;

/** More came out than was allowed; nothing of it is kept. */
export class UnpackedTooLarge extends Error {
  constructor(atMost: number) {
    super(`it holds more than ${atMost} bytes once decompressed`);
    this.name = "UnpackedTooLarge";
  }
}

export type Method = "deflate" | "gzip" | "zstd";

/**
 * Decompresses in steps with turns of the event loop, and stops as soon as more than `atMost` bytes came out. Throws
 * UnpackedTooLarge, the signal's reason, or an Error saying what is wrong with the data.
 */
export async function unpack(
  bytes: Uint8Array,
  method: Method,
  atMost: number,
  pace: Pace = new Pace(),
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array): void => {
    size += part.length;
    if (size > atMost) throw new UnpackedTooLarge(atMost);
    // The decoders give views of buffers that they go on using.
    parts.push(part.slice());
  };
  const decoder = decoderOf(bytes, method, take);
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    decoder.push(bytes.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= bytes.length);
    await pace.turn();
  }
  return joined(parts);
}

function decoderOf(
  bytes: Uint8Array,
  method: Method,
  take: (part: Uint8Array) => void,
): { push(chunk: Uint8Array, last: boolean): void } {
  if (method === "deflate") return new Inflate(take);
  if (method === "gzip") return new Gunzip(take);
  if (zstdWindow(bytes) > ZSTD_WINDOW) throw new Error("it asks for a window larger than is usual");
  return new Decompress(take);
}

/** Memory that the first frame asks for (RFC 8878, 3.1.1.1); 0 where this isn't a frame. */
export function zstdWindow(bytes: Uint8Array): number {
  const flags = bytes[4];
  if (!startsWith(bytes, [0x28, 0xb5, 0x2f, 0xfd]) || flags === undefined) return 0;
  const single = (flags & 0x20) !== 0;
  if (!single) {
    const window = bytes[5] ?? 0;
    const base = 2 ** (10 + (window >> 3));
    return base + (base / 8) * (window & 7);
  }
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  const width = [1, 2, 4, 8][flags >> 6] ?? 1;
  let size = 0;
  for (let i = width - 1; i >= 0; i--) size = size * 256 + (bytes[5 + dictionary + i] ?? 0);
  return width === 2 ? size + 256 : size;
}
