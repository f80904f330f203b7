import type { ContractContext } from "../contracts/contract";
import { contractOf } from "../contracts/registry";
import type { Finding } from "../../schema/reward";
import type { Reason, ScoreState } from "../../schema/score";
import type { FunctionEvidence } from "./finding";

/** Rows of one function that failed alike: same type of failure at the same line. */
export interface Cause {
  readonly reason: Reason;
  readonly rows: readonly number[];
}

/**
 * Failures of one state by cause, the most frequent first: rows that failed alone, and whole calls that failed though
 * none of their rows repeats it.
 */
export function causesOf(evidence: FunctionEvidence, state: ScoreState): Cause[] {
  const found = new Map<string, { reason: Reason; rows: Set<number> }>();
  const add = (reason: Reason, rows: readonly number[]): void => {
    const key = [reason.code, reason.type ?? "", reason.line ?? ""].join("\n");
    const cause = found.get(key) ?? { reason, rows: new Set() };
    for (const row of rows) cause.rows.add(row);
    found.set(key, cause);
  };
  const cells = evidence.outcome?.rows ?? [];
  cells.forEach((cell, row) => {
    if (cell?.state === state && cell.reason) add(cell.reason, [row]);
  });
  for (const failure of evidence.failures)
    if (failure.state === state && !failure.rows.some((row) => cells[row]?.state === state))
      add(failure.reason, failure.rows);
  return [...found.values()]
    .map(({ reason, rows }) => ({ reason, rows: [...rows].sort((a, b) => a - b) }))
    .sort((a, b) => b.rows.length - a.rows.length);
}

/** An error where the trainer stops, else a warning. */
export function severityOf(
  { fn }: FunctionEvidence,
  state: ScoreState,
  { code }: Reason,
  trainer: ContractContext,
): Finding["severity"] {
  const fate = contractOf(fn.contract).fate(state, { ...trainer, othersScored: false, reason: code });
  return fate.word === "stops" ? "error" : "warning";
}

export function lineRange(line: number | undefined): Finding["range"] | undefined {
  if (line === undefined) return undefined;
  return { start: { line: line - 1, character: 0 }, end: { line, character: 0 } };
}
