import { startsWith } from "./bytes";
import { type ColumnDeclared, declaredColumns } from "./sqliteSchema";
import { viewOf, walPages } from "./sqliteWal";

const MAGIC = new TextEncoder().encode("SQLite format 3\u0000");
const TABLE_LEAF = 13;
const TABLE_INTERIOR = 5;
const DEEPEST_TREE = 40;

export interface StoredTable {
  readonly name: string;
  readonly columns: readonly ColumnDeclared[];
  readonly root: number;
}

export interface StoredRow {
  readonly rowid: number;
  readonly values: ReadonlyMap<string, unknown>;
}

/**
 * The tables of a SQLite database in memory, with what its write-ahead log has added, read only
 * (https://sqlite.org/fileformat2.html, version 3.45). Methods throw an Error where a page isn't what it should be.
 */
export class SqliteFile {
  readonly #bytes: Uint8Array;
  readonly #log: ReadonlyMap<number, Uint8Array>;
  readonly #limit: number;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly pageSize: number;
  readonly #usable: number;

  constructor(bytes: Uint8Array, log: Uint8Array | null, limit: number) {
    if (!isSqlite(bytes) || bytes.length < 100) throw new Error("it isn't a SQLite database");
    const view = viewOf(bytes);
    const size = view.getUint16(16);
    this.pageSize = size === 1 ? 65_536 : size;
    if (this.pageSize < 512 || (this.pageSize & (this.pageSize - 1)) !== 0)
      throw new Error(`its pages have ${size} bytes`);
    this.#bytes = bytes;
    this.#limit = limit;
    this.#log = log ? walPages(log, this.pageSize) : new Map<number, Uint8Array>();
    const header = this.#page(1);
    this.#usable = this.pageSize - (header[20] ?? 0);
    const encoding = viewOf(header).getUint32(56);
    this.#decoder = new TextDecoder(encoding === 2 ? "utf-16le" : encoding === 3 ? "utf-16be" : "utf-8");
  }

  /** Tables whose rows can be read: not virtual ones, not those without rowids. */
  tables(): readonly StoredTable[] {
    const found: StoredTable[] = [];
    const schema: StoredTable = {
      name: "sqlite_schema",
      root: 1,
      columns: ["type", "name", "tbl_name", "rootpage", "sql"].map(plainColumn),
    };
    for (const { values } of this.rows(schema)) {
      const [type, name, root, sql] = ["type", "name", "rootpage", "sql"].map((key) => values.get(key));
      if (type !== "table" || typeof name !== "string" || typeof root !== "number" || root === 0) continue;
      const columns = typeof sql === "string" ? declaredColumns(sql) : null;
      if (columns) found.push({ name, root, columns });
    }
    return found;
  }

  /** Rows in order of rowid. A page or row that can't be read is told to `damaged`; without it, it is thrown. */
  *rows(table: StoredTable, damaged?: (what: string) => void): Generator<StoredRow, void, undefined> {
    const seen = new Set<number>();
    const guard = function* (make: () => Iterable<StoredRow>): Generator<StoredRow, void, undefined> {
      try {
        yield* make();
      } catch (error) {
        if (!damaged) throw error;
        damaged(error instanceof Error ? error.message : String(error));
      }
    };
    const walk = (number: number, depth: number): Generator<StoredRow, void, undefined> =>
      guard(() => this.#walk(table, number, depth, seen, guard, walk));
    yield* walk(table.root, 0);
  }

  *#walk(
    table: StoredTable,
    number: number,
    depth: number,
    seen: Set<number>,
    guard: (make: () => Iterable<StoredRow>) => Generator<StoredRow, void, undefined>,
    walk: (number: number, depth: number) => Generator<StoredRow, void, undefined>,
  ): Generator<StoredRow, void, undefined> {
    if (depth > DEEPEST_TREE || seen.has(number)) throw new Error(`page ${number} comes twice`);
    seen.add(number);
    const page = this.#treePage(number);
    if (page.type === TABLE_LEAF) {
      for (const cell of page.cells) yield* guard(() => [this.#row(table, page.bytes, cell)]);
      return;
    }
    for (const cell of page.cells) yield* walk(viewOf(page.bytes).getUint32(cell), depth + 1);
    yield* walk(page.right, depth + 1);
  }

  /** The row of this number, or null. */
  row(table: StoredTable, rowid: number): StoredRow | null {
    let number = table.root;
    for (let depth = 0; depth <= DEEPEST_TREE; depth++) {
      const page = this.#treePage(number);
      if (page.type === TABLE_LEAF) {
        const cell = page.cells.find((at) => {
          const [, next] = varint(page.bytes, at);
          return varint(page.bytes, next)[0] === rowid;
        });
        return cell === undefined ? null : this.#row(table, page.bytes, cell);
      }
      const view = viewOf(page.bytes);
      const child = page.cells.find((at) => varint(page.bytes, at + 4)[0] >= rowid);
      number = child === undefined ? page.right : view.getUint32(child);
    }
    return null;
  }

  #page(number: number): Uint8Array {
    const logged = this.#log.get(number);
    if (logged) return logged;
    const from = (number - 1) * this.pageSize;
    const page = this.#bytes.subarray(from, from + this.pageSize);
    if (number < 1 || page.length < this.pageSize) throw new Error(`page ${number} is missing`);
    return page;
  }

  #treePage(number: number): {
    readonly type: number;
    readonly bytes: Uint8Array;
    readonly cells: readonly number[];
    readonly right: number;
  } {
    const bytes = this.#page(number);
    const view = viewOf(bytes);
    const start = number === 1 ? 100 : 0;
    const type = view.getUint8(start);
    if (type !== TABLE_LEAF && type !== TABLE_INTERIOR)
      throw new Error(`page ${number} is no page of a table`);
    const count = view.getUint16(start + 3);
    const first = start + (type === TABLE_LEAF ? 8 : 12);
    if (first + 2 * count > bytes.length) throw new Error(`page ${number} claims ${count} cells`);
    const cells = Array.from({ length: count }, (_, i) => view.getUint16(first + 2 * i));
    if (cells.some((cell) => cell + 4 > bytes.length))
      throw new Error(`page ${number} has a cell outside it`);
    return { type, bytes, cells, right: type === TABLE_LEAF ? 0 : view.getUint32(start + 8) };
  }

