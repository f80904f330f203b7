import { compressors } from "hyparquet-compressors";
import {
  parquetMetadata,
  parquetReadObjects,
  parquetSchema,
  type Compressors,
  type FileMetaData,
  type SchemaTree,
} from "hyparquet/src/index.js";
import { parquetHeader } from "hyparquet/src/column.js";
import { ITEM, placeOf } from "../core/scoring/paths";
import { type Row, ProblemList, type ReadLimits, type ReadResult, type SampleReader } from "./reader";

/** Longest footer that is parsed: a real one is some kilobytes a column and row group. */
const FOOTER_BYTES = 64_000_000;

/**
 * Parquet with any of its usual codecs. What a file declares is checked before anything is decompressed: a few bytes
 * can claim thousands of millions of values.
 */
export const parquetReader: SampleReader = {
  id: "parquet",
  async read(bytes: Uint8Array, limits: ReadLimits, signal?: AbortSignal): Promise<ReadResult> {
    const problems = new ProblemList();
    const floats = new Set<string>();
    let rows: readonly Row[] = [];
    try {
      const metadata = readFooter(bytes);
      const refused = exceeds(bytes, metadata, limits);
      if (refused !== null) problems.add(1, "too-large", refused);
      else {
        signal?.throwIfAborted();
        const file = {
          byteLength: bytes.length,
          slice: (from: number, to?: number) => copy(bytes, from, to),
        };
        const objects = await parquetReadObjects({ file, metadata, compressors: bounded(limits) });
        rows = objects.map((object) =>
          Object.fromEntries(
            Object.entries(object).map(([key, value]): [string, unknown] => [key, plain(value)]),
          ),
        );
        collectFloats(parquetSchema(metadata), [], floats);
        if (rows.length === 0) problems.add(1, "empty", "The file holds no rows.");
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      const message = error instanceof Error ? error.message : String(error);
      problems.add(1, "bad-parquet", `The file can't be read as Parquet: ${message}.`);
    }
    return { reader: "parquet", rows, lines: rows.map((_, i) => i + 1), problems, floats };
  },
};

function readFooter(bytes: Uint8Array): FileMetaData {
  if (bytes.length >= 8) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8, 8);
    const length = view.getUint32(0, true);
    if (length > FOOTER_BYTES) throw new Error(`its footer claims ${length} bytes`);
  }
  return parquetMetadata(bytes);
}

/** Why the file is refused, or null. Walks the page headers too: the footer need not tell the truth. */
function exceeds(bytes: Uint8Array, metadata: FileMetaData, limits: ReadLimits): string | null {
  if (metadata.num_rows < 0n || metadata.num_rows > BigInt(limits.rows))
    return `The file declares ${metadata.num_rows} rows; up to ${limits.rows} are read.`;
  const groupRows = metadata.row_groups.reduce((n, group) => n + group.num_rows, 0n);
  if (groupRows > BigInt(limits.rows)) return `The file's parts declare ${groupRows} rows in all.`;
  let decompressed = 0;
  let values = 0;
  for (const group of metadata.row_groups)
    for (const { meta_data: column } of group.columns) {
      if (!column) continue;
      // Some writers say 0 where there is no dictionary.
      const start = Number(column.dictionary_page_offset || column.data_page_offset);
      const end = start + Number(column.total_compressed_size);
      if (!(start >= 0 && end <= bytes.length)) throw new Error("a column lies outside the file");
      const view = new DataView(bytes.buffer, bytes.byteOffset, end);
      const reader = { view, offset: start };
      let pages = 0;
      while (reader.offset < end - 1) {
        const header = parquetHeader(reader);
        if (header.compressed_page_size < 0 || header.uncompressed_page_size < 0)
          throw new Error("a page has a negative size");
        pages += header.uncompressed_page_size;
        values +=
          (header.data_page_header?.num_values ?? 0) +
          (header.data_page_header_v2?.num_values ?? 0) +
          (header.dictionary_page_header?.num_values ?? 0);
        reader.offset += header.compressed_page_size;
        if (pages > limits.decompressedBytes || values > limits.decompressedBytes) break;
      }
      decompressed += Math.max(pages, Number(column.total_uncompressed_size));
      if (decompressed > limits.decompressedBytes)
        return `The file holds more than ${limits.decompressedBytes} bytes once decompressed.`;
      if (values > limits.decompressedBytes / 4)
        return `The file declares ${values} values, more than its ${bytes.length} bytes are read for.`;
    }
  return null;
}

function bounded(limits: ReadLimits): Compressors {
  return Object.fromEntries(
    Object.entries(compressors).map(([codec, decompress]) => [
      codec,
      (input: Uint8Array, length: number) => {
        if (length > limits.decompressedBytes) throw new Error(`a page claims ${length} bytes`);
        // A page of nulls alone: nothing to decompress, and not every codec here takes that.
        return length === 0 ? new Uint8Array(0) : decompress(input, length);
      },
    ]),
  );
}

function copy(bytes: Uint8Array, from: number, to = bytes.length): ArrayBuffer {
  const part = new Uint8Array(to - from);
  part.set(bytes.subarray(from, to));
  return part.buffer;
}

/** Values as JSON would hold them: safe integers as numbers, times as ISO text, bytes as hexadecimal text. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === undefined) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Array.from(value, (b) => b.toString(16).padStart(2, "0")).join("");
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value) && "length" in value) return Array.from(Object.values(value), plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]): [string, unknown] => [key, plain(item)]),
    );
  return value;
}

/** Places (`core/scoring/paths`) of a table's floats. */
export function floatPlaces(metadata: FileMetaData): ReadonlySet<string> {
  const floats = new Set<string>();
  collectFloats(parquetSchema(metadata), [], floats);
  return floats;
}

function collectFloats(tree: SchemaTree, keys: readonly string[], floats: Set<string>): void {
  for (const child of tree.children) {
    const { element } = child;
    const here = [...keys, element.name];
    if (element.converted_type === "LIST" || element.logical_type?.type === "LIST") {
      // list → repeated group → element (older writers leave the middle out).
      const repeated = child.children[0];
      if (!repeated) continue;
      const item = repeated.children.length === 1 ? repeated.children[0] : repeated;
      if (!item) continue;
      if (isFloat(item)) floats.add(placeOf([...here, ITEM]));
      else collectFloats(item, [...here, ITEM], floats);
    } else if (isFloat(child)) floats.add(placeOf(here));
    else collectFloats(child, here, floats);
  }
}

function isFloat({ element }: SchemaTree): boolean {
  return (
    element.type === "DOUBLE" ||
    element.type === "FLOAT" ||
    element.converted_type === "DECIMAL" ||
    element.logical_type?.type === "FLOAT16"
  );
}
