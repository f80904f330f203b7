const RECENT = 50;
const FEWEST = 3;
/** A step that took so many times the median is a pause of the machine, not of the run. */
const PAUSE = 100;

/**
 * Seconds until the last step, as a range; null while fewer than three steps were timed, or nothing is left. Per step
 * the range reaches from the faster to the slower fifth of the last 50 and holds their mean, so that evaluations and
 * checkpoints, rare and long, are in it. `times`: step and milliseconds, ascending steps.
 */
export function timeLeft(
  times: readonly (readonly [step: number, at: number])[],
  steps: number | null,
): [number, number] | null {
  const last = times.at(-1);
  if (steps === null || !last || last[0] >= steps) return null;
  const each = times
    .slice(-RECENT - 1)
    .flatMap(([step, at], index, list) => {
      const before = list[index - 1];
      if (!before || step <= before[0] || at < before[1]) return [];
      return [(at - before[1]) / 1000 / (step - before[0])];
    })
    .sort((a, b) => a - b);
  const median = each[Math.floor(each.length / 2)] ?? 0;
  const usual = each.filter((seconds) => seconds <= PAUSE * median);
  if (usual.length < FEWEST) return null;
  const mean = usual.reduce((sum, seconds) => sum + seconds, 0) / usual.length;
  const quantile = (q: number) => usual[Math.round(q * (usual.length - 1))] ?? mean;
  const left = steps - last[0];
  return [left * Math.min(mean, quantile(0.2)), left * Math.max(mean, quantile(0.8))];
}
