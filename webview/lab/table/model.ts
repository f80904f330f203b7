import { batch, effect, signal, untracked } from "@preact/signals";
import type { LabQuery, LabRow } from "../../../src/schema/lab";
import { toRewardsmithError } from "../../../src/base/errors";
import { errorSentence } from "../../../src/words/errors";
import type { Lab } from "../lab";
import type { Cell } from "../../shared/tableKeys";
import { PageStore } from "./pages";

const VISIBLE_MS = 200;
const ASK_TIMEOUT_MS = 60_000;
const SCAN = 500;
/** Rows that are asked for beyond either edge of the screen. */
const AHEAD = 60;

/** `col`: of the column whose menu it is; null: of all columns. */
export type TableMenu = { readonly x: number; readonly y: number } & (
  { readonly kind: "copy" } | { readonly kind: "columns"; readonly col: number | null }
);

/** The table's data and cursor. Lives as long as the page: another tab and back changes nothing. */
export class TableModel {
  readonly #store = new PageStore();
  /** The rows; a new object whenever they have something else to show. */
  readonly shown = signal({ store: this.#store });
  /** Why the newest question has no answer. */
  readonly failure = signal<string | null>(null);
  readonly active = signal<Cell>({ at: 0, col: 0 });
  /** A place that the table is to bring on screen, once. */
  readonly toShow = signal<{ readonly at: number } | null>(null);
  readonly menu = signal<TableMenu | null>(null);
  readonly #lab: Lab;
  #window = { first: 0, last: 1 };
  #abort = new AbortController();
  #asked = "";
  #seq = 0;
  #visible: { timer: ReturnType<typeof setTimeout> | undefined; sent: string } = {
    timer: undefined,
    sent: "",
  };
  #search = 0;
  /** The cursor went to a row that isn't here yet: it is selected when it comes. */
  #toSelect: number | null = null;

  constructor(lab: Lab) {
    this.#lab = lab;
    // Both numbers are of one counter of the engine: the one that changed last is the newest.
    effect(() => {
      this.#seq = lab.seq.value;
      untracked(() => this.#ask());
    });
    effect(() => {
      this.#seq = lab.labelSeq.value;
      untracked(() => this.#ask());
    });
    let last = "";
    effect(() => {
      const { filter, sort, grouped, weights } = lab.state.value;
      const key = JSON.stringify([filter, sort, grouped, weights]);
      if (key === last) return;
      last = key;
      untracked(() => this.#ask());
    });
    let set: string | null = null;
    effect(() => {
      const now = lab.scores.value.scores?.set?.hash ?? null;
      if (now === set) return;
      set = now;
      // Asked before there were samples, the engine had nothing to answer from.
      if (now !== null) untracked(() => this.retry());
    });
    // Where it was before a reload is restored by the table itself.
    let selected: unknown = lab.state.value.selected;
    effect(() => {
      const now = lab.state.value.selected;
      if (now === selected) return;
      selected = now;
      untracked(() => {
        // Chosen elsewhere (a flip, a group's dot): the cursor goes there.
        if (now && this.rowAt(this.active.value.at)?.row !== now.row) void this.locate(true);
      });
    });
  }

  get query(): LabQuery {
    const { filter, sort, grouped, weights } = this.#lab.state.value;
    return { filter, sort, grouped, weights };
  }

  rowAt(at: number): LabRow | null {
    return this.#store.row(at)?.row ?? null;
  }

  /** Rows on screen, `last` exclusive. */
  show(first: number, last: number): void {
    this.#window = { first, last: Math.max(first + 1, last) };
    this.#fill();
    this.#tellVisible();
  }

  retry(): void {
    this.failure.value = null;
    this.#store.retry();
    this.#fill();
  }

  /** Puts the cursor on a row and selects it. */
  select(at: number, col = this.active.value.col): void {
    const row = at < 0 ? null : this.rowAt(at);
    batch(() => {
      this.active.value = { at, col };
      this.#toSelect = at >= 0 && !row ? at : null;
      if (row) this.#lab.set({ selected: { id: row.id, row: row.row } });
    });
  }

  /**
   * Finds the selected sample again after the order or the data changed, by its identity. `reveal`: brings it on screen.
   */
  async locate(reveal: boolean): Promise<void> {
    const { selected } = this.#lab.state.value;
    if (!selected) return;
    const asked = this.#asked;
    try {
      const found = await this.#lab.connection.data.find(
        { query: this.query, row: selected.row, ...(selected.id === "" ? {} : { id: selected.id }) },
        { timeoutMs: ASK_TIMEOUT_MS },
      );
      if (this.#lab.state.value.selected !== selected || this.#asked !== asked) return;
      batch(() => {
        const row = found.row ?? (found.row === null ? null : selected.row);
        if (row === null) this.#lab.set({ selected: null });
        else if (row !== selected.row) this.#lab.set({ selected: { id: selected.id, row } });
        // A cursor on the heads stays there: another order is what it just asked for.
        if (found.at === null || (this.active.value.at < 0 && !reveal)) return;
        this.active.value = { ...this.active.value, at: found.at };
        if (reveal) this.toShow.value = { at: found.at };
      });
    } catch {
      // The table itself says what is wrong; the cursor stays.
    }
  }

  /**
   * The next (`by` 1) or previous row that flipped or could not be scored, around the end if need be. Null: there is
   * none; undefined: a newer search took over.
   */
  async nextOfNote(by: 1 | -1): Promise<number | null | undefined> {
    const search = ++this.#search;
    const count = this.#store.facts?.matched ?? 0;
    const from = Math.max(by === 1 ? -1 : 0, this.active.value.at);
    const { query } = this;
    for (let looked = 0; looked < count;) {
      const size = Math.min(SCAN, count - looked);
      const start =
        by === 1 ? (from + 1 + looked) % count : (((from - looked - size) % count) + count) % count;
      const parts =
        start + size <= count
          ? [[start, size]]
          : [
              [start, count - start],
              [0, size - (count - start)],
            ];
      if (by === -1) parts.reverse();
      for (const [begin = 0, length = 0] of parts) {
        const answer = await this.#lab.connection.data.page(
          { query, from: begin, count: length },
          { timeoutMs: ASK_TIMEOUT_MS },
        );
        if (search !== this.#search) return undefined;
        const rows = answer.page;
        const at = by === 1 ? rows.findIndex(isOfNote) : rows.findLastIndex(isOfNote);
        if (at !== -1) return begin + at;
      }
      looked += size;
    }
    return null;
  }

  /** Rows a little further than the screen, as far as the list goes. */
  #ahead(last: number): number {
    return Math.max(last, Math.min(last + AHEAD, this.#store.facts?.matched ?? last));
  }

  #ask(): void {
    const query = JSON.stringify(this.query);
    const other = query !== this.#asked;
    if (other) {
      this.#abort.abort();
      this.#abort = new AbortController();
      this.#asked = query;
    }
    this.#store.ask(query, this.#seq);
    batch(() => {
      this.failure.value = null;
      this.shown.value = { store: this.#store };
    });
    this.#fill();
    void this.locate(false);
  }

  #fill(): void {
    const { first, last } = this.#window;
    for (const index of this.#store.need(Math.max(0, first - AHEAD), this.#ahead(last)))
      void this.#fetch(index);
  }

  async #fetch(index: number): Promise<void> {
    const query = this.#asked;
    const { size } = this.#store;
    try {
      const answer = await this.#lab.connection.data.page(
        { query: this.query, from: index * size, count: size },
        { signal: this.#abort.signal, timeoutMs: ASK_TIMEOUT_MS },
      );
      if (this.#store.take(index, query, answer))
        batch(() => {
          this.shown.value = { store: this.#store };
          const late = this.#toSelect;
          if (late !== null && late === this.active.value.at && this.rowAt(late)) this.select(late);
        });
    } catch (error) {
      if (query !== this.#asked) return;
      this.#store.fail(index, query);
      this.failure.value = errorSentence(toRewardsmithError(error), this.#lab.speech.value);
    }
    // What came may be old again by now.
    if (query === this.#asked) this.#fill();
    this.#tellVisible();
  }

  /** Tells the engine which rows are looked at: later passes take them first. */
  #tellVisible(): void {
    if (this.#visible.timer !== undefined) return;
    this.#visible.timer = setTimeout(() => {
      this.#visible.timer = undefined;
      const { first, last } = this.#window;
      const rows: number[] = [];
      for (let at = first; at < Math.min(last, first + 1000); at++) {
        const row = this.rowAt(at);
        if (row) rows.push(row.row);
      }
      const sent = rows.join(",");
      if (sent === this.#visible.sent || rows.length === 0) return;
      this.#visible.sent = sent;
      void this.#lab.connection.data.visible({ rows }).catch(() => undefined);
    }, VISIBLE_MS);
  }
}

function isOfNote(row: LabRow): boolean {
  return row.change !== null || (row.state !== null && row.state !== "scored");
}

const models = new WeakMap<Lab, TableModel>();

export function tableModel(lab: Lab): TableModel {
  const known = models.get(lab) ?? new TableModel(lab);
  models.set(lab, known);
  return known;
}
