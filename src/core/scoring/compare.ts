import { sameScore } from "./groups";
import type { FunctionOutcome, RowOutcome } from "./outcome";
import { scoreOf } from "./states";
import type { SampleTable } from "./table";

/** Scores of an earlier version, by sample identity: they still hold when the file was reordered or appended to. */
export interface Snapshot {
  readonly ids: readonly string[];
  readonly rows: readonly (RowOutcome | undefined)[];
}

/** What differs for one row. */
export interface Flip {
  readonly row: number;
  /** Of the score: 1 up, −1 down; a score lost is down, one gained is up; 0 where no score is on either side. */
  readonly direction: 1 | 0 | -1;
  readonly value: boolean;
  readonly state: boolean;
  /** Its place among the scores of its group. */
  readonly rank: boolean;
  /** The side of the group's mean it is on: the sign of its advantage. */
  readonly sign: boolean;
}

export interface Comparison {
  /** Rows whose own score went up or down. */
  readonly up: number;
  readonly down: number;
  /** Rows with a changed score or state first, then those that only changed rank or sign; each in row order. */
  readonly flips: readonly Flip[];
  /** Rows that have an outcome on both sides. */
  readonly compared: number;
}

/** Outcomes of a snapshot in the table's row order. The k-th row with an id answers to the k-th one with it then. */
export function alignSnapshot(before: Snapshot, table: SampleTable): (RowOutcome | undefined)[] {
  if (before.ids === table.ids) return [...before.rows];
  const places = new Map<string, number[]>();
  before.ids.forEach((id, i) => {
    const known = places.get(id);
    if (known === undefined) places.set(id, [i]);
    else known.push(i);
  });
  const used = new Map<string, number>();
  return table.ids.map((id) => {
    const known = places.get(id);
    if (known === undefined) return undefined;
    const k = known.length > 1 ? (used.get(id) ?? 0) : 0;
    if (known.length > 1) used.set(id, k + 1);
    const place = known[k];
    return place === undefined ? undefined : before.rows[place];
  });
}

/**
 * A function's scores against an earlier version of it. A row flips when its score, its state, its rank in the group or
 * the sign of its advantage differs. Ranks and signs are compared over the rows of the group scored in both versions, so
 * a row that one version left out moves nobody else.
 */
export function compareScores(before: Snapshot, now: FunctionOutcome, table: SampleTable): Comparison {
  const old = alignSnapshot(before, table);
  const was = scores(old, table.n);
  const is = scores(now.rows, table.n);
  const own: Flip[] = [];
  const shifted: Flip[] = [];
  let up = 0;
  let down = 0;
  let compared = 0;
  for (const { rows } of table.groups) {
    let changed = false;
    for (const row of rows) {
      const a = old[row];
      const b = now.rows[row];
      if (a === undefined || b === undefined) continue;
      compared++;
      changed ||= a.state !== b.state || directionOf(was[row], is[row]) !== 0;
    }
    if (!changed) continue;
    const both = rows.filter((row) => !Number.isNaN(was[row]) && !Number.isNaN(is[row]));
    const placesThen = places(both, was);
    const placesNow = places(both, is);
    let place = 0;
    for (const row of rows) {
      const a = old[row];
      const b = now.rows[row];
      // `both` is in the order of `rows`.
      const at = both[place] === row ? place++ : -1;
      if (a === undefined || b === undefined) continue;
      const direction = directionOf(was[row], is[row]);
      const value = direction !== 0;
      const state = a.state !== b.state;
      const rank = placesThen.ranks[at] !== placesNow.ranks[at];
      const sign = placesThen.sides[at] !== placesNow.sides[at];
      if (direction > 0) up++;
      if (direction < 0) down++;
      if (value || state) own.push({ row, direction, value, state, rank, sign });
      else if (rank || sign) shifted.push({ row, direction, value, state, rank, sign });
    }
  }
  const inOrder = (a: Flip, b: Flip) => a.row - b.row;
  return { up, down, compared, flips: [...own.sort(inOrder), ...shifted.sort(inOrder)] };
}

/** NaN = no score. */
function directionOf(was = Number.NaN, is = Number.NaN): 1 | 0 | -1 {
  if (Number.isNaN(is)) return Number.isNaN(was) ? 0 : -1;
  if (Number.isNaN(was)) return 1;
  if (sameScore(was, is)) return 0;
  return is > was ? 1 : -1;
}

function scores(rows: readonly (RowOutcome | undefined)[], n: number): Float64Array {
  const out = new Float64Array(n);
  for (let row = 0; row < n; row++) out[row] = scoreOf(rows[row]);
  return out;
}

/**
 * Of each row: its rank from the top (1 + how many are higher; ties share it) and the side of the mean that it is on, the
 * sign of its advantage.
 */
export function places(
  rows: readonly number[],
  values: Float64Array,
): { ranks: Int32Array; sides: Int8Array } {
  const n = rows.length;
  const sorted = new Float64Array(n);
  let mean = 0;
  for (let i = 0; i < n; i++) {
    const value = values[rows[i] ?? 0] ?? 0;
    sorted[i] = value;
    mean += value / n;
  }
  sorted.sort();
  const ranks = new Int32Array(n);
  const sides = new Int8Array(n);
  for (let i = 0; i < n; i++) {
    const value = values[rows[i] ?? 0] ?? 0;
    ranks[i] = 1 + higherThan(sorted, value);
    sides[i] = sameScore(value, mean) ? 0 : Math.sign(value - mean);
  }
  return { ranks, sides };
}

/** How many of the ascending values are higher, by more than rounding. */
function higherThan(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle] ?? 0;
    if (other <= value || sameScore(other, value)) low = middle + 1;
    else high = middle;
  }
  return sorted.length - low;
}
