import { RewardsmithError } from "../../base/errors";
import type { LabTry } from "../../schema/lab";
import type { ScoreSession } from "../scoreSession";

/** Scores another completion in a sample's place, alone and unguarded by nothing but the user's act. */
export function tryCompletion(
  _session: ScoreSession,
  _ask: { row: number; completion: unknown; weights: Readonly<Record<string, number>> | null },
  _signal: AbortSignal,
): Promise<LabTry> {
  return Promise.reject(new RewardsmithError("Internal", "not built yet"));
}
