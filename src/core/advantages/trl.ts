import { nansum, nansumColumn, nansumMiddle } from "./float32";
import type { AdvantageRule, Advantages, GroupAdvantages, RewardBatch } from "./rule";

/**
 * TRL's GRPO advantages, in float32 and in torch's order of sums.
 *
 * Source: trl 1.16.0 `trainer/grpo_trainer.py`, `_generate_and_score_completions`, and `trainer/utils.py`, `nanstd`.
 *
 * - total = nansum(reward × weight); NaN where every function gave None or NaN, and then left out of mean and std;
 * - std is the sample deviation (n − 1); NaN with one value left;
 * - advantage = (total − group mean) / (std + 1e-4): std of the group, of the batch, or no division;
 * - `normalize_then_sum` (GDPO): each reward is normalised in its group, weighted and summed, then normalised over the
 *   batch; `scale_rewards` plays no part;
 * - square roots are correctly rounded here, torch's (MKL) are not always: a std may differ in its last place;
 * - at last NaN becomes 0 and infinities the largest float32 of their sign (`torch.nan_to_num(nan=0.0)`).
 */
const EPSILON = Math.fround(1e-4);
const MAX_FLOAT32 = Math.fround(3.4028234663852886e38);
/** `torch.isclose(std, 0)`: absolute tolerance 1e-8. */
const CLOSE = Math.fround(1e-8);

const CHECKED = ["1.16.0", "1.16.0"] as const;

type Scaling = "group" | "batch" | "none";

function sumThenNormalize(scaling: Scaling): AdvantageRule {
  const divisor = {
    group: " / (sample std of the group + 1e-4)",
    batch: " / (sample std of the batch + 1e-4)",
    none: "",
  }[scaling];
  return {
    id: `trl.${scaling}`,
    formula: `(total − group mean)${divisor}, float32 · TRL ${CHECKED[0]}, sum_then_normalize, scale_rewards=${scaling}`,
    checked: CHECKED,
    compute(batch) {
      const rewards = totals(batch);
      const spreads = groupSpreads(rewards, batch.groups);
      const whole = scaling === "batch" ? spread(rewards, 0, rewards.length).std : 0;
      const advantages = new Float32Array(rewards.length);
      let row = 0;
      batch.groups.forEach((size, g) => {
        const { mean, std } = spreads[g] ?? NOTHING;
        const scale = scaling === "none" ? 1 : Math.fround((scaling === "batch" ? whole : std) + EPSILON);
        for (const end = row + size; row < end; row++) {
          const centred = Math.fround((rewards[row] ?? Number.NaN) - mean);
          advantages[row] = nanToNum(Math.fround(centred / scale));
        }
      });
      return { rewards, advantages, groups: spreads };
    },
    logged(batch, names) {
      const rewards = totals(batch);
      const n = rewards.length;
      let zero = 0;
      if (scaling === "batch") zero = isZero(spread(rewards, 0, n).std) ? n : 0;
      else {
        groupSpreads(rewards, batch.groups).forEach(({ std }, g) => {
          if (isZero(std)) zero += batch.groups[g] ?? 0;
        });
      }
      return logged(batch, names, rewards, zero / n);
    },
  };
}

const normalizeThenSum: AdvantageRule = {
  id: "trl.normalize-then-sum",
  formula: `each reward (value − group mean) / (sample std of the group + 1e-4), weighted and summed; then minus the batch mean, / (sample std of the batch + 1e-4), float32 · TRL ${CHECKED[0]}, normalize_then_sum (GDPO)`,
  checked: CHECKED,
  compute(batch): Advantages {
    const rewards = totals(batch);
    const normalised = normalisedTotals(batch);
    const { mean, std } = spread(normalised, 0, normalised.length);
    const scale = Math.fround(std + EPSILON);
    const advantages = normalised.map((value) => nanToNum(Math.fround(Math.fround(value - mean) / scale)));
    return { rewards, advantages, groups: groupSpreads(rewards, batch.groups) };
  },
  logged(batch, names) {
    const normalised = normalisedTotals(batch);
    const zero = isZero(spread(normalised, 0, normalised.length).std);
    return logged(batch, names, totals(batch), zero ? 1 : 0);
  },
};

export const TRL_RULES: readonly AdvantageRule[] = [
  sumThenNormalize("group"),
  sumThenNormalize("batch"),
  sumThenNormalize("none"),
  normalizeThenSum,
];

const NOTHING: GroupAdvantages = { mean: Number.NaN, std: Number.NaN, filtered: false };

/** `(values * weights).nansum(dim=1)`, NaN where a row has no number at all. */
function totals({ values, weights }: RewardBatch): Float32Array {
  const columns = weights.length;
  const n = values.length / columns;
  const factors = Float32Array.from(weights);
  const products = new Float32Array(columns);
  const out = new Float32Array(n);
  for (let row = 0, at = 0; row < n; row++) {
    let any = false;
    for (let c = 0; c < columns; c++, at++) {
      const value = values[at] ?? Number.NaN;
      any ||= !Number.isNaN(value);
      products[c] = value * (factors[c] ?? 1);
    }
    out[row] = any ? nansum(products, 0, columns) : Number.NaN;
  }
  return out;
}

