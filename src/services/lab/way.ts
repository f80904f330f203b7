import { RewardsmithError } from "../../base/errors";
import type { LabWay } from "../../schema/lab";
import type { ScoreSession } from "../scoreSession";

/** Follows one sample (or another completion in its place) through one function. Rejects with Cancelled on a newer edit. */
export function followWay(
  _session: ScoreSession,
  _ask: { row: number; function: string; completion?: unknown },
  _signal: AbortSignal,
): Promise<LabWay> {
  return Promise.reject(new RewardsmithError("Internal", "not built yet"));
}
