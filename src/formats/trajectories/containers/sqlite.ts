import { RewardsmithError } from "../../../base/errors";
import type {
  Container,
  FileAccess,
  FileLimits,
  FileProblem,
  FoundRecord,
  RecordFile,
  ScanBatch,
  ScanOptions,
} from "../container";
import type { SqliteRecords } from "../form";
import { movedText } from "../floats";
import { isTooDeep, parseValue } from "../jsonValue";
import { startsWith } from "./bytes";
import { Pace } from "./pace";
import { hexadecimal } from "./plain";
import { SqliteFile, type StoredRow, type StoredTable, isSqlite } from "./sqliteFile";

const BATCH_ROWS = 64;
const JOURNAL_BYTES = 1_000_000_000;
const JOURNAL_MAGIC = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

interface Opened {
  readonly database: SqliteFile;
  readonly tables: readonly StoredTable[];
  readonly problems: readonly FileProblem[];
}

/** Recognition and reading look at the same file one after the other: it is read once. */
const opened = new WeakMap<FileAccess, Opened>();

/** Rows of a table of a SQLite database. Everything happens in memory: nothing is opened or written beside the file. */
export const sqliteContainer: Container = {
  id: "sqlite",
  sniff: (first) => isSqlite(first),
  async head(file, limits) {
    const found = await openDatabase(file, limits);
    opened.set(file, found);
    return {
      container: "sqlite",
      name: file.name,
      folders: file.folders,
      records: [],
      names: found.tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
      metadata: {},
    };
  },
  async open(file, form, limits): Promise<RecordFile> {
    const { database, tables, problems } = opened.get(file) ?? (await openDatabase(file, limits));
    opened.delete(file);
    const records = form.tables?.(
      tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) })),
    );
    const table = tables.find(({ name }) => name === records?.table);
    if (!records || !table)
      throw new RewardsmithError("FormatUnknown", `${file.name} has no table of trajectories`, {
        path: file.name,
      });
    const source: Source = { file, database, table, records, limits, problems };
    return {
      container: "sqlite",
      bytes: file.bytes,
      shared: null,
      resumes: false,
      scan: (options) => scan(source, options),
      at({ at }) {
        const row = database.row(table, at);
        if (row) return Promise.resolve(toRecord(row, records, source, () => undefined));
        return Promise.reject(
          new RewardsmithError("FileUnreadable", `${file.name} has changed: it has no such row`),
        );
      },
      close: () => undefined,
    };
  },
};

async function openDatabase(file: FileAccess, limits: FileLimits): Promise<Opened> {
  if (file.bytes > limits.valueBytes)
    throw new RewardsmithError(
      "TooLarge",
      `${file.name} is a SQLite database of ${file.bytes} bytes; up to ${limits.valueBytes} are read`,
      { path: file.name },
    );
  try {
    const log = await file.beside(`${file.name}-wal`, JOURNAL_BYTES);
    const bytes = await file.read(0, file.bytes);
    const database = new SqliteFile(bytes, log, limits.valueBytes);
    const journal = await file.beside(`${file.name}-journal`, JOURNAL_BYTES);
    const isHalf = journal !== null && startsWith(journal, JOURNAL_MAGIC);
    const message =
      "A writer of this database was interrupted or is at work: its last changes may be shown in part.";
    return {
      database,
      tables: database.tables(),
      problems: isHalf ? [{ line: 1, code: "bad-sqlite", message }] : [],
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RewardsmithError(
      "FormatUnknown",
      `${file.name} can't be read as a SQLite database: ${message}`,
      { path: file.name, problem: "bad-sqlite" },
      { cause: error },
    );
  }
}

interface Source {
  readonly file: FileAccess;
  readonly database: SqliteFile;
  readonly table: StoredTable;
  readonly records: SqliteRecords;
  readonly limits: FileLimits;
  readonly problems: readonly FileProblem[];
}

async function* scan(
  source: Source,
  { from, signal }: ScanOptions,
): AsyncGenerator<ScanBatch, void, undefined> {
  const { file, database, table } = source;
  const pace = new Pace(signal);
  let line = 0;
  let found: FoundRecord[] = [];
  let problems: FileProblem[] = from.records === 0 ? [...source.problems] : [];
  let bytes = 0;
  const batch = (end: boolean): ScanBatch => {
    // Bytes of the rows so far: how many there will be isn't known before.
    const position = { bytes: end ? file.bytes : Math.min(bytes, file.bytes), lines: line, records: line };
    const out = { records: found, problems, position };
    found = [];
    problems = [];
    return out;
  };
  const damaged = (what: string): void => {
    problems.push({ line: line + 1, code: "bad-sqlite", message: `Table ${table.name}: ${what}.` });
  };
  for (const row of database.rows(table, damaged)) {
    line++;
    bytes += sizeOf(row);
    if (line > from.records) {
      const here = line;
      const value = toRecord(row, source.records, source, (code, message) =>
        problems.push({ line: here, code, message }),
      );
      found.push({ place: { at: row.rowid, length: 0 }, line, value });
    }
    if (found.length < BATCH_ROWS && !pace.due) continue;
    yield batch(false);
    await pace.turn();
  }
  yield batch(true);
}

function toRecord(
  { values }: StoredRow,
  { json }: SqliteRecords,
  { limits, file: { floatsMoved: moved = false } }: Pick<Source, "limits" | "file">,
  problem: (code: "odd-record" | "too-deep", message: string) => void,
): unknown {
  const record = [...values].map(([name, value]): [string, unknown] => {
    if (!json.includes(name) || (typeof value !== "string" && !(value instanceof Uint8Array)))
      return [name, value instanceof Uint8Array ? hexadecimal(value) : value];
    const given = typeof value === "string" ? value : new TextDecoder().decode(value);
    const text = moved ? movedText(given) : given;
    if (isTooDeep(text, limits.depth)) {
      problem("too-deep", `Column ${name} is nested deeper than ${limits.depth} levels, so it isn't read.`);
      return [name, null];
    }
    const parsed = parseValue(text);
    if (parsed.ok) return [name, parsed.value];
    problem("odd-record", `Column ${name} isn't JSON: ${parsed.message} at character ${parsed.at + 1}.`);
    return [name, text];
  });
  return Object.fromEntries(record);
}

function sizeOf({ values }: StoredRow): number {
  let bytes = 0;
  for (const value of values.values())
    bytes += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
  return bytes;
}
