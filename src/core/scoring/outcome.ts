import type { Reason, ScoreState } from "../../schema/score";

/** What came of one row under one function. `value` is NaN or infinite only for `non-finite`, null for all but `scored`. */
export interface RowOutcome {
  readonly state: ScoreState;
  readonly value: number | null;
  readonly recovered: boolean;
  readonly reason: Reason | null;
  readonly output: string | null;
  readonly ms: number;
}

/** Outcomes of one function over a set; rows that this pass left out are undefined ("n of N"). */
export interface FunctionOutcome {
  readonly name: string;
  readonly rows: readonly (RowOutcome | undefined)[];
}
