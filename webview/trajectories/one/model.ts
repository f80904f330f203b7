import { batch, effect, signal, untracked } from "@preact/signals";
import type {
  TrajectoryHead,
  OutlineEntry,
  PlacedMessage,
  TextPlace,
} from "../../../src/schema/trajectoryView";
import { modelOf } from "../models";
import { Pages } from "../pages";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { Heights, guessHeight } from "./heights";

/** Messages asked for at a time, and pages kept: a conversation's texts stay under some twenty megabytes. */
const SIZE = 20;
const KEEP = 16;
/** UTF-16 units of a message that come at first, and that "Show More" adds. */
export const MAX_TEXT = 6000;
export const MORE_TEXT = 20_000;
const HEAD_TEXT = 20_000;
const OUTLINE_PAGE = 5000;
const MOST_OUTLINE = 100_000;
/** Texts read on beyond their cut, least recently read dropped first. */
const MOST_MORE = 2_000_000;
const MOST_FOLDS = 2000;

export interface Jump {
  readonly at: number;
  readonly focus: boolean;
}

/** One trajectory: its head, outline and messages. */
export class OneModel {
  readonly head = signal<TrajectoryHead | null>(null);
  readonly failure = signal<string | null>(null);
  readonly outline = signal<readonly OutlineEntry[]>([]);
  readonly pages = new Pages<PlacedMessage>(SIZE, KEEP);
  readonly shown = signal({ pages: this.pages });
  /** Message that has the tab stop. */
  readonly current = signal(0);
  readonly jump = signal<Jump | null>(null);
  /** First and last message on screen. */
  readonly onScreen = signal<{ readonly first: number; readonly last: number }>({ first: 0, last: 0 });
  /** What is unfolded: `12:reasoning`, `12:call:0`. */
  readonly unfolded = signal<ReadonlySet<string>>(new Set());
  readonly more = signal<ReadonlyMap<string, string>>(new Map());
  heights = new Heights([]);
  /** Width that heights are guessed for. */
  width = 700;
  readonly #viewer: Viewer;
  #abort = new AbortController();
  #key = "";
  #generation = 0;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    effect(() => {
      const { index, branch } = viewer.state.value;
      const reset = viewer.resetSeq.value;
      const ready = viewer.info.value !== null;
      if (ready) untracked(() => this.#show(index, branch, `${reset}`));
    });
    let facts = viewer.factsSeq.value;
    effect(() => {
      const now = viewer.factsSeq.value;
      if (now === facts) return;
      facts = now;
      untracked(() => void this.#loadHead());
    });
    effect(() => {
      // The one that still grows is read again.
      if (viewer.rowsSeq.value > 0 && untracked(() => this.head.value?.outcome.kind === "running"))
        untracked(() => this.reload());
    });
  }

  get total(): number {
    const { pages } = this.shown.value;
    const outlined = this.outline.value.length;
    const told = this.head.value?.branches[this.#viewer.state.value.branch]?.messages ?? 0;
    return Math.max(outlined, pages.total ?? told);
  }

  message(position: number): PlacedMessage | null {
    return this.pages.row(position)?.row ?? null;
  }

  isUnfolded(key: string): boolean {
    return this.unfolded.value.has(key);
  }

  toggle(key: string): void {
    const next = new Set(this.unfolded.value);
    if (!next.delete(key)) next.add(key);
    for (const oldest of next) {
      if (next.size <= MOST_FOLDS) break;
      next.delete(oldest);
    }
    this.unfolded.value = next;
  }

  /** Brings a message on screen. */
  goTo(at: number, focus = false): void {
    const to = Math.min(Math.max(0, at), Math.max(0, this.total - 1));
    batch(() => {
      this.current.value = to;
      this.jump.value = { at: to, focus };
    });
  }

  reload(): void {
    this.#generation += 1;
    this.pages.ask(this.#key, this.#generation);
    void this.#loadHead();
    void this.#loadOutline();
    this.need(this.onScreen.value.first, this.onScreen.value.last + 1);
  }

  need(first: number, last: number): void {
    if (this.#key === "") return;
    const end = Math.min(last, Math.max(1, this.total));
    for (const index of this.pages.need(first, Math.max(first + 1, end))) void this.#fetch(index);
  }

  /** The next (or previous) message from the current one that is an error; null: there is none. */
  nextError(by: 1 | -1): number | null {
    const all = this.outline.value;
    for (let at = this.current.value + by; at >= 0 && at < all.length; at += by)
      if (all[at]?.error) return at;
    return null;
  }

  /** Reads a cut text on; null: the trajectory is another now. */
  async readOn(
    position: number | null,
    what: string,
    from: number,
  ): Promise<{ text: string; total: number } | null> {
    const { index, branch } = this.#viewer.state.value;
    if (index === null) return null;
    const key = this.#key;
    const place: TextPlace = { index, branch, message: position, what };
    const answer = await this.#viewer.connection.data.text(
      { place, from, length: MORE_TEXT },
      { signal: this.#abort.signal, timeoutMs: TIMEOUT_MS },
    );
    return key === this.#key ? answer : null;
  }

  async showMore(position: number, what: string, shown: number): Promise<void> {
    const key = `${position}:${what}`;
    try {
      const answer = await this.readOn(position, what, shown);
      if (!answer) return;
      const next = new Map(this.more.value);
      const text = (next.get(key) ?? "") + answer.text;
      next.delete(key);
      next.set(key, text);
      let size = [...next.values()].reduce((sum, one) => sum + one.length, 0);
      for (const [oldest, one] of next) {
        if (size <= MOST_MORE || oldest === key) break;
        next.delete(oldest);
        size -= one.length;
      }
      this.more.value = next;
    } catch (error) {
      this.#viewer.fail(error);
    }
  }

  #show(index: number | null, branch: number, generation: string): void {
    const key = index === null ? "" : `${generation}/${index}/${branch}`;
    if (key === this.#key) return;
    const sameTrajectory = this.head.value?.row.index === index;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#key = key;
    const at = this.#viewer.state.value.message;
    batch(() => {
      if (!sameTrajectory) this.head.value = null;
      this.failure.value = null;
      this.outline.value = [];
      this.unfolded.value = new Set();
      this.more.value = new Map();
      this.pages.reset();
      this.pages.ask(key, 0);
      this.heights = new Heights([]);
      this.current.value = at;
      this.onScreen.value = { first: at, last: at };
      this.jump.value = { at, focus: false };
      this.shown.value = { pages: this.pages };
    });
    if (index === null) return;
    void this.#loadHead();
    void this.#loadOutline();
    for (const page of this.pages.need(at, at + 1)) void this.#fetch(page);
  }

  async #loadHead(): Promise<void> {
    const { index } = this.#viewer.state.value;
    if (index === null) return;
    const key = this.#key;
    try {
      const head = await this.#viewer.connection.data.head(
        { index, maxText: HEAD_TEXT },
        { signal: this.#abort.signal, timeoutMs: TIMEOUT_MS },
      );
      if (key !== this.#key) return;
      batch(() => {
        this.head.value = head;
        // A state of before may name a branch that isn't there any more.
        if (this.#viewer.state.value.branch >= head.branches.length)
          this.#viewer.set({ branch: 0, message: 0 });
        this.#guess();
      });
    } catch (error) {
      if (key === this.#key) this.failure.value = this.#viewer.sentence(error);
    }
  }

  async #loadOutline(): Promise<void> {
    const { index, branch } = this.#viewer.state.value;
    if (index === null) return;
    const key = this.#key;
    const all: OutlineEntry[] = [];
    try {
      for (let total = 1; all.length < Math.min(total, MOST_OUTLINE);) {
        const answer = await this.#viewer.connection.data.outline(
          { index, branch, from: all.length, count: OUTLINE_PAGE },
          { signal: this.#abort.signal, timeoutMs: TIMEOUT_MS },
        );
        if (key !== this.#key) return;
        total = answer.total;
        if (answer.entries.length === 0) break;
        all.push(...answer.entries);
      }
      batch(() => {
        this.outline.value = all;
        this.#guess();
      });
    } catch (error) {
      if (key === this.#key) this.failure.value = this.#viewer.sentence(error);
    }
  }

  async #fetch(page: number): Promise<void> {
    const { index, branch } = this.#viewer.state.value;
    if (index === null) return;
    const { key, seq } = this.pages;
    try {
      const answer = await this.#viewer.connection.data.messages(
        { index, branch, from: page * SIZE, count: SIZE, maxText: MAX_TEXT },
        { signal: this.#abort.signal, timeoutMs: TIMEOUT_MS },
      );
      if (!this.pages.take(page, key, seq, answer.messages, answer.total)) return;
      batch(() => {
        this.#guess();
        this.shown.value = { pages: this.pages };
      });
    } catch (error) {
      if (key !== this.pages.key) return;
      this.pages.fail(page, key);
      this.failure.value = this.#viewer.sentence(error);
    }
  }

  #guess(): void {
    const { total } = this;
    const entries = this.outline.value;
    this.heights.guess(
      Array.from({ length: total }, (_, at) => {
        const entry = entries[at];
        return entry ? guessHeight(entry.characters, entry.callCount, MAX_TEXT, this.width) : 80;
      }),
    );
  }
}

export const oneModel = modelOf((viewer) => new OneModel(viewer));
