import { RewardsmithError } from "../base/errors";
import type { ScoreSession } from "../services/scoreSession";
import type { Graph } from "./compose";

export interface DebugJob {
  python: string;
  module: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** One sample's call as a program that a debugger can launch: no fork, no limits, breakpoints in the user's own file. */
export function debugJob(
  _session: ScoreSession,
  _graph: Graph,
  _ask: { row: number; function: string },
  _signal: AbortSignal,
): Promise<DebugJob> {
  return Promise.reject(new RewardsmithError("Internal", "not built yet"));
}
