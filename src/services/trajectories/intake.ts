import type { IndexEvent } from "../../formats/trajectories/indexing";
import { Pace } from "./order";
import type { StorePorts } from "./ports";
import type { SourceFile } from "./sourceFile";

/** Takes events in their order, at once where there is time for it, else in turns with everybody else. */
export class Intake {
  readonly #take: (file: SourceFile, event: IndexEvent) => void;
  readonly #waiting: { readonly file: SourceFile; readonly event: IndexEvent }[] = [];
  readonly #pace: Pace;
  #running: Promise<void> | null = null;

  constructor(
    ports: Pick<StorePorts, "now" | "turn">,
    take: (file: SourceFile, event: IndexEvent) => void,
    signal: AbortSignal,
  ) {
    this.#take = take;
    this.#pace = new Pace(ports.now, ports.turn, signal);
  }

  push(file: SourceFile, event: IndexEvent): void {
    if (this.#running === null && !this.#pace.due) {
      this.#take(file, event);
      return;
    }
    this.#waiting.push({ file, event });
    this.#running ??= this.#run();
    // Heard by `drained`.
    this.#running.catch(() => undefined);
  }

  /** All that was pushed is taken. Rejects when the signal is aborted. */
  async drained(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    try {
      // Many messages of a thread may be told in one turn: the time since the last rest is spent already.
      await this.#pace.rest();
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
        this.#take(next.file, next.event);
        if (this.#pace.due) await this.#pace.rest();
      }
    } finally {
      this.#waiting.length = 0;
      this.#running = null;
    }
  }
}
