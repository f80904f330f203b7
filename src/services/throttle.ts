import type { IDisposable } from "../base/lifecycle";

/** Of the time between two runs, at most this share is their own work. */
const SHARE = 0.1;

/**
 * Calls `run` for the last of what it was given, at most once in `ms` milliseconds, and for the last one after the rest
 * of that time even when nothing follows. The first call waits as well. A run that turns out costly makes the next one
 * wait longer, so that showing what there is never takes more than a tenth of the time of making it.
 */
export class Throttle<T> implements IDisposable {
  readonly #ms: number;
  readonly #run: (value: T) => void;
  readonly #now: () => number;
  #wait: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: { readonly value: T } | null = null;

  constructor(ms: number, run: (value: T) => void, now: () => number) {
    this.#ms = ms;
    this.#wait = ms;
    this.#run = run;
    this.#now = now;
  }

  push(value: T): void {
    this.#last = { value };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const last = this.#last;
      this.#last = null;
      if (!last) return;
      const began = this.#now();
      this.#run(last.value);
      this.#wait = Math.max(this.#ms, (this.#now() - began) / SHARE);
    }, this.#wait);
  }

  /** What waits is dropped. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = null;
  }
}
