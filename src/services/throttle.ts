import type { IDisposable } from "../base/lifecycle";

/**
 * Calls `run` for the last of what it was given, at most once in `ms`, and for the last one after the rest of that time
 * even when nothing follows. The first call waits as well.
 */
export class Throttle<T> implements IDisposable {
  readonly #ms: number;
  readonly #run: (value: T) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: { readonly value: T } | null = null;

  constructor(ms: number, run: (value: T) => void) {
    this.#ms = ms;
    this.#run = run;
  }

  push(value: T): void {
    this.#last = { value };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const last = this.#last;
      this.#last = null;
      if (last) this.#run(last.value);
    }, this.#ms);
  }

  /** What waits is dropped. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = null;
  }
}
