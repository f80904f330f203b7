import type { Finding, Range, RewardFunction } from "../../schema/reward";
import type { Reason, ReasonCode, ScoreState } from "../../schema/score";
import type { ContractContext } from "../contracts/contract";
import type { FunctionModel, SourceModel } from "../python/model";
import type { FunctionOutcome, RowOutcome } from "../scoring/outcome";
import type { SampleTable } from "../scoring/table";

/** What is known of one reward function when findings are looked for. All but `fn` may be missing. */
export interface FunctionEvidence {
  readonly fn: RewardFunction;
  readonly outcome: FunctionOutcome | null;
  /** In the total; left out = 1. */
  readonly weight?: number;
  /** Whole calls that failed, though their rows may have been recovered one by one. */
  readonly failures: readonly {
    readonly rows: readonly number[];
    readonly state: ScoreState;
    readonly reason: Reason;
  }[];
  /** Shared random generators that it set anew: `random`, `numpy.random`, `torch`. */
  readonly changed: ReadonlySet<string>;
  /** Rows whose second call in the same process gave something else → what it gave. */
  readonly again: ReadonlyMap<number, number | null>;
  /** Python's message when the planned arguments don't bind to the signature. */
  readonly bindError: string | null;
}

/** Everything that findings are made from; plain data, so that a check runs the same in editor, command line and test. */
export interface FindingContext {
  readonly source: SourceModel;
  /** What `source` was made from. */
  readonly text?: string;
  readonly functions: readonly FunctionEvidence[];
  /** What the trainer is set to; `columns` are the names that the reward can ask for. */
  readonly trainer: ContractContext;
  /** Completions of a prompt that the trainer samples, where it is said. */
  readonly groupSize: number | null;
  readonly table: SampleTable | null;
  /** Weighted totals per row, NaN where there is none. Labels speak of these where there are several functions. */
  readonly totals: Float64Array | null;
  readonly loadFailure: {
    readonly code: string;
    readonly message: string;
    readonly name: string | null;
    readonly line: number | null;
  } | null;
  /** Interpreter as it was given, for findings about its packages. */
  readonly interpreter: string | null;
}

/**
 * One kind of finding. A new one is one file, one line in `registry.ts`, one page `docs/findings/<code>.md`, one test.
 * `error` only for a contract violation, or rows shown here that contradict a label; heuristics are at most `warning`.
 */
export interface Check {
  readonly code: string;
  run(context: FindingContext): Finding[];
}

/** A finding carries at most this many rows. */
export const MAX_ROWS = 200;

export interface FindingParts {
  readonly severity: Finding["severity"];
  readonly message: string;
  readonly cure?: string | null;
  readonly fn?: RewardFunction | null;
  readonly rows?: readonly number[];
  /** Left out: the function's name. */
  readonly range?: Range | null | undefined;
}

export function finding(code: string, parts: FindingParts): Finding {
  const { severity, message, cure, fn, rows, range } = parts;
  return {
    code,
    severity,
    message,
    function: fn?.name ?? null,
    rows: (rows ?? []).slice(0, MAX_ROWS),
    range: range ?? fn?.nameRange ?? null,
    cure: cure ?? null,
  };
}

/** The function's model: of a name defined twice the last, as Python keeps it. */
export function modelOfFunction(source: SourceModel, name: string): FunctionModel | null {
  return source.functions.findLast((fn) => fn.name === name) ?? null;
}

/** The function and the functions of the file that it uses, directly or through others. */
export function closureOf(source: SourceModel, name: string): FunctionModel[] {
  const found = new Map<string, FunctionModel>();
  const visit = (next: string): void => {
    const fn = found.has(next) ? null : modelOfFunction(source, next);
    if (!fn) return;
    found.set(next, fn);
    fn.mentions.forEach(visit);
  };
  visit(name);
  return [...found.values()];
}

export function rowsWhere(
  evidence: FunctionEvidence,
  test: (row: RowOutcome, index: number) => boolean,
): number[] {
  const rows: number[] = [];
  evidence.outcome?.rows.forEach((row, index) => {
    if (row && test(row, index)) rows.push(index);
  });
  return rows;
}

/** Rows with one of these reasons, of single rows and of whole calls, and the first such reason. */
export function withReason(
  evidence: FunctionEvidence,
  ...codes: readonly ReasonCode[]
): { rows: number[]; reason: Reason } | null {
  const has = (reason: Reason | null): boolean => reason !== null && codes.includes(reason.code);
  const failures = evidence.failures.filter((failure) => has(failure.reason));
  const rows = new Set(rowsWhere(evidence, (row) => has(row.reason)));
  for (const failure of failures) failure.rows.forEach((row) => rows.add(row));
  const sorted = [...rows].sort((a, b) => a - b);
  const [first] = sorted;
  const reason = failures[0]?.reason ?? (first === undefined ? null : evidence.outcome?.rows[first]?.reason);
  return reason ? { rows: sorted, reason } : null;
}
