import type { RunAlarm } from "../../../schema/runView";
import type { Point } from "../thin";

/** What alarms look at; curves by the vocabulary's id, all points, ascending steps. */
export interface AlarmInput {
  points(id: string): readonly Point[];
  /** When rows were written, by step; milliseconds. */
  times(): readonly (readonly [step: number, at: number])[];
  /** Milliseconds; null: the run is over, so that nothing can be stalled. */
  readonly now: number | null;
}

/** One thing to look at. Another alarm is one file, a line in the registry, its words, a test with and without it. */
export interface Alarm {
  readonly code: RunAlarm["code"];
  /** What is wrong at the last step, with the window it is seen in; null: nothing, or not enough steps to say. */
  find(input: AlarmInput): RunAlarm | null;
}

/** A finite point of a curve. */
export interface Finite {
  readonly step: number;
  readonly value: number;
}

export function finitePoints(points: readonly Point[]): Finite[] {
  return points.flatMap(([step, value]) => (typeof value === "number" ? [{ step, value }] : []));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * A condition over a window with hysteresis: it begins where the window's median passes `on`, and ends only where it is
 * back past `off`, so that a curve around one limit doesn't blink. `above`: large values are bad. Null: not on at the
 * end, or fewer points than a window.
 */
export function held(
  points: readonly Finite[],
  window: number,
  limits: { readonly on: number; readonly off: number; readonly above: boolean },
): { readonly from: Finite; readonly to: Finite; readonly value: number } | null {
  let from: Finite | null = null;
  let value = Number.NaN;
  for (let end = window; end <= points.length; end++) {
    const part = points.slice(end - window, end);
    value = median(part.map((point) => point.value));
    const past = (limit: number) => (limits.above ? value >= limit : value <= limit);
    if (from === null) {
      if (past(limits.on)) from = part[0] ?? null;
    } else if (!past(limits.off)) from = null;
  }
  const to = points.at(-1);
  return from && to ? { from, to, value } : null;
}

/** Median of the run's first points: what later ones are compared with. Null: fewer than `first` + `window` points. */
export function baseline(points: readonly Finite[], first: number, window: number): number | null {
  if (points.length < first + window) return null;
  return median(points.slice(0, first).map(({ value }) => value));
}

/** Least-squares slope over the window, in the curve's own unit over the whole window, and its standard error. */
export function trend(points: readonly Finite[]): { readonly change: number; readonly error: number } {
  const n = points.length;
  const x = mean(points.map(({ step }) => step));
  const y = mean(points.map(({ value }) => value));
  const sxx = points.reduce((sum, { step }) => sum + (step - x) ** 2, 0);
  const slope = points.reduce((sum, { step, value }) => sum + (step - x) * (value - y), 0) / sxx;
  const rest = points.reduce((sum, { step, value }) => sum + (value - y - slope * (step - x)) ** 2, 0);
  const span = (points.at(-1)?.step ?? 0) - (points[0]?.step ?? 0);
  return { change: slope * span, error: Math.sqrt(rest / Math.max(1, n - 2) / sxx) * span };
}
