import {
  COLUMNS,
  COLUMN_NAMES,
  STATE,
  numbersFor,
  type ColumnName,
  type Numbers,
  type SummaryBatch,
} from "../../core/trajectories/batch";

/** Rows of one chunk: a column takes memory only in chunks that have something in it. */
const CHUNK_BITS = 12;
export const CHUNK_ROWS = 1 << CHUNK_BITS;
const WITHIN = CHUNK_ROWS - 1;
/** Components and metrics together that are kept as columns. */
const MOST_NAMES = 100;

/** One column of numbers, growing at its end. */
export class GrowingColumn {
  readonly #chunks: (Numbers | null)[] = [];
  readonly #type: Parameters<typeof numbersFor>[0];
  readonly #none: number;

  constructor(type: Parameters<typeof numbersFor>[0], none: number) {
    this.#type = type;
    this.#none = none;
  }

  get(row: number): number {
    return this.#chunks[row >>> CHUNK_BITS]?.[row & WITHIN] ?? this.#none;
  }

  set(row: number, value: number): void {
    const at = row >>> CHUNK_BITS;
    const chunk = this.#chunks[at] ?? this.#make(at);
    chunk[row & WITHIN] = value;
  }

  put(row: number, values: Numbers): void {
    for (let from = 0; from < values.length;) {
      const at = (row + from) >>> CHUNK_BITS;
      const within = (row + from) & WITHIN;
      const n = Math.min(values.length - from, CHUNK_ROWS - within);
      (this.#chunks[at] ?? this.#make(at)).set(values.subarray(from, from + n), within);
      from += n;
    }
  }

  get bytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + (chunk?.byteLength ?? 0), 0);
  }

  #make(at: number): Numbers {
    const chunk = numbersFor(this.#type, CHUNK_ROWS);
    if (!Object.is(this.#none, 0)) chunk.fill(this.#none);
    while (this.#chunks.length < at) this.#chunks.push(null);
    this.#chunks[at] = chunk;
    return chunk;
  }
}

interface Component {
  readonly values: GrowingColumn;
  readonly states: GrowingColumn;
}

/** Summaries of all rows but their texts. */
export class RowColumns {
  readonly #own = new Map<ColumnName | "file", GrowingColumn>(
    COLUMN_NAMES.filter((name) => name !== "hashHigh" && name !== "hashLow").map((name) => [
      name,
      new GrowingColumn(name === "split" ? "u16" : COLUMNS[name].type, COLUMNS[name].none),
    ]),
  );
  readonly #components = new Map<string, Component>();
  readonly #metrics = new Map<string, GrowingColumn>();
  readonly #splits: string[] = [];
  readonly #splitAt = new Map<string, number>();
  #n = 0;

  constructor() {
    this.#own.set("file", new GrowingColumn("u32", 0));
  }

  get n(): number {
    return this.#n;
  }

  get components(): string[] {
    return [...this.#components.keys()];
  }

  get metrics(): string[] {
    return [...this.#metrics.keys()];
  }

  /** Bytes that the columns take. */
  get bytes(): number {
    let sum = 0;
    for (const column of this.#own.values()) sum += column.bytes;
    for (const { values, states } of this.#components.values()) sum += values.bytes + states.bytes;
    for (const column of this.#metrics.values()) sum += column.bytes;
    return sum;
  }

  column(name: Exclude<ColumnName, "hashHigh" | "hashLow"> | "file"): GrowingColumn {
    const column = this.#own.get(name);
    if (!column) throw new Error(`no column ${name}`);
    return column;
  }

  metric(name: string): GrowingColumn | null {
    return this.#metrics.get(name) ?? null;
  }

  component(name: string): GrowingColumn | null {
    return this.#components.get(name)?.values ?? null;
  }

  /** Components of a row: a number, or null where the record says that there is none. */
  componentsOf(row: number): [string, number | null][] {
    const found: [string, number | null][] = [];
    for (const [name, { values, states }] of this.#components) {
      const state = states.get(row);
      if (state !== STATE.absent) found.push([name, state === STATE.none ? null : values.get(row)]);
    }
    return found;
  }

  splitOf(row: number): string | null {
    const at = this.column("split").get(row);
    return at === 0 ? null : (this.#splits[at - 1] ?? null);
  }

  /** Returns the first of the new rows. */
  append(batch: SummaryBatch, file: number): number {
    const first = this.#n;
    for (const name of COLUMN_NAMES) {
      const numbers = batch.columns[name];
      if (!numbers || name === "hashHigh" || name === "hashLow" || name === "split") continue;
      this.column(name).put(first, numbers);
    }
    const { split } = batch.columns;
    if (split) {
      const own = batch.splits.map((text) => this.#splitNumber(text));
      this.column("split").put(
        first,
        Uint16Array.from(split, (at) => (at === 0 ? 0 : (own[at - 1] ?? 0))),
      );
    }
    if (file !== 0) this.column("file").put(first, new Uint32Array(batch.n).fill(file));
    for (const { name, values, states } of batch.components) {
      const column = this.#component(name);
      column?.values.put(first, values);
      column?.states.put(first, states);
    }
    for (const { name, values } of batch.metrics) this.#metric(name)?.put(first, values);
    this.#n += batch.n;
    return first;
  }

  #component(name: string): Component | null {
    const known = this.#components.get(name);
    if (known) return known;
    if (this.#full) return null;
    const made = {
      values: new GrowingColumn("f64", Number.NaN),
      states: new GrowingColumn("u8", STATE.absent),
    };
    this.#components.set(name, made);
    return made;
  }

  #metric(name: string): GrowingColumn | null {
    const known = this.#metrics.get(name);
    if (known) return known;
    if (this.#full) return null;
    const made = new GrowingColumn("f64", Number.NaN);
    this.#metrics.set(name, made);
    return made;
  }

  get #full(): boolean {
    return this.#components.size + this.#metrics.size >= MOST_NAMES;
  }

  #splitNumber(text: string): number {
    const known = this.#splitAt.get(text);
    if (known !== undefined) return known;
    if (this.#splits.length >= 65_535) return 0;
    const at = this.#splits.push(text);
    this.#splitAt.set(text, at);
    return at;
  }
}
