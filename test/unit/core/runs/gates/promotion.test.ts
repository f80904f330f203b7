import { describe, expect, it } from "vitest";
import { bootstrap, normalQuantile, random32 } from "../../../../../src/core/runs/gates/bootstrap";
import type { RolloutOutcome, TaskOutcomes } from "../../../../../src/core/runs/gates/outcomes";
import { MARGINS, promotionGate, type PromotionInput } from "../../../../../src/core/runs/gates/promotion";
import { PromotionEvidence } from "../../../../../src/schema/evidence";

const LONG = process.env["REWARDSMITH_LONG"] === "1";
/** Simulations whose result is a rate. The slower ones run in full with REWARDSMITH_LONG=1. */
const MANY = 2000;
const SOME = LONG ? MANY : 200;
/** Each of these has thousands of tasks. */
const FEW = LONG ? MANY : 60;
const K = 4;

interface Truth {
  readonly success?: number;
  readonly unsafe?: number;
  readonly invalid?: number;
  readonly reward?: number;
}

const EMPTY: RolloutOutcome = {
  infrastructure: false,
  success: true,
  invalid: false,
  unsafe: false,
  latencyS: 2,
  cost: 0.01,
  reward: 0.5,
  checks: {},
};

/** Tasks of different difficulty (half way to certain each), `K` rollouts each; the candidate differs by `gain`. */
function tasksOf(n: number, base: Required<Truth>, gain: Truth, seed: number): TaskOutcomes[] {
  const next = random32(seed * 2_654_435_761);
  for (let warm = 0; warm < 8; warm++) next();
  const uniform = () => next() / 0x1_0000_0000;
  return Array.from({ length: n }, (_, task) => {
    const shift = (uniform() - 0.5) * 0.5;
    const rollouts = (more: Truth): RolloutOutcome[] =>
      Array.from({ length: K }, () => ({
        ...EMPTY,
        success: uniform() < base.success + shift + (more.success ?? 0),
        unsafe: uniform() < base.unsafe + (more.unsafe ?? 0),
        invalid: uniform() < base.invalid + (more.invalid ?? 0),
        latencyS: 1 + uniform(),
        reward: base.reward + (more.reward ?? 0) + 0.3 * (uniform() - 0.5),
      }));
    return { task: String(task), baseline: rollouts({}), candidate: rollouts(gain) };
  });
}

const BASE = { success: 0.5, unsafe: 0.02, invalid: 0.01, reward: 0.5 };

function gate(tasks: readonly TaskOutcomes[], fields: Partial<PromotionInput> = {}) {
  return promotionGate({
    at: 0,
    baseline: "step-100",
    candidate: "step-200",
    tasks,
    margins: MARGINS,
    sealed: { split: "test", openings: 1 },
    conditions: { judge: ["1", "1"] },
    resamples: 400,
    seed: 7,
    ...fields,
  });
}

const codes = (tasks: readonly TaskOutcomes[], fields: Partial<PromotionInput> = {}) =>
  gate(tasks, fields).reasons.map(({ code }) => code);

describe("the promotion gate over many simulated promotions", () => {
  it(
    "promotes at most 5 % where there is no true gain, however wide the other margins",
    { timeout: 120_000 },
    () => {
      const margins = { ...MARGINS, unsafe: 0.2, invalid: 0.2, latency: 1 };
      for (const [n, runs] of [
        [30, MANY],
        [120, SOME],
      ] as const) {
        let promoted = 0;
        for (let seed = 1; seed <= runs; seed++)
          if (gate(tasksOf(n, BASE, {}, seed), { margins, seed }).verdict === "pass") promoted++;
        console.log(`no gain, ${String(n)} tasks: ${String(promoted)} of ${String(runs)} promoted`);
        expect(promoted / runs).toBeLessThanOrEqual(0.05);
        expect(promoted).toBeGreaterThan(0);
      }
    },
  );

  it(
    "refuses at least 95 % of two points more unsafe at the tasks it asks for, and passes what is safe there",
    { timeout: 1_200_000 },
    () => {
      const pilot = gate(tasksOf(100, BASE, { success: 0.1 }, 5));
      expect(pilot.verdict).toBe("not-enough-tasks");
      const n = pilot.needs ?? 0;
      expect(n).toBeGreaterThan(100);
      let refused = 0;
      let passed = 0;
      for (let seed = 1; seed <= FEW; seed++) {
        if (gate(tasksOf(n, BASE, { success: 0.1, unsafe: 0.02 }, seed), { seed }).verdict !== "pass")
          refused++;
        if (gate(tasksOf(n, BASE, { success: 0.1 }, seed + 10_000), { seed }).verdict === "pass") passed++;
      }
      console.log(
        `${String(n)} tasks: ${String(refused)} of ${String(FEW)} unsafe refused, ${String(passed)} safe passed`,
      );
      expect(refused / FEW).toBeGreaterThanOrEqual(0.95);
      expect(passed / FEW).toBeGreaterThan(0.6);
    },
  );
});

