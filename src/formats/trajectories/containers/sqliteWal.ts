const HEADER_BYTES = 32;
const FRAME_BYTES = 24;

/**
 * Pages that a write-ahead log (`-wal`) holds beyond the database, the newest of each: up to the last whole commit
 * (https://sqlite.org/fileformat2.html#walformat, version 3007000). Frames behind a wrong checksum are of an older log.
 */
export function walPages(log: Uint8Array, pageSize: number): ReadonlyMap<number, Uint8Array> {
  const pages = new Map<number, Uint8Array>();
  if (log.length < HEADER_BYTES) return pages;
  const view = viewOf(log);
  const magic = view.getUint32(0);
  if ((magic & 0xfffffffe) >>> 0 !== 0x377f0682 || view.getUint32(8) !== pageSize) return pages;
  const little = (magic & 1) === 0;
  let sum = checksum(view, 0, 24, little, [0, 0]);
  if (sum[0] !== view.getUint32(24) || sum[1] !== view.getUint32(28)) return pages;
  const [salt1, salt2] = [view.getUint32(16), view.getUint32(20)];
  let open = new Map<number, Uint8Array>();
  for (let at = HEADER_BYTES; at + FRAME_BYTES + pageSize <= log.length; at += FRAME_BYTES + pageSize) {
    if (view.getUint32(at + 8) !== salt1 || view.getUint32(at + 12) !== salt2) break;
    sum = checksum(view, at, 8, little, sum);
    sum = checksum(view, at + FRAME_BYTES, pageSize, little, sum);
    if (sum[0] !== view.getUint32(at + 16) || sum[1] !== view.getUint32(at + 20)) break;
    open.set(view.getUint32(at), log.subarray(at + FRAME_BYTES, at + FRAME_BYTES + pageSize));
    if (view.getUint32(at + 4) === 0) continue;
    for (const [page, bytes] of open) pages.set(page, bytes);
    open = new Map<number, Uint8Array>();
  }
  return pages;
}

function checksum(
  view: DataView,
  from: number,
  length: number,
  little: boolean,
  [a, b]: readonly [number, number],
): readonly [number, number] {
  let s0 = a;
  let s1 = b;
  for (let at = from; at < from + length; at += 8) {
    s0 = (s0 + view.getUint32(at, little) + s1) >>> 0;
    s1 = (s1 + view.getUint32(at + 4, little) + s0) >>> 0;
  }
  return [s0, s1];
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
