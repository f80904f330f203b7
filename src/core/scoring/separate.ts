import type { AdvantageRule } from "../advantages/rule";
import { sameScore } from "./groups";
import type { RewardMatrix } from "./totals";

export interface Share {
  /** Index of the function. */
  readonly column: number;
  /** 0 to 1. */
  readonly share: number;
}

/**
 * What separates a group: each function's share of the spread of totals, largest first, without those that have none.
 *
 * With p(c, i) = weight of c × what the trainer has for c in row i (0 where it has nothing, as in its sum), over rows
 * with a total: share(c) = Var p(c) / Σ Var p(k). Sums to 1. Shares are of the parts' own spreads: where two functions
 * cancel each other out, both still count. Empty where totals are tied, or one isn't finite.
 */
export function separation(matrix: RewardMatrix, rows: readonly number[]): Share[] {
  const scored = withTotal(matrix, rows);
  const { low, high } = rangeOf(scored, (row) => matrix.totals[row] ?? Number.NaN);
  if (!(high > low) || !Number.isFinite(low) || !Number.isFinite(high) || sameScore(low, high)) return [];
  const spreads = matrix.weights.map((_, column) => variance(scored, (row) => partOf(matrix, row, column)));
  const sum = spreads.reduce((a, b) => a + b, 0);
  if (!(sum > 0) || !Number.isFinite(sum)) return [];
  return spreads
    .map((spread, column) => ({ column, share: Math.min(1, spread / sum) }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share || a.column - b.column);
}

export interface Crumb {
  /** Index of the function that separates the group most. */
  readonly column: number;
  /** Highest minus lowest total in the group. */
  readonly spread: number;
  /** Size of the largest advantage, as trained. */
  readonly advantage: number;
}

/** A spread is a crumb up to this share of what the heaviest function can make. */
const CRUMB = 0.05;
/** As large as a real success: at least this share of it. */
const AS_LARGE = 0.5;

/**
 * Tie-break amplification (SCIENCE §3): [1 × 7, 0.99] gives the last row −2.41, a lone failure among eight −2.47.
 *
 * The heaviest function is the one with the largest reach: |weight| × (highest − lowest value in the set), or |weight| ×
 * largest |value| where it is the same everywhere. A group is separated by a crumb when the heaviest function's part and
 * the total both spread over at most 5 % of that reach, the totals aren't tied, and the largest advantage is at least
 * half of what the rule would give were the same totals stretched to the reach.
 */
export class CrumbFinder {
  readonly #matrix: RewardMatrix;
  readonly #rule: AdvantageRule;
  readonly #advantages: Float32Array;
  readonly #heaviest: number;
  readonly #reach: number;

  constructor(matrix: RewardMatrix, rule: AdvantageRule, advantages: Float32Array) {
    this.#matrix = matrix;
    this.#rule = rule;
    this.#advantages = advantages;
    const reaches = matrix.weights.map((weight, column) => Math.abs(weight) * valueReach(matrix, column));
    this.#reach = Math.max(0, ...reaches);
    this.#heaviest = reaches.indexOf(this.#reach);
  }

  of(rows: readonly number[]): Crumb | null {
    const matrix = this.#matrix;
    if (!(this.#reach > 0) || !Number.isFinite(this.#reach)) return null;
    const scored = withTotal(matrix, rows);
    const { low, high } = rangeOf(scored, (row) => matrix.totals[row] ?? Number.NaN);
    const spread = high - low;
    if (!(spread <= CRUMB * this.#reach) || sameScore(low, high)) return null;
    const own = rangeOf(scored, (row) => partOf(matrix, row, this.#heaviest));
    if (!(own.high - own.low <= CRUMB * this.#reach)) return null;
    let advantage = 0;
    for (const row of scored) advantage = Math.max(advantage, Math.abs(this.#advantages[row] ?? 0));
    const stretched = Float32Array.from(
      scored,
      (row) => (((matrix.totals[row] ?? 0) - low) / spread) * this.#reach,
    );
    const real = this.#rule.compute({ values: stretched, weights: [1], groups: [scored.length] });
    const success = real.advantages.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const [first] = separation(matrix, rows);
    if (!first || !(advantage >= AS_LARGE * success)) return null;
    return { column: first.column, spread, advantage };
  }
}

/** Weight × what the trainer has for this function; 0 where it has nothing. */
function partOf(matrix: RewardMatrix, row: number, column: number): number {
  const part =
    (matrix.weights[column] ?? 0) * (matrix.trained[row * matrix.weights.length + column] ?? Number.NaN);
  return Number.isNaN(part) ? 0 : part;
}

function withTotal(matrix: RewardMatrix, rows: readonly number[]): number[] {
  return rows.filter((row) => matrix.seen[row] === 1 && !Number.isNaN(matrix.totals[row] ?? Number.NaN));
}

function valueReach(matrix: RewardMatrix, column: number): number {
  const columns = matrix.weights.length;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let at = column; at < matrix.fixed.length; at += columns) {
    const value = matrix.fixed[at] ?? Number.NaN;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(low <= high)) return 0;
  return sameScore(low, high) ? Math.max(Math.abs(low), Math.abs(high)) : high - low;
}

function rangeOf(rows: readonly number[], value: (row: number) => number): { low: number; high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    const own = value(row);
    if (own < low) low = own;
    if (own > high) high = own;
  }
  return { low, high };
}

/** Equal values have none: not the residue that rounding their mean would leave. */
function variance(rows: readonly number[], value: (row: number) => number): number {
  const { low, high } = rangeOf(rows, value);
  if (low === high) return 0;
  let mean = 0;
  for (const row of rows) mean += value(row) / rows.length;
  let sum = 0;
  for (const row of rows) sum += (value(row) - mean) ** 2;
  return sum / rows.length;
}
