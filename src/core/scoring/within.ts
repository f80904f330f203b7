import { sameScore } from "./groups";
import type { SampleGroup } from "./table";

export interface WithinGroups {
  /** Rows of the groups with at least two rows that have both values, group by group. */
  readonly rows: readonly number[];
  /** Each row's values minus its group's mean, in the order of `rows`. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly groups: number;
  /** Pearson's r of the centred values; null where one of them doesn't vary within any group. */
  readonly r: number | null;
  /** Of y on x by least squares, over the centred values (the "within" estimator of a fixed-effects model). */
  readonly slope: number | null;
}

/**
 * How two values go together within groups, so that groups which are longer and score higher (another task, say) don't
 * count: r = Σ xy / √(Σ x² Σ y²), slope = Σ xy / Σ x², x and y minus their group's mean. By row; rows with a value that
 * isn't finite are left out.
 */
export function withinGroups(
  groups: readonly SampleGroup[],
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
): WithinGroups {
  const kept: number[] = [];
  const x: number[] = [];
  const y: number[] = [];
  let used = 0;
  for (const { rows } of groups) {
    const both = rows.filter((row) => Number.isFinite(xs[row]) && Number.isFinite(ys[row]));
    if (both.length < 2) continue;
    used++;
    const ownX = centred(both.map((row) => xs[row] ?? 0));
    const ownY = centred(both.map((row) => ys[row] ?? 0));
    both.forEach((row, i) => {
      kept.push(row);
      x.push(ownX[i] ?? 0);
      y.push(ownY[i] ?? 0);
    });
  }
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (let i = 0; i < kept.length; i++) {
    const a = x[i] ?? 0;
    const b = y[i] ?? 0;
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  const r = xx > 0 && yy > 0 ? xy / (Math.sqrt(xx) * Math.sqrt(yy)) : null;
  return {
    rows: kept,
    x: Float64Array.from(x),
    y: Float64Array.from(y),
    groups: used,
    r: r !== null && Number.isFinite(r) ? Math.min(1, Math.max(-1, r)) : null,
    slope: r !== null && Number.isFinite(xy / xx) ? xy / xx : null,
  };
}

/** Minus their mean; equal values are 0 throughout, without rounding's residue. */
function centred(values: readonly number[]): number[] {
  const first = values[0] ?? 0;
  if (values.every((value) => sameScore(value, first))) return values.map(() => 0);
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  return values.map((value) => value - mean);
}
