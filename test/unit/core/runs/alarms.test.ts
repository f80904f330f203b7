import { describe, expect, it } from "vitest";
import type { AlarmInput } from "../../../../src/core/runs/alarms/alarm";
import { ALARMS, alarmsOf } from "../../../../src/core/runs/alarms/registry";
import { pointOf } from "../../../../src/core/runs/series";
import { AlarmCode, RunAlarm } from "../../../../src/schema/runView";
import { alarmInWords } from "../../../../src/words/alarms";

/** The same noise in every run, between -1 and 1. */
function noise(step: number, seed = 1): number {
  const x = Math.sin(step * 12.9898 + seed * 78.233) * 43758.5453;
  return 2 * (x - Math.floor(x)) - 1;
}

type Curve = (step: number) => number | null;
const STEPS = 60;

function run(curves: Record<string, Curve>, fields: Partial<AlarmInput> = {}): AlarmInput {
  return {
    points: (id) => {
      const curve = curves[id];
      return curve ? Array.from({ length: STEPS }, (_, step) => pointOf(step, curve(step))) : [];
    },
    times: () => Array.from({ length: STEPS }, (_, step): [number, number] => [step, step * 30_000]),
    now: STEPS * 30_000,
    ...fields,
  };
}

/** A run as it should be: everything moves, nothing is wrong. */
const HEALTHY: Record<string, Curve> = {
  reward: (s) => 0.3 + 0.006 * s + 0.05 * noise(s),
  success: (s) => 0.25 + 0.005 * s + 0.05 * noise(s, 2),
  tied: (s) => 0.4 + 0.15 * noise(s, 3),
  invalid: (s) => 0.02 + 0.02 * noise(s, 4),
  loss: (s) => 0.05 * noise(s, 5),
  "grad-norm": (s) => (s === 30 ? 40 : 0.5 + 0.2 * noise(s, 6)),
  kl: (s) => 0.0005 * s,
  entropy: (s) => 0.8 - 0.005 * s + 0.05 * noise(s, 7),
  length: (s) => 200 + 3 * s + 20 * noise(s, 8),
  truncated: (s) => 0.08 + 0.05 * noise(s, 9),
  gap: (s) => 0.004 + 0.002 * noise(s, 10),
  "step-time": () => 30,
  "reward-time": (s) => 5 + noise(s, 11),
};

/** One curve each that must be seen. */
const WRONG: Record<string, Record<string, Curve>> = {
  "reward-up-success-flat": { success: (s) => 0.4 - 0.001 * s + 0.03 * noise(s, 2) },
  "all-tied": { tied: (s) => Math.min(1, 0.4 + 0.02 * s) },
  "invalid-rising": { invalid: (s) => (s < 40 ? 0.02 : 0.02 + 0.01 * (s - 40)) },
  "non-finite": { loss: (s) => (s > 57 ? Number.NaN : 0.01) },
  "length-collapse": { length: (s) => 200 * Math.exp(-s / 30) + 10 },
  "length-explosion": { length: (s) => 200 * Math.exp(s / 40) },
  truncation: { truncated: (s) => 0.05 + 0.005 * s },
  "entropy-collapse": { entropy: (s) => 0.8 * Math.exp(-s / 20) },
  "kl-explosion": { kl: (s) => 0.0004 * s * s },
  "gradient-explosion": { "grad-norm": (s) => (s < 45 ? 0.5 : 0.5 * 2 ** (s - 45)) },
  "gap-growing": { gap: (s) => 0.004 * Math.exp(s / 25) },
  "reward-slow": { "reward-time": (s) => 5 + 0.3 * s },
};

describe("alarms", () => {
  it("has one for every code, and a sentence for each", () => {
    expect(ALARMS.map(({ code }) => code).sort()).toEqual([...AlarmCode.options].sort());
  });

  it("says nothing of a healthy run, though one gradient spikes", () => {
    expect(alarmsOf(run(HEALTHY))).toEqual([]);
  });

  it.each(Object.entries(WRONG))("%s is seen, and nothing else", (code, curves) => {
    const found = alarmsOf(run({ ...HEALTHY, ...curves }));
    expect(found.map((alarm) => alarm.code)).toEqual([code]);
    const alarm = RunAlarm.parse(found[0]);
    expect(alarm.to).toBe(STEPS - 1);
    expect(alarm.from).toBeLessThan(STEPS - 1);
    const said = alarmInWords(alarm, {
      t: (text, ...args) => text.replace(/\{(\d)\}/g, (_, at) => String(args[Number(at)])),
      language: "en",
    });
    expect(said).toMatch(/^[A-Z0-9a-z-].*\. Steps \d+ to 59\.$/);
    expect(said).not.toMatch(/–|NaN %|undefined|\{/);
  });

  it("sees a run that says nothing any more, but not one that is over, nor a long evaluation", () => {
    const after = (seconds: number | null) =>
      alarmsOf(run(HEALTHY, { now: seconds === null ? null : (STEPS - 1) * 30_000 + seconds * 1000 })).map(
        ({ code }) => code,
      );
    expect(after(601)).toEqual(["stalled"]);
    expect(after(500)).toEqual([]);
    expect(after(null)).toEqual([]);
  });

  it("doesn't blink around its limit", () => {
    const around = (last: number) =>
      alarmsOf(run({ ...HEALTHY, truncated: (s) => (s < 30 ? 0.1 : s < 40 ? 0.25 : last) })).map(
        ({ code }) => code,
      );
    expect(around(0.17)).toEqual(["truncation"]);
    expect(around(0.1)).toEqual([]);
    expect(alarmsOf(run({ ...HEALTHY, truncated: () => 0.17 }))).toEqual([]);
  });

  it("needs enough steps, and never takes a missing number for 0", () => {
    expect(alarmsOf({ points: () => [pointOf(0, 0), pointOf(1, 0)], times: () => [], now: 0 })).toEqual([]);
    expect(alarmsOf(run({ ...HEALTHY, entropy: (s) => (s < 30 ? 0.8 : null) }))).toEqual([]);
  });
});
