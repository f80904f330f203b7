import { own } from "../../base/own";
import { CrumbFinder, type Crumb } from "../../core/scoring/separate";
import { analyseGroups, type GroupState } from "../../core/scoring/groups";
import { allRows, planBatches } from "../../core/scoring/plan";
import { rewardMatrix, type Component, type RewardMatrix } from "../../core/scoring/totals";
import type { LabFunction, LabQuery } from "../../schema/lab";
import { toTagged, type TaggedNumber } from "../../schema/number";
import type { ScoredFacts } from "./scoredFacts";

export type Weights = LabQuery["weights"];

/** Totals, both sets of advantages and groups under one set of weights. Numbers are by row; NaN = there is none. */
export interface Weighed {
  readonly facts: ScoredFacts;
  readonly components: readonly Component[];
  readonly functions: readonly LabFunction[];
  readonly matrix: RewardMatrix;
  /** Of rows that every function has an outcome for; in the others a part is missing yet. */
  readonly totals: Float64Array;
  /** As trained, of rows with a total: a trainer's own 0 in place of a score that isn't there would read as one. */
  readonly advantages: Float32Array;
  readonly ifFixed: Float32Array;
  /** By index of the group in the set; undefined where none of its rows is in this pass. */
  readonly groups: readonly (GroupState | undefined)[];
  readonly formula: string;
  /** By index of the group. Complete groups only: the spread of a part isn't the trainer's. */
  readonly crumbs: () => readonly (Crumb | null)[];
}

/** Each function's weight: what is asked for, else the suite's. */
export function weightsOf({ functions }: ScoredFacts, asked: Weights): number[] {
  return functions.map(({ fn, weight }) => (asked && own(asked, fn.name)) ?? weight);
}

export function weigh(facts: ScoredFacts, weights: readonly number[]): Weighed {
  const { table, composition } = facts;
  const components = facts.functions.map(({ outcome, fate, weight }, i): Component => ({
    outcome,
    fate,
    weight: weights[i] ?? weight,
  }));
  const matrix = rewardMatrix(components, table.n);
  const { seen } = matrix;
  const rows = allRows(table).filter((row) => seen[row] === 1);
  const analysis =
    composition && components.length > 0
      ? analyseGroups(table, matrix, composition.rule, planBatches(table, rows, composition.trainer.batch))
      : null;
  const groups = new Array<GroupState | undefined>(table.groups.length).fill(undefined);
  for (const group of analysis?.groups ?? []) groups[table.groupOf[group.rows[0] ?? -1] ?? -1] = group;
  const none = new Float32Array(0);
  const totals = matrix.totals.map((total, row) => (seen[row] === 1 ? total : Number.NaN));
  const advantages =
    analysis?.advantages.map((advantage, row) =>
      Number.isNaN(totals[row] ?? Number.NaN) ? Number.NaN : advantage,
    ) ?? none;
  let crumbs: (Crumb | null)[] | null = null;
  return {
    facts,
    components,
    functions: facts.functions.map(({ fn: { name, contract, line }, weight }, i) => ({
      name,
      contract,
      weight: weights[i] ?? weight,
      line,
    })),
    matrix,
    totals,
    advantages,
    ifFixed: analysis?.ifFixed ?? none,
    groups,
    formula: composition?.rule.formula ?? "",
    crumbs: () => {
      if (crumbs) return crumbs;
      const finder = composition && new CrumbFinder(matrix, composition.rule, advantages);
      crumbs = groups.map((group) =>
        group && group.rows.length === group.group.rows.length ? (finder?.of(group.rows) ?? null) : null,
      );
      return crumbs;
    },
  };
}

/** NaN stands for none; infinities are told. */
export function orNull(value: number | undefined): TaggedNumber | null {
  return value === undefined || Number.isNaN(value) ? null : toTagged(value);
}