  #row(table: StoredTable, page: Uint8Array, cell: number): StoredRow {
    const [length, afterLength] = varint(page, cell);
    const [rowid, body] = varint(page, afterLength);
    if (!Number.isSafeInteger(rowid)) throw new Error("a row's number is too large");
    if (length < 0 || length > this.#limit) throw new Error(`row ${rowid} claims ${length} bytes`);
    const payload = this.#payload(page, body, length, rowid);
    const values = this.#values(payload, rowid);
    const named = table.columns.map(({ name, fallback, isRowid }, i): [string, unknown] => {
      const value = i < values.length ? values[i] : fallback;
      return [name, isRowid && value === null ? rowid : value];
    });
    return { rowid, values: new Map(named) };
  }

  /** What stands in the cell and, where it is too long for that, on a chain of further pages. */
  #payload(page: Uint8Array, from: number, length: number, rowid: number): Uint8Array {
    const most = this.#usable - 35;
    if (length <= most) return within(page, from, length);
    const least = Math.floor(((this.#usable - 12) * 32) / 255) - 23;
    const fitted = least + ((length - least) % (this.#usable - 4));
    const local = fitted <= most ? fitted : least;
    const start = within(page, from, local + 4);
    // Counted before it is allocated: a length may be anything.
    if (length > this.#bytes.length + this.#log.size * this.pageSize)
      throw new Error(`row ${rowid} is longer than the file`);
    const all = new Uint8Array(length);
    all.set(start.subarray(0, local));
    let next = viewOf(start).getUint32(local);
    for (let at = local; at < length;) {
      if (next === 0) throw new Error(`row ${rowid} breaks off`);
      const more = this.#page(next);
      const part = more.subarray(4, Math.min(this.#usable, 4 + length - at));
      all.set(part, at);
      at += part.length;
      next = viewOf(more).getUint32(0);
    }
    return all;
  }

  #values(payload: Uint8Array, rowid: number): readonly unknown[] {
    const [headerLength, first] = varint(payload, 0);
    if (headerLength < first || headerLength > payload.length) throw new Error(`row ${rowid} has no heading`);
    const values: unknown[] = [];
    let body = headerLength;
    for (let at = first; at < headerLength;) {
      const [type, next] = varint(payload, at);
      at = next;
      const [value, length] = this.#value(payload, body, type);
      values.push(value);
      body += length;
    }
    if (body !== payload.length) throw new Error(`row ${rowid} has a heading that doesn't fit`);
    return values;
  }

  #value(payload: Uint8Array, at: number, type: number): readonly [unknown, number] {
    if (type === 0) return [null, 0];
    if (type === 8 || type === 9) return [type - 8, 0];
    if (type === 7) return [viewOf(within(payload, at, 8)).getFloat64(0), 8];
    if (type >= 1 && type <= 6) {
      const length = [0, 1, 2, 3, 4, 6, 8][type] ?? 0;
      return [integer(within(payload, at, length)), length];
    }
    if (type < 12 || !Number.isSafeInteger(type)) throw new Error(`a value is of an unknown kind (${type})`);
    const length = Math.floor((type - 12) / 2);
    const bytes = within(payload, at, length);
    return [type % 2 === 0 ? bytes.slice() : this.#decoder.decode(bytes), length];
  }
}

export function isSqlite(bytes: Uint8Array): boolean {
  return startsWith(bytes, [...MAGIC]);
}

function plainColumn(name: string): ColumnDeclared {
  return { name, fallback: null, isRowid: false };
}

function within(bytes: Uint8Array, from: number, length: number): Uint8Array {
  const part = bytes.subarray(from, from + length);
  if (part.length < length) throw new Error("a value lies outside its row");
  return part;
}

/** Big-endian two's complement; a bigint beyond 2^53. */
function integer(bytes: Uint8Array): number | bigint {
  let value = (bytes[0] ?? 0) >= 128 ? -1n : 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Value and the position behind it: seven bits a byte, the ninth has eight. */
function varint(bytes: Uint8Array, from: number): readonly [number, number] {
  let value = 0n;
  for (let i = 0; i < 9; i++) {
    const byte = bytes[from + i];
    if (byte === undefined) throw new Error("a number lies outside its page");
    if (i === 8) return [Number(BigInt.asIntN(64, (value << 8n) | BigInt(byte))), from + 9];
    value = (value << 7n) | BigInt(byte & 127);
    if (byte < 128) return [Number(value), from + i + 1];
  }
  return [0, from];
}
