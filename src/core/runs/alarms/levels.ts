import type { Alarm, Finite } from "./alarm";
import { baseline, finitePoints, held } from "./alarm";

/** Steps that a window of these alarms has; single steps of small batches jump too much to say anything. */
const WINDOW = 5;
const FIRST = 5;

interface Level {
  readonly code: Alarm["code"];
  readonly metric: string;
  readonly above: boolean;
  /** `start`: the median of the first five steps. Infinite: these limits don't apply. */
  readonly on: (start: number) => number;
  readonly off: (start: number) => number;
  /** Values are compared without their sign. */
  readonly absolute?: boolean;
  /** A level in itself; the others compare with the start. */
  readonly fixed?: boolean;
}

function level({ code, metric, above, on, off, absolute, fixed }: Level): Alarm {
  return {
    code,
    find(input) {
      const points: Finite[] = finitePoints(input.points(metric)).map(({ step, value }) => ({
        step,
        value: absolute ? Math.abs(value) : value,
      }));
      const start = fixed ? 0 : baseline(points, FIRST, WINDOW);
      if (start === null) return null;
      const later = fixed ? points : points.slice(FIRST);
      const found = held(later, WINDOW, { on: on(start), off: off(start), above });
      if (!found) return null;
      const values = fixed ? { now: found.value, limit: on(0) } : { now: found.value, start };
      return { code, metric, from: found.from.step, to: found.to.step, values };
    },
  };
}

/** No gradient in nine of ten groups: DAPO (Yu et al. 2025) drops such groups, as they only shrink the batch. */
export const allTied = level({
  code: "all-tied",
  metric: "tied",
  above: true,
  fixed: true,
  on: () => 0.9,
  off: () => 0.8,
});

/** A third of the start's length: answers without reasoning. A choice of ours; runs that merely get terser halve it. */
export const lengthCollapse = level({
  code: "length-collapse",
  metric: "length",
  above: false,
  on: (start) => start / 3,
  off: (start) => start / 2,
});

/** Three times the start's. Growth alone may be learning (DeepSeek-R1), so that it is told and not called an error. */
export const lengthExplosion = level({
  code: "length-explosion",
  metric: "length",
  above: true,
  on: (start) => 3 * start,
  off: (start) => 2.5 * start,
});

/** Above a fifth, cut-off completions colour the mean reward (DAPO's reason for overlong filtering). Our choice. */
export const truncation = level({
  code: "truncation",
  metric: "truncated",
  above: true,
  fixed: true,
  on: () => 0.2,
  off: () => 0.15,
});

/** A fifth of the start's: the collapse of Cui et al. 2025, after which reward hardly moves. The share is our choice. */
export const entropyCollapse = level({
  code: "entropy-collapse",
  metric: "entropy",
  above: false,
  on: (start) => (start > 0 ? start / 5 : Number.NEGATIVE_INFINITY),
  off: (start) => start / 4,
});

/** Half a nat at every token is far from the reference, whatever its task. Our choice. */
export const klExplosion = level({
  code: "kl-explosion",
  metric: "kl",
  above: true,
  absolute: true,
  fixed: true,
  on: () => 0.5,
  off: () => 0.3,
});

/** Ten times the start's, over a whole window: one clipped spike does no harm. Our choice. */
export const gradientExplosion = level({
  code: "gradient-explosion",
  metric: "grad-norm",
  above: true,
  on: (start) => (start > 0 ? 10 * start : Number.POSITIVE_INFINITY),
  off: (start) => 5 * start,
});

/** Three times the start's, and above 0.01 nats: below that it is rounding of the kernels. Our choice. */
export const gapGrowing = level({
  code: "gap-growing",
  metric: "gap",
  above: true,
  absolute: true,
  on: (start) => Math.max(0.01, 3 * start),
  off: (start) => Math.max(0.008, 2 * start),
});