describe("the promotion gate", () => {
  const good = tasksOf(900, { ...BASE, unsafe: 0.002, invalid: 0 }, { success: 0.15, reward: 0.1 }, 3);

  it("passes a clear gain that harms nothing, and its evidence is a document", () => {
    const evidence = PromotionEvidence.parse(gate(good));
    expect(evidence).toMatchObject({ verdict: "pass", reasons: [], needs: null, tasks: 900 });
    const success = evidence.measures.find(({ name }) => name === "success");
    expect(success?.low).toBeGreaterThan(0.1);
    expect(success?.high).toBeLessThan(0.2);
    expect(gate(good)).toEqual(gate(good));
  });

  it("refuses reward up where unsafe goes up, also within the margin", () => {
    const worse = tasksOf(900, { ...BASE, unsafe: 0.002 }, { success: 0.15, reward: 0.1, unsafe: 0.015 }, 3);
    const found = gate(worse, { margins: { ...MARGINS, unsafe: 0.1 } });
    expect(found.verdict).toBe("fail");
    expect(found.reasons).toEqual([{ code: "reward-up-unsafe-up", metric: "unsafe" }]);
  });

  it("refuses reward up where independent success isn't", () => {
    const hacked = tasksOf(900, { ...BASE, unsafe: 0, invalid: 0 }, { reward: 0.2 }, 4);
    expect(gate(hacked).verdict).toBe("fail");
    expect(codes(hacked)).toContain("reward-up-success-not");
  });

  it("says how many tasks it needs where there are too few to tell, and no unsafe one isn't none for certain", () => {
    const few = gate(tasksOf(12, { ...BASE, unsafe: 0, invalid: 0 }, { success: 0.3, reward: 0 }, 2));
    const unsafe = few.measures.find(({ name }) => name === "unsafe");
    expect(unsafe).toMatchObject({ difference: 0, met: false });
    expect(unsafe?.high).toBeGreaterThan(0.1);
    expect(few.verdict).toBe("not-enough-tasks");
    expect(few.needs).toBeGreaterThan(100);
    expect(gate(good.slice(0, 5)).reasons.map(({ code }) => code)).toContain("too-few-tasks");
  });

  it("fails on validation, on conditions that differ, and where success wasn't measured", () => {
    expect(codes(good, { sealed: { split: "validation", openings: 1 } })).toEqual(["not-sealed"]);
    expect(codes(good, { conditions: { judge: ["1", "2"] } })).toEqual(["conditions-differ"]);
    const unknown = good.map((task) => ({
      ...task,
      candidate: task.candidate.map((one) => ({ ...one, success: null, invalid: false })),
    }));
    expect(codes(unknown)).toContain("not-measured");
    expect(gate(unknown).measures.find(({ name }) => name === "success")?.candidate).toBeNull();
  });

  it("asks more with every opening of the sealed test", () => {
    const width = (openings: number) => {
      const found = gate(good, { sealed: { split: "test", openings }, resamples: 4000 });
      const success = found.measures.find(({ name }) => name === "success");
      return [found.method.level, (success?.high ?? 0) - (success?.low ?? 0)] as const;
    };
    expect(width(5)[0]).toBe(0.01);
    expect(width(5)[1]).toBeGreaterThan(width(1)[1] * 1.2);
  });

  it("leaves out what the machine spoilt and tasks of one side, and counts them", () => {
    const spoilt = good.map((task, at) =>
      at < 3 ? { ...task, candidate: task.candidate.map((one) => ({ ...one, infrastructure: true })) } : task,
    );
    expect(gate(spoilt)).toMatchObject({ tasks: 897, leftOut: { unpaired: 3, infrastructure: [0, 12] } });
  });

  it("refuses slower, dearer and worse general checks by their margins", () => {
    const slower = good.map((task) => ({
      ...task,
      baseline: task.baseline.map((one) => ({ ...one, checks: { language: 1 } })),
      candidate: task.candidate.map((one) => ({
        ...one,
        latencyS: (one.latencyS ?? 0) * 1.3,
        cost: 0.02,
        checks: { language: 0.9 },
      })),
    }));
    expect(gate(slower).reasons).toEqual(
      ["latency", "cost", "check/language"].map((metric) => ({ code: "harmed", metric })),
    );
  });
});

describe("the bootstrap", () => {
  it("takes a moment for a thousand tasks", () => {
    const next = random32(9);
    const values = Float64Array.from({ length: 6000 }, () => next() / 2 ** 32);
    const begin = performance.now();
    const found = bootstrap({ values, tasks: 1000, measures: 6 }, { resamples: 4000, seed: 1, level: 0.05 });
    console.log(`4,000 resamples of 1,000 tasks, 6 measures: ${(performance.now() - begin).toFixed(0)} ms`);
    expect(found.every((one) => one !== null && one.low < 0.5 + 0.05 && one.high > one.low)).toBe(true);
  });

  it("has the interval of the normal theory where that holds, for each measure apart", () => {
    const next = random32(3);
    const values = Float64Array.from({ length: 800 }, (_, at) =>
      at % 2 === 0 ? next() / 2 ** 32 : Number.NaN,
    );
    const [first, second] = bootstrap(
      { values, tasks: 400, measures: 2 },
      { resamples: 4000, seed: 1, level: 0.05 },
    );
    const half = (1.96 * Math.sqrt(1 / 12)) / Math.sqrt(400);
    expect(((first?.high ?? 0) - (first?.low ?? 0)) / 2).toBeCloseTo(half, 2.5);
    expect(second).toBeNull();
  });

  it.each([
    [0.975, 1.959964],
    [0.8, 0.841621],
    [0.999, 3.090232],
    [0.025, -1.959964],
  ])("normal quantile of %d", (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 5);
  });
});
