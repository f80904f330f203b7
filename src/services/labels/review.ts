import { RewardsmithError } from "../../base/errors";
import type { ReviewQueue } from "../../schema/lab";
import type { RowLabels } from "../lab/arrangement";
import type { LabSource } from "../lab/source";

/** Which samples to look at next: a random draw that a seed fixes, or those where a look pays most. */
export function reviewQueue(
  _source: LabSource,
  _labels: RowLabels,
  _ask: { stream: "random" | "hunting"; limit: number; seed: number },
): ReviewQueue {
  throw new RewardsmithError("Internal", "not built yet");
}
