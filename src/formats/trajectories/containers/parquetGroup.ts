import { decompress as zstd } from "fzstd";
import { compressors } from "hyparquet-compressors";
import { parquetHeader } from "hyparquet/src/column.js";
import {
  parquetMetadata,
  parquetSchema,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
  type RowGroup,
  type SchemaTree,
} from "hyparquet/src/index.js";
import { parquetReadColumn } from "hyparquet/src/read.js";
import { RewardsmithError } from "../../../base/errors";
import type { FileAccess, FileLimits } from "../container";
import type { Pace } from "./pace";
import { zstdWindow } from "./unpack";

/** Longest footer that is parsed: a real one is some kilobytes a column and row group. */
const FOOTER_BYTES = 64_000_000;
const MAGIC_BYTES = 8;
/** Values that a group may declare without bytes to show for each: runs of equal ones take next to none. */
const FREE_VALUES = 32_000_000;
/** Part of what a file may hold that one group may hold: a group is in memory as a whole. */
const GROUP_SHARE = 0.25;

export class GroupTooLarge extends Error {}

/** Columns of a row group by name, each with an entry a row. */
export type GroupColumns = ReadonlyMap<string, DecodedArray>;

/** The footer, by two small reads. Throws RewardsmithError where there is none. */
export async function readFooter(file: FileAccess): Promise<FileMetaData> {
  try {
    const end = await file.read(Math.max(0, file.bytes - MAGIC_BYTES), MAGIC_BYTES);
    const length = end.length === MAGIC_BYTES ? new DataView(exact(end)).getUint32(0, true) : 0;
    if (length > FOOTER_BYTES) throw new Error(`its footer claims ${length} bytes`);
    if (length > file.bytes - MAGIC_BYTES) throw new Error(`its footer claims more bytes than the file has`);
    const from = Math.max(0, file.bytes - MAGIC_BYTES - length);
    return parquetMetadata(exact(await file.read(from, file.bytes - from)), { geoparquet: false });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RewardsmithError(
      "FormatUnknown",
      `${file.name} can't be read as Parquet, it may be cut off: ${message}`,
      { path: file.name, problem: "bad-parquet" },
      { cause: error },
    );
  }
}

/** Names of the top columns, in the file's order. */
export function columnNames(metadata: FileMetaData): readonly string[] {
  return parquetSchema(metadata).children.map(({ element }) => element.name);
}

/**
 * Decodes one row group, column by column, giving how much of it is done (0 to 1). What its pages declare is checked
 * before anything is decompressed: a few bytes can claim thousands of millions of values.
 */
export async function* readGroup(
  file: FileAccess,
  metadata: FileMetaData,
  group: RowGroup,
  limits: FileLimits,
  pace: Pace,
): AsyncGenerator<number, GroupColumns, undefined> {
  const rows = Number(group.num_rows);
  await checkPages(file, metadata, group, limits, pace);
  const only: FileMetaData = { ...metadata, num_rows: group.num_rows, row_groups: [group] };
  const source = {
    byteLength: file.bytes,
    slice: async (from: number, to = file.bytes) => exact(await file.read(from, to - from)),
  };
  const names = columnNames(metadata);
  const columns = new Map<string, DecodedArray>();
  for (const [i, name] of names.entries()) {
    const options = { file: source, metadata: only, compressors: bounded(limits), columns: [name] };
    const column = await parquetReadColumn(options);
    if (column.length !== rows)
      throw new Error(`column ${name} has ${column.length} entries for ${rows} rows`);
    columns.set(name, column);
    await pace.turn();
    yield (i + 1) / names.length;
  }
  return columns;
}

/** Throws where the group is larger than what is read, or its pages say what can't be. */
async function checkPages(
  file: FileAccess,
  metadata: FileMetaData,
  group: RowGroup,
  limits: FileLimits,
  pace: Pace,
): Promise<void> {
  const most = limits.decompressedBytes * GROUP_SHARE;
  const flat = flatColumns(metadata);
  let bytes = 0;
  let values = 0;
  for (const { meta_data: column } of group.columns) {
    if (!column) throw new Error("a column's metadata is missing");
    // Some writers say 0 where there is no dictionary.
    const start = Number(column.dictionary_page_offset || column.data_page_offset);
    const length = Number(column.total_compressed_size);
    if (!(start >= 0 && length >= 0 && start + length <= file.bytes))
      throw new Error("a column lies outside the file");
    if (length > most) throw new GroupTooLarge();
    const chunk = exact(await file.read(start, length));
    const reader = { view: new DataView(chunk), offset: 0 };
    let own = 0;
    while (reader.offset < chunk.byteLength - 1) {
      const header = parquetHeader(reader);
      const count =
        (header.data_page_header?.num_values ?? 0) + (header.data_page_header_v2?.num_values ?? 0);
      const entries = header.dictionary_page_header?.num_values ?? 0;
      if (header.compressed_page_size < 0 || header.uncompressed_page_size < 0 || count < 0 || entries < 0)
        throw new Error("a page has a negative size");
      bytes += header.uncompressed_page_size;
      own += count;
      values += count + entries;
      if (bytes > most || values > FREE_VALUES + bytes) throw new GroupTooLarge();
      reader.offset += header.compressed_page_size;
      if (pace.due) await pace.turn();
    }
    if (flat.has(column.path_in_schema.join("\u0000")) && BigInt(own) !== group.num_rows)
      throw new Error(`column ${column.path_in_schema.join(".")} has ${own} values`);
    await pace.turn();
  }
}

/** Leaves that have one value a row: nothing on the way to them repeats. */
function flatColumns(metadata: FileMetaData): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (tree: SchemaTree): void => {
    for (const child of tree.children) {
      if (child.element.repetition_type === "REPEATED") continue;
      if (child.children.length === 0) found.add(child.path.join("\u0000"));
      else walk(child);
    }
  };
  walk(parquetSchema(metadata));
  return found;
}

function bounded(limits: FileLimits): Compressors {
  const most = limits.decompressedBytes * GROUP_SHARE;
  const checked = (input: Uint8Array, length: number): void => {
    if (length > most) throw new Error(`a page claims ${length} bytes`);
    if (zstdWindow(input) > most) throw new Error("a page asks for too large a window");
  };
  return Object.fromEntries(
    Object.entries(compressors).map(([codec, decompress]) => [
      codec,
      (input: Uint8Array, length: number) => {
        checked(input, length);
        // A page of nulls alone: nothing to decompress, and not every codec here takes that.
        if (length === 0) return new Uint8Array(0);
        return codec === "ZSTD" ? zstd(input, new Uint8Array(length)) : decompress(input, length);
      },
    ]),
  );
}

function exact(bytes: Uint8Array): ArrayBuffer {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy.buffer;
}
