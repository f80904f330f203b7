import type { PassFunction } from "../scoreRunner";
import type { RowOutcome } from "../../core/scoring/outcome";
import type { FateOf } from "../../core/scoring/totals";
import type { RewardFunction } from "../../schema/reward";
import type { ScoreState } from "../../schema/score";
import type { SampleTable } from "../../core/scoring/table";
import type { Composition } from "../composition";
import type { LabSource } from "./source";

export interface ScoredFunction {
  readonly fn: RewardFunction;
  readonly fate: FateOf;
  /** The suite's. */
  readonly weight: number;
  readonly outcome: PassFunction;
}

/** What a pass has said of the rows, whatever weights are tried and whatever it is compared with. */
export interface ScoredFacts {
  readonly table: SampleTable;
  readonly composition: Composition | null;
  readonly functions: readonly ScoredFunction[];
  /** By row; null = no function has an outcome. */
  readonly states: readonly (ScoreState | null)[];
  /** Milliseconds over all functions, NaN = no outcome. */
  readonly ms: Float64Array;
  /** 1 where a function's score is `recovered`. */
  readonly recovered: Uint8Array;
  /** Rows with an outcome of every function. */
  readonly scored: number;
}

/**
 * The worst first. A function that says None doesn't judge the row: the others' states count then, and the row is
 * `not-applicable` only where all say so.
 */
const WORST: readonly ScoreState[] = [
  "crashed",
  "timed-out",
  "raised",
  "invalid-return",
  "non-finite",
  "held",
  "cancelled",
  "unscored",
  "scored",
  "not-applicable",
];
const BADNESS: ReadonlyMap<ScoreState, number> = new Map(
  WORST.map((state, i): [ScoreState, number] => [state, WORST.length - i]),
);

/** Higher is worse; 0 = no state. */
export function badnessOf(state: ScoreState | null | undefined): number {
  return state ? (BADNESS.get(state) ?? 0) : 0;
}

export function scoredFacts({ table, scored }: Pick<LabSource, "table" | "scored">): ScoredFacts {
  const functions = (scored?.outcomes ?? []).flatMap((outcome): ScoredFunction[] => {
    const part = scored?.composition.functions.find(({ fn }) => fn.name === outcome.name);
    // A pass that is still running goes on writing into its arrays.
    return part
      ? [
          {
            fn: part.fn,
            fate: remembered(part.fate),
            weight: part.weight,
            outcome: { ...outcome, rows: outcome.rows.slice(), again: new Map(outcome.again) },
          },
        ]
      : [];
  });
  const states = new Array<ScoreState | null>(table.n).fill(null);
  const ms = new Float64Array(table.n).fill(Number.NaN);
  const recovered = new Uint8Array(table.n);
  let all = 0;
  for (let row = 0; row < table.n; row++) {
    let worst: ScoreState | null = null;
    let sum = Number.NaN;
    let known = 0;
    for (const { outcome } of functions) {
      const cell = outcome.rows[row];
      if (!cell) continue;
      known++;
      sum = (known === 1 ? 0 : sum) + cell.ms;
      if (cell.recovered) recovered[row] = 1;
      if (worst !== cell.state && badnessOf(cell.state) > badnessOf(worst)) worst = cell.state;
    }
    states[row] = worst;
    ms[row] = sum;
    if (known > 0 && known === functions.length) all++;
  }
  return {
    table,
    composition: scored?.composition ?? null,
    functions,
    states,
    ms,
    recovered,
    scored: all,
  };
}

/** A fate depends on these three alone, and thousands of rows share them. */
function remembered(fate: FateOf): FateOf {
  const known = new Map<string, ReturnType<FateOf>>();
  return (state, othersScored, reason) => {
    const key = `${state} ${othersScored ? 1 : 0} ${reason ?? ""}`;
    let found = known.get(key);
    if (!found) known.set(key, (found = fate(state, othersScored, reason)));
    return found;
  };
}

/** The outcome that gave the row its state. */
export function worstOutcome({ functions, states }: ScoredFacts, row: number): RowOutcome | null {
  const state = states[row];
  for (const { outcome } of functions) {
    const cell = outcome.rows[row];
    if (cell && cell.state === state) return cell;
  }
  return null;
}
