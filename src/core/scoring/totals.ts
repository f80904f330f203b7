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
  /** As the trainer would have them, fates applied; a value that would have stopped the run is NaN. */
  readonly trained: Float64Array;
  /** Scored values alone; a row in which any function failed is NaN throughout. */
  readonly fixed: Float64Array;
  /** Weighted sum of what the trainer has, per row, in double precision; NaN where no function gave a number. */
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
    let total = Number.NaN;
    for (const [c, { outcome, weight, fate }] of components.entries()) {
      const cell = outcome.rows[row];
      if (cell === undefined) {
        all = false;
        continue;
      }
      const at = row * columns + c;
      if (cell.state === "scored") {
        const value = cell.value ?? Number.NaN;
        trained[at] = value;
        fixed[at] = value;
      } else {
        if (cell.state !== "not-applicable") failed = true;
        const what = fate(cell.state, othersScored(components, row, c), cell.reason?.code ?? null);
        if (ends(what)) stops = true;
        trained[at] = givenTo(cell, what);
      }
      const value = trained[at] ?? Number.NaN;
      if (!Number.isNaN(value)) total = (Number.isNaN(total) ? 0 : total) + weight * value;
    }
    if (failed) fixed.fill(Number.NaN, row * columns, (row + 1) * columns);
    seen[row] = all ? 1 : 0;
    totals[row] = total;
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

function ends(fate: Fate): boolean {
  return fate.word === "stops" || (fate.waits && fate.given === null);
}

/** The number in the trainer's table. A None stays NaN there, also where it counts as 0 in a sum: the rule sees to that. */
function givenTo(cell: RowOutcome, fate: Fate): number {
  if (cell.state === "not-applicable") return Number.NaN;
  switch (fate.word) {
    case "value":
    case "poisons":
      return cell.value ?? (fate.given === null ? Number.NaN : fromTagged(fate.given));
    case "zero":
      return fate.given === null ? 0 : fromTagged(fate.given);
    case "ignored":
    case "stops":
      return Number.NaN;
  }
}
