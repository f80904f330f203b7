import type { FileAccess } from "../container";

const END_BYTES = 22;
const LONGEST_COMMENT = 65_535;
const LOCATOR_BYTES = 20;
const DIRECTORY_BYTES = 256_000_000;
const MOST_ENTRIES = 5_000_000;

/** An entry as the central directory names it. */
export interface ZipEntry {
  readonly name: string;
  /** 0 stored, 8 deflate, 93 Zstandard. */
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
  /** Offset of its local header. */
  readonly offset: number;
}

/**
 * The central directory, by range reads (APPNOTE.TXT 6.3.10: 4.3.12 to 4.3.16, with zip64). Throws an Error that says
 * what is wrong.
 */
export async function readDirectory(file: FileAccess): Promise<readonly ZipEntry[]> {
  const { offset, length, count } = await findDirectory(file);
  if (length > DIRECTORY_BYTES || count > MOST_ENTRIES) throw new Error("its directory is too large");
  if (offset + length > file.bytes) throw new Error("its directory lies outside the file");
  const bytes = await file.read(offset, length);
  const view = viewOf(bytes);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < count) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50)
      throw new Error(`its directory ends after ${entries.length} of ${count} entries`);
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const commentLength = view.getUint16(at + 32, true);
    const next = at + 46 + nameLength + extraLength + commentLength;
    if (next > bytes.length) throw new Error("its directory breaks off");
    const flags = view.getUint16(at + 8, true);
    const wide = wideSizes(view, at, at + 46 + nameLength, extraLength);
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)),
      method: view.getUint16(at + 10, true),
      encrypted: (flags & 1) !== 0,
      crc: view.getUint32(at + 16, true),
      ...wide,
    });
    at = next;
  }
  return entries;
}

interface DirectoryPlace {
  readonly offset: number;
  readonly length: number;
  readonly count: number;
}

async function findDirectory(file: FileAccess): Promise<DirectoryPlace> {
  const from = Math.max(0, file.bytes - END_BYTES - LONGEST_COMMENT);
  const tail = await file.read(from, file.bytes - from);
  const view = viewOf(tail);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) > tail.length) continue;
    const here = {
      count: view.getUint16(at + 10, true),
      length: view.getUint32(at + 12, true),
      offset: view.getUint32(at + 16, true),
    };
    const isWide = here.count === 0xffff || here.length === 0xffffffff || here.offset === 0xffffffff;
    return isWide ? ((await wideDirectory(file, from + at)) ?? here) : here;
  }
  throw new Error("it has no directory at its end: its writer hasn't finished it, or it is cut off");
}

async function wideDirectory(file: FileAccess, end: number): Promise<DirectoryPlace | null> {
  if (end < LOCATOR_BYTES) return null;
  const locator = viewOf(await file.read(end - LOCATOR_BYTES, LOCATOR_BYTES));
  if (locator.byteLength < LOCATOR_BYTES || locator.getUint32(0, true) !== 0x07064b50) return null;
  const record = viewOf(await file.read(safe(locator.getBigUint64(8, true)), 56));
  if (record.byteLength < 56 || record.getUint32(0, true) !== 0x06064b50)
    throw new Error("its zip64 directory isn't where it should be");
  return {
    count: safe(record.getBigUint64(32, true)),
    length: safe(record.getBigUint64(40, true)),
    offset: safe(record.getBigUint64(48, true)),
  };
}

/** Sizes and offset; those that don't fit in 32 bits stand in the extra field 1, in this order. */
function wideSizes(
  view: DataView,
  at: number,
  extra: number,
  extraLength: number,
): { size: number; compressed: number; offset: number } {
  let size = view.getUint32(at + 24, true);
  let compressed = view.getUint32(at + 20, true);
  let offset = view.getUint32(at + 42, true);
  const end = extra + extraLength;
  for (let field = extra; field + 4 <= end;) {
    const length = view.getUint16(field + 2, true);
    if (view.getUint16(field, true) === 1) {
      let value = field + 4;
      const next = (): number => {
        if (value + 8 > Math.min(end, field + 4 + length))
          throw new Error("an entry's zip64 sizes are missing");
        value += 8;
        return safe(view.getBigUint64(value - 8, true));
      };
      if (size === 0xffffffff) size = next();
      if (compressed === 0xffffffff) compressed = next();
      if (offset === 0xffffffff) offset = next();
    }
    field += 4 + length;
  }
  return { size, compressed, offset };
}

/** Offset of an entry's data: behind its local header, whose extra field has a length of its own. */
export async function dataOffset(file: FileAccess, entry: ZipEntry): Promise<number> {
  const header = viewOf(await file.read(entry.offset, 30));
  if (header.byteLength < 30 || header.getUint32(0, true) !== 0x04034b50)
    throw new Error("there is no entry where the directory says");
  return entry.offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
}

function safe(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`it claims an offset of ${value}`);
  return number;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
