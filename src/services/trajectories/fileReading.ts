import { hash64 } from "../../core/trajectories/hash";
import type { ScanPosition } from "../../formats/trajectories/container";
import type { IndexEvent } from "../../formats/trajectories/indexing";
import type { StorePorts, SummaryKeeper } from "./ports";
import type { SourceFile } from "./sourceFile";

const MARK_BYTES = 4096;

/** Who hears what is found in a file; `taken` resolves when all that was told so far is worked in. */
export interface FileHearer {
  readonly hear: (event: IndexEvent) => void;
  readonly taken: () => Promise<void>;
}

/** Reads files of a source one by one: what is kept of them from before, then the rest of their bytes. */
export class FileReading {
  readonly #ports: StorePorts;
  readonly #signal: AbortSignal;

  constructor(ports: StorePorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
  }

  /** From where it was left the last time. Rejects as the indexer does. */
  async read(file: SourceFile, hearer: FileHearer): Promise<void> {
    file.pending = [];
    const again = file.facts !== null && file.position.bytes > 0;
    const { from, hear, keeper } = again
      ? { from: file.position, hear: hearer.hear, keeper: null }
      : await this.#kept(file, hearer);
    try {
      const position = await this.#readOn(file, from, hear);
      file.done = true;
      file.marks = await this.#marksAt(file, position);
      if (file.pending.length === 0) await keeper?.keep(position);
    } finally {
      keeper?.end();
    }
  }

  /** What was read of it is still there, and the rest can be read without that. */
  async grew(file: SourceFile, bytes: number): Promise<boolean> {
    if (file.facts?.resumes !== true || file.marks === null || bytes < file.position.bytes) return false;
    const marks = await this.#marksAt(file, file.position);
    return marks?.head === file.marks.head && marks.tail === file.marks.tail;
  }

  async #readOn(
    file: SourceFile,
    from: ScanPosition | null,
    hear: (event: IndexEvent) => void,
  ): Promise<ScanPosition> {
    if (from !== null && from.bytes === file.bytes) return from;
    const job = { path: file.path, name: file.name };
    const position = await this.#ports.indexer.index({ ...job, from, last: false }, hear, this.#signal);
    return position.bytes < file.bytes ? this.#readRest(file, position, hear) : position;
  }

  /** Tells what is kept of the file, and where to go on behind that. */
  async #kept(
    file: SourceFile,
    { hear, taken }: FileHearer,
  ): Promise<{
    from: ScanPosition | null;
    hear: (event: IndexEvent) => void;
    keeper: SummaryKeeper | null;
  }> {
    const { cache } = this.#ports;
    const kept = (await cache?.find(file.path, file.name)) ?? null;
    // What is all kept already isn't written again.
    const whole = kept !== null && kept.bytes === file.bytes;
    const keeper = whole ? null : (cache?.begin(file.path, file.name, file) ?? null);
    const told = (event: IndexEvent): void => {
      keeper?.add(event);
      hear(event);
    };
    let from: ScanPosition | null = null;
    for await (const event of kept?.events() ?? []) {
      this.#signal.throwIfAborted();
      told(event);
      if (event.kind === "batch") from = event.position;
      await taken();
    }
    return { from, hear: told, keeper };
  }

  /** A last line without its end counts where it is whole; a half one waits: it is a problem only until it is whole. */
  async #readRest(
    file: SourceFile,
    from: ScanPosition,
    hear: (event: IndexEvent) => void,
  ): Promise<ScanPosition> {
    const events: IndexEvent[] = [];
    const job = { path: file.path, name: file.name, from, last: true };
    const position = await this.#ports.indexer.index(job, (event) => events.push(event), this.#signal);
    const batches = events.flatMap((event) => (event.kind === "batch" ? [event] : []));
    const problems = batches.flatMap((batch) => batch.problems);
    const half = problems.some(({ code }) => code === "unfinished" || code === "torn" || code === "not-json");
    if (batches.some(({ batch }) => batch.n > 0) && !half) {
      for (const batch of batches) hear(batch);
      return position;
    }
    file.pending = problems;
    return from;
  }

  /** Its beginning, and what stands before the place where reading stopped. */
  async #marksAt(file: SourceFile, { bytes }: ScanPosition): Promise<SourceFile["marks"]> {
    try {
      const access = await this.#ports.files.open(file.path);
      try {
        const head = await access.read(0, Math.min(MARK_BYTES, bytes));
        const from = Math.max(0, bytes - MARK_BYTES);
        const tail = await access.read(from, bytes - from);
        return { head: markOf(head), tail: markOf(tail) };
      } finally {
        await access.close();
      }
    } catch {
      return null;
    }
  }
}

function markOf(bytes: Uint8Array): string {
  const { high, low } = hash64(new TextDecoder("latin1").decode(bytes));
  return `${bytes.length}.${high}.${low}`;
}
