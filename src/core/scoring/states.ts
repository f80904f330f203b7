import { SCORE_STATES, type ScoreState } from "../../schema/score";
import type { FunctionOutcome, RowOutcome } from "./outcome";

export interface StateCounts {
  /** Only states that occur. */
  readonly states: Partial<Record<ScoreState, number>>;
  /** Rows of this pass ("n" of "n of N"). */
  readonly n: number;
  readonly recovered: number;
}

export function countStates(outcome: FunctionOutcome): StateCounts {
  const counts = new Map<ScoreState, number>();
  let n = 0;
  let recovered = 0;
  for (const row of outcome.rows) {
    if (row === undefined) continue;
    n++;
    if (row.recovered) recovered++;
    counts.set(row.state, (counts.get(row.state) ?? 0) + 1);
  }
  const states: Partial<Record<ScoreState, number>> = {};
  for (const state of SCORE_STATES) {
    const count = counts.get(state);
    if (count !== undefined) states[state] = count;
  }
  return { states, n, recovered };
}

/** The row's finite score; NaN for every other state and for rows that this pass left out. */
export function scoreOf(row: RowOutcome | undefined): number {
  return row?.state === "scored" && row.value !== null ? row.value : Number.NaN;
}
