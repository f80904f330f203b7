import { alignSnapshot, compareScores, type Flip, type Snapshot } from "../../core/scoring/compare";
import { sameScore } from "../../core/scoring/groups";
import type { RowOutcome } from "../../core/scoring/outcome";
import { rewardMatrix, type Component } from "../../core/scoring/totals";
import type { LabRow } from "../../schema/lab";
import type { Baseline } from "../baseline";
import type { ScoredFacts } from "./scoredFacts";
import { orNull, type Weighed } from "./weighed";

export type Change = NonNullable<LabRow["change"]>;

/** A function's outcomes under the baseline's version, in the table's row order. */
export interface Before {
  readonly snapshot: Snapshot;
  readonly rows: readonly (RowOutcome | undefined)[];
}

/** One a function; null = the baseline has no such function, or isn't known. */
export function befores({ functions, table }: ScoredFacts, baseline: Baseline): (Before | null)[] {
  return functions.map(({ fn }) => {
    const snapshot = baseline.of(fn.name);
    if (!snapshot) return null;
    const rows = alignSnapshot(snapshot, table);
    // As far as is known now: later rows are added to the baseline's own lists.
    return { snapshot: { ids: table.ids, rows }, rows };
  });
}

/** What of one function's score differs; undefined where nothing does, or one side has no outcome. */
export function differs(before: RowOutcome | undefined, now: RowOutcome | undefined): boolean {
  if (!before || !now) return false;
  if (before.state !== now.state) return true;
  const [was, is] = [before.value ?? Number.NaN, now.value ?? Number.NaN];
  return !Object.is(was, is) && !sameScore(was, is);
}

/** 1 for each row of a group in which some function's score or state differs; whatever the weights are. */
export function touchedRows(
  { table, functions }: ScoredFacts,
  before: readonly (Before | null)[],
): Uint8Array {
  const touched = new Uint8Array(table.n);
  const compared = functions.flatMap(({ outcome }, i) => {
    const then = before[i];
    return then ? [{ then: then.rows, now: outcome.rows }] : [];
  });
  for (const { rows } of table.groups) {
    if (rows.some((row) => compared.some(({ then, now }) => differs(then[row], now[row]))))
      for (const row of rows) touched[row] = 1;
  }
  return touched;
}

/**
 * Changes of the totals against the baseline, by row; only rows that changed are in it. Both totals are weighted sums, by
 * the present weights and fates, over the functions that both versions have: a function that is new doesn't make every
 * row a change. Ranks and signs are compared as in `compareScores`.
 */
export function totalChanges(
  weighed: Weighed,
  before: readonly (Before | null)[],
  touched: Uint8Array,
): Map<number, Change> {
  const { table } = weighed.facts;
  const changes = new Map<number, Change>();
  if (!touched.includes(1)) return changes;
  const nowParts: Component[] = [];
  const thenParts: Component[] = [];
  weighed.components.forEach((component, i) => {
    const then = before[i];
    if (!then) return;
    nowParts.push(component);
    // Nothing can change in the other groups.
    const rows = then.rows.map((cell, row) => (touched[row] === 1 ? cell : undefined));
    thenParts.push({ ...component, outcome: { name: component.outcome.name, rows } });
  });
  const then = rewardMatrix(thenParts, table.n);
  const all = nowParts.length === weighed.components.length;
  const now = all ? weighed.matrix : rewardMatrix(nowParts, table.n);
  const stateChanged = new Uint8Array(table.n);
  for (let row = 0; row < table.n; row++) {
    if (then.seen[row] !== 1 || now.seen[row] !== 1) continue;
    for (let i = 0; i < nowParts.length; i++) {
      if (nowParts[i]?.outcome.rows[row]?.state !== thenParts[i]?.outcome.rows[row]?.state)
        stateChanged[row] = 1;
    }
  }
  const as = (totals: Float64Array): (RowOutcome | undefined)[] =>
    Array.from(totals, (total, row) =>
      then.seen[row] === 1 && now.seen[row] === 1 ? totalOutcome(total) : undefined,
    );
  const { flips } = compareScores(
    { ids: table.ids, rows: as(then.totals) },
    { name: "total", rows: as(now.totals) },
    table,
  );
  const add = (row: number, flip: Flip | null): void => {
    const [was, is] = [then.totals[row] ?? Number.NaN, now.totals[row] ?? Number.NaN];
    changes.set(row, {
      direction: flip?.direction ?? 0,
      by: orNull(is - was),
      state: stateChanged[row] === 1,
      rank: flip?.rank ?? false,
      sign: flip?.sign ?? false,
    });
  };
  for (const flip of flips) add(flip.row, flip);
  for (let row = 0; row < table.n; row++) if (stateChanged[row] === 1 && !changes.has(row)) add(row, null);
  return changes;
}

const NO_TOTAL: RowOutcome = {
  state: "unscored",
  value: null,
  recovered: false,
  reason: null,
  output: null,
  ms: 0,
};

/** A total as if one function had given it; what isn't finite has no place among scores. */
function totalOutcome(total: number): RowOutcome {
  if (!Number.isFinite(total)) return NO_TOTAL;
  return { state: "scored", value: total, recovered: false, reason: null, output: null, ms: 0 };
}
