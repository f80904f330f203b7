import type { Writable } from "node:stream";

interface Batch {
  readonly lines: Iterator<string>;
  readonly done: () => void;
}

/**
 * Writes lines in order, pulling each batch only as fast as the other side reads: a sample set of 100 MB is never in
 * memory twice. A pipe that closed ends all waiting without an error; the process's end is noticed elsewhere.
 */
export class LineWriter {
  readonly #stream: Writable;
  readonly #queue: Batch[] = [];
  #blocked = false;
  #closed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("drain", () => {
      this.#blocked = false;
      this.#pump();
    });
    stream.on("error", () => this.close());
    stream.on("close", () => this.close());
  }

  write(lines: Iterable<string>): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((done) => {
      this.#queue.push({ lines: lines[Symbol.iterator](), done });
      this.#pump();
    });
  }

  close(): void {
    this.#closed = true;
    for (const { done } of this.#queue.splice(0)) done();
  }

  #pump(): void {
    while (!this.#blocked && !this.#closed) {
      const [batch] = this.#queue;
      if (!batch) return;
      const next = batch.lines.next();
      if (next.done) {
        this.#queue.shift();
        batch.done();
      } else {
        this.#blocked = !this.#stream.write(`${next.value}\n`);
      }
    }
  }
}
