import { toTagged, type TaggedNumber } from "../../schema/number";
import type { GroupReport } from "../../schema/report";
import type { AdvantageRule } from "../advantages/rule";
import type { RewardMatrix } from "./totals";
import type { SampleGroup, SampleTable } from "./table";

/**
 * A group is tied when its totals lie within this share of the largest of them (of 1 where all are smaller): above
 * float32's own rounding, below any spread a reward means.
 */
const TIE = 1e-6;
/**
 * Rounding residue of equal totals may leave advantages up to this size, which move next to nothing: for totals around 1
 * the mean is off by up to 1e-7 to 1e-6, over TRL's epsilon of 1e-4. Large equal totals leave more, and that trains.
 */
const RESIDUE = 1e-2;

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
  const verdicts = verdictsOf(matrix.totals);
  const groups: GroupState[] = [];
  for (const planned of batches) {
    const rows = planned.filter((row) => matrix.seen[row] === 1);
    if (rows.length === 0) continue;
    const runs = runsOf(table, rows);
    const sizes = runs.map((run) => run.rows.length);
    const values = cells(matrix, matrix.trained, rows);
    const fixedValues = cells(matrix, matrix.fixed, rows);
    const trained = rule.compute({ values, weights: matrix.weights, groups: sizes });
    // In most batches nothing is broken, and both sets are one.
    const fixed = sameValues(values, fixedValues)
      ? trained
      : rule.compute({ values: fixedValues, weights: matrix.weights, groups: sizes });
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      advantages[row] = trained.advantages[i] ?? Number.NaN;
      if (!Number.isNaN(fixed.rewards[i] ?? Number.NaN)) ifFixed[row] = fixed.advantages[i] ?? Number.NaN;
    }
    runs.forEach(({ group, rows: members }, g) => {
      const { mean, std, filtered } = trained.groups[g] ?? { mean: NaN, std: NaN, filtered: false };
      const { tied, noGradient, cause } = flags(table, matrix, members, advantages, verdicts);
      groups.push({ group, rows: members, mean, std, tied, filtered, noGradient, cause });
    });
  }
  return { groups, advantages, ifFixed };
}

/** Counts for one line. Groups of which only a part was scored are left out: their spread isn't the trainer's. */
export function countGroups(groups: readonly GroupState[]): { n: number; tied: number; noGradient: number } {
  const counts = { n: 0, tied: 0, noGradient: 0 };
  for (const { group, rows, tied, noGradient } of groups) {
    if (rows.length < group.rows.length) continue;
    counts.n++;
    if (tied) counts.tied++;
    if (noGradient) counts.noGradient++;
  }
  return counts;
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

/** Rewards of these rows, one row's functions after another, in float32. */
function cells(matrix: RewardMatrix, from: Float64Array, rows: readonly number[]): Float32Array {
  const columns = matrix.weights.length;
  const values = new Float32Array(rows.length * columns);
  let at = 0;
  for (const row of rows) {
    for (let c = 0; c < columns; c++) values[at++] = from[row * columns + c] ?? Number.NaN;
  }
  return values;
}

function sameValues(a: Float32Array, b: Float32Array): boolean {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

function runsOf(table: SampleTable, rows: readonly number[]): { group: SampleGroup; rows: number[] }[] {
  const runs: { group: SampleGroup; rows: number[] }[] = [];
  let last = -1;
  let members: number[] = [];
  for (const row of rows) {
    const index = table.groupOf[row] ?? -1;
    if (index !== last) {
      const group = table.groups[index];
      if (group === undefined) continue;
      members = [];
      runs.push({ group, rows: members });
      last = index;
    }
    members.push(row);
  }
  return runs;
}

interface Verdicts {
  readonly wrong: number;
  readonly right: number;
}

/** Where a set's totals are two values, they are a verdict; null where they are graded, or all the same. */
function verdictsOf(totals: Float64Array): Verdicts | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const total of totals) {
    if (!Number.isFinite(total)) continue;
    low = Math.min(low, total);
    high = Math.max(high, total);
  }
  if (sameScore(low, high)) return null;
  const between = totals.some(
    (total) => Number.isFinite(total) && !sameScore(total, low) && !sameScore(total, high),
  );
  return between ? null : { wrong: low, right: high };
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
  verdicts: Verdicts | null,
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
  let cause: GroupReport["cause"] = null;
  if (numbers === 0) cause = "nothing-scored";
  else if (!finite) cause = "poisoned";
  else if (numbers === 1) cause = "one-left";
  else if (tied) cause = identical(table, rows) ? "identical-completions" : whyTied(low, verdicts);
  // Spread there is, but no advantage: something infinite elsewhere in the batch, or beyond float32.
  else if (noGradient) cause = "poisoned";
  return { tied, noGradient, cause };
}

/** A graded score that is tied at the set's lowest (a length, say) isn't thereby wrong. */
function whyTied(total: number, verdicts: Verdicts | null): "all-right" | "all-wrong" | "constant" {
  if (verdicts === null) return "constant";
  return sameScore(total, verdicts.right) ? "all-right" : "all-wrong";
}

function identical(table: SampleTable, rows: readonly number[]): boolean {
  const first = table.completion[rows[0] ?? -1];
  return rows.every((row) => sameJson(table.completion[row], first));
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
