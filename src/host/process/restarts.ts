/**
 * When to start the engine again after it ended by itself: soon at first, then later, then not without being asked.
 * Pure: time comes from the caller.
 */
export class RestartPolicy {
  readonly #window: number;
  readonly #most: number;
  #ends: number[] = [];

  constructor(most = 5, windowMs = 180_000) {
    this.#most = most;
    this.#window = windowMs;
  }

  /** @returns milliseconds to wait before the next start; null = too many ends in a short time, wait for the user */
  ended(now: number): number | null {
    this.#ends = [...this.#ends.filter((at) => now - at < this.#window), now];
    if (this.#ends.length > this.#most) return null;
    return Math.min(8000, 250 * 2 ** (this.#ends.length - 1));
  }

  reset(): void {
    this.#ends = [];
  }
}
