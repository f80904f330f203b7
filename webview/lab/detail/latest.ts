import { signal } from "@preact/signals";
import { toRewardsmithError, type RewardsmithError } from "../../../src/base/errors";

/** Has an effect run again when signals change whose values it needs no further. */
export function dependsOn(..._values: readonly unknown[]): void {}

/**
 * An answer that is asked for again and again: the newest question wins, an older one is cancelled, and what was shown
 * last stays until the next answer is there.
 */
export class Latest<T> {
  readonly value = signal<T | null>(null);
  readonly failure = signal<RewardsmithError | null>(null);
  /** A newer answer is on its way, or waits to be asked for. */
  readonly old = signal(false);
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #next: ((signal: AbortSignal) => Promise<T>) | null = null;

  /** Asks after `delayMs` without a newer question; what is under way is cancelled. */
  ask(question: (signal: AbortSignal) => Promise<T>, delayMs = 0): void {
    this.stop();
    this.old.value = true;
    if (delayMs === 0) void this.#run(question);
    else this.#timer = setTimeout(() => void this.#run(question), delayMs);
  }

  /** The same about a newer state of things: an answer under way is left to arrive, however often this is called. */
  refresh(question: (signal: AbortSignal) => Promise<T>, everyMs: number): void {
    this.old.value = true;
    const waiting = this.#next !== null;
    this.#next = question;
    if (!waiting && this.#running === null) this.#soon(everyMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
    this.#next = null;
    this.old.value = false;
  }

  clear(): void {
    this.stop();
    this.value.value = null;
    this.failure.value = null;
  }

  #soon(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const question = this.#next;
      this.#next = null;
      if (question) void this.#run(question);
    }, ms);
  }

  async #run(question: (signal: AbortSignal) => Promise<T>): Promise<void> {
    const mine = new AbortController();
    this.#running = mine;
    try {
      const answer = await question(mine.signal);
      if (this.#running !== mine) return;
      this.value.value = answer;
      this.failure.value = null;
    } catch (error) {
      if (this.#running !== mine) return;
      const known = toRewardsmithError(error);
      // Overtaken by an edit: the scores that follow ask again.
      if (known.code !== "Cancelled") this.failure.value = known;
    }
    this.#running = null;
    if (this.#next !== null) this.#soon(0);
    else this.old.value = false;
  }
}
