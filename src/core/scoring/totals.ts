import type { Fate, ReasonCode, ScoreState } from "../../schema/score";
import { fromTagged } from "../../schema/number";
import type { FunctionOutcome, RowOutcome } from "./outcome";

/** A contract's fates, bound to the trainer's version and settings. */
export type FateOf = (state: ScoreState, othersScored: boolean, reason: ReasonCode | null) => Fate;

/** One reward function's part in the total. */
export interface Component {
  readonly outcome: FunctionOutcome;
  readonly weight: number;
  readonly fate: FateOf;
}

/** Rewards of a whole set as a trainer holds them. Arrays are rows × functions, row by row; NaN = no number. */
export interface RewardMatrix {
  readonly n: number;
  readonly weights: readonly number[];
  /** As the trainer would have them, fates applied; NaN where it has none or would have stopped, and throughout a row of which a part isn't known. */
  readonly trained: Float64Array;
  /** Scored values alone; a row in which any function failed is NaN throughout. */
  readonly fixed: Float64Array;
  /**
   * Weighted sum of what the trainer has, per row, in double precision; NaN where no function gave a number (also where
   * a trainer would train on 0 then), and where a part of it isn't known.
   */
  readonly totals: Float64Array;
  /** 1 for rows that every function has an outcome for in this pass. */
  readonly seen: Uint8Array;
  /** The trainer would have stopped (or waited for ever) at some row. */
  readonly stops: boolean;
}

export function rewardMatrix(components: readonly Component[], n: number): RewardMatrix {
  const columns = components.length;
  const weights = components.map((c) => c.weight);
  const trained = new Float64Array(n * columns).fill(Number.NaN);
  const fixed = new Float64Array(n * columns).fill(Number.NaN);
  const totals = new Float64Array(n).fill(Number.NaN);
  const seen = new Uint8Array(n);
  let stops = false;
  for (let row = 0; row < n; row++) {
    let all = columns > 0;
    let failed = false;
    let gave = false;
    let unknown = false;
    let total = 0;
    for (let c = 0; c < columns; c++) {
      const component = components[c];
      const cell = component?.outcome.rows[row];
      if (component === undefined || cell === undefined) {
        all = false;
        continue;
      }
      const { weight, fate } = component;
      const at = row * columns + c;
      if (cell.state === "scored") {
        const value = cell.value ?? Number.NaN;
        trained[at] = value;
        fixed[at] = value;
      } else {
        if (cell.state !== "not-applicable") failed = true;
        const what = fate(cell.state, othersScored(components, row, c), cell.reason?.code ?? null);
        if (what.word === "stops") stops = true;
        // A part that counts for nothing needn't be known.
        if (what.word === "unknown" && weight !== 0) unknown = true;
        trained[at] = givenTo(cell, what);
      }
      // Its batch failed as a whole: there the trainer would have ended.
      if (cell.recovered) stops = true;
      if (!Number.isNaN(cell.value ?? Number.NaN)) gave = true;
      // 0 × inf is NaN, which the trainer's sum leaves out like a None.
      const part = weight * (trained[at] ?? Number.NaN);
      if (!Number.isNaN(part)) total += part;
    }
    if (failed) fixed.fill(Number.NaN, row * columns, (row + 1) * columns);
    seen[row] = all ? 1 : 0;
    if (unknown) trained.fill(Number.NaN, row * columns, (row + 1) * columns);
    if (gave && !unknown) totals[row] = total;
  }
  return { n, weights, trained, fixed, totals, seen, stops };
}

/** Another function gave this row a number that isn't NaN. */
export function othersScored(components: readonly Component[], row: number, but: number): boolean {
  return components.some(({ outcome }, c) => {
    if (c === but) return false;
    const value = outcome.rows[row]?.value ?? Number.NaN;
    return !Number.isNaN(value);
  });
}

/** The number in the trainer's table; NaN = none. */
function givenTo(cell: RowOutcome, fate: Fate): number {
  switch (fate.word) {
    case "value":
    case "poisons":
      return cell.value ?? (fate.given === null ? Number.NaN : fromTagged(fate.given));
    case "zero":
      return fate.given === null ? 0 : fromTagged(fate.given);
    case "ignored":
    case "stops":
    case "unknown":
      return Number.NaN;
  }
}
