import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { trainerState } from "../../../../src/core/runs/readers/trainerState";
import { trlConsole } from "../../../../src/core/runs/readers/trlConsole";
import { seriesOf, SPARKLINE } from "../../../../src/core/runs/series";
import { thin, type Point } from "../../../../src/core/runs/thin";
import { timeLeft } from "../../../../src/core/runs/timeLeft";
import type { MetricRow } from "../../../../src/schema/run";
import { RunMetric } from "../../../../src/schema/runView";
import { readAll } from "./readers/cuts";

const real = (name: string) =>
  readFileSync(new URL(`../../../fixtures/runs/trl-1.13.0/${name}`, import.meta.url), "utf8");
const row = (step: number, values: MetricRow["values"], from = "rewardsmith-log"): MetricRow => ({
  step,
  at: step * 1000,
  from,
  values,
});

describe("series of a run", () => {
  it("makes one curve of the same number from console and state, with the exact value", () => {
    const rows = [trlConsole, trainerState].flatMap((reader) =>
      readAll(reader, real(reader === trlConsole ? "console.log" : "trainer_state.json")).map((made) => ({
        ...made,
        from: reader.id,
      })),
    );
    const metrics = seriesOf(rows).metrics(100);
    for (const metric of metrics) RunMetric.parse(metric);
    const lengths = metrics.filter(({ id }) => id === "length");
    expect(lengths).toHaveLength(1);
    expect(lengths[0]).toMatchObject({ original: "completions/mean_length", from: "trainer-state", n: 6 });
    expect(lengths[0]?.points[0]).toEqual([1, 36.375]);
    expect(metrics.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["reward", "reward/correctness", "reward-spread/brevity", "tied", "kl"]),
    );
    expect(metrics.find(({ original }) => original === "train_runtime")?.id).toBe("other/train_runtime");
  });

  it("keeps null, NaN and 0 apart; a name that never had a number is left out", () => {
    const series = seriesOf([
      row(3, { reward: 0, never: null }),
      row(1, { reward: null, never: null }),
      row(2, { reward: { nonFinite: "nan" }, never: null }),
    ]);
    expect(series.metrics(10).map(({ original, points }) => [original, points])).toEqual([
      [
        "reward",
        [
          [1, null],
          [2, { nonFinite: "nan" }],
          [3, 0],
        ],
      ],
    ]);
    expect(series.sparkline()).toEqual([0]);
  });

  it("takes the later number of a step that came twice, and says which steps did", () => {
    const series = seriesOf([1, 2, 3, 4, 3, 4].map((step, at) => row(step, { reward: at, lr: 1 })));
    expect(series.points("reward")).toEqual([
      [1, 0],
      [2, 1],
      [3, 4],
      [4, 5],
    ]);
    expect(series.repeats()).toEqual([{ from: "rewardsmith-log", first: 3, last: 4, steps: 2 }]);
    expect(seriesOf([row(1, { reward: 1 }), row(1, { reward: 1, kl: 2 })]).repeats()).toEqual([]);
  });

  it("thins to a sparkline", () => {
    const rows = Array.from({ length: 5000 }, (_, step) => row(step, { reward: Math.sin(step / 100) }));
    expect(seriesOf(rows).sparkline().length).toBeLessThanOrEqual(SPARKLINE);
    expect(seriesOf(rows).sparkline().at(-1)).toBe(Math.sin(49.99));
  });
});

describe("thinning", () => {
  const curve: Point[] = Array.from({ length: 10_000 }, (_, step) => [step, step % 7]);
  curve[4321] = [4321, 1e9];
  curve[6000] = [6000, -1e9];
  curve[7000] = [7000, { nonFinite: "nan" }];
  curve[8000] = [8000, null];

  it.each([2, 5, 6, 40, 200, 9999])("keeps at most %i points, first, last and order", (most) => {
    const kept = thin(curve, most);
    expect(kept.length).toBeLessThanOrEqual(most);
    expect(kept[0]).toEqual(curve[0]);
    expect(kept.at(-1)).toEqual(curve.at(-1));
    expect(kept.every(([step], at) => at === 0 || step > (kept[at - 1]?.[0] ?? step))).toBe(true);
  });

  it("loses no extreme and no number that isn't finite", () => {
    const kept = thin(curve, 40);
    for (const step of [4321, 6000, 7000, 8000]) expect(kept).toContainEqual(curve[step]);
  });
});

describe("time left", () => {
  const times = (seconds: readonly number[]) => {
    let at = 0;
    return seconds.map((each, step): [number, number] => [step, (at += each * 1000)]);
  };

  it("is a range around the usual step, and holds rare long ones in the mean", () => {
    expect(timeLeft(times([9, 10, 10, 10, 10]), 104)).toEqual([1000, 1000]);
    const mixed = timeLeft(times(Array.from({ length: 51 }, (_, step) => (step % 10 === 0 ? 110 : 10))), 60);
    expect(mixed).toEqual([100, 200]);
  });

  it("isn't known before three steps, after the end, or without a number of steps; a pause doesn't count", () => {
    expect(timeLeft(times([1, 1, 1]), 10)).toBeNull();
    expect(timeLeft(times([1, 1, 1, 1]), 3)).toBeNull();
    expect(timeLeft(times([1, 1, 1, 1]), null)).toBeNull();
    expect(timeLeft(times([1, 1, 1, 1, 36_000, 1]), 15)).toEqual([10, 10]);
  });
});
