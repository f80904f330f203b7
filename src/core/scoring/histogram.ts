import type { FunctionOutcome } from "./outcome";
import { scoreOf } from "./states";

export interface Histogram {
  /** One more than `counts`; bin i is [edges[i], edges[i + 1]), the last one closed. */
  readonly edges: number[];
  readonly counts: number[];
}

/** Scored values in bins of equal width; one bin of width 1 around a single value. Null where nothing was scored. */
export function histogram(outcome: FunctionOutcome, bins = 20): Histogram | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const values: number[] = [];
  for (const row of outcome.rows) {
    const value = scoreOf(row);
    if (Number.isNaN(value)) continue;
    values.push(value);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (values.length === 0) return null;
  // Halves first, so that the width of ±1e308 doesn't overflow.
  const width = high / bins - low / bins;
  if (low === high || width === 0) return { edges: [low - 0.5, high + 0.5], counts: [values.length] };
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor(value / width - low / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const edges = Array.from({ length: bins + 1 }, (_, i) => low * (1 - i / bins) + high * (i / bins));
  return { edges, counts };
}
