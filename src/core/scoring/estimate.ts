import { toTagged } from "../../schema/number";
import type { MeanEstimate } from "../../schema/live";
import type { FunctionOutcome } from "./outcome";
import { scoreOf } from "./states";
import type { SampleTable } from "./table";

/**
 * Mean over scored rows with the half width of its 95 % interval, clustered by group: completions of one task are alike,
 * so tasks are what was drawn.
 *
 * With k groups that have a scored row, n scored rows, mean m and e(g) = Σ (x − m) over group g:
 * var(m) = k / (k − 1) · Σ e(g)² / n², half width = t(0.975, k − 1) · √var. (Liang and Zeger 1986; the small-sample factor
 * and the t quantile as in Cameron and Miller 2015, "A Practitioner's Guide to Cluster-Robust Inference", section VI.)
 * With groups of one this is the ordinary t interval. Null half width with a single group; null where nothing was scored.
 */
export function estimateMean(
  table: Pick<SampleTable, "n" | "groups" | "groupOf">,
  outcome: FunctionOutcome,
): MeanEstimate | null {
  let n = 0;
  let sum = 0;
  const sums = new Float64Array(table.groups.length);
  const counts = new Int32Array(table.groups.length);
  for (let row = 0; row < table.n; row++) {
    const value = scoreOf(outcome.rows[row]);
    if (Number.isNaN(value)) continue;
    const group = table.groupOf[row] ?? 0;
    n++;
    sum += value;
    sums[group] = (sums[group] ?? 0) + value;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  if (n === 0) return null;
  const mean = sum / n;
  let clusters = 0;
  let squares = 0;
  let several = false;
  for (let g = 0; g < counts.length; g++) {
    const count = counts[g] ?? 0;
    if (count === 0) continue;
    clusters++;
    several ||= count > 1;
    squares += ((sums[g] ?? 0) - count * mean) ** 2;
  }
  const deviation = Math.sqrt((clusters / (clusters - 1)) * squares) / n;
  const halfWidth = clusters > 1 ? quantile(clusters - 1) * deviation : null;
  return {
    mean: toTagged(mean),
    halfWidth: halfWidth !== null && Number.isFinite(halfWidth) ? halfWidth : null,
    n,
    unit: several ? "group" : "row",
    clusters,
  };
}

/** 97.5 % quantiles of Student's t for 1 to 10 degrees of freedom. */
const T = [12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814];

/** From 11 on the expansion of Abramowitz and Stegun 26.7.5, good to 1e-4. */
function quantile(degrees: number): number {
  const exact = T[degrees - 1];
  if (exact !== undefined) return exact;
  const z = 1.959964;
  const z3 = z ** 3;
  const z5 = z ** 5;
  return (
    z +
    (z3 + z) / 4 / degrees +
    (5 * z5 + 16 * z3 + 3 * z) / 96 / degrees ** 2 +
    (3 * z ** 7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / degrees ** 3
  );
}
