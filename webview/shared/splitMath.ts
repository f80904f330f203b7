/** Two panes beside or above each other; `share` is the part that the sized pane has of the length. */
export interface SplitLimits {
  /** Pixels of both panes together. */
  readonly length: number;
  /** Least pixels of the sized pane and of the other. */
  readonly min: number;
  readonly minOther: number;
}

const STEP = 0.02;
const BIG_STEP = 0.1;

/** The share that is possible; where both minima can't be had, each pane gets its part of them. */
export function clampShare(share: number, { length, min, minOther }: SplitLimits): number {
  if (length <= 0 || !Number.isFinite(share)) return 0.5;
  if (min + minOther >= length) return min / (min + minOther);
  return Math.min(Math.max(share, min / length), 1 - minOther / length);
}

export interface SashKey {
  readonly key: string;
  readonly shiftKey: boolean;
}

/**
 * Where a key moves a sash to; null: not a key of a sash. `vertical`: the sash is an upright line, between panes side by
 * side. `sized`: whether the sized pane comes before or after it. Home and End lead to the sized pane's least and most.
 */
export function shareAfterKey(
  { key, shiftKey }: SashKey,
  share: number,
  vertical: boolean,
  sized: "before" | "after",
  limits: SplitLimits,
): number | null {
  const step = (shiftKey ? BIG_STEP : STEP) * (sized === "before" ? 1 : -1);
  if (key === (vertical ? "ArrowRight" : "ArrowDown")) return clampShare(share + step, limits);
  if (key === (vertical ? "ArrowLeft" : "ArrowUp")) return clampShare(share - step, limits);
  if (key === "Home") return clampShare(0, limits);
  if (key === "End") return clampShare(1, limits);
  return null;
}
