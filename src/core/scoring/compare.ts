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
  const own: Flip[] = [];
  const shifted: Flip[] = [];
  let up = 0;
  let down = 0;
  let compared = 0;
  for (const { rows } of table.groups) {
    const changed = rows.some((row) => differs(old[row], now.rows[row]));
    const moved = changed ? placesMoved(rows, old, now) : null;
    rows.forEach((row, i) => {
      const was = old[row];
      const is = now.rows[row];
      if (was === undefined || is === undefined) return;
      compared++;
      if (moved === null) return;
      const direction = directionOf(scoreOf(was), scoreOf(is));
      const flip = {
        row,
        direction,
        value: direction !== 0,
        state: was.state !== is.state,
        rank: moved.rank[i] === 1,
        sign: moved.sign[i] === 1,
      };
      if (direction > 0) up++;
      if (direction < 0) down++;
      if (flip.value || flip.state) own.push(flip);
      else if (flip.rank || flip.sign) shifted.push(flip);
    });
  }
  const inOrder = (a: Flip, b: Flip) => a.row - b.row;
  return { up, down, compared, flips: [...own.sort(inOrder), ...shifted.sort(inOrder)] };
}

function differs(was: RowOutcome | undefined, is: RowOutcome | undefined): boolean {
  if (was === undefined || is === undefined) return false;
  return was.state !== is.state || directionOf(scoreOf(was), scoreOf(is)) !== 0;
}

function directionOf(was: number, is: number): 1 | 0 | -1 {
  if (Number.isNaN(is)) return Number.isNaN(was) ? 0 : -1;
  if (Number.isNaN(was)) return 1;
  if (sameScore(was, is)) return 0;
  return is > was ? 1 : -1;
}

function placesMoved(
  rows: readonly number[],
  old: readonly (RowOutcome | undefined)[],
  now: FunctionOutcome,
): { rank: Uint8Array; sign: Uint8Array } {
  const rank = new Uint8Array(rows.length);
  const sign = new Uint8Array(rows.length);
  const members: number[] = [];
  const was: number[] = [];
  const is: number[] = [];
  rows.forEach((row, i) => {
    const a = scoreOf(old[row]);
    const b = scoreOf(now.rows[row]);
    if (Number.isNaN(a) || Number.isNaN(b)) return;
    members.push(i);
    was.push(a);
    is.push(b);
  });
  const ranksBefore = ranks(was);
  const ranksNow = ranks(is);
  const meanBefore = mean(was);
  const meanNow = mean(is);
  members.forEach((i, k) => {
    if (ranksBefore[k] !== ranksNow[k]) rank[i] = 1;
    if (side(was[k] ?? 0, meanBefore) !== side(is[k] ?? 0, meanNow)) sign[i] = 1;
  });
  return { rank, sign };
}

/** Rank from the top, ties sharing the better one: 1 + how many are higher. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  const out = new Array<number>(values.length).fill(1);
  order.forEach((i, place) => {
    const above = order[place - 1];
    const tied = above !== undefined && sameScore(values[above] ?? 0, values[i] ?? 0);
    out[i] = tied ? (out[above] ?? 1) : place + 1;
  });
  return out;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value / values.length, 0);
}

function side(value: number, centre: number): number {
  return sameScore(value, centre) ? 0 : Math.sign(value - centre);
}
