import type { Alarm } from "./alarm";
import { finitePoints, mean, median, trend } from "./alarm";

const LONG = 20;
/** Standard errors that a rise must have: 2.6 is about 1 in 200 by chance, as every step looks again. */
const SURE = 2.6;

/**
 * Reward has risen over the last 20 points and success, measured apart, has not: what over-optimisation of a proxy looks
 * like (Gao et al. 2023). A rise is a slope of 2.6 standard errors and a tenth of the reward's range; "not risen" leaves
 * success no two points of share above flat.
 */
export const rewardUpSuccessFlat: Alarm = {
  code: "reward-up-success-flat",
  find(input) {
    const metric = ["success", "eval-success"].find(
      (id) => finitePoints(input.points(id)).length >= LONG / 2,
    );
    const rewards = finitePoints(input.points("reward")).slice(-LONG);
    const first = rewards[0];
    const last = rewards.at(-1);
    if (metric === undefined || rewards.length < LONG || !first || !last) return null;
    const successes = finitePoints(input.points(metric)).filter(({ step }) => step >= first.step);
    if (successes.length < LONG / 2) return null;
    const all = finitePoints(input.points("reward")).map(({ value }) => value);
    const range = Math.max(...all) - Math.min(...all);
    const [up, flat] = [trend(rewards), trend(successes)];
    if (up.change < SURE * up.error || up.change < 0.1 * range || range === 0) return null;
    if (flat.change > 0.02) return null;
    return {
      code: this.code,
      metric,
      from: first.step,
      to: last.step,
      values: { reward: up.change, success: flat.change },
    };
  },
};

/** Invalid rollouts: 5 points of share more in the last five points than in the first five, and two times as many. */
export const invalidRising: Alarm = {
  code: "invalid-rising",
  find(input) {
    const points = finitePoints(input.points("invalid"));
    if (points.length < 10) return null;
    const start = mean(points.slice(0, 5).map(({ value }) => value));
    const recent = points.slice(-5);
    const now = median(recent.map(({ value }) => value));
    // Hysteresis: once it has been on, half the distance back ends it.
    const before = median(points.slice(-8, -3).map(({ value }) => value));
    const past = (value: number, share: number) => value - start >= share && value >= 2 * start;
    if (!past(now, 0.05) && !(past(before, 0.05) && past(now, 0.025))) return null;
    return {
      code: this.code,
      metric: "invalid",
      from: recent[0]?.step ?? 0,
      to: recent.at(-1)?.step ?? 0,
      values: { now, start },
    };
  },
};

const MUST_BE_FINITE = ["loss", "reward", "grad-norm", "kl", "entropy"];

/** NaN or infinity in what the update is made of. Ends after five finite points: weights that are NaN stay so. */
export const nonFinite: Alarm = {
  code: "non-finite",
  find(input) {
    for (const metric of MUST_BE_FINITE) {
      const recent = input.points(metric).slice(-5);
      const odd = recent.filter(([, value]) => typeof value === "object" && value !== null);
      const first = odd[0];
      const last = recent.at(-1);
      if (!first || !last) continue;
      return { code: this.code, metric, from: first[0], to: last[0], values: { points: odd.length } };
    }
    return null;
  },
};

/** The rewards take more than half of the step's time, over five steps: the trainer waits for them. Off below 0.4. */
export const rewardSlow: Alarm = {
  code: "reward-slow",
  find(input) {
    const steps = new Map(finitePoints(input.points("step-time")).map(({ step, value }) => [step, value]));
    const shares = finitePoints(input.points("reward-time")).flatMap(({ step, value }) => {
      const whole = steps.get(step);
      return whole !== undefined && whole > 0 ? [{ step, value: value / whole }] : [];
    });
    if (shares.length < 5) return null;
    const at = (end: number) => median(shares.slice(end - 5, end).map(({ value }) => value));
    let on = false;
    for (let end = 5; end <= shares.length; end++) on = at(end) >= (on ? 0.4 : 0.5);
    const recent = shares.slice(-5);
    const [first, last] = [recent[0], recent.at(-1)];
    if (!on || !first || !last) return null;
    return {
      code: this.code,
      metric: "reward-time",
      from: first.step,
      to: last.step,
      values: { share: at(shares.length) },
    };
  },
};

/** No row for ten times the usual time of a step, and at least ten minutes: evaluations and checkpoints take a few. */
export const stalled: Alarm = {
  code: "stalled",
  find(input) {
    const times = input.times();
    const last = times.at(-1);
    if (input.now === null || !last || times.length < 4) return null;
    const each = times.slice(-20).flatMap(([step, at], index, list) => {
      const before = list[index - 1];
      return before && at > before[1] ? [(at - before[1]) / 1000 / (step - before[0])] : [];
    });
    const usual = median(each);
    const silent = (input.now - last[1]) / 1000;
    if (!Number.isFinite(usual) || silent < Math.max(600, 10 * usual)) return null;
    return {
      code: this.code,
      metric: "step-time",
      from: last[0],
      to: last[0],
      values: { silent, usual },
    };
  },
};
