/** Values of one task for each measure; NaN: this task has no number for it. */
export interface TaskMatrix {
  /** Task after task, `measures` numbers each. */
  readonly values: Float64Array;
  readonly tasks: number;
  readonly measures: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Marsaglia's xorshift32: fast, the same on every machine; a seed of 0 is taken for 1. */
export function random32(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

/**
 * Percentile intervals of the mean over tasks (Efron 1979), tasks drawn with replacement and all measures of a task
 * together, so that the pairs stay pairs. `level`: two-sided error. Tasks without a number for a measure don't count for
 * it. Null: no task has one.
 */
export function bootstrap(
  matrix: TaskMatrix,
  options: { readonly resamples: number; readonly seed: number; readonly level: number },
): (Interval | null)[] {
  const { values, tasks, measures } = matrix;
  const { resamples, level } = options;
  const next = random32(options.seed);
  const sums = new Float64Array(measures);
  const counts = new Float64Array(measures);
  const missing = values.some((value) => Number.isNaN(value));
  const means = Array.from({ length: measures }, () => new Float64Array(resamples));
  for (let resample = 0; resample < resamples; resample++) {
    sums.fill(0);
    counts.fill(missing ? 0 : tasks);
    for (let drawn = 0; drawn < tasks; drawn++) {
      // The high bits of the product: an index without division and without a bias that counts.
      const offset = Math.floor((next() / 0x1_0000_0000) * tasks) * measures;
      for (let measure = 0; measure < measures; measure++) {
        const value = values[offset + measure] ?? 0;
        if (!missing) sums[measure] = (sums[measure] ?? 0) + value;
        else if (value === value) {
          sums[measure] = (sums[measure] ?? 0) + value;
          counts[measure] = (counts[measure] ?? 0) + 1;
        }
      }
    }
    for (let measure = 0; measure < measures; measure++) {
      const into = means[measure];
      if (into) into[resample] = (sums[measure] ?? 0) / (counts[measure] ?? 0);
    }
  }
  return means.map((all) => {
    const sorted = all.filter((value) => !Number.isNaN(value)).sort();
    if (sorted.length === 0) return null;
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return { low: at(level / 2), high: at(1 - level / 2) };
  });
}

/** Upper quantile of the normal distribution, by Acklam's approximation in its central and tail part (error < 1e-8 relative). */
export function normalQuantile(p: number): number {
  if (p <= 0 || p >= 1) return p <= 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (p > 0.5) return -normalQuantile(1 - p);
  const ratio = (x: number, above: readonly number[], below: readonly number[]) =>
    above.reduce((sum, c) => sum * x + c, 0) / (below.reduce((sum, c) => sum * x + c, 0) * x + 1);
  if (p < 0.02425) return ratio(Math.sqrt(-2 * Math.log(p)), TAIL, TAIL_BELOW);
  const q = p - 0.5;
  return q * ratio(q * q, CENTRE, CENTRE_BELOW);
}

const CENTRE = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
  2.506628277459239,
];
const CENTRE_BELOW = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572,
];
const TAIL = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const TAIL_BELOW = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416];
