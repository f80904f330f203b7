/** Work between two turns of the event loop, in milliseconds: a wish to stop is heard after about so long. */
const SLICE_MS = 12;

/** Lets others have a turn now and then during long work. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the work since the last turn has taken its share: then `turn` is due. */
  get due(): boolean {
    return performance.now() - this.#last > SLICE_MS;
  }

  /** Throws the signal's reason where it is aborted. */
  check(): void {
    this.#signal?.throwIfAborted();
  }

  /** A turn of the event loop where one is due; throws the signal's reason once it is aborted. */
  async turn(): Promise<void> {
    this.#signal?.throwIfAborted();
    if (!this.due) return;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
    this.#last = performance.now();
    this.#signal?.throwIfAborted();
  }
}
