import { StringBlock, encodeStrings } from "../../core/trajectories/strings";
import { TEXTS } from "../../core/trajectories/batch";
import type { Spill } from "./ports";

/** Rows of small batches are put together into blocks of so many. */
const BLOCK_ROWS = 1000;
/** Bytes of blocks that stay in memory; the later ones lie in the spill file. */
const KEPT_BYTES = 8_000_000;
/** Blocks from the spill file that are at hand. */
const READ_BLOCKS = 16;

type Block =
  | { readonly from: number; readonly rows: number; readonly block: StringBlock }
  | { readonly from: number; readonly rows: number; readonly at: number; readonly length: number };

/** Ids, titles, tasks and given groups of all rows: a bounded part of them in memory, the rest on disk. */
export class RowTexts {
  readonly #spill: (() => Promise<Spill>) | null;
  #opened: Promise<Spill> | null = null;
  readonly #blocks: Block[] = [];
  readonly #read = new Map<number, StringBlock>();
  #tail: (string | null)[][] = [];
  #tailFrom = 0;
  #n = 0;
  #kept = 0;

  constructor(spill: (() => Promise<Spill>) | null) {
    this.#spill = spill;
  }

  append(texts: Uint8Array): void {
    const block = new StringBlock(texts);
    if (block.rows < BLOCK_ROWS / 2 || this.#tail.length > 0) {
      for (let row = 0; row < block.rows; row++) this.#tail.push(block.row(row));
      this.#n += block.rows;
      if (this.#tail.length >= BLOCK_ROWS) {
        const tail = this.#tail;
        const from = this.#tailFrom;
        this.#tail = [];
        this.#tailFrom = this.#n;
        this.#add(from, encodeStrings(tail, TEXTS), tail.length);
      }
      return;
    }
    const from = this.#n;
    this.#n += block.rows;
    this.#tailFrom = this.#n;
    this.#add(from, texts, block.rows);
  }

  /** Of a row: id, title, task, group, as `TEXT` counts them. */
  async row(row: number): Promise<(string | null)[]> {
    const reader = await this.reader(row);
    return reader.row(row);
  }

  /** For rows `from` up to `to` (not with it) without waiting. */
  async reader(row: number): Promise<TextReader> {
    if (row >= this.#tailFrom) {
      const tail = this.#tail;
      const from = this.#tailFrom;
      return {
        from,
        to: from + tail.length,
        get: (at, field) => tail[at - from]?.[field] ?? null,
        row: (at) => tail[at - from] ?? [],
      };
    }
    const at = this.#find(row);
    const place = this.#blocks[at];
    if (!place) return { from: row, to: row + 1, get: () => null, row: () => [] };
    const block = "block" in place ? place.block : await this.#load(at, place.at, place.length);
    return {
      from: place.from,
      to: place.from + place.rows,
      get: (own, field) => block.get(own - place.from, field),
      row: (own) => block.row(own - place.from),
    };
  }

  async close(): Promise<void> {
    this.#read.clear();
    await (await this.#opened)?.close();
  }

  #add(from: number, bytes: Uint8Array, rows: number): void {
    if (this.#spill === null || this.#kept + bytes.length <= KEPT_BYTES) {
      this.#kept += bytes.length;
      this.#blocks.push({ from, rows, block: new StringBlock(bytes) });
      return;
    }
    const at = this.#blocks.length;
    // Until it is written it is read from memory.
    this.#blocks.push({ from, rows, block: new StringBlock(bytes) });
    this.#opened ??= this.#spill();
    this.#opened
      .then((spill) => spill.write(bytes))
      .then(
        (place) => (this.#blocks[at] = { from, rows, ...place }),
        // A full disk: they stay in memory.
        () => undefined,
      );
  }

  async #load(at: number, from: number, length: number): Promise<StringBlock> {
    const known = this.#read.get(at);
    if (known) return known;
    const spill = await this.#opened;
    if (!spill) throw new Error("texts were closed");
    const block = new StringBlock(await spill.read(from, length));
    this.#read.set(at, block);
    for (const oldest of this.#read.keys()) {
      if (this.#read.size <= READ_BLOCKS) break;
      this.#read.delete(oldest);
    }
    return block;
  }

  /** The block that holds the row. */
  #find(row: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#blocks[middle]?.from ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

export interface TextReader {
  readonly from: number;
  readonly to: number;
  get(row: number, field: number): string | null;
  row(row: number): (string | null)[];
}
