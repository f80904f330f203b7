import type { FileAccess } from "../../formats/trajectories/container";
import type { Indexer } from "../../formats/trajectories/indexing";

export interface OpenedAccess extends FileAccess {
  close(): Promise<void>;
}

export interface ListedFile {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

export interface PathState {
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly directory: boolean;
  /** Tells files apart that took one another's name; null where the system has none. */
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

export interface StorePorts {
  readonly files: TrajectoryFiles;
  readonly indexer: Indexer;
  readonly search: ByteSearch;
  /** Null: texts stay in memory. */
  readonly spill: (() => Promise<Spill>) | null;
  readonly now: () => number;
  /** A turn of the event loop: what waits is heard. */
  readonly turn: () => Promise<void>;
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly warn: (text: string) => void;
}
