import type { FileMetaData } from "hyparquet/src/index.js";
import * as z from "zod";
import { RewardsmithError } from "../../../base/errors";
import type {
  Container,
  FileAccess,
  FileLimits,
  FoundRecord,
  RecordFile,
  ScanBatch,
  ScanOptions,
} from "../container";
import { floatPlaces } from "../../parquet";
import { movedValue } from "../floats";
import { startsWith } from "./bytes";
import { gathered } from "./listed";
import { Pace } from "./pace";
import { plain } from "./plain";
import { type GroupColumns, GroupTooLarge, columnNames, readFooter, readGroup } from "./parquetGroup";

const HEAD_ROWS = 8;
const BATCH_ROWS = 64;
/** Decoded groups that are kept: the one being scanned, and the one being looked at. */
const KEPT_GROUPS = 2;
const MAGIC = [0x50, 0x41, 0x52, 0x31];

/** The decoder leaves out what a damaged footer lacks. */
const Names = z.array(z.string());

interface Group {
  readonly index: number;
  /** First row, 0-based, and how many. */
  readonly from: number;
  readonly rows: number;
}

/** Recognition and reading look at the same file one after the other: its first group is decoded once. */
const opened = new WeakMap<FileAccess, ParquetRows>();

/** Rows of a Parquet file, row group by row group. */
export const parquetContainer: Container = {
  id: "parquet",
  sniff: (first) => startsWith(first, MAGIC),
  async head(file, limits) {
    const rows = await ParquetRows.open(file, limits);
    opened.set(file, rows);
    return {
      container: "parquet",
      name: file.name,
      folders: file.folders,
      records: await rows.first(HEAD_ROWS),
      names: rows.names,
      metadata: rows.keyValues,
    };
  },
  async open(file, form, limits) {
    const rows = opened.get(file) ?? (await ParquetRows.open(file, limits));
    opened.delete(file);
    const records: RecordFile = {
      container: "parquet",
      bytes: file.bytes,
      shared: { metadata: rows.keyValues },
      resumes: false,
      scan: (options) => rows.scan(options),
      at: ({ at }) => rows.at(at),
      close: () => rows.forget(),
    };
    return form.whole === true ? gathered(file, records, form, limits) : records;
  },
};

class ParquetRows {
  readonly #file: FileAccess;
  readonly #limits: FileLimits;
  readonly #metadata: FileMetaData;
  readonly #groups: readonly Group[];
  readonly #total: number;
  /** Most recently used last. */
  readonly #decoded = new Map<number, GroupColumns>();
  /** Places of floats, where whole ones are to be moved. */
  readonly #floats: ReadonlySet<string> | null;
  readonly names: readonly string[];
  readonly keyValues: Readonly<Record<string, string>>;

