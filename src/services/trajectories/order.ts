/** Milliseconds that are worked at once; what waits for the engine waits no longer. */
export const BLOCK_MS = 10;
const RUN = 2048;

/** Gives the others a turn whenever this one has had its time. Rejects when `signal` is aborted. */
export class Pace {
  readonly #now: () => number;
  readonly #turn: () => Promise<void>;
  readonly #signal: AbortSignal | undefined;
  #began: number;

  constructor(now: () => number, turn: () => Promise<void>, signal?: AbortSignal) {
    this.#now = now;
    this.#turn = turn;
    this.#signal = signal;
    this.#began = now();
  }

  /** Asked often: reads a clock. */
  get due(): boolean {
    return this.#now() - this.#began >= BLOCK_MS;
  }

  async rest(): Promise<void> {
    await this.#turn();
    this.#signal?.throwIfAborted();
    this.#began = this.#now();
  }
}

/**
 * Sorts rows by a number of each, those without one (NaN) last either way, equal ones in order of the source: a merge
 * sort, so that it can stop at any place and give others a turn.
 */
export async function sortRows(
  rows: Uint32Array,
  keyOf: (row: number) => number,
  descending: boolean,
  pace: Pace,
): Promise<Uint32Array> {
  const n = rows.length;
  const keys = new Float64Array(n);
  for (let at = 0; at < n; at++) {
    const key = keyOf(rows[at] ?? 0);
    keys[at] = descending ? -key : key;
    if ((at & 4095) === 4095 && pace.due) await pace.rest();
  }
  const before = (a: number, b: number): number => {
    const x = keys[a] ?? Number.NaN;
    const y = keys[b] ?? Number.NaN;
    if (x < y) return -1;
    if (x > y) return 1;
    if (x === y) return a - b;
    const [noX, noY] = [Number.isNaN(x), Number.isNaN(y)];
    return noX === noY ? a - b : noX ? 1 : -1;
  };
  const order = await mergeSort(n, before, pace);
  return order.map((at) => rows[at] ?? 0);
}

/** Positions 0 … n-1 in the order that `before` says. */
export async function mergeSort(
  n: number,
  before: (a: number, b: number) => number,
  pace: Pace,
): Promise<Uint32Array> {
  let from = Uint32Array.from({ length: n }, (_, at) => at);
  if (pace.due) await pace.rest();
  for (let at = 0; at < n; at += RUN) {
    from.subarray(at, at + RUN).sort(before);
    if (pace.due) await pace.rest();
  }
  let to = new Uint32Array(n);
  for (let width = RUN; width < n; width *= 2) {
    for (let at = 0; at < n; at += 2 * width) {
      const middle = Math.min(at + width, n);
      const end = Math.min(at + 2 * width, n);
      let left = at;
      let right = middle;
      for (let out = at; out < end; out++) {
        const takeLeft = left < middle && (right >= end || before(from[left] ?? 0, from[right] ?? 0) <= 0);
        to[out] = (takeLeft ? from[left++] : from[right++]) ?? 0;
        if ((out & 1023) === 1023 && pace.due) await pace.rest();
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
