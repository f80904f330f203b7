import { batch, effect, signal } from "@preact/signals";
import { toRewardsmithError } from "../../../src/base/errors";
import type { LabDetail, LabelAct, LabelCounts, ReviewQueue } from "../../../src/schema/lab";
import type { LabelStream, LabelValue } from "../../../src/schema/label";
import { errorSentence } from "../../../src/words/errors";
import type { Lab } from "../lab";
import { act, labelInWords } from "../detail/labelling";
import { dependsOn, Latest } from "../detail/latest";

export type ReviewKind = "random" | "hunting" | "inspect";
type Item = ReviewQueue["items"][number];

const QUEUE = 100;
const MOST_TEXT = 400_000;
/** The same order for everyone who reviews a set: two labellers' first samples are the same ones, so they can be compared. */
const SEED = 0;

const models = new WeakMap<Lab, ReviewModel>();

export function reviewModel(lab: Lab): ReviewModel {
  let model = models.get(lab);
  if (!model) {
    model = new ReviewModel(lab);
    models.set(lab, model);
  }
  return model;
}

/** A queue of samples, one at a time; what was labelled stays in it, so that one can go back. */
export class ReviewModel {
  readonly lab: Lab;
  readonly kind = signal<ReviewKind>("random");
  /** The stream to return to after an inspection. */
  readonly stream = signal<"random" | "hunting">("random");
  readonly queue = signal<ReviewQueue | null>(null);
  readonly at = signal(0);
  /** Samples of this queue that got a label here or were skipped. */
  readonly done = signal<ReadonlySet<number>>(new Set());
  readonly failure = signal<string | null>(null);
  readonly counts = signal<LabelCounts | null>(null);
  /** Scores are shown only once the verdict is given. */
  readonly blind = signal(true);
  /** Rows whose score was shown, by a verdict or because the labeller asked. */
  readonly shown = signal<ReadonlySet<number>>(new Set());
  readonly #detail = new Latest<LabDetail>();
  readonly detail = this.#detail.value;
  readonly detailFailure = this.#detail.failure;
  #load = 0;

  constructor(lab: Lab) {
    this.lab = lab;
  }

  get item(): Item | null {
    return this.queue.value?.items[this.at.value] ?? null;
  }

  start(): () => void {
    const { lab } = this;
    const stops = [
      effect(() => {
        dependsOn(lab.labelSeq.value, lab.seq.value);
        void this.#count();
      }),
      effect(() => {
        dependsOn(lab.labelSeq.value, lab.seq.value);
        const { item } = this;
        if (!item) {
          this.#detail.clear();
          return;
        }
        const { row } = item;
        const question = (signal: AbortSignal): Promise<LabDetail> =>
          lab.connection.data.detail({ row, weights: null, maxText: MOST_TEXT }, { signal });
        if (this.detail.peek()?.row === row) this.#detail.refresh(question, 0);
        else this.#detail.ask(question);
      }),
    ];
    if (this.queue.value === null) this.open(this.kind.value);
    return () => {
      for (const stop of stops) stop();
      this.#detail.stop();
    };
  }

  /** Starts the queue of a stream, or a guided inspection, from what is left of it. */
  open(kind: ReviewKind): void {
    batch(() => {
      this.kind.value = kind;
      if (kind !== "inspect") this.stream.value = kind;
      this.queue.value = null;
      this.failure.value = null;
      this.at.value = 0;
      this.done.value = new Set();
      this.shown.value = new Set();
    });
    void this.#ask(++this.#load);
  }

  async label(value: LabelValue): Promise<void> {
    const { item, lab } = this;
    if (!item) return;
    const stream = this.#stream();
    const acts: LabelAct[] = [{ kind: "verdict", row: item.row, value, stream }, ...this.#look(item.row)];
    const said = lab.t("Row {0}: {1}.", item.row + 1, labelInWords(value, lab.speech.value));
    if (!(await act(lab, acts, said))) return;
    this.show(item.row);
    // With the score hidden before, it is worth a look after the verdict; else the next one comes at once.
    this.done.value = new Set(this.done.value).add(item.row);
    if (!this.blind.value) this.go(1);
  }

  async clear(): Promise<void> {
    const { item, lab } = this;
    if (!item) return;
    if (
      await act(lab, [{ kind: "clear", row: item.row }], lab.t("Row {0}: label taken back.", item.row + 1))
    ) {
      const done = new Set(this.done.value);
      done.delete(item.row);
      this.done.value = done;
    }
  }

  /** The next sample; in an inspection this one was looked at by that. */
  async next(): Promise<void> {
    const { item, lab } = this;
    if (item && this.kind.value === "inspect" && !this.done.value.has(item.row)) {
      const said = lab.t("Row {0} looked at.", item.row + 1);
      if (!(await act(lab, this.#look(item.row), said))) return;
      this.done.value = new Set(this.done.value).add(item.row);
    }
    this.go(1);
  }

  go(by: number): void {
    const queue = this.queue.value;
    if (!queue) return;
    const to = Math.max(0, this.at.value + by);
    this.at.value = Math.min(to, queue.items.length);
    // The end of what was asked for, not of the stream.
    if (this.at.value === queue.items.length && queue.left > queue.items.length) this.open(this.kind.value);
  }

  show(row: number): void {
    this.shown.value = new Set(this.shown.value).add(row);
  }

  #stream(): LabelStream {
    return this.kind.value === "hunting" ? "hunting" : "random";
  }

  #look(row: number): LabelAct[] {
    return this.#stream() === "random" ? [{ kind: "looked", row, stream: "random" }] : [];
  }

  async #ask(load: number): Promise<void> {
    const { lab } = this;
    try {
      const queue = await lab.connection.data.review({ stream: this.kind.value, limit: QUEUE, seed: SEED });
      if (load === this.#load) this.queue.value = queue;
    } catch (error) {
      if (load === this.#load)
        this.failure.value = errorSentence(toRewardsmithError(error), lab.speech.value);
    }
  }

  async #count(): Promise<void> {
    try {
      this.counts.value = await this.lab.connection.data.labels({});
    } catch {
      // The queue's own failure is shown; without counts the rest is still of use.
    }
  }
}
