import { batch, computed, effect, signal } from "@preact/signals";
import type { DetailFunction, LabDetail, LabState, LabTry, LabWay } from "../../../src/schema/lab";
import type { Lab } from "../lab";
import { type Editable, editable } from "./completion";
import { dependsOn, Latest } from "./latest";
import { changed } from "./source";
import { decisive } from "./why";

const MOST_TEXT = 400_000;
const MOST_KEPT = 1_000_000;
const TYPING_MS = 150;
/** Slider and pass may change many times a second: an answer under way is left to arrive. */
const SETTLE_MS = 40;

const models = new WeakMap<Lab, DetailModel>();

/** The one model of a page's selected sample. */
export function detailModel(lab: Lab): DetailModel {
  let model = models.get(lab);
  if (!model) {
    model = new DetailModel(lab);
    models.set(lab, model);
  }
  return model;
}

/** The selected sample: what the engine says of it, the completion being tried, and its way through one function. */
export class DetailModel {
  readonly lab: Lab;
  readonly #detail = new Latest<LabDetail>();
  readonly #way = new Latest<LabWay>();
  readonly attempt = new Latest<LabTry>();
  readonly detail = this.#detail.value;
  readonly failure = this.#detail.failure;
  readonly old = this.#detail.old;
  readonly way = this.#way.value;
  readonly wayFailure = this.#way.failure;
  readonly wayOld = this.#way.old;
  /** Name of the function that the user wants followed; null: the one where it matters most. */
  readonly chosen = signal<string | null>(null);
  readonly step = signal(0);
  /** The completion is in a text field. */
  readonly editing = signal(false);
  /** The number field for a label is open. */
  readonly numbering = signal(false);
  /** First of a pair, waiting for the other. */
  readonly first = signal<{ readonly row: number; readonly group: string; readonly text: string } | null>(
    null,
  );
  readonly pair = signal<{
    readonly a: { readonly row: number; readonly text: string };
    readonly b: { readonly row: number; readonly text: string };
  } | null>(null);
  /** Text of the reward file, where the page has it. */
  readonly source = signal<string | null>(null);
  #users = 0;
  #stop: (() => void) | null = null;

  constructor(lab: Lab) {
    this.lab = lab;
    this.source.value = lab.greeting.value?.document?.text ?? null;
    lab.onReset.event(({ text }) => (this.source.value = text));
    lab.onDocument.event(({ changes }) => {
      if (this.source.value !== null) this.source.value = changed(this.source.value, changes);
    });
  }

  readonly row = computed(() => this.lab.state.value.selected?.row ?? null);

  readonly editable = computed((): Editable | null => {
    const detail = this.detail.value;
    return detail && editable(detail.completion);
  });

  /** What is tried in place of the sample's own completion; null: nothing is. */
  readonly attempted = computed((): string | null => {
    const { attempt } = this.lab.state.value;
    return attempt !== null && attempt.id === this.detail.value?.id ? attempt.text : null;
  });

  /** The function that is followed and debugged: the chosen one, else the first that gave no score or the least. */
  readonly function = computed((): DetailFunction | null => {
    const functions = this.detail.value?.functions ?? [];
    const chosen = functions.find(({ name }) => name === this.chosen.value);
    return chosen ?? functions.find(({ state }) => state !== "scored") ?? lowest(functions);
  });

