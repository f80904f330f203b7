import { batch, effect, signal, untracked } from "@preact/signals";
import type { z } from "zod";
import type { Comparison, PlacedMessage } from "../../../src/schema/trajectoryView";
import { modelOf } from "../models";
import { TIMEOUT_MS, type Viewer } from "../viewer";

export type Compared = z.output<typeof Comparison>;
export type Cell = NonNullable<Compared["lines"][number][number]>;

export interface CellPlace {
  readonly line: number;
  readonly col: number;
}

const MOST_SHARED = 100;
const SHARED_TEXT = 2000;
const CELL_TEXT = 20_000;

/** Trajectories side by side. */
export class CompareModel {
  readonly answer = signal<Compared | null>(null);
  readonly failure = signal<string | null>(null);
  readonly busy = signal(false);
  readonly active = signal<CellPlace>({ line: 0, col: 0 });
  /** First of two cells that are to be diffed. */
  readonly first = signal<CellPlace | null>(null);
  readonly second = signal<CellPlace | null>(null);
  /** Lines that are shown taller. */
  readonly unfolded = signal<ReadonlySet<number>>(new Set());
  readonly shared = signal<readonly PlacedMessage[] | null>(null);
  /** The message under the cursor, whole, once it was asked for. */
  readonly opened = signal<PlacedMessage | null>(null);
  readonly #viewer: Viewer;
  #abort = new AbortController();

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    effect(() => {
      const ask = viewer.comparing.value;
      const { rule } = viewer.state.value;
      const key = JSON.stringify([rule, viewer.factsSeq.value, viewer.resetSeq.value]);
      const ready = viewer.info.value !== null;
      if (ask && ready && key !== "") untracked(() => void this.load());
    });
  }

  async load(): Promise<void> {
    const ask = this.#viewer.comparing.value;
    if (!ask) return;
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.busy.value = true;
    try {
      const answer = await this.#viewer.connection.data.compare(
        { indexes: [...ask.indexes], group: ask.group, rule: this.#viewer.state.value.rule },
        { signal: abort.signal, timeoutMs: TIMEOUT_MS },
      );
      const columns = answer.columns.map(({ row }) => row.index);
      const before = this.answer.value?.columns.map(({ row }) => row.index).join();
      batch(() => {
        this.answer.value = answer;
        this.failure.value = null;
        this.busy.value = false;
        if (before !== columns.join()) {
          this.active.value = { line: 0, col: 0 };
          this.first.value = null;
          this.second.value = null;
          this.unfolded.value = new Set();
          this.shared.value = null;
          this.opened.value = null;
        }
        this.#viewer.set({ compared: columns });
      });
    } catch (error) {
      if (abort.signal.aborted) return;
      this.busy.value = false;
      this.failure.value = this.#viewer.sentence(error);
    }
  }

  close(): void {
    this.#abort.abort();
    batch(() => {
      this.#viewer.comparing.value = null;
      this.#viewer.set({ compared: [] });
      this.answer.value = null;
      this.failure.value = null;
    });
  }

  /** Shows a line taller, or as it was. */
  toggle(line: number): void {
    const next = new Set(this.unfolded.value);
    if (!next.delete(line)) next.add(line);
    this.unfolded.value = next;
  }

  cell({ line, col }: CellPlace): Cell | null {
    return this.answer.value?.lines[line]?.[col] ?? null;
  }

  async showShared(): Promise<void> {
    const answer = this.answer.value;
    const first = answer?.columns[0];
    if (!answer || !first || answer.shared === 0) return;
    try {
      const { messages } = await this.#viewer.connection.data.messages(
        {
          index: first.row.index,
          branch: 0,
          from: 0,
          count: Math.min(MOST_SHARED, answer.shared),
          maxText: SHARED_TEXT,
        },
        { timeoutMs: TIMEOUT_MS },
      );
      this.shared.value = messages;
    } catch (error) {
      this.#viewer.fail(error);
    }
  }

  /** Shows the message of a cell, whole. */
  async open(place: CellPlace): Promise<void> {
    const cell = this.cell(place);
    const index = this.answer.value?.columns[place.col]?.row.index;
    if (!cell || index === undefined) return;
    this.second.value = null;
    try {
      const { messages } = await this.#viewer.connection.data.messages(
        { index, branch: 0, from: cell.position, count: 1, maxText: CELL_TEXT },
        { timeoutMs: TIMEOUT_MS },
      );
      this.opened.value = messages[0] ?? null;
    } catch (error) {
      this.#viewer.fail(error);
    }
  }

  /** The first of a pair, or with one chosen the difference between both. */
  pair(place: CellPlace): void {
    const { t } = this.#viewer;
    const first = this.first.value;
    if (!this.cell(place)) return;
    if (!first || this.second.value) {
      batch(() => {
        this.first.value = place;
        this.second.value = null;
        this.opened.value = null;
      });
      this.#viewer.say(t("Chosen. Press d on another message to see what differs."));
      return;
    }
    if (first.line === place.line && first.col === place.col) {
      this.first.value = null;
      this.#viewer.say(t("No longer chosen."));
      return;
    }
    this.second.value = place;
  }
}

export const compareModel = modelOf((viewer) => new CompareModel(viewer));

/** Letters for messages of a line that look the same: those that have no equal have none. */
export function likenesses(line: readonly (Cell | null)[]): (string | null)[] {
  const counts = new Map<number, number>();
  for (const cell of line) if (cell) counts.set(cell.alike, (counts.get(cell.alike) ?? 0) + 1);
  const letters = new Map<number, string>();
  return line.map((cell) => {
    if (!cell || (counts.get(cell.alike) ?? 0) < 2) return null;
    const letter = letters.get(cell.alike) ?? String.fromCharCode(97 + (letters.size % 26));
    letters.set(cell.alike, letter);
    return letter;
  });
}

/** All that a cell shows, as one text. */
export function cellText(cell: Cell): string {
  return [
    cell.text,
    ...cell.calls.map(({ name, arguments: given }) => `${name}(${given})`),
    ...(cell.error === null ? [] : [`✗ ${cell.error}`]),
  ]
    .filter((text) => text !== "")
    .join("\n");
}
