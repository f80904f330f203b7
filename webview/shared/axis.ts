/** Round numbers (1, 2 or 5 times a power of ten) inside [low, high], at most `most` of them, in order. */
export function ticks(low: number, high: number, most: number): number[] {
  if (!Number.isFinite(low) || !Number.isFinite(high) || most < 1) return [];
  if (low === high) return [low];
  const step = roundStep((high - low) / most);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiplying whole numbers keeps 0.3 from becoming 0.30000000000000004 where a division can.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => tidy((first + i) * step));
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5].find((f) => f * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function tidy(value: number): number {
  const rounded = Number(value.toPrecision(15));
  return rounded === 0 ? 0 : rounded;
}

export interface Axis {
  readonly low: number;
  readonly high: number;
  /** Pixels where `low` and `high` stand. */
  readonly from: number;
  readonly to: number;
}

/** Place of a value in pixels; values outside stand at the ends, an axis of one value in the middle. */
export function place(axis: Axis, value: number): number {
  const { low, high, from, to } = axis;
  if (high === low) return (from + to) / 2;
  const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return from + share * (to - from);
}
