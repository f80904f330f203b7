import type { FilterError, LabFunction, LabPage, LabRow } from "../../../src/schema/lab";

interface Page {
  readonly query: string;
  readonly seq: number;
  readonly rows: readonly LabRow[];
}

/** What stands above the rows: of the newest answer that was taken. */
export interface TableFacts {
  readonly query: string;
  readonly seq: number;
  readonly status: LabPage["status"];
  readonly functions: readonly LabFunction[];
  readonly rows: number;
  readonly scored: number;
  readonly matched: number;
  readonly columns: readonly string[];
}

/**
 * Pages of rows, the least recently looked at dropped first. What is shown stays until what was asked for instead is
 * there; it is told apart by `stale`. Knows what to ask for next, asks nothing itself.
 */
export class PageStore {
  readonly size: number;
  readonly #keep: number;
  readonly #pages = new Map<number, Page>();
  readonly #inFlight = new Map<number, string>();
  readonly #failed = new Set<number>();
  #query = "";
  #seq = -1;
  #facts: TableFacts | null = null;
  #error: { readonly query: string; readonly error: FilterError } | null = null;

  constructor(size = 100, keep = 60) {
    this.size = size;
    this.#keep = keep;
  }

  /** What is wanted from now on. A smaller `seq` is that of another engine: nothing kept is of it. */
  ask(query: string, seq: number): void {
    if (query === this.#query && seq === this.#seq) return;
    if (seq < this.#seq) {
      for (const [index, page] of this.#pages) this.#pages.set(index, { ...page, seq: -1 });
      this.#inFlight.clear();
    }
    if (query !== this.#query) this.#inFlight.clear();
    this.#query = query;
    this.#seq = seq;
    this.#failed.clear();
  }

  get facts(): TableFacts | null {
    return this.#facts;
  }

  /** Of the filter that was asked for last. */
  get filterError(): FilterError | null {
    return this.#error?.query === this.#query ? this.#error.error : null;
  }

  /** The facts are not yet of what was asked for last. */
  get stale(): boolean {
    return !this.#isFresh(this.#facts) && this.filterError === null;
  }

  row(at: number): { readonly row: LabRow; readonly stale: boolean } | null {
    const page = this.#pages.get(Math.floor(at / this.size));
    const row = page?.rows[at % this.size];
    return page && row ? { row, stale: !this.#isFresh(page) && this.filterError === null } : null;
  }

  /** Every row that is here, with its place. */
  *loaded(): Iterable<{ readonly at: number; readonly row: LabRow }> {
    for (const [index, { rows }] of this.#pages)
      for (const [offset, row] of rows.entries()) yield { at: index * this.size + offset, row };
  }

  /** Pages to ask for now, so that rows from `first` to before `last` are there. Each is on its way from now on. */
  need(first: number, last: number): number[] {
    const wanted: number[] = [];
    const end = Math.floor(Math.max(first, last - 1) / this.size);
    for (let index = Math.floor(first / this.size); index <= end; index++) {
      const page = this.#pages.get(index);
      if (page) {
        // To the young end, so that pages on screen are dropped last.
        this.#pages.delete(index);
        this.#pages.set(index, page);
      }
      if (this.#inFlight.has(index) || this.#failed.has(index)) continue;
      if (this.#isFresh(page) || this.filterError !== null) continue;
      this.#inFlight.set(index, this.#query);
      wanted.push(index);
    }
    return wanted;
  }

  /**
   * An answer. False: it was dropped, being of another query or older than what is here. An answer that is newer than
   * what is here but not the newest is taken: fast passes would starve the table otherwise.
   */
  take(index: number, query: string, answer: LabPage): boolean {
    if (query !== this.#query) return false;
    this.#inFlight.delete(index);
    const { seq, status, functions, rows, scored, matched, columns, filterError } = answer;
    if (filterError) {
      this.#error = { query, error: filterError };
      // A filter that is wrong for the moment takes no row from the screen.
      if (this.#facts !== null) return true;
    } else if (this.#error?.query === query) this.#error = null;
    const here = this.#pages.get(index);
    if (here?.query === query && here.seq > seq) return false;
    this.#pages.delete(index);
    this.#pages.set(index, { query, seq, rows: answer.page });
    this.#facts = { query, seq, status, functions, rows, scored, matched, columns };
    for (const known of this.#pages.keys()) if (known * this.size >= matched) this.#pages.delete(known);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= this.#keep) break;
      this.#pages.delete(oldest);
    }
    return true;
  }

  /** A page that can't be had isn't asked for again until something else is wanted. */
  fail(index: number, query: string): void {
    if (query !== this.#query) return;
    this.#inFlight.delete(index);
    this.#failed.add(index);
  }

  /** Asks again for what failed. */
  retry(): void {
    this.#failed.clear();
  }

  #isFresh(part: { readonly query: string; readonly seq: number } | null | undefined): boolean {
    return !!part && part.query === this.#query && part.seq >= this.#seq;
  }
}
