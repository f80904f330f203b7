import { gzipSync, zipSync } from "fflate";
import * as z from "zod";

const InspectLog = z.looseObject({
  samples: z.array(z.looseObject({ id: z.union([z.string(), z.number()]), epoch: z.number() })),
});

/** Numbers from 0 to below 1 with a seed, so that a failing case can be met again (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const below = (random: () => number, end: number): number => Math.floor(random() * end);

export function cut(bytes: Uint8Array, random: () => number): Uint8Array {
  return bytes.slice(0, 1 + below(random, bytes.length - 1));
}

export function flipBits(bytes: Uint8Array, random: () => number): Uint8Array {
  const out = bytes.slice();
  for (let left = 1 + below(random, 20); left > 0; left--) {
    const at = below(random, out.length);
    out[at] = (out[at] ?? 0) ^ (1 << below(random, 8));
  }
  return out;
}

/** Line ends taken out at random: two records on a line. */
export function glueLines(bytes: Uint8Array, random: () => number): Uint8Array {
  return bytes.filter((byte) => byte !== 10 || random() < 0.5);
}

/** Lines cut inside, with others behind them: what two writers at once leave. */
export function tearLines(text: string, random: () => number): string {
  return text
    .split("\n")
    .map((line) => (random() < 0.5 ? line : line.slice(0, below(random, line.length))))
    .join("\n");
}

export function joinedBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

export function utf16(text: string, big: boolean): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"));
  return big ? new Uint8Array(Buffer.from(bytes).swap16()) : bytes;
}

/** One frame of raw blocks (RFC 8878), for which no compressor is needed. */
export function zstd(bytes: Uint8Array): Uint8Array {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 5);
  const parts: Uint8Array[] = [head];
  for (let at = 0; at < bytes.length; at += 100_000) {
    const block = bytes.subarray(at, at + 100_000);
    const last = at + 100_000 >= bytes.length ? 1 : 0;
    const size = (block.length << 3) | last;
    parts.push(Uint8Array.of(size & 255, (size >> 8) & 255, (size >> 16) & 255), block);
  }
  return joinedBytes(...parts);
}

/** An Inspect log as it is zipped: a header, and each sample in an entry of its own. */
export function inspectZip(log: Uint8Array, level: 0 | 6): Uint8Array {
  const finite = new TextDecoder().decode(log).replace(/\bNaN\b/g, "null");
  const { samples, ...header } = InspectLog.parse(JSON.parse(finite));
  const text = new TextEncoder();
  return zipSync(
    {
      "header.json": text.encode(JSON.stringify(header)),
      ...Object.fromEntries(
        samples.map((sample) => [
          `samples/${String(sample.id)}_epoch_${String(sample.epoch)}.json`,
          text.encode(JSON.stringify(sample)),
        ]),
      ),
    },
    { level },
  );
}

/** An archive whose directory claims another size for its entries, `by` bytes larger. */
export function lyingZip(zip: Uint8Array, field: 20 | 24 | 42, by: number): Uint8Array {
  const out = zip.slice();
  const view = new DataView(out.buffer);
  for (let at = 0; at + 46 < out.length; at++)
    if (view.getUint32(at, true) === 0x02014b50)
      view.setUint32(at + field, (view.getUint32(at + field, true) + by) >>> 0, true);
  return out;
}

/** A sample log whose one entry is `bytes` spaces once decompressed. */
export function zipBomb(bytes: number): Uint8Array {
  const text = new TextEncoder();
  return zipSync({
    "header.json": text.encode('{"version":2,"eval":{},"plan":{}}'),
    "samples/a_epoch_1.json": new Uint8Array(bytes).fill(32),
  });
}

/** Members of zeros, each packed a thousand times. */
export function gzipBomb(members: number): Uint8Array {
  const one = gzipSync(new Uint8Array(20_000_000).fill(32), { level: 9 });
  return joinedBytes(...Array.from({ length: members }, () => one));
}

/** "Billion laughs": each line doubles nine-fold what the one before says. */
export function laughs(): string {
  const names = "a b c d e f g h i j".split(" ");
  const lists = names.slice(1).map((name, at) => {
    const before = names[at] ?? "";
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
  });
  return `a: &a ["lol","lol"]\n${lists.join("\n")}\nmessages: *j\n`;
}

export function nested(depth: number, object: boolean): string {
  return object
    ? `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
    : `${"[".repeat(depth)}1${"]".repeat(depth)}`;
}

/**
 * Parquet files whose numbers of rows or values are others than they have: in page headers (Thrift's compact protocol:
 * `15 06` is "3" as a zigzag i32), and in the footer (`16 06`: "3" as an i64), one by one and all at once.
 */
export function lyingParquets(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const footer = bytes.length - 8 - view.getUint32(bytes.length - 8, true);
  const places = (from: number, to: number, field: number): number[] =>
    Array.from({ length: to - from - 1 }, (_, at) => from + at).filter(
      (at) => bytes[at] === field && bytes[at + 1] === 6,
    );
  const changed = (at: readonly number[], to: number): Uint8Array => {
    const out = new Uint8Array(bytes);
    for (const one of at) out[one + 1] = to;
    return out;
  };
  // 0, 1, 2, 4, 31 and -1 rows in place of 3.
  const claims = [0, 2, 4, 8, 62, 1];
  const pages = places(4, footer, 0x15);
  const rows = places(footer, bytes.length - 8, 0x16);
  return claims.flatMap((claim) => [
    changed(pages, claim),
    changed(rows, claim),
    changed([...pages, ...rows], claim),
    ...(claim === 2 || claim === 8 ? [...pages, ...rows].map((one) => changed([one], claim)) : []),
  ]);
}
