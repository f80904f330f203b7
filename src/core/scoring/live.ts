import type { SampleTable } from "./table";

export interface LiveChoice {
  /** Most rows of a live pass. */
  readonly limit: number;
  readonly pinned: number | null;
  readonly labelled: readonly number[];
  /** Rows that flipped last. */
  readonly flipped: readonly number[];
  readonly visible: readonly number[];
}

/** With fewer groups than this in a pass, a part of every group says more than some groups whole. */
const ENOUGH_GROUPS = 30;

/**
 * Rows of a live pass, ascending: all of them up to `limit`; above that pinned, labelled, last flipped and visible rows
 * in that order, each with the rest of its group where that fits (advantages need whole groups), then a stratified rest:
 * whole groups evenly spaced over the set, or, where too few would fit, an even share of every group. Equal arguments
 * give equal rows, and without wishes the choice depends on the set alone, so numbers don't move between passes.
 */
export function liveRows(table: SampleTable, choice: LiveChoice): number[] {
  if (table.n <= choice.limit) return Array.from({ length: table.n }, (_, row) => row);
  const chosen = new Uint8Array(table.n);
  let left = choice.limit;
  const take = (row: number): void => {
    if (left === 0 || row < 0 || row >= table.n || chosen[row] === 1) return;
    chosen[row] = 1;
    left--;
  };
  const wishes = [
    ...(choice.pinned === null ? [] : [choice.pinned]),
    ...choice.labelled,
    ...choice.flipped,
    ...choice.visible,
  ];
  wishes.forEach(take);
  for (const row of wishes) takeGroup(table.groups[table.groupOf[row] ?? -1]?.rows ?? []);

  const size = table.n / table.groups.length;
  if (left / size >= ENOUGH_GROUPS) {
    for (const g of spaced(table.groups.length)) {
      if (left < size) break;
      takeGroup(table.groups[g]?.rows ?? []);
    }
  }
  takeShares();
  return [...chosen.keys()].filter((row) => chosen[row] === 1);

  function takeGroup(rows: readonly number[]): void {
    const missing = rows.filter((row) => chosen[row] === 0);
    if (missing.length <= left) missing.forEach(take);
  }

  /** One row of each group in turn, those of a group evenly spaced, until the limit is reached. */
  function takeShares(): void {
    const orders = spaced(table.groups.length).map((g) => {
      const rows = (table.groups[g]?.rows ?? []).filter((row) => chosen[row] === 0);
      return { rows, order: spaced(rows.length) };
    });
    for (let round = 0; left > 0 && round < table.n; round++) {
      for (const { rows, order } of orders) {
        const place = order[round];
        if (place !== undefined) take(rows[place] ?? -1);
      }
    }
  }
}

/** 0 … n − 1 in an order whose every beginning is spread evenly (steps of the golden ratio, made coprime to n). */
function spaced(n: number): number[] {
  let step = Math.max(1, Math.round(n * 0.6180339887));
  while (gcd(step, n) !== 1) step++;
  return Array.from({ length: n }, (_, i) => (i * step) % n);
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
