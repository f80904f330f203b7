/** Longer than any line of numbers; what is longer is passed over without being kept. UTF-16 units. */
export const LONGEST_LINE = 4_000_000;

/**
 * Cuts text that comes in any pieces at line ends and at carriage returns (progress bars). The cuts don't depend on the
 * pieces. Keeps at most `LONGEST_LINE`: a line of 100 MB costs no memory and gives nothing.
 */
export class Segments {
  #parts: string[] = [];
  #length = 0;
  #skipping = false;

  /** Segments that have their end by now, without it; empty ones are left out. */
  push(text: string): readonly string[] {
    const done: string[] = [];
    let from = 0;
    for (const { index } of text.matchAll(/[\r\n]/g)) {
      this.#keep(text.slice(from, index));
      this.#finish(done);
      from = index + 1;
    }
    this.#keep(text.slice(from));
    return done;
  }

  /** What has no end yet. */
  get rest(): string {
    return this.#skipping ? "" : this.#join();
  }

  /** The job is over: the last segment needs no end. */
  end(): readonly string[] {
    const done: string[] = [];
    this.#finish(done);
    return done;
  }

  #keep(piece: string): void {
    if (piece === "" || this.#skipping) return;
    this.#length += piece.length;
    if (this.#length > LONGEST_LINE) {
      this.#skipping = true;
      this.#parts = [];
    } else this.#parts.push(piece);
  }

  #finish(done: string[]): void {
    const text = this.#skipping ? "" : this.#join();
    if (text !== "") done.push(text);
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
  }

  #join(): string {
    if (this.#parts.length > 1) this.#parts = [this.#parts.join("")];
    return this.#parts[0] ?? "";
  }
}
