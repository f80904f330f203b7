import type { TaggedNumber } from "../../schema/number";

export type Point = readonly [step: number, value: TaggedNumber | null];

/** Of each bucket at most: lowest, highest, one that is no finite number. */
const A_BUCKET = 3;

/**
 * At most `most` points of a curve (at least 2 where it has as many), in order: the first, the last, and of equal
 * stretches between them the lowest and the highest, so that no spike is lost; also one that is NaN, infinite or null,
 * as that is what people look for.
 */
export function thin(points: readonly Point[], most: number): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length <= Math.max(2, most) || !first || !last) return points;
  const inner = points.slice(1, -1);
  const buckets = Math.floor((most - 2) / A_BUCKET);
  if (buckets < 1) return [first, last];
  const kept: Point[] = [first];
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = Math.floor((bucket * inner.length) / buckets);
    const to = Math.floor(((bucket + 1) * inner.length) / buckets);
    kept.push(...ofBucket(inner.slice(from, to)));
  }
  kept.push(last);
  return kept;
}

function ofBucket(points: readonly Point[]): readonly Point[] {
  let low: Point | null = null;
  let high: Point | null = null;
  let odd: Point | null = null;
  for (const point of points) {
    const value = point[1];
    if (typeof value !== "number") odd ??= point;
    else {
      if (low === null || value < valueOf(low)) low = point;
      if (high === null || value > valueOf(high)) high = point;
    }
  }
  const kept = [low, high, odd].filter((point): point is Point => point !== null);
  return [...new Set(kept)].sort(([a], [b]) => a - b);
}

function valueOf([, value]: Point): number {
  return typeof value === "number" ? value : Number.NaN;
}
