import { toTagged } from "../../schema/number";
import { REPORT_SCHEMA, type FunctionReport, type ScoreReport } from "../../schema/report";
import type { Finding, RewardFunction } from "../../schema/reward";
import type { Fate, RowScore, ScoreState } from "../../schema/score";
import type { ReadProblem } from "../../schema/sample";
import { advantageRule } from "../advantages/registry";
import { analyseGroups, toGroupReports } from "./groups";
import { labelAgreement } from "./labels";
import { allRows, planBatches } from "./plan";
import { countStates, scoreOf } from "./states";
import type { FunctionOutcome } from "./outcome";
import type { SampleTable } from "./table";
import { othersScored, rewardMatrix, type Component } from "./totals";

export interface ReportedFunction extends Component {
  readonly file: string;
  readonly contract: RewardFunction["contract"];
  readonly reasons: RewardFunction["reasons"];
  /** Rows whose second call gave another value. */
  readonly again?: readonly number[];
}

export interface ReportInput {
  /** Version of the product. */
  readonly version: string;
  readonly table: SampleTable;
  readonly functions: readonly ReportedFunction[];
  readonly trainer: {
    readonly framework: ScoreReport["trainer"]["framework"];
    /** Installed in the interpreter, or null. */
    readonly version: string | null;
    /** The contract's facts hold for that version. */
    readonly checked: boolean;
    readonly advantages: ScoreReport["trainer"]["advantages"];
    readonly aggregation: ScoreReport["trainer"]["aggregation"];
    readonly batch: number;
  };
  readonly findings: readonly Finding[];
  readonly problems: readonly ReadProblem[];
  readonly error: ScoreReport["error"];
  readonly versionHash: string | null;
  readonly timing: ScoreReport["timing"];
}

/** The report of one pass over a set: `score --json`, `check --json`, the editor's export. */
export function scoreReport(input: ReportInput): ScoreReport {
  const { table, functions, trainer } = input;
  const rule = advantageRule(trainer);
  const matrix = rewardMatrix(functions, table.n);
  const batches = planBatches(table, allRows(table), trainer.batch);
  const { info } = table;
  return {
    schema: REPORT_SCHEMA,
    product: { name: "rewardsmith", version: input.version },
    samples: {
      files: info.files,
      rows: table.n,
      ...(info.leftOut === undefined ? {} : { leftOut: info.leftOut }),
      shape: info.shape,
      mapping: info.mapping,
      problems: [...input.problems],
      hash: info.hash,
    },
    trainer: { ...trainer, formula: rule.formula },
    functions: functions.map((fn, index) => functionReport(table, functions, fn, index)),
    totals: Array.from(matrix.totals, (total) => (Number.isNaN(total) ? null : toTagged(total))),
    groups: toGroupReports(analyseGroups(table, matrix, rule, batches)),
    hypothetical: matrix.stops,
    labels: labelAgreement(table, matrix.totals),
    findings: [...input.findings],
    error: input.error,
    versionHash: input.versionHash,
    timing: input.timing,
  };
}

function functionReport(
  table: SampleTable,
  functions: readonly ReportedFunction[],
  fn: ReportedFunction,
  index: number,
): FunctionReport {
  const { outcome } = fn;
  const { mean, n } = meanOf(outcome);
  return {
    name: outcome.name,
    file: fn.file,
    contract: fn.contract,
    reasons: fn.reasons,
    weight: fn.weight,
    rows: rowScores(table, outcome),
    states: countStates(outcome).states,
    mean: n === 0 ? null : toTagged(mean),
    n,
    fates: fatesOf(functions, fn, index),
    ...(fn.again === undefined ? {} : { again: [...fn.again] }),
  };
}

/** Rows of this pass in table order. */
export function rowScores(table: SampleTable, outcome: FunctionOutcome): RowScore[] {
  const rows: RowScore[] = [];
  outcome.rows.forEach((cell, row) => {
    if (cell === undefined) return;
    const { state, value, recovered, reason, output, ms } = cell;
    rows.push({
      row,
      id: table.ids[row] ?? "",
      group: table.groups[table.groupOf[row] ?? -1]?.id ?? "",
      state,
      value: value === null ? null : toTagged(value),
      recovered,
      reason,
      output,
      ms,
    });
  });
  return rows;
}

function meanOf(outcome: FunctionOutcome): { mean: number; n: number } {
  let sum = 0;
  let n = 0;
  for (const row of outcome.rows) {
    const value = scoreOf(row);
    if (Number.isNaN(value)) continue;
    sum += value;
    n++;
  }
  return { mean: sum / n, n };
}

const SEVERITY: Readonly<Record<Fate["word"], number>> = {
  value: 0,
  unknown: 1,
  ignored: 2,
  zero: 3,
  poisons: 4,
  stops: 5,
};

/** State → fate for the states that occur; where rows of one state fare differently, the worst of them. */
function fatesOf(
  functions: readonly Component[],
  fn: Component,
  index: number,
): Partial<Record<ScoreState, Fate>> {
  const fates: Partial<Record<ScoreState, Fate>> = {};
  fn.outcome.rows.forEach((cell, row) => {
    if (cell === undefined) return;
    const known = fates[cell.state];
    if (cell.state === "scored" && known !== undefined) return;
    const fate = fn.fate(cell.state, othersScored(functions, row, index), cell.reason?.code ?? null);
    if (known === undefined || SEVERITY[fate.word] > SEVERITY[known.word]) fates[cell.state] = fate;
  });
  return fates;
}
