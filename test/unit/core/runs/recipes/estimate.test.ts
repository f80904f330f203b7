import { describe, expect, it } from "vitest";
import {
  episodeTokens,
  estimateRun,
  meanRange,
  rewardTime,
  shareRange,
  type EstimateInput,
} from "../../../../../src/core/runs/estimate";
import { RunSettings } from "../../../../../src/schema/run";

const NONE: EstimateInput = {
  settings: RunSettings.parse({}),
  model: null,
  device: null,
  reward: null,
  promptTokens: [],
  completionTokens: [],
  generatedPerS: null,
  trainedPerS: null,
  toolTokens: null,
  prices: { hour: null, inputMillion: null, outputMillion: null, call: null, callsPerCompletion: 0 },
};
/** Qwen2.5-0.5B's own config.json. */
const SMALL = {
  parameters: 494_032_768,
  vocabulary: 151_936,
  layers: 24,
  keyValueHeads: 2,
  headSize: 64,
  hidden: 896,
};
const settings = (given: object) =>
  RunSettings.parse({
    steps: 10,
    promptsPerStep: 4,
    groupSize: 8,
    maxPromptTokens: 100,
    maxCompletionTokens: 400,
    ...given,
  });
const of = (input: Partial<EstimateInput>, id: string) =>
  estimateRun({ ...NONE, settings: settings({}), ...input }).find((one) => one.id === id)!;

describe("estimates", () => {
  it("invent nothing: what isn't given makes them unknown, with what it would take", () => {
    for (const one of estimateRun(NONE)) {
      expect(one.range, one.id).toBeNull();
      expect(one.missing.length, one.id).toBeGreaterThan(0);
    }
  });

  it("of memory add up weights, reference model, logits and keys and values", () => {
    const full = of({ model: SMALL, settings: settings({ kl: 0.1 }) }, "memory");
    const n = 494_032_768;
    const logits = 8 * 500 * 151_936;
    const cache = 8 * 500 * 2 * 2 * 24 * 2 * 64;
    expect(full.range).toEqual({
      low: n * 12 + n * 2 + logits * 4 + cache,
      high: n * 16 + n * 4 + logits * 8 + cache * 2,
    });
    const lora = of({ model: SMALL, settings: settings({ kl: 0.1, lora: { rank: 16 } }) }, "memory");
    expect(lora.range!.high).toBeLessThan(full.range!.low);
    expect(lora.parts.map(({ name }) => name)).not.toContain("reference model");
  });

  it("of memory advise by what takes most, only where it doesn't fit", () => {
    const gib = 2 ** 30;
    expect(of({ model: SMALL, device: 80 * gib }, "memory").advice).toEqual([]);
    expect(of({ model: SMALL, device: 4 * gib }, "memory").advice[0]).toMatch(/^This doesn't fit .*LoRA/u);
    const long = settings({ maxCompletionTokens: 30_000, lora: { rank: 8 } });
    expect(of({ model: SMALL, device: 24 * gib, settings: long }, "memory").advice[0]).toContain(
      "maxCompletionTokens",
    );
  });

  it("of the reward's time count what was measured, hung rows with the run's own limit", () => {
    const reward = { rowsS: [0.1, 0.3], timedOut: 0, limitS: 5, concurrency: 1 };
    const half = (1.96 * Math.sqrt(0.02)) / Math.sqrt(2);
    const free = rewardTime({ ...NONE, settings: settings({}), reward })!;
    expect(free.low).toBeCloseTo(32 * Math.max(0, 0.2 - half));
    expect(free.high).toBeCloseTo(32 * (0.2 + half));
    const hung = { ...reward, timedOut: 2 };
    const share = shareRange(2, 4)!;
    const held = rewardTime({ ...NONE, settings: settings({ rewardTimeoutS: 60 }), reward: hung })!;
    expect(held.high).toBeCloseTo(32 * (0.2 + half + share.high * 60));
    expect(rewardTime({ ...NONE, settings: settings({}), reward: { ...hung, limitS: null } })).toBeNull();
    expect(rewardTime({ ...NONE, settings: settings({}), reward: { ...reward, rowsS: [1] } })).toBeNull();
  });

  it("of a step's time say that the reward takes most of it", () => {
    const given = {
      reward: { rowsS: Array.from({ length: 50 }, () => 2), timedOut: 1, limitS: 10, concurrency: 1 },
      promptTokens: [50, 50],
      completionTokens: [400, 400],
      generatedPerS: { low: 1000, high: 2000 },
      trainedPerS: { low: 5000, high: 5000 },
    };
    const step = of(given, "step-time");
    expect(step.missing).toEqual([]);
    expect(step.parts.map(({ name }) => name)).toEqual(["generating", "scoring", "training"]);
    expect(step.parts[0]!.range).toEqual({ low: 6.4, high: 12.8 });
    expect(step.parts[2]!.range).toEqual({ low: 2.88, high: 2.88 });
    expect(step.advice[0]).toContain("async def");
    expect(step.advice[1]).toContain("1 of 51 rows hung");
    expect(of({ ...given, generatedPerS: null }, "step-time").range).toBeNull();
  });

  it("of tokens read all that came before again each turn", () => {
    const given = {
      ...NONE,
      promptTokens: [100, 100],
      completionTokens: [50, 50],
      toolTokens: { low: 10, high: 10 },
    };
    const three = episodeTokens({ ...given, settings: settings({ maxTurns: 3, maxCompletionTokens: 50 }) })!;
    // 100 + (100 + 50 + 10) + (100 + 2 × 60)
    expect(three.input.high).toBe(100 + 160 + 220);
    expect(three.output.high).toBe(150);
    expect(three.input.low).toBe(100);
    expect(episodeTokens({ ...given, toolTokens: null, settings: settings({ maxTurns: 3 }) })).toBeNull();
    expect(of({ promptTokens: [100, 100], completionTokens: [50, 50] }, "tokens").range).toEqual({
      low: 320 * 150,
      high: 320 * 500,
    });
  });

  it("of cost add hardware, tokens and calls, and are unknown with one of them", () => {
    const prices = { hour: 36, inputMillion: 1, outputMillion: 2, call: 0.01, callsPerCompletion: 1 };
    const known = {
      reward: { rowsS: [1, 1], timedOut: 0, limitS: 10, concurrency: 32 },
      promptTokens: [100, 100],
      completionTokens: [400, 400],
      generatedPerS: { low: 12_800, high: 12_800 },
      trainedPerS: { low: 16_000, high: 16_000 },
      prices,
    };
    // A step: 1 s generating, 1 s scoring, 1 s training.
    const { range, parts } = of(known, "cost");
    expect(parts.map(({ name, range: one }) => [name, Number(one.low.toFixed(9))])).toEqual([
      ["hardware", 0.3],
      ["tokens", (320 * 100 * 1 + 320 * 400 * 2) / 1e6],
      ["judges and tools", 3.2],
    ]);
    expect(range!.low).toBeCloseTo(0.3 + 0.288 + 3.2);
    expect(of(known, "cost").advice[0]).toContain("Judges");
    expect(of({ ...known, trainedPerS: null }, "cost").range).toBeNull();
  });

  it("take limits of means and shares as the formulas have them", () => {
    expect(meanRange([1])).toBeNull();
    expect(meanRange([3, 3, 3])).toEqual({ low: 3, high: 3 });
    expect(shareRange(0, 0)).toBeNull();
    // Newcombe 1998, table I: 81 of 263.
    const { low, high } = shareRange(81, 263)!;
    expect([low, high].map((x) => x.toFixed(4))).toEqual(["0.2553", "0.3662"]);
  });
});
