import { compileFilter } from "../../core/query/evaluate";
import { parseFilter } from "../../core/query/parse";
import { TRAJECTORY_TABLE } from "../../core/query/trajectoryFields";
import type { FilterProblem } from "../../schema/filter";
import type { TrajectoryQuery, TrajectorySort } from "../../schema/trajectory";
import { needsTexts, type RowFacts } from "./facts";
import { Pace, mergeSort, sortRows } from "./order";
import type { TextReader } from "./texts";

/** Orders that are at hand: going back to one costs nothing. */
const KEPT = 4;
/** While a source is being read, an order is shown again until it is this old, or ten times what it took. */
const STALE_MS = 500;

export interface Order {
  /** Null: all rows as they are. */
  readonly rows: Uint32Array | null;
  readonly problem: FilterProblem | null;
}

interface Kept extends Order {
  readonly version: number;
  readonly n: number;
  readonly at: number;
  readonly took: number;
}

export interface ArrangedOptions {
  readonly facts: () => RowFacts;
  /** Another number whenever labels or scores are others, or rows began anew; rows that were added leave it. */
  readonly version: () => number;
  readonly complete: () => boolean;
  readonly now: () => number;
  readonly turn: () => Promise<void>;
}

/** Rows that a filter lets through, in the order asked for. */
export class Arranged {
  readonly #options: ArrangedOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Map<string, Promise<Kept>>();

  constructor(options: ArrangedOptions) {
    this.#options = options;
  }

  async order(query: TrajectoryQuery): Promise<Order> {
    if (query.filter.trim() === "" && query.sort === "index" && !query.descending)
      return { rows: null, problem: null };
    const key = JSON.stringify([query.filter, query.sort, query.descending]);
    const kept = this.#kept.get(key);
    if (kept && this.#fresh(kept)) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const running = this.#running.get(key);
    if (running) return running;
    const made = this.#make(query, kept ?? null);
    this.#running.set(key, made);
    try {
      const order = await made;
      this.#kept.set(key, order);
      for (const oldest of this.#kept.keys()) {
        if (this.#kept.size <= KEPT) break;
        this.#kept.delete(oldest);
      }
      return order;
    } finally {
      this.#running.delete(key);
    }
  }

  clear(): void {
    this.#kept.clear();
  }

  #fresh(kept: Kept): boolean {
    const { version, complete, now } = this.#options;
    const facts = this.#options.facts();
    if (kept.version !== version()) return false;
    if (kept.n === facts.columns.n) return true;
    return !complete() && now() - kept.at < Math.max(STALE_MS, kept.took * 10);
  }

  async #make(query: TrajectoryQuery, before: Kept | null): Promise<Kept> {
    const { now, turn } = this.#options;
    const facts = this.#options.facts();
    const began = now();
    const version = this.#options.version();
    const n = facts.columns.n;
    const pace = new Pace(now, turn);
    const done = (rows: Uint32Array | null, problem: FilterProblem | null): Kept => ({
      rows,
      problem,
      version,
      n,
      at: now(),
      took: now() - began,
    });
    const components = facts.columns.components;
    const names = { functions: components, columns: facts.columns.metrics, table: TRAJECTORY_TABLE };
    const { node, problem } = parseFilter(query.filter, names);
    if (!node) return done(new Uint32Array(0), problem);
    // Without a sort what was let through stays so: only the new rows are looked at. Groups may change their minds.
    const grown = before !== null && before.version === version && before.n <= n && before.rows !== null;
    const plain = query.sort === "index" && !query.descending && !/tied/i.test(query.filter);
    const start = grown && plain ? before : null;
    const passed = new Uint32Array((start?.rows?.length ?? 0) + n - (start?.n ?? 0));
    let count = 0;
    if (start?.rows) {
      passed.set(start.rows);
      count = start.rows.length;
    }
    let reader: TextReader = { from: 0, to: 0, get: () => null, row: () => [] };
    const test = compileFilter(
      node,
      facts.filterRows(components, () => reader),
    );
    const withTexts = needsTexts(node);
    for (let row = start?.n ?? 0; row < n;) {
      if (withTexts) reader = await facts.texts.reader(row);
      const to = Math.min(n, withTexts ? Math.max(reader.to, row + 1) : row + 4096);
      for (; row < to; row++) {
        if (test(row)) passed[count++] = row;
        if ((row & 255) === 255 && pace.due) await pace.rest();
      }
    }
    const rows = passed.slice(0, count);
    if (query.sort === "index") return done(query.descending ? rows.reverse() : rows, null);
    const keyOf = await this.#keys(query.sort, n, pace);
    return done(await sortRows(rows, keyOf, query.descending, pace), null);
  }

  async #keys(
    sort: Exclude<TrajectorySort, "index">,
    n: number,
    pace: Pace,
  ): Promise<(row: number) => number> {
    const facts = this.#options.facts();
    switch (sort) {
      case "group":
        return (row) => facts.groups.groupOf.get(row);
      case "now":
        return (row) => facts.now?.get(row)?.value ?? Number.NaN;
      case "id": {
        const places = await this.#idPlaces(n, pace);
        return (row) => places[row] ?? Number.NaN;
      }
      default: {
        const column = facts.columns.column(sort);
        return (row) => column.get(row);
      }
    }
  }

  /** Each row's place among all ids, numbers in them by their value. */
  async #idPlaces(n: number, pace: Pace): Promise<Float64Array> {
    const facts = this.#options.facts();
    const ids: string[] = [];
    for (let row = 0; row < n;) {
      const reader = await facts.texts.reader(row);
      for (const to = Math.min(n, Math.max(reader.to, row + 1)); row < to; row++) {
        ids.push(padded(facts.id(row, reader)));
        if ((row & 255) === 255 && pace.due) await pace.rest();
      }
    }
    const before = (a: number, b: number): number => {
      const [x = "", y = ""] = [ids[a], ids[b]];
      return x < y ? -1 : x > y ? 1 : a - b;
    };
    const order = await mergeSort(n, before, pace);
    const places = new Float64Array(n);
    order.forEach((row, place) => (places[row] = place));
    return places;
  }
}

/** So that plain comparison puts `a10` behind `a9`. */
function padded(id: string): string {
  return id.replace(/\d{1,12}/g, (digits) => digits.padStart(12, "0"));
}
