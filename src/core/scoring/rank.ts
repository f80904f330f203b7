import { sameScore } from "./groups";
import type { SampleGroup } from "./table";

/**
 * Kendall's tau-b of two lists of equal length: (concordant − discordant) / √((n0 − n1)(n0 − n2)), n0 = n(n − 1)/2 pairs,
 * n1 and n2 of them tied in one list (Kendall 1945). 1 = the same order, −1 = the reverse; null where a list has no
 * spread. Scores that are the same to the trainer's precision are tied. In O(n log n) after Knight 1966.
 */
export function kendallTauB(a: readonly number[], b: readonly number[]): number | null {
  const n = a.length;
  const x = denseRanks(a);
  const y = denseRanks(b);
  const order = Array.from({ length: n }, (_, i) => i).sort(
    (i, j) => (x[i] ?? 0) - (x[j] ?? 0) || (y[i] ?? 0) - (y[j] ?? 0),
  );
  const pairs = (n * (n - 1)) / 2;
  const tiedX = tiedPairs(order.map((i) => x[i] ?? 0));
  const both = tiedPairs(order.map((i) => (x[i] ?? 0) * n + (y[i] ?? 0)));
  const ys = order.map((i) => y[i] ?? 0);
  const swaps = sortCounting(ys);
  const tiedY = tiedPairs(ys);
  const scale = Math.sqrt((pairs - tiedX) * (pairs - tiedY));
  if (scale === 0) return null;
  const tau = (pairs - tiedX - tiedY + both - 2 * swaps) / scale;
  return Math.min(1, Math.max(-1, tau));
}

/**
 * Mean tau-b over the groups in which both versions' scores have a spread, each over its rows scored in both (NaN = no
 * score); `groups` of them. Null: there is no such group.
 */
export function tauWithin(
  groups: readonly SampleGroup[],
  before: Float64Array,
  now: Float64Array,
): { tau: number | null; groups: number } {
  let sum = 0;
  let n = 0;
  for (const { rows } of groups) {
    const both = rows.filter((row) => !Number.isNaN(before[row]) && !Number.isNaN(now[row]));
    const scores = both.map((row) => now[row] ?? 0);
    const same = both.every((row) => before[row] === now[row]);
    const tau = same
      ? hasSpread(scores)
        ? 1
        : null
      : kendallTauB(
          both.map((row) => before[row] ?? 0),
          scores,
        );
    if (tau === null) continue;
    sum += tau;
    n++;
  }
  return { tau: n === 0 ? null : sum / n, groups: n };
}

function hasSpread(values: readonly number[]): boolean {
  return denseRanks(values).includes(1);
}

/** 0 for the lowest, the same for values that are the same as the next lower one. */
function denseRanks(values: readonly number[]): Int32Array {
  const order = Array.from({ length: values.length }, (_, i) => i).sort(
    (i, j) => (values[i] ?? 0) - (values[j] ?? 0),
  );
  const ranks = new Int32Array(values.length);
  let rank = 0;
  order.forEach((i, at) => {
    const below = order[at - 1];
    if (below !== undefined && !sameScore(values[below] ?? 0, values[i] ?? 0)) rank++;
    ranks[i] = rank;
  });
  return ranks;
}

/** Pairs of equal neighbours' runs in a sorted list. */
function tiedPairs(sorted: readonly number[]): number {
  let pairs = 0;
  let run = 0;
  sorted.forEach((value, i) => {
    run = i > 0 && sorted[i - 1] === value ? run + 1 : 0;
    pairs += run;
  });
  return pairs;
}

/** Sorts in place; how many neighbours bubble sort would have swapped. */
function sortCounting(values: number[]): number {
  let from = values;
  let to = new Array<number>(values.length);
  let swaps = 0;
  for (let width = 1; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) {
      const middle = Math.min(start + width, values.length);
      const end = Math.min(start + 2 * width, values.length);
      let left = start;
      let right = middle;
      for (let at = start; at < end; at++) {
        const a = from[left] ?? 0;
        const b = from[right] ?? 0;
        if (left < middle && (right >= end || a <= b)) {
          to[at] = a;
          left++;
        } else {
          to[at] = b;
          right++;
          swaps += middle - left;
        }
      }
    }
    [from, to] = [to, from];
  }
  if (from !== values) from.forEach((value, i) => (values[i] = value));
  return swaps;
}
