import type { FileAccess, ScanPosition } from "../../formats/trajectories/container";
import type { IndexEvent, Indexer } from "../../formats/trajectories/indexing";

export interface OpenedAccess extends FileAccess {
  close(): Promise<void>;
}

export interface ListedFile {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** Tells files apart that took one another's name; null where the system has none. */
  readonly inode: number | null;
}

export interface PathState {
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly directory: boolean;
  readonly inode: number | null;
}

/** The files of a source. */
export interface TrajectoryFiles {
  /** Rejects with FileMissing or FileUnreadable. */
  open(path: string): Promise<OpenedAccess>;
  stat(path: string): Promise<PathState | null>;
  /**
   * Files below a folder, without those that can't be trajectories (checkpoints, packages, version control); at most
   * `atMost`. `whole`: all were listed.
   */
  list(
    folder: string,
    atMost: number,
    signal: AbortSignal,
  ): Promise<{ readonly files: readonly ListedFile[]; readonly whole: boolean }>;
  join(folder: string, relative: string): string;
}

/** Where blocks of texts go that would be too much for memory; its file is gone when it is closed. */
export interface Spill {
  write(block: Uint8Array): Promise<{ readonly at: number; readonly length: number }>;
  read(at: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Looks for a text in bytes of JSON, in all spellings that JSON has for it. */
export interface ByteSearch {
  /** A search for this text; `find` gives the first place at or after `from` where it may stand, -1: nowhere. */
  compile(text: string, matchCase: boolean): { find(bytes: Uint8Array, from: number): number };
}

/** What is kept of a file. */
export interface KeptSummaries {
  /** They tell of so many bytes from its start. */
  readonly bytes: number;
  /** In order, as they were told when it was read; they end early where what is kept is damaged. */
  events(): AsyncIterable<IndexEvent>;
}

/** Writes down what is found in a file. */
export interface SummaryKeeper {
  add(event: IndexEvent): void;
  /** All was told up to there: from now on it is found, unless the file has changed meanwhile. Never rejects. */
  keep(position: ScanPosition): Promise<void>;
  /** What isn't kept by now is dropped. */
  end(): void;
}

/**
 * Summaries of files over restarts, by what the files hold: only where a file is the same or grew behind what is kept.
 * What is damaged, or was written by another version, isn't there.
 */
export interface SummaryCache {
  find(path: string, name: string): Promise<KeptSummaries | null>;
  /** `state`: of the file before it is read. Null: it is read sooner than found here. */
  begin(
    path: string,
    name: string,
    state: { readonly bytes: number; readonly mtimeMs: number },
  ): SummaryKeeper | null;
}

export interface StorePorts {
  readonly files: TrajectoryFiles;
  readonly indexer: Indexer;
  readonly search: ByteSearch;
  /** Null: texts stay in memory. */
  readonly spill: (() => Promise<Spill>) | null;
  /** Null: nothing is kept. */
  readonly cache: SummaryCache | null;
  readonly now: () => number;
  /** A turn of the event loop: what waits is heard. */
  readonly turn: () => Promise<void>;
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly warn: (text: string) => void;
}
