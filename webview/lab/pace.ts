/** Since the last key: then nobody types any more. */
const QUIET_MS = 200;
/** What is shown may be this much behind somebody who doesn't stop typing. */
const MOST_MS = 1000;
/** A page that is shown again is first there as it was. */
const SHOWN_MS = 50;

/**
 * When newer data is shown: at once, but not between two keys of somebody who types, and not while nobody can see it.
 * Of what comes under one name meanwhile only the last counts; names keep the order of their last coming.
 */
export class Pace {
  readonly #waiting = new Map<string, () => void>();
  readonly #now: () => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;
  /** When the first of what waits came. */
  #since = 0;
  #hidden = false;

  /** @param now milliseconds of any clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A key was pressed that changed a text. */
  typed(): void {
    this.#typedAt = this.#now();
  }

  /** Nobody can see the page: what comes waits until it is shown again. */
  set hidden(hidden: boolean) {
    if (this.#hidden === hidden) return;
    this.#hidden = hidden;
    clearTimeout(this.#timer);
    if (!hidden) this.#timer = setTimeout(() => this.#arm(), SHOWN_MS);
  }

  /** Runs now or later, unless another of the same name comes before. */
  run(name: string, work: () => void): void {
    const free = !this.#hidden && this.#now() - this.#typedAt >= QUIET_MS;
    if (free && this.#waiting.size === 0) {
      work();
      return;
    }
    if (this.#waiting.size === 0) this.#since = this.#now();
    this.#waiting.delete(name);
    this.#waiting.set(name, work);
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#hidden || this.#waiting.size === 0) return;
    const due = Math.min(this.#typedAt + QUIET_MS, this.#since + MOST_MS) - this.#now();
    if (due > 0) this.#timer = setTimeout(() => this.#arm(), Math.ceil(due));
    else this.#flush();
  }

  #flush(): void {
    const works = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const work of works) work();
  }
}
