import { batch, effect, signal, untracked } from "@preact/signals";
import type { TrajectoryQuery, TrajectoryRow } from "../../../src/schema/trajectory";
import type { LabelValue } from "../../../src/schema/label";
import { formatCount } from "../../../src/words/format";
import { modelOf } from "../models";
import { Pages } from "../pages";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { labelWord } from "../words";

const SIZE = 100;
const KEEP = 40;
const AHEAD = 50;

export interface Cell {
  /** Place in the filtered order; -1: the heads. */
  readonly at: number;
  readonly col: number;
}

export type ListMenu = { readonly x: number; readonly y: number } & (
  { readonly kind: "copy" } | { readonly kind: "columns"; readonly col: number | null }
);

/** The list's rows and cursor. */
export class ListModel {
  readonly pages = new Pages<TrajectoryRow>(SIZE, KEEP);
  /** A new object whenever rows have something else to show. */
  readonly shown = signal({ pages: this.pages });
  readonly failure = signal<string | null>(null);
  readonly active = signal<Cell>({ at: 0, col: 0 });
  /** A place that the list is to bring on screen, once. */
  readonly toShow = signal<number | null>(null);
  readonly menu = signal<ListMenu | null>(null);
  readonly #viewer: Viewer;
  #window = { first: 0, last: 40 };
  #abort = new AbortController();
  #late: number | null = null;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    effect(() => {
      const reset = viewer.resetSeq.value;
      if (reset > 0) untracked(() => this.pages.reset());
    });
    effect(() => {
      const key = JSON.stringify(viewer.state.value.query);
      const seq = viewer.rowsSeq.value;
      if (seq > 0) untracked(() => this.#ask(key, seq));
    });
    let index = viewer.state.value.index;
    effect(() => {
      const now = viewer.state.value.index;
      if (now === index) return;
      index = now;
      // Chosen elsewhere (a hit, a group's dot): the cursor goes there.
      untracked(() => {
        if (now !== null && this.rowAt(this.active.value.at)?.index !== now) void this.locate(true);
      });
    });
  }

  get query(): TrajectoryQuery {
    return this.#viewer.state.value.query;
  }

  get total(): number {
    return this.pages.total ?? 0;
  }

  rowAt(at: number): TrajectoryRow | null {
    return this.pages.row(at)?.row ?? null;
  }

  /** Rows on screen, `last` exclusive. */
  show(first: number, last: number): void {
    this.#window = { first, last: Math.max(first + 1, last) };
    this.#fill();
  }

  retry(): void {
    this.failure.value = null;
    this.pages.retry();
    this.#fill();
  }

  select(at: number, col = this.active.value.col): void {
    const row = at < 0 ? null : this.rowAt(at);
    batch(() => {
      this.active.value = { at, col };
      this.#late = at >= 0 && !row ? at : null;
      if (row) this.#viewer.open(row.index);
    });
  }

  /** Puts the cursor where the shown trajectory stands in the filtered order. */
  async locate(reveal: boolean): Promise<void> {
    const { index } = this.#viewer.state.value;
    if (index === null) return;
    try {
      const { at } = await this.#viewer.connection.data.find(
        { query: this.query, index },
        { timeoutMs: TIMEOUT_MS },
      );
      if (this.#viewer.state.value.index !== index || at === null) return;
      if (this.active.value.at < 0 && !reveal) return;
      batch(() => {
        this.active.value = { ...this.active.value, at };
        if (reveal) this.toShow.value = at;
      });
    } catch {
      // The list itself says what is wrong; the cursor stays.
    }
  }

  /** The next or previous of the filtered order. */
  async step(by: 1 | -1): Promise<void> {
    const at = Math.min(Math.max(0, this.active.value.at + by), this.total - 1);
    if (at === this.active.value.at || this.total === 0) {
      this.#viewer.say(this.#viewer.t("There are no more."));
      return;
    }
    this.toShow.value = at;
    this.show(at, at + 1);
    this.select(at);
    await Promise.resolve();
  }

  async failing(forward: boolean): Promise<void> {
    const { index } = this.#viewer.state.value;
    try {
      const found = await this.#viewer.connection.data.failing(
        { query: this.query, index, forward },
        { timeoutMs: TIMEOUT_MS },
      );
      if (found.index === null) {
        this.#viewer.say(this.#viewer.t("No trajectory here fails."));
        return;
      }
      const { at } = found;
      batch(() => {
        if (at !== null) {
          this.active.value = { ...this.active.value, at };
          this.toShow.value = at;
        }
        if (found.index !== null) this.#viewer.open(found.index);
      });
      this.#viewer.say(
        this.#viewer.t(
          "Trajectory {0} fails.",
          formatCount(found.index + 1, this.#viewer.speech.value.language),
        ),
      );
    } catch (error) {
      this.#viewer.fail(error);
    }
  }

  async label(index: number, value: LabelValue | null): Promise<void> {
    const { t } = this.#viewer;
    const speech = this.#viewer.speech.value;
    try {
      await this.#viewer.connection.data.label(
        { acts: [{ index, value, stream: "chosen" }] },
        { timeoutMs: 10_000 },
      );
      const number = formatCount(index + 1, speech.language);
      this.#viewer.say(
        value === null
          ? t("Trajectory {0}: label taken back.", number)
          : t("Trajectory {0}: {1}.", number, labelWord(value, speech)),
      );
    } catch (error) {
      this.#viewer.fail(error);
    }
  }

  /** Marks or unmarks a trajectory for the comparison. */
  mark(index: number): void {
    const { t } = this.#viewer;
    const { marked } = this.#viewer;
    const number = formatCount(index + 1, this.#viewer.speech.value.language);
    const is = marked.value.includes(index);
    if (!is && marked.value.length >= 64) {
      this.#viewer.say(t("At most 64 can be compared."));
      return;
    }
    marked.value = is ? marked.value.filter((one) => one !== index) : [...marked.value, index];
    this.#viewer.say(
      is
        ? t("Trajectory {0} is no longer marked.", number)
        : t("Trajectory {0} is marked to be compared; {1} in all.", number, marked.value.length),
    );
  }

  /** Keys on a trajectory, in the list and in the conversation. True: taken. */
  key(key: string, index: number): boolean {
    switch (key) {
      case "g":
        void this.label(index, "good");
        return true;
      case "b":
        void this.label(index, "bad");
        return true;
      case "u":
        void this.label(index, null);
        return true;
      case "x":
        this.mark(index);
        return true;
      case "n":
        void this.failing(true);
        return true;
      case "N":
        void this.failing(false);
        return true;
      default:
        return false;
    }
  }

  #ask(key: string, seq: number): void {
    if (key !== this.pages.key) {
      this.#abort.abort();
      this.#abort = new AbortController();
    }
    const other = key !== this.pages.key;
    this.pages.ask(key, seq);
    this.failure.value = null;
    this.shown.value = { pages: this.pages };
    this.#fill();
    if (other) void this.locate(false);
  }

  #fill(): void {
    if (this.pages.key === "") return;
    const { first, last } = this.#window;
    const end = Math.max(last, Math.min(last + AHEAD, this.pages.total ?? last));
    for (const index of this.pages.need(Math.max(0, first - AHEAD), end)) void this.#fetch(index);
  }

  async #fetch(index: number): Promise<void> {
    const { key, seq } = this.pages;
    try {
      const answer = await this.#viewer.connection.data.page(
        { query: this.query, from: index * SIZE, count: SIZE },
        { signal: this.#abort.signal, timeoutMs: TIMEOUT_MS },
      );
      if (key !== this.pages.key) return;
      batch(() => {
        this.#viewer.filterProblem.value = answer.problem;
        this.#viewer.progress.value = answer.progress;
        // A filter that is wrong for the moment takes no row from the screen.
        if (answer.problem !== null && this.pages.total !== null) {
          this.pages.fail(index, key);
          return;
        }
        if (!this.pages.take(index, key, seq, answer.rows, answer.total)) return;
        this.shown.value = { pages: this.pages };
        const late = this.#late;
        if (late !== null && late === this.active.value.at && this.rowAt(late)) this.select(late);
      });
    } catch (error) {
      if (key !== this.pages.key) return;
      this.pages.fail(index, key);
      this.failure.value = this.#viewer.sentence(error);
    }
    this.#fill();
  }
}

export const listModel = modelOf((viewer) => new ListModel(viewer));
