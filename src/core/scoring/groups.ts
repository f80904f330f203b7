import { toTagged, type TaggedNumber } from "../../schema/number";
import type { GroupReport } from "../../schema/report";
import type { AdvantageRule, Advantages } from "../advantages/rule";
import type { RewardMatrix } from "./totals";
import type { SampleGroup, SampleTable } from "./table";

/**
 * A group is tied when its totals lie within this share of the largest of them (of 1 where all are smaller): above
 * float32's own rounding, below any spread a reward means.
 */
const TIE = 1e-6;
/** Rounding residue of equal totals may leave advantages up to this size; they move nothing. */
const RESIDUE = 1e-3;

export interface GroupState {
  readonly group: SampleGroup;
  /** Rows of the group in this pass. */
  readonly rows: readonly number[];
  /** NaN where the trainer has NaN. */
  readonly mean: number;
  readonly std: number;
  readonly tied: boolean;
  readonly filtered: boolean;
  readonly noGradient: boolean;
  readonly cause: GroupReport["cause"];
}

export interface GroupAnalysis {
  readonly groups: readonly GroupState[];
  /** Per row of the table, as trained; NaN for rows that are not in this pass. */
  readonly advantages: Float32Array;
  /** Per row, over scored rows only; NaN for all others. */
  readonly ifFixed: Float32Array;
}

/**
 * Advantages and flags of every group that has a row in this pass. `batches` are the trainer's batches (see
 * `planBatches`): rules that scale by the batch see one at a time.
 */
export function analyseGroups(
  table: SampleTable,
  matrix: RewardMatrix,
  rule: AdvantageRule,
  batches: readonly (readonly number[])[],
): GroupAnalysis {
  const advantages = new Float32Array(table.n).fill(Number.NaN);
  const ifFixed = new Float32Array(table.n).fill(Number.NaN);
  const extremes = range(matrix.totals);
  const groups: GroupState[] = [];
  for (const planned of batches) {
    const rows = planned.filter((row) => matrix.seen[row] === 1);
    if (rows.length === 0) continue;
    const runs = runsOf(table, rows);
    const sizes = runs.map((run) => run.rows.length);
    const trained = compute(matrix, matrix.trained, rows, sizes, rule);
    const fixed = compute(matrix, matrix.fixed, rows, sizes, rule);
    rows.forEach((row, i) => {
      advantages[row] = trained.advantages[i] ?? Number.NaN;
      if (!Number.isNaN(fixed.rewards[i] ?? Number.NaN)) ifFixed[row] = fixed.advantages[i] ?? Number.NaN;
    });
    runs.forEach((run, g) => {
      const { mean, std, filtered } = trained.groups[g] ?? { mean: NaN, std: NaN, filtered: false };
      groups.push({ ...run, mean, std, filtered, ...flags(table, matrix, run.rows, advantages, extremes) });
    });
  }
  return { groups, advantages, ifFixed };
}

/** Counts for one line. Groups of which only a part was scored are left out: their spread isn't the trainer's. */
export function countGroups(groups: readonly GroupState[]): { n: number; tied: number; noGradient: number } {
  const whole = groups.filter((g) => g.rows.length === g.group.rows.length);
  return {
    n: whole.length,
    tied: whole.filter((g) => g.tied).length,
    noGradient: whole.filter((g) => g.noGradient).length,
  };
}

export function toGroupReports({ groups, advantages, ifFixed }: GroupAnalysis): GroupReport[] {
  return groups.map(({ group, rows, mean, std, tied, filtered, noGradient, cause }) => ({
    id: group.id,
    n: rows.length,
    rows: [...rows],
    mean: orNull(mean),
    std: orNull(std),
    tied,
    filtered,
    noGradient,
    cause,
    advantages: rows.map((row) => orNull(advantages[row] ?? Number.NaN)),
    advantagesIfFixed: rows.map((row) => orNull(ifFixed[row] ?? Number.NaN)),
  }));
}

function orNull(value: number): TaggedNumber | null {
  return Number.isNaN(value) ? null : toTagged(value);
}

function compute(
  matrix: RewardMatrix,
  cells: Float64Array,
  rows: readonly number[],
  groups: readonly number[],
  rule: AdvantageRule,
): Advantages {
  const columns = matrix.weights.length;
  const values = new Float32Array(rows.length * columns);
  let at = 0;
  for (const row of rows) {
    for (let c = 0; c < columns; c++) values[at++] = cells[row * columns + c] ?? Number.NaN;
  }
  return rule.compute({ values, weights: matrix.weights, groups });
}

function runsOf(table: SampleTable, rows: readonly number[]): { group: SampleGroup; rows: number[] }[] {
  const runs: { group: SampleGroup; rows: number[] }[] = [];
  let last = -1;
  for (const row of rows) {
    const index = table.groupOf[row] ?? -1;
    const group = table.groups[index];
    if (group === undefined) continue;
    if (index !== last) runs.push({ group, rows: [] });
    runs.at(-1)?.rows.push(row);
    last = index;
  }
  return runs;
}

function range(totals: Float64Array): { low: number; high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const total of totals) {
    if (!Number.isFinite(total)) continue;
    low = Math.min(low, total);
    high = Math.max(high, total);
  }
  return { low, high };
}

/** Whether two totals are the same to the trainer's precision. */
export function sameScore(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= TIE * Math.max(1, Math.abs(a), Math.abs(b));
}

function flags(
  table: SampleTable,
  matrix: RewardMatrix,
  rows: readonly number[],
  advantages: Float32Array,
  set: { low: number; high: number },
): Pick<GroupState, "tied" | "noGradient" | "cause"> {
  let numbers = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let largest = 0;
  for (const row of rows) {
    largest = Math.max(largest, Math.abs(advantages[row] ?? 0));
    const total = matrix.totals[row] ?? Number.NaN;
    if (Number.isNaN(total)) continue;
    numbers++;
    low = Math.min(low, total);
    high = Math.max(high, total);
  }
  const finite = Number.isFinite(low) && Number.isFinite(high);
  const tied = numbers > 1 && finite && sameScore(low, high);
  const noGradient = largest === 0 || (tied && largest < RESIDUE);
  return { tied, noGradient, cause: cause() };

  function cause(): GroupReport["cause"] {
    if (numbers === 0) return "nothing-scored";
    if (!finite) return "poisoned";
    if (numbers === 1) return "one-left";
    if (!tied) return noGradient ? "poisoned" : null;
    if (identical(table, rows)) return "identical-completions";
    if (sameScore(set.low, set.high)) return "constant";
    if (sameScore(high, set.high)) return "all-right";
    if (sameScore(low, set.low)) return "all-wrong";
    return "constant";
  }
}

function identical(table: SampleTable, rows: readonly number[]): boolean {
  const [first, ...others] = rows;
  if (first === undefined) return false;
  return others.every((row) => sameJson(table.completion[row], table.completion[first]));
}

function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = new Map<string, unknown>(Object.entries(b));
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key)))
  );
}