  private constructor(file: FileAccess, limits: FileLimits, metadata: FileMetaData) {
    this.#file = file;
    this.#limits = limits;
    this.#metadata = metadata;
    this.#floats = file.floatsMoved === true ? floatPlaces(metadata) : null;
    this.names = Names.parse(columnNames(metadata));
    const pairs = metadata.key_value_metadata ?? [];
    this.keyValues = Object.fromEntries(pairs.map(({ key, value }) => [key, value ?? ""]));
    let from = 0;
    this.#groups = metadata.row_groups.map((group, index) => {
      const rows = Number(group.num_rows);
      const here = { index, from, rows };
      from += rows;
      return here;
    });
    this.#total = from;
  }

  static async open(file: FileAccess, limits: FileLimits): Promise<ParquetRows> {
    const metadata = await readFooter(file);
    try {
      return ParquetRows.#of(file, limits, metadata);
    } catch (error) {
      if (error instanceof RewardsmithError) throw error;
      // A damaged footer still parses, with parts missing that every footer has.
      throw new RewardsmithError(
        "FormatUnknown",
        `${file.name} can't be read as Parquet: its footer is damaged`,
        { path: file.name, problem: "bad-parquet" },
        { cause: error },
      );
    }
  }

  static #of(file: FileAccess, limits: FileLimits, metadata: FileMetaData): ParquetRows {
    const declared = metadata.row_groups.reduce((n, { num_rows }) => n + num_rows, 0n);
    if (metadata.row_groups.some(({ num_rows }) => num_rows < 0n) || declared !== metadata.num_rows)
      throw new RewardsmithError(
        "FormatUnknown",
        `${file.name} can't be read as Parquet: it declares ${metadata.num_rows} rows, its parts ${declared}`,
        { path: file.name, problem: "bad-parquet" },
      );
    if (declared > BigInt(limits.rows))
      throw new RewardsmithError(
        "TooLarge",
        `${file.name} declares ${declared} rows; up to ${limits.rows} are read`,
        { path: file.name },
      );
    return new ParquetRows(file, limits, metadata);
  }

  /** Some rows from the start, for recognition; a group that can't be read has none. */
  async first(count: number): Promise<readonly unknown[]> {
    const group = this.#groups.find(({ rows }) => rows > 0);
    if (!group) return [];
    try {
      const columns = await drained(this.#columns(group, new Pace()));
      return Array.from({ length: Math.min(count, group.rows) }, (_, row) => this.#row(columns, row));
    } catch {
      return [];
    }
  }

  async at(row: number): Promise<unknown> {
    const group = this.#groups.find(({ from, rows }) => row >= from && row < from + rows);
    if (!group)
      throw new RewardsmithError("FileUnreadable", `${this.#file.name} has changed: it has no such row`);
    return this.#row(await drained(this.#columns(group, new Pace())), row - group.from);
  }

  forget(): void {
    this.#decoded.clear();
  }

  async *scan({ from, signal }: ScanOptions): AsyncGenerator<ScanBatch, void, undefined> {
    const pace = new Pace(signal);
    if (this.#total <= from.records) yield this.#batch([], this.#total);
    for (const group of this.#groups) {
      if (group.from + group.rows <= from.records) continue;
      let columns: GroupColumns;
      try {
        const decoding = this.#columns(group, pace);
        let step = await decoding.next();
        for (; step.done !== true; step = await decoding.next())
          yield {
            ...this.#batch([], Math.max(group.from, from.records)),
            reached: this.#bytesAt(group.from + group.rows * step.value),
          };
        columns = step.value;
      } catch (error) {
        signal?.throwIfAborted();
        yield this.#failed(group, error);
        continue;
      }
      for (let row = Math.max(0, from.records - group.from); row < group.rows;) {
        const records: FoundRecord[] = [];
        for (const end = Math.min(row + BATCH_ROWS, group.rows); row < end; row++) {
          const at = group.from + row;
          records.push({ place: { at, length: 0 }, line: at + 1, value: this.#row(columns, row) });
        }
        yield this.#batch(records, group.from + row);
        await pace.turn();
      }
    }
  }

  async *#columns(group: Group, pace: Pace): AsyncGenerator<number, GroupColumns, undefined> {
    const kept = this.#decoded.get(group.index);
    const found = this.#metadata.row_groups[group.index];
    if (!found) throw new Error("there is no such part");
    const columns = kept ?? (yield* readGroup(this.#file, this.#metadata, found, this.#limits, pace));
    this.#decoded.delete(group.index);
    this.#decoded.set(group.index, columns);
    for (const index of this.#decoded.keys()) {
      if (this.#decoded.size <= KEPT_GROUPS) break;
      this.#decoded.delete(index);
    }
    return columns;
  }

  #row(columns: GroupColumns, row: number): unknown {
    const value = (name: string): unknown => {
      const found = plain(columns.get(name)?.[row]);
      return this.#floats ? movedValue(found, name, this.#floats) : found;
    };
    return Object.fromEntries(this.names.map((name) => [name, value(name)]));
  }

  #batch(records: readonly FoundRecord[], rows: number): ScanBatch {
    return { records, problems: [], position: { bytes: this.#bytesAt(rows), lines: rows, records: rows } };
  }

  #bytesAt(rows: number): number {
    return this.#total === 0 ? this.#file.bytes : Math.floor((this.#file.bytes * rows) / this.#total);
  }

  #failed({ from, rows }: Group, error: unknown): ScanBatch {
    const which = `Rows ${from + 1} to ${from + rows}`;
    const line = from + 1;
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...this.#batch([], from + rows),
      problems: [
        error instanceof GroupTooLarge
          ? {
              line,
              code: "too-large",
              message: `${which} hold more than can be in memory once decompressed.`,
            }
          : { line, code: "bad-parquet", message: `${which} can't be read: ${message}.` },
      ],
    };
  }
}

async function drained<T>(steps: AsyncGenerator<unknown, T, undefined>): Promise<T> {
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
  }
}
