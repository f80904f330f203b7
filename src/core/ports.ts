import type { Event } from "../base/event";
import type { IDisposable } from "../base/lifecycle";
import type {
  EndFrame,
  Job,
  LoadFailedFrame,
  LoadedFrame,
  Ready,
  StartFrame,
  UnitFrame,
} from "../schema/worker";

/** What the outside must provide. `runtime` implements these for Node; tests use in-memory ones. */

export interface FileStore {
  /** Bytes of a file; rejects with `FileMissing` or `FileUnreadable`. */
  read(path: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** Null where there is no such file. `mtimeMs` is only a hint: content decides. */
  stat(
    path: string,
  ): Promise<{ readonly bytes: number; readonly mtimeMs: number; readonly directory: boolean } | null>;
  list(path: string): Promise<readonly { readonly name: string; readonly directory: boolean }[]>;
  /** Text of a file at git HEAD; null where there is no git, no commit or no such file in it. */
  head(path: string): Promise<string | null>;
}

export interface ByteSource {
  readonly bytes: number;
  read(from: number, length: number): Promise<Uint8Array>;
}

export interface Hasher {
  /** Hex digest of the parts, each counted with its length (so that ["ab","c"] ≠ ["a","bc"]). */
  hash(parts: readonly (string | Uint8Array)[]): string;
}

export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  delay(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Logger {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

export interface Watch extends IDisposable {
  readonly onChange: Event<readonly string[]>;
}

export type JobFrame = LoadedFrame | LoadFailedFrame | StartFrame | UnitFrame;

/**
 * Python processes that run jobs. Implementations own the processes: start, spare ones, limits, ends of trees.
 * One job at a time is current; `run` queues behind the one before unless that is cancelled.
 */
export interface WorkerPort extends IDisposable {
  /** Which mode is in use; `none` before the first start or after a failure. */
  readonly mode: "fork" | "spare" | "none";
  /** Starts the interpreter if needed. Rejects with PythonMissing, PythonTooOld, PythonFailed. */
  ready(signal?: AbortSignal): Promise<Ready>;
  /**
   * Makes a sample set known to every process (also to those started later); idempotent for an equal `set`.
   * Each item is the JSON text of one `SamplesPart`, encoded by `core/scoring/encode.ts` (which keeps NaN, big
   * integers and floats as Python would read them).
   */
  load(set: string, parts: () => Iterable<string>): Promise<void>;
  drop(set: string): void;
  /**
   * Runs a job; frames arrive in order, then the promise resolves with how it ended (also when it was cancelled,
   * timed out or crashed: those are results, not errors). Rejects only where no worker can be had.
   */
  run(job: Omit<Job, "job">, onFrame: (frame: JobFrame) => void, signal?: AbortSignal): Promise<EndFrame>;
  /** Fires when the process behind it went away by itself; the next call starts a new one. */
  readonly onDidFail: Event<string>;
}

/** The runs of one project: folders below `.rewardsmith/runs`. An id is a name of one, checked against `RunId`. */
export interface RunStorePort {
  /** Absolute path of the folder that holds the runs' folders; it may not be there yet. */
  readonly folder: string;
  /** Ids of all runs, in no order. */
  ids(): Promise<readonly string[]>;
  /** Makes a run's folder. False: there is one of that name, also where another process has just made it. */
  claim(id: string): Promise<boolean>;
  /** Text of a file of a run; null where there is none, or it is larger than `atMost` bytes. */
  read(id: string, path: string, atMost: number): Promise<string | null>;
  /** Writes a file of a run whole or not at all; makes the folders on the way. `path` stays inside the run. */
  write(id: string, path: string, text: string): Promise<void>;
  /** Copies a folder of one run to another: regular files only, links are left out. Nothing where it isn't there. */
  copy(from: string, to: string, path: string): Promise<void>;
  /** Bytes of a file from an offset on (null: the last `length`); null where there is no such file. */
  slice(
    id: string,
    path: string,
    from: number | null,
    length: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly from: number; readonly total: number } | null>;
  /** Differs from an earlier answer when the status, metrics, events or log of the run have changed since. */
  stamp(id: string): Promise<string>;
  /** Removes a run's folder and nothing else: links in it are removed, not followed. */
  remove(id: string): Promise<void>;
}

/** What a run's supervisor, or its absence, means for who looks at the run. */
export type RunPresence = "watched" | "adopted" | "settled";

/** Starts supervisors of runs and talks to them. Each run has at most one; it outlives this process. */
export interface RunProcessPort {
  /**
   * Starts the run's job under a supervisor of its own. `secrets`: values by variable, handed on by environment
   * alone. Resolves when a supervisor has taken the run; rejects with `Internal` and what it said where none did.
   */
  start(folder: string, secrets: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Looks after a run whose status says it is live. `watched`: its supervisor is alive. `adopted`: it is gone, the job
   * lives, and another supervisor takes over. `settled`: both are gone, and the status now says how it ended, or
   * `lost`.
   */
  ensure(folder: string): Promise<RunPresence>;
  /** Leaves a request for the supervisor. */
  request(folder: string, kind: "stop" | "kill", by: string): Promise<void>;
}
