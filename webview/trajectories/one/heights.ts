/**
 * Heights of many things under one another, known or guessed, with where each begins. A Fenwick tree: changing one and
 * finding a place take log n steps, so that ten thousand messages cost a scroll frame nothing.
 */
export class Heights {
  #heights: Float64Array;
  #known: Uint8Array;
  #tree: Float64Array;

  constructor(guesses: readonly number[]) {
    this.#heights = Float64Array.from(guesses);
    this.#known = new Uint8Array(guesses.length);
    this.#tree = treeOf(this.#heights);
  }

  get count(): number {
    return this.#heights.length;
  }

  get total(): number {
    return this.top(this.count);
  }

  height(index: number): number {
    return this.#heights[index] ?? 0;
  }

  isMeasured(index: number): boolean {
    return this.#known[index] === 1;
  }

  /** Where thing `index` begins; of `count` the end of all. */
  top(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, this.count); at > 0; at -= at & -at) sum += this.#tree[at] ?? 0;
    return sum;
  }

  /** The thing that stands at a place; the last one below the end. */
  at(offset: number): number {
    let index = 0;
    let left = offset;
    let step = 1;
    while (step * 2 <= this.count) step *= 2;
    for (; step > 0; step >>= 1) {
      const next = index + step;
      const size = this.#tree[next];
      if (next > this.count || size === undefined || size > left) continue;
      index = next;
      left -= size;
    }
    return Math.min(index, Math.max(0, this.count - 1));
  }

  /** What a thing's height is found to be; gives by how much it is another than before. */
  measured(index: number, height: number): number {
    const before = this.#heights[index];
    if (before === undefined) return 0;
    this.#known[index] = 1;
    return this.#set(index, height - before);
  }

  /** More things at the end, and better guesses of those that nobody has measured. */
  guess(guesses: readonly number[]): void {
    const heights = Float64Array.from(guesses);
    const known = new Uint8Array(guesses.length);
    for (let at = 0; at < Math.min(this.count, guesses.length); at++)
      if (this.#known[at] === 1) {
        heights[at] = this.#heights[at] ?? 0;
        known[at] = 1;
      }
    this.#heights = heights;
    this.#known = known;
    this.#tree = treeOf(heights);
  }

  /** The width is another: what was measured is a guess now. */
  forget(): void {
    this.#known.fill(0);
  }

  #set(index: number, by: number): number {
    if (by === 0) return 0;
    this.#heights[index] = this.height(index) + by;
    for (let at = index + 1; at <= this.count; at += at & -at) this.#tree[at] = (this.#tree[at] ?? 0) + by;
    return by;
  }
}

function treeOf(heights: Float64Array): Float64Array {
  const tree = new Float64Array(heights.length + 1);
  tree.set(heights, 1);
  for (let at = 1; at < tree.length; at++) {
    const parent = at + (at & -at);
    if (parent < tree.length) tree[parent] = (tree[parent] ?? 0) + (tree[at] ?? 0);
  }
  return tree;
}

const LINE = 19;
const HEAD = 40;
const PER_LINE = 90;

/** Guess of a message's height in pixels from its length in characters, of which at most `shown` are drawn. */
export function guessHeight(characters: number, calls: number, shown: number, width: number): number {
  const perLine = Math.max(20, Math.min(PER_LINE, width / 7.5));
  return HEAD + LINE * Math.max(1, Math.ceil(Math.min(characters, shown) / perLine)) + calls * 24;
}
