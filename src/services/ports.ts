import type { Clock, FileStore, Hasher, Logger, WorkerPort } from "../core/ports";
import type { Job } from "../schema/worker";
import type { Documents } from "./documents";

/** What living services need of the outside; the engine and the command line provide it. */
export interface ScoringPorts {
  readonly worker: WorkerPort;
  readonly files: FileStore;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly log: Logger;
  readonly documents: Documents;
  /** Where a file's imports start, and the name under which it is a module. */
  imports(path: string): Promise<Pick<Job, "roots" | "module">>;
  /** Runs a callback once the messages at hand have been taken in, so that changes which arrive together are one. */
  soon(run: () => void): void;
}
