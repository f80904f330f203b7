const TABLES = makeTables();

/** CRC-32 as ZIP and gzip have it (ISO 3309), four bytes a step. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const [t0, t1, t2, t3] = TABLES;
  let crc = ~before;
  let at = 0;
  for (const end = bytes.length - 3; at < end; at += 4) {
    crc ^=
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24);
    crc =
      (t3[crc & 255] ?? 0) ^
      (t2[(crc >>> 8) & 255] ?? 0) ^
      (t1[(crc >>> 16) & 255] ?? 0) ^
      (t0[crc >>> 24] ?? 0);
  }
  for (; at < bytes.length; at++) crc = (t0[(crc ^ (bytes[at] ?? 0)) & 255] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = Int32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c;
  });
  const next = (table: Int32Array): Int32Array => table.map((c) => (first[c & 255] ?? 0) ^ (c >>> 8));
  const second = next(first);
  const third = next(second);
  return [first, second, third, next(third)];
}
