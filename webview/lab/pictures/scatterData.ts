import type { LabPictures } from "../../../src/schema/lab";

type Point = LabPictures["length"]["points"][number];

/** Columns for a plot: ascending in x, as it wants them. */
export function scatterColumns(points: readonly Point[]): {
  readonly x: number[];
  readonly y: number[];
  readonly rows: number[];
} {
  const sorted = [...points].sort((a, b) => a.length - b.length || a.row - b.row);
  return {
    x: sorted.map(({ length }) => length),
    y: sorted.map(({ total }) => total),
    rows: sorted.map(({ row }) => row),
  };
}

/** The point nearest to a place, in pixels; -1 where none is within `reach`. */
export function nearest(
  xs: readonly number[],
  ys: readonly number[],
  at: { readonly x: number; readonly y: number },
  reach: number,
): number {
  let found = -1;
  let best = reach * reach;
  for (let i = 0; i < xs.length; i++) {
    const dx = (xs[i] ?? Infinity) - at.x;
    const dy = (ys[i] ?? Infinity) - at.y;
    const distance = dx * dx + dy * dy;
    if (distance <= best) {
      best = distance;
      found = i;
    }
  }
  return found;
}

export interface LengthBand {
  readonly from: number;
  readonly to: number;
  readonly n: number;
  /** Mean of the centred totals. */
  readonly mean: number;
}

/** The points by length in at most `most` parts of the same number of rows; rows of one length stay together. */
export function lengthBands(points: readonly Point[], most: number): LengthBand[] {
  const { x, y } = scatterColumns(points);
  const size = Math.max(1, Math.ceil(x.length / most));
  const bands: LengthBand[] = [];
  for (let start = 0; start < x.length;) {
    let end = Math.min(x.length, start + size);
    while (end < x.length && x[end] === x[end - 1]) end += 1;
    const totals = y.slice(start, end);
    bands.push({
      from: x[start] ?? 0,
      to: x[end - 1] ?? 0,
      n: end - start,
      mean: totals.reduce((sum, value) => sum + value, 0) / totals.length,
    });
    start = end;
  }
  return bands;
}
