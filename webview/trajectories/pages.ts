interface Page<T> {
  readonly key: string;
  readonly seq: number;
  readonly rows: readonly T[];
}

/**
 * Pages of anything that comes in order, the least recently looked at dropped first. What is shown stays until what was
 * asked for instead is there, told apart by `stale`. Knows what to ask for next, asks nothing itself.
 */
export class Pages<T> {
  readonly size: number;
  readonly #keep: number;
  readonly #pages = new Map<number, Page<T>>();
  readonly #onWay = new Map<number, string>();
  readonly #failed = new Set<number>();
  #key = "";
  #seq = 0;
  #total: number | null = null;
  #totalOf = "";

  constructor(size: number, keep: number) {
    this.size = size;
    this.#keep = keep;
  }

  /** What is wanted from now on: another `key` is another list, a higher `seq` the same one with newer contents. */
  ask(key: string, seq: number): void {
    if (key === this.#key && seq === this.#seq) return;
    // What is on its way is of what was asked for before.
    this.#onWay.clear();
    this.#failed.clear();
    this.#key = key;
    this.#seq = seq;
  }

  /** Nothing that is here is of the source any more. */
  reset(): void {
    this.#pages.clear();
    this.#onWay.clear();
    this.#failed.clear();
    this.#total = null;
    this.#totalOf = "";
  }

  get key(): string {
    return this.#key;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Length of the list that was answered last; null: none was yet. */
  get total(): number | null {
    return this.#total;
  }

  /** The total is of another list than the one that is wanted. */
  get stale(): boolean {
    return this.#total !== null && this.#totalOf !== this.#key;
  }

  get pages(): number {
    return this.#pages.size;
  }

  row(at: number): { readonly row: T; readonly stale: boolean } | null {
    const page = this.#pages.get(Math.floor(at / this.size));
    const row = page?.rows[at % this.size];
    return page && row !== undefined ? { row, stale: page.key !== this.#key } : null;
  }

  /** Pages to ask for now, so that rows from `first` to before `last` are there. Each is on its way from now on. */
  need(first: number, last: number): number[] {
    const wanted: number[] = [];
    const from = Math.max(0, Math.floor(first / this.size));
    const end = Math.floor(Math.max(first, last - 1) / this.size);
    for (let index = from; index <= end; index++) {
      const page = this.#pages.get(index);
      if (page) {
        // To the young end, so that pages on screen are dropped last.
        this.#pages.delete(index);
        this.#pages.set(index, page);
      }
      if (this.#onWay.has(index) || this.#failed.has(index)) continue;
      if (page?.key === this.#key && page.seq >= this.#seq) continue;
      if (
        this.#total !== null &&
        this.#totalOf === this.#key &&
        index > 0 &&
        index * this.size >= this.#total
      )
        continue;
      this.#onWay.set(index, this.#key);
      wanted.push(index);
    }
    return wanted;
  }

  /** An answer. False: it was dropped, being of another list or older than what is here. */
  take(index: number, key: string, seq: number, rows: readonly T[], total: number): boolean {
    if (key !== this.#key) return false;
    if (seq === this.#seq) this.#onWay.delete(index);
    const here = this.#pages.get(index);
    if (here?.key === key && here.seq > seq) return false;
    this.#pages.delete(index);
    this.#pages.set(index, { key, seq, rows });
    this.#total = total;
    this.#totalOf = key;
    for (const known of this.#pages.keys()) if (known * this.size >= total) this.#pages.delete(known);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= this.#keep) break;
      this.#pages.delete(oldest);
    }
    return true;
  }

  /** A page that can't be had isn't asked for again until something else is wanted, or `retry`. */
  fail(index: number, key: string): void {
    if (key !== this.#key) return;
    this.#onWay.delete(index);
    this.#failed.add(index);
  }

  retry(): void {
    this.#failed.clear();
  }
}
