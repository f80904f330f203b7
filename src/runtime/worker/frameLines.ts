const NEWLINE = 0x0a;

/** A line longer than this is no frame of ours: values and output are capped well below. */
const LONGEST_FRAME = 64 * 1024 * 1024;

/**
 * Cuts the worker's output into frames: lines that begin with the token of this process. Everything else was written
 * by user code that found the descriptor; it is counted and never kept, however long it is.
 */
export class FrameLines {
  readonly #head: Buffer;
  readonly #onFrame: (json: string) => void;
  #parts: Buffer[] = [];
  #size = 0;
  /** The current line can't be a frame any more. */
  #dropping = false;
  #garbage = 0;

  constructor(token: string, onFrame: (json: string) => void) {
    this.#head = Buffer.from(`${token} `);
    this.#onFrame = onFrame;
  }

  /** Bytes that weren't part of a frame, the line breaks around frames not counted. */
  get garbageBytes(): number {
    return this.#garbage;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.#finish();
      from = at + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#dropping) {
      this.#garbage += part.length;
      return;
    }
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size > LONGEST_FRAME || !this.#mayBeFrame()) {
      this.#garbage += this.#size;
      this.#parts = [];
      this.#size = 0;
      this.#dropping = true;
    }
  }

  /** Whether the line so far begins as a frame does; looked at while it is short only. */
  #mayBeFrame(): boolean {
    const [first] = this.#parts;
    if (first === undefined || (this.#parts.length > 1 && first.length >= this.#head.length)) return true;
    const start = this.#parts.length === 1 ? first : this.#merge();
    const length = Math.min(start.length, this.#head.length);
    return start.subarray(0, length).equals(this.#head.subarray(0, length));
  }

  #merge(): Buffer {
    const merged = Buffer.concat(this.#parts);
    this.#parts = [merged];
    return merged;
  }

  #finish(): void {
    if (!this.#dropping && this.#size > 0) {
      const line = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
      if (line !== undefined && line.length > this.#head.length)
        this.#onFrame(line.toString("utf8", this.#head.length));
      else this.#garbage += this.#size;
    }
    this.#parts = [];
    this.#size = 0;
    this.#dropping = false;
  }
}
