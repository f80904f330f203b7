import { type FileHandle, open } from "node:fs/promises";
import { errorCode } from "../systemErrors";

export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

/**
 * Adds to the end of a file. Where the disk is full, what couldn't be written is kept and tried again by the next
 * `flush`; a line of which a part was written goes on where it stopped. Above `most` bytes waiting, the oldest are
 * dropped, and a note says so in their place.
 */
export class AppendFile {
  readonly #path: string;
  readonly #note: (bytes: number) => string;
  readonly #most: number;
  #handle: FileHandle | null = null;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;
  #writing: Buffer | null = null;
  #busy: Promise<boolean> | null = null;

  /** `note`: what stands in the file in place of so many bytes that were dropped. */
  constructor(path: string, note: (bytes: number) => string, most = 4 * 1024 * 1024) {
    this.#path = path;
    this.#note = note;
    this.#most = most;
  }

  get waiting(): number {
    return this.#bytes;
  }

  add(content: string | Buffer): void {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    while (this.#bytes > this.#most) {
      // What is being written right now stays.
      const at = this.#waiting[0] === this.#writing ? 1 : 0;
      const [oldest] = this.#waiting.length > at + 1 ? this.#waiting.splice(at, 1) : [];
      if (!oldest) break;
      this.#bytes -= oldest.length;
      this.#dropped += oldest.length;
    }
  }

  /** True: all is on the disk. False: there is no room. Rejects with other errors of the system. */
  flush(): Promise<boolean> {
    this.#busy ??= this.#write().finally(() => {
      this.#busy = null;
    });
    return this.#busy;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }

  async #write(): Promise<boolean> {
    try {
      this.#handle ??= await open(this.#path, "a");
      for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
        if (this.#dropped > 0) {
          this.#waiting.unshift(this.#noteOfDropped());
          continue;
        }
        this.#writing = first;
        const { bytesWritten } = await this.#handle.write(first);
        this.#bytes -= bytesWritten;
        if (bytesWritten === first.length) this.#waiting.shift();
        else this.#waiting[0] = first.subarray(bytesWritten);
      }
      return true;
    } catch (error) {
      if (isDiskFull(error)) return false;
      throw error;
    } finally {
      this.#writing = null;
    }
  }

  #noteOfDropped(): Buffer {
    const note = Buffer.from(this.#note(this.#dropped));
    this.#dropped = 0;
    this.#bytes += note.length;
    return note;
  }
}
