import { signal } from "@preact/signals";

export interface PagesOptions<Ask, Answer, Item> {
  /** Items in one request. */
  readonly size: number;
  readonly fetch: (ask: Ask, from: number, count: number) => Promise<Answer>;
  readonly items: (answer: Answer) => readonly Item[];
  /** Pages that are kept. */
  readonly keep?: number;
}

interface Page<Item> {
  readonly key: string;
  readonly items: readonly Item[];
}

/**
 * A list that is fetched by pages as far as it is looked at. One request at a time, always for what is wanted now: when
 * the question changes faster than it is answered, the newest is asked next and none is starved. Until the answer is
 * there the old items stay, and are told apart by `stale`.
 */
export class Pages<Ask, Answer, Item> {
  readonly #options: PagesOptions<Ask, Answer, Item>;
  readonly #pages = new Map<number, Page<Item>>();
  /** Pages of the present question that can't be had. */
  readonly #failed = new Set<number>();
  #want: { readonly ask: Ask; readonly key: string; readonly first: number; readonly last: number } | null =
    null;
  #busy = false;
  #closed = false;
  /** Signals: set with every answer and failure, so that whoever draws from the getters follows. */
  readonly #head = signal<{ readonly key: string; readonly answer: Answer } | null>(null);
  readonly #error = signal<{ readonly key: string; readonly message: string } | null>(null);

  constructor(options: PagesOptions<Ask, Answer, Item>) {
    this.#options = options;
  }

  /** The newest answer, whichever page it is of. */
  get head(): Answer | null {
    return this.#head.value?.answer ?? null;
  }

  /** The newest answer is not yet of what was asked last. */
  get stale(): boolean {
    return this.#head.value?.key !== this.#want?.key;
  }

  /** Why what was asked last has no answer. */
  get error(): string | null {
    const error = this.#error.value;
    return error !== null && error.key === this.#want?.key ? error.message : null;
  }

  item(index: number): { readonly item: Item; readonly stale: boolean } | null {
    const { size } = this.#options;
    const page = this.#pages.get(Math.floor(index / size));
    const item = page?.items[index % size];
    return page && item !== undefined ? { item, stale: page.key !== this.#want?.key } : null;
  }

  /** `ask` must be plain data: two that read alike are the same question. `last` is exclusive. */
  want(ask: Ask, first: number, last: number): void {
    const key = JSON.stringify(ask);
    if (key !== this.#want?.key) this.#failed.clear();
    this.#want = { ask, key, first, last: Math.max(last, first + 1) };
    void this.#next();
  }

  /** Asks again what failed. */
  retry(): void {
    this.#failed.clear();
    this.#error.value = null;
    void this.#next();
  }

  close(): void {
    this.#closed = true;
  }

  async #next(): Promise<void> {
    if (this.#busy || this.#closed || !this.#want) return;
    const { ask, key, first, last } = this.#want;
    const { size, fetch, items, keep = 40 } = this.#options;
    let page = Math.floor(first / size);
    const end = Math.floor((last - 1) / size);
    while (page <= end && (this.#pages.get(page)?.key === key || this.#failed.has(page))) page += 1;
    if (page > end) return;
    this.#busy = true;
    try {
      const answer = await fetch(ask, page * size, size);
      this.#pages.delete(page);
      this.#pages.set(page, { key, items: items(answer) });
      const oldest = this.#pages.keys().next().value;
      if (this.#pages.size > keep && oldest !== undefined) this.#pages.delete(oldest);
      this.#head.value = { key, answer };
    } catch (error) {
      if (key === this.#want.key) this.#failed.add(page);
      this.#error.value = { key, message: error instanceof Error ? error.message : String(error) };
    }
    this.#busy = false;
    void this.#next();
  }
}
