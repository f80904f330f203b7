import type { RowOutcome } from "../core/scoring/outcome";
import { fromTagged } from "../schema/number";
import type { ReasonCode, ScoreState } from "../schema/score";
import type { UnitFrame } from "../schema/worker";

export interface UnitRow extends RowOutcome {
  /** What a second call in the same process gave, where it differs. */
  readonly again?: number | null;
}

/**
 * Rows of a unit frame. Values come in columns; states and reasons only where not all rows are scored. Printed text
 * belongs to the call: every row of it shows the same.
 */
export function readUnit(rows: readonly number[], frame: UnitFrame, recovered: boolean): UnitRow[] {
  const ms = rows.length > 0 ? frame.ms / rows.length : 0;
  const output = frame.output ?? null;
  return rows.map((_, index) => {
    const tagged = frame.values[index] ?? null;
    const value = tagged === null ? null : fromTagged(tagged);
    const reason = frame.reasons?.[String(index)] ?? frame.failed ?? null;
    const state =
      frame.states?.[index] ?? (frame.failed ? stateOfFailure(frame.failed.code) : stateOfValue(value));
    const has = state === "scored" || state === "non-finite";
    const second = frame.again?.[index];
    const again = second === undefined ? undefined : second === null ? null : fromTagged(second);
    return {
      state,
      value: has ? value : null,
      recovered: recovered && has,
      reason: state === "scored" ? null : reason,
      output,
      ms,
      ...(again !== undefined && !Object.is(again, value) ? { again } : {}),
    };
  });
}

function stateOfValue(value: number | null): ScoreState {
  if (value === null) return "not-applicable";
  return Number.isFinite(value) ? "scored" : "non-finite";
}

/** What a failed call makes of its rows. */
export function stateOfFailure(code: ReasonCode): ScoreState {
  switch (code) {
    case "wrong-count":
    case "not-a-list":
    case "wrong-type":
    case "coroutine":
      return "invalid-return";
    case "side-effect":
      return "held";
    case "no-tokens":
    case "none":
      return "not-applicable";
    case "nan":
    case "infinite":
      return "non-finite";
    case "row-timeout":
    case "pass-timeout":
      return "timed-out";
    case "memory":
    case "exit":
    case "signal":
    case "module":
      return "crashed";
    case "user-cancelled":
      return "cancelled";
    case "exception":
    case "signature":
      return "raised";
  }
}
