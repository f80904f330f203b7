import type { FileStore, Hasher } from "../core/ports";
import type { ScoreReport } from "../schema/report";
import type { Projects } from "../services/project";
import type { ScoreRequest } from "./scoreRequest";
import type { Terminal } from "./terminal";

/** What a command has at hand. */
export interface Session {
  readonly terminal: Terminal;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly version: string;
  readonly files: FileStore;
  readonly hasher: Hasher;
  readonly projects: Pick<Projects, "find">;
  readonly signal: AbortSignal;
  /** Starts Python, scores once, ends it. */
  score(request: ScoreRequest): Promise<ScoreReport>;
}
