import { Inflate, Gunzip } from "fflate";
import { Decompress } from "fzstd";
import { joined, startsWith } from "./bytes";
import { crc32 } from "./crc32";
import { Pace } from "./pace";

const STEP_BYTES = 65_536;
/** Between two turns of the event loop. */
const CHECKED_BYTES = 1_000_000;
/** Largest window that a Zstandard decoder must support by default is 8 MB; writers go to 128 MB (`--long`). */
const ZSTD_WINDOW = 134_217_728;

/** More came out than was allowed; nothing of it is kept. */
export class UnpackedTooLarge extends Error {
  constructor(atMost: number) {
    super(`it holds more than ${atMost} bytes once decompressed`);
    this.name = "UnpackedTooLarge";
  }
}

/** Where a member of a gzip file ends, and how much came out up to there. */
interface Member {
  readonly end: number;
  readonly size: number;
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
  const members: Member[] = [];
  const decoder = decoderOf(bytes, method, take, (end) => members.push({ end, size }));
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    decoder.push(bytes.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= bytes.length);
    await pace.turn();
  }
  const all = joined(parts);
  if (method === "gzip")
    await checkMembers(bytes, [...members, { end: bytes.length, size: all.length }], all, pace);
  return all;
}

function decoderOf(
  bytes: Uint8Array,
  method: Method,
  take: (part: Uint8Array) => void,
  onMember: (end: number) => void,
): { push(chunk: Uint8Array, last: boolean): void } {
  if (method === "deflate") return new Inflate(take);
  if (method === "gzip") {
    const decoder = new Gunzip(take);
    decoder.onmember = onMember;
    return decoder;
  }
  if (zstdWindow(bytes) > ZSTD_WINDOW) throw new Error("it asks for a window larger than is usual");
  return new Decompress(take);
}

/**
 * `Gunzip` looks at no checksum: each member's CRC-32 and size (RFC 1952, 2.3.1) are compared here, once all of it is
 * known to be no more than is allowed.
 */
async function checkMembers(
  packed: Uint8Array,
  members: readonly Member[],
  bytes: Uint8Array,
  pace: Pace,
): Promise<void> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let from = 0;
  for (const { end, size } of members) {
    let crc = 0;
    for (let at = from; at < size; at += CHECKED_BYTES) {
      crc = crc32(bytes.subarray(at, Math.min(size, at + CHECKED_BYTES)), crc);
      await pace.turn();
    }
    const trailer = end - 8;
    if (
      trailer < 0 ||
      view.getUint32(trailer, true) !== crc ||
      view.getUint32(trailer + 4, true) !== size - from
    )
      throw new Error("its checksum is wrong: it is damaged");
    from = size;
  }
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