/** Totals of rewards that were normalised in their groups first. */
function normalisedTotals({ values, weights, groups }: RewardBatch): Float32Array {
  const columns = weights.length;
  const out = new Float32Array(values.length);
  const squares = new Float32Array(values.length);
  let start = 0;
  for (const size of groups) {
    for (let c = 0; c < columns; c++) {
      const end = start + size * columns;
      const count = countNumbers(values, start + c, columns, end);
      const mean = Math.fround(nansumMiddle(values, start, c, columns, size) / count);
      for (let i = start + c; i < end; i += columns) {
        const centred = Math.fround((values[i] ?? 0) - mean);
        out[i] = centred;
        squares[i] = centred * centred;
      }
      const sum = nansumMiddle(squares, start, c, columns, size);
      const std = size > 1 ? deviation(sum, countNumbers(squares, start + c, columns, end), count) : 0;
      const scale = Math.fround(std + EPSILON);
      for (let i = start + c; i < end; i += columns) out[i] = (out[i] ?? 0) / scale;
    }
    start += size * columns;
  }
  const sums = totals({ values: out, weights, groups });
  // The trainer marks rows by their raw rewards: a row that only normalising made NaN (infinities) sums to 0.
  for (let row = 0; row < sums.length; row++) {
    if (!Number.isNaN(sums[row] ?? 0)) continue;
    for (let c = 0; c < columns; c++) if (!Number.isNaN(values[row * columns + c] ?? 0)) sums[row] = 0;
  }
  return sums;
}

function groupSpreads(rewards: Float32Array, groups: readonly number[]): GroupAdvantages[] {
  let start = 0;
  return groups.map((size) => {
    const { mean, std } = spread(rewards, start, size);
    start += size;
    return { mean, std, filtered: false };
  });
}

/** nanmean and nanstd of neighbours; std is 0 for a single value, as the trainer sets it for groups of one. */
function spread(x: Float32Array, start: number, n: number): { mean: number; std: number } {
  const count = countNumbers(x, start, 1, start + n);
  const mean = Math.fround(nansum(x, start, n) / count);
  return { mean, std: n > 1 ? deviationAround(x, start, n, mean, count) : 0 };
}

let work = new Float32Array(64);

function deviationAround(x: Float32Array, start: number, n: number, mean: number, count: number): number {
  if (work.length < n) work = new Float32Array(n * 2);
  for (let i = 0; i < n; i++) {
    const centred = Math.fround((x[start + i] ?? Number.NaN) - mean);
    work[i] = centred * centred;
  }
  return deviation(nansum(work, 0, n), countNumbers(work, 0, 1, n), count);
}

/**
 * `nanstd` from the sum of squares: their mean × count / (count − 1), square root; NaN with one value or none.
 * `squares` and `count` differ where an infinity made a square NaN.
 */
function deviation(sum: number, squares: number, count: number): number {
  const mean = Math.fround(sum / squares);
  const correction = count > 1 ? Math.fround(count / (count - 1)) : Number.NaN;
  return Math.fround(Math.sqrt(Math.fround(mean * correction)));
}

function countNumbers(x: Float32Array, from: number, step: number, end: number): number {
  let count = 0;
  for (let i = from; i < end; i += step) if (!Number.isNaN(x[i] ?? 0)) count++;
  return count;
}

function nanToNum(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(MAX_FLOAT32, Math.max(-MAX_FLOAT32, value));
}

function isZero(std: number): boolean {
  return std <= CLOSE;
}

function logged(
  { values, weights }: RewardBatch,
  names: readonly string[],
  rewards: Float32Array,
  zeroShare: number,
): ReadonlyMap<string, number> {
  const columns = weights.length;
  const n = rewards.length;
  const out = new Map<string, number>();
  const column = new Float32Array(n);
  names.forEach((name, c) => {
    for (let row = 0; row < n; row++) column[row] = values[row * columns + c] ?? Number.NaN;
    const count = countNumbers(column, 0, 1, n);
    const mean = Math.fround(nansumColumn(values, c, columns, n) / count);
    out.set(`rewards/${name}/mean`, mean);
    out.set(`rewards/${name}/std`, deviationAround(column, 0, n, mean, count));
  });
  const count = countNumbers(rewards, 0, 1, n);
  const mean = Math.fround(nansum(rewards, 0, n) / count);
  out.set("reward", mean);
  out.set("reward_std", deviationAround(rewards, 0, n, mean, count));
  out.set("frac_reward_zero_std", Math.fround(zeroShare));
  return out;
}
