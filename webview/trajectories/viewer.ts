import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import type { z } from "zod";
import { toRewardsmithError } from "../../src/base/errors";
import { Emitter } from "../../src/base/event";
import type { TrajectoryAct, TrajectoryPageAct } from "../../src/protocol/trajectories.contract";
import type { FilterProblem } from "../../src/schema/filter";
import { type SourceProgress } from "../../src/schema/trajectory";
import { type SourceInfo, TrajectoriesState } from "../../src/schema/trajectoryView";
import { errorSentence } from "../../src/words/errors";
import type { Speech } from "../../src/words/format";
import type { Said } from "../shared/said";
import { keepState } from "../shared/keepState";
import type { Seam } from "../shared/seam";
import { speechOf } from "../shared/speech";
import { connect, type Connection } from "./connection";

export interface Greeting {
  readonly mode: "viewer" | "compare";
  readonly name: string;
}

export type Progress = z.output<typeof SourceProgress>;
/** What a comparison is of: these, or the whole group of one. */
export interface CompareAsk {
  readonly indexes: readonly number[];
  readonly group: number | null;
}
export type OneTab = "conversation" | "details" | "raw";

export const EMPTY_STATE: TrajectoriesState = TrajectoriesState.parse({});
/** While a source is read, lists are asked for again this often at most. */
const CALM_MS = 300;
export const TIMEOUT_MS = 60_000;

/** The page's model: what it is told about the source and what it keeps (`state`, over tab switch, reload, restart). */
export class Viewer {
  readonly connection: Connection;
  readonly #seam: Seam;
  readonly greeting = signal<Greeting | null>(null);
  readonly failed = signal<string | null>(null);
  readonly speech = signal<Speech>(speechOf({}, "en"));
  readonly trusted = signal(true);
  /** Name of the reward file that Score takes. */
  readonly reward = signal<string | null>(null);
  readonly info = signal<SourceInfo | null>(null);
  readonly infoFailed = signal<string | null>(null);
  readonly progress = signal<Progress | null>(null);
  readonly state = signal<TrajectoriesState>(EMPTY_STATE);
  readonly said = signal<Said>({ text: "" });
  /** Rises when rows, labels, scores or the source are others: whoever shows data asks again. */
  readonly rowsSeq = signal(0);
  /** Rises when what is known of single trajectories is another (labels, scores). */
  readonly factsSeq = signal(0);
  /** Rises when nothing that is here is of the source any more. */
  readonly resetSeq = signal(0);
  readonly filterProblem = signal<z.output<typeof FilterProblem> | null>(null);
  /** The comparison that is open over the viewer; in a panel of its own always. */
  readonly comparing = signal<CompareAsk | null>(null);
  /** Marked with x, to be compared. */
  readonly marked = signal<readonly number[]>([]);
  readonly oneTab = signal<OneTab>("conversation");
  readonly onAct = new Emitter<{ readonly act: TrajectoryPageAct; readonly index: number | null }>();
  readonly rows: ReadonlySignal<number> = computed(() => this.progress.value?.known ?? 0);
  #calm: ReturnType<typeof setTimeout> | undefined;

  constructor(seam: Seam) {
    this.#seam = seam;
    this.connection = connect(
      seam,
      {
        act: (act) => this.onAct.fire(act),
        trusted: ({ trusted, reward }) =>
          batch(() => {
            this.trusted.value = trusted;
            this.reward.value = reward;
          }),
      },
      {
        progress: (progress) => (this.progress.value = progress),
        changed: ({ what }) => {
          if (what === "rows") this.#rowsSoon();
          else this.#changed(what);
        },
      },
    );
  }

  get t(): Speech["t"] {
    return this.speech.value.t;
  }

  async start(): Promise<void> {
    const kept = TrajectoriesState.safeParse(this.#seam.kept("page"));
    const token = this.#seam.kept("token");
    try {
      const hello = await this.connection.host.hello(
        { restored: kept.success ? kept.data : null, token: typeof token === "string" ? token : null },
        { timeoutMs: 30_000 },
      );
      batch(() => {
        this.speech.value = speechOf(hello.bundle, hello.language);
        this.trusted.value = hello.trusted;
        this.reward.value = hello.reward;
        if (hello.state) this.state.value = hello.state;
        this.greeting.value = hello;
        const { compared, index } = this.state.value;
        if (compared.length > 1) this.comparing.value = { indexes: compared, group: null };
        else if (hello.mode === "compare" && (compared[0] ?? index) !== null)
          this.comparing.value = { indexes: [], group: compared[0] ?? index };
      });
      this.#seam.keep("token", hello.token);
    } catch (error) {
      this.failed.value = error instanceof Error ? error.message : String(error);
      return;
    }
    keepState(this.state, this.#seam, (state) => this.connection.host.saveState(state));
    await this.load();
  }

  /** Asks what the source is; opens it where that isn't done. */
  async load(): Promise<void> {
    this.infoFailed.value = null;
    try {
      const { info, progress } = await this.connection.data.info({}, { timeoutMs: TIMEOUT_MS });
      batch(() => {
        this.info.value = info;
        this.progress.value = progress;
        this.rowsSeq.value += 1;
      });
      const { follow } = this.state.value;
      if (follow && !progress.following) await this.follow(true);
    } catch (error) {
      this.infoFailed.value = errorSentence(toRewardsmithError(error), this.speech.value);
    }
  }

  async follow(on: boolean): Promise<void> {
    this.set({ follow: on });
    try {
      this.progress.value = await this.connection.data.follow({ on }, { timeoutMs: TIMEOUT_MS });
    } catch (error) {
      this.fail(error);
    }
  }

  /** An act that the host carries out; what it did is said. */
  async act(act: TrajectoryAct, indexes: readonly number[], filter: string | null = null): Promise<void> {
    try {
      const { said } = await this.connection.host.act({ act, indexes: [...indexes], filter });
      if (said !== null) this.say(said);
    } catch (error) {
      this.fail(error);
    }
  }

  async copy(text: string, said: string): Promise<void> {
    try {
      await this.connection.host.copy({ text });
      this.say(said);
    } catch (error) {
      this.fail(error);
    }
  }

  set(part: Partial<TrajectoriesState>): void {
    this.state.value = { ...this.state.value, ...part };
  }

  /** Shows a trajectory, at a message where one is given. */
  open(index: number, branch = 0, message = 0): void {
    const { state } = this;
    if (state.value.index === index && state.value.branch === branch && message === 0) return;
    this.set({ index, branch, message });
  }

  say(text: string): void {
    this.said.value = { text };
  }

  fail(error: unknown): void {
    this.said.value = { text: this.sentence(error), failed: true };
  }

  sentence(error: unknown): string {
    return errorSentence(toRewardsmithError(error), this.speech.value);
  }

  #rowsSoon(): void {
    if (this.#calm !== undefined) return;
    this.#calm = setTimeout(() => {
      this.#calm = undefined;
      this.rowsSeq.value += 1;
    }, CALM_MS);
  }

  #changed(what: "labels" | "scores" | "info" | "reset"): void {
    batch(() => {
      if (what === "reset") this.resetSeq.value += 1;
      if (what !== "info") this.factsSeq.value += 1;
      this.rowsSeq.value += 1;
    });
    if (what === "info" || what === "reset") void this.load();
  }
}
