import { fromTagged } from "../../../src/schema/number";
import type { TrajectoryHead } from "../../../src/schema/trajectoryView";
import { formatNumber, formatScore, type Speech } from "../../../src/words/format";

/** `0.30 = 0.1 tool + 2 × 0.1 artifact`: the sum with its weights, where they are known. */
export function rewardLine(
  head: Pick<TrajectoryHead, "reward" | "rewards" | "weights">,
  { language }: Speech,
): string {
  const parts = Object.entries(head.rewards).flatMap(([name, value]) => {
    const weight = head.weights[name];
    const times = weight === undefined || weight === 1 ? "" : `${formatNumber(weight, language)} × `;
    return value === null ? [] : [`${times}${formatScore(value, language)} ${name}`];
  });
  const total = formatScore(head.reward, language);
  if (parts.length === 0) return total;
  return addsUp(head) ? `${total} = ${parts.join(" + ")}` : `${total} (${parts.join(", ")})`;
}

/** Only a sum that holds is written as one: a file may have components that its reward isn't made of. */
function addsUp({
  reward,
  rewards,
  weights,
}: Pick<TrajectoryHead, "reward" | "rewards" | "weights">): boolean {
  if (reward === null) return false;
  let sum = 0;
  for (const [name, value] of Object.entries(rewards))
    if (value !== null) sum += (weights[name] ?? 1) * fromTagged(value);
  return Math.abs(sum - fromTagged(reward)) <= 1e-6 * Math.max(1, Math.abs(sum));
}
