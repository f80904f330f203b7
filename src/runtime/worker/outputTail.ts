/** The last bytes of a stream that may be endless, and how many there were. */
export class OutputTail {
  readonly #capacity: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #total = 0;

  constructor(capacity = 256 * 1024) {
    this.#capacity = capacity;
  }

  get total(): number {
    return this.#total;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    this.#total += chunk.length;
    while (this.#kept > this.#capacity * 2 && this.#chunks.length > 1)
      this.#kept -= this.#chunks.shift()?.length ?? 0;
  }

  /** What came after the first `from` bytes, as far as it is kept. */
  text(from = 0): string {
    const all = Buffer.concat(this.#chunks);
    const wanted = Math.min(this.#total - from, this.#capacity);
    this.#chunks = [all];
    return wanted <= 0 ? "" : all.subarray(Math.max(0, all.length - wanted)).toString("utf8");
  }
}
