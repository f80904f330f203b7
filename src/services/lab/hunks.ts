import { RewardsmithError } from "../../base/errors";
import type { LabHunks } from "../../schema/lab";
import type { ScoreSession } from "../scoreSession";

/** Which part of the difference to the baseline caused which flip: each hunk alone on the baseline, flipped rows scored. */
export function attributeFlips(_session: ScoreSession, _signal: AbortSignal): Promise<LabHunks> {
  return Promise.reject(new RewardsmithError("Internal", "not built yet"));
}