  /** Asks as long as someone shows it. */
  start(): () => void {
    this.#users += 1;
    this.#stop ??= this.#follow();
    return () => {
      this.#users -= 1;
      if (this.#users > 0) return;
      this.#stop?.();
      this.#stop = null;
    };
  }

  /** The completion as it would be kept or scored: the tried text in its place. Undefined: it can't be put there. */
  completion(): unknown {
    const detail = this.detail.value;
    const text = this.attempted.value;
    if (text === null) return detail?.completion;
    return this.editable.value?.put(text) ?? undefined;
  }

  type(text: string): void {
    const id = this.detail.value?.id;
    if (id !== undefined) this.lab.set({ attempt: { id, text: text.slice(0, MOST_KEPT) } });
  }

  revert(): void {
    batch(() => {
      this.editing.value = false;
      this.lab.set({ attempt: null });
    });
    this.attempt.clear();
  }

  show(tab: LabState["detail"]): void {
    this.lab.set({ detail: tab });
  }

  goTo(step: number): void {
    const steps = this.way.value?.steps ?? [];
    const at = Math.max(0, Math.min(step, steps.length - 1));
    this.step.value = at;
    const line = steps[at]?.line;
    // The keyboard goes on stepping.
    if (line !== undefined) this.lab.editor.value?.reveal(line, true);
  }

  reveal(line: number): void {
    const editor = this.lab.editor.value;
    if (editor) editor.reveal(line);
    else void this.lab.connection.host.reveal({ line, file: null }).catch(() => undefined);
  }

  #follow(): () => void {
    const { lab } = this;
    const data = lab.connection.data;
    const weights = computed(() => lab.state.value.weights);
    const tab = computed(() => lab.state.value.detail);
    let asked = -1;
    const stops = [
      effect(() => {
        dependsOn(lab.seq.value, lab.labelSeq.value);
        const row = this.row.value;
        const by = weights.value;
        if (row === null) {
          this.#detail.clear();
          asked = -1;
          return;
        }
        const question = (signal: AbortSignal): Promise<LabDetail> =>
          data.detail({ row, weights: by, maxText: MOST_TEXT }, { signal });
        if (row === asked) this.#detail.refresh(question, SETTLE_MS);
        else this.#detail.ask(question);
        asked = row;
      }),
      // The identity, for whoever selected by position alone.
      effect(() => {
        const detail = this.detail.value;
        const selected = lab.state.value.selected;
        if (detail && selected?.id === "" && selected.row === detail.row)
          lab.set({ selected: { id: detail.id, row: detail.row } });
      }),
      effect(() => {
        const text = this.attempted.value;
        const detail = this.detail.value;
        const by = weights.value;
        dependsOn(lab.seq.value);
        if (text === null || detail === null) {
          this.attempt.clear();
          return;
        }
        const completion = this.editable.peek()?.put(text) ?? null;
        if (completion === null) this.attempt.clear();
        else
          this.attempt.ask(
            (signal) => data.attempt({ row: detail.row, completion, weights: by }, { signal }),
            TYPING_MS,
          );
      }),
      this.#followWay(tab),
      // Another sample: its own text, from the first step.
      effect(() => {
        dependsOn(this.row.value);
        this.editing.value = false;
        this.numbering.value = false;
        this.step.value = 0;
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      this.#detail.stop();
      this.#way.stop();
      this.attempt.stop();
    };
  }

  #followWay(tab: { readonly value: LabState["detail"] }): () => void {
    const { lab } = this;
    let last = "";
    return effect(() => {
      const shown = tab.value === "way" || tab.value === "why";
      const detail = this.detail.value;
      const fn = this.function.value?.name;
      const text = this.attempted.value;
      const seq = lab.seq.value;
      if (!shown || detail === null || fn === undefined || !lab.trusted.value) return;
      const key = JSON.stringify([detail.row, detail.id, fn, seq, text]);
      if (key === last && (this.#way.value.peek() !== null || this.#way.old.peek())) return;
      const same = this.#way.value.peek();
      // Another sample's way isn't this one's old way.
      if (!last.startsWith(JSON.stringify([detail.row, detail.id]).slice(0, -1)) || same?.function !== fn)
        this.#way.clear();
      last = key;
      const tried = text === null ? undefined : this.editable.peek()?.put(text);
      this.#way.ask(
        async (signal) => {
          const ask = { row: detail.row, function: fn };
          const way = await lab.connection.data.way(
            tried === undefined || tried === null ? ask : { ...ask, completion: tried },
            { signal },
          );
          // A new sample is looked at where it was decided; the same one again stays where it was.
          const at = this.#way.value.peek() === null ? decisive(way)[0]?.step : undefined;
          this.step.value = Math.max(0, Math.min(at ?? this.step.peek(), way.steps.length - 1));
          return way;
        },
        text === null ? 0 : TYPING_MS,
      );
    });
  }
}

function lowest(functions: readonly DetailFunction[]): DetailFunction | null {
  const value = ({ value: v }: DetailFunction): number =>
    typeof v === "number" ? v : Number.NEGATIVE_INFINITY;
  return functions.reduce<DetailFunction | null>(
    (low, one) => (low === null || value(one) < value(low) ? one : low),
    null,
  );
}
