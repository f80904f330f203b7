import { describe, expect, it } from "vitest";
import { nemoRl } from "../../../../../src/core/runs/readers/nemoRl";
import { openrlhf } from "../../../../../src/core/runs/readers/openrlhf";
import { READERS, readerOf } from "../../../../../src/core/runs/readers/registry";
import { stepLines } from "../../../../../src/core/runs/readers/stepLines";
import { verlConsole, verlFileLogger } from "../../../../../src/core/runs/readers/verl";
import { expectSameRowsForAnyCuts, readAll } from "./cuts";

const NAN = { nonFinite: "nan" };

describe("readers of other frameworks", () => {
  it("are found by their ids, each once", () => {
    expect(new Set(READERS.map(({ id }) => id)).size).toBe(READERS.length);
    expect(readerOf("verl-console")).toBe(verlConsole);
    expect(readerOf("none")).toBeUndefined();
  });

  it("verl's file: torn lines of two processes, numbers as text, null as no number", () => {
    const text = `{"step":1,"data":{"critic/score/mean":0.5,"actor/grad_norm":null,"note":"x"}}
{"step":3,"data":{"critic/score/mean":0.6{"step":3,"data":{"critic/score/mean":"0.65"}}
{"step":4,"data":{"critic/sc`;
    expect(readAll(verlFileLogger, text)).toEqual([
      { step: 1, at: null, values: { "critic/score/mean": 0.5, "actor/grad_norm": null } },
      { step: 3, at: null, values: { "critic/score/mean": 0.65 } },
    ]);
    expectSameRowsForAnyCuts(verlFileLogger, text);
  });

  it("verl's console: with Ray's prefix, colours, NumPy's words, a progress bar before it, two glued", () => {
    const text =
      "\x1b[36m(TaskRunner pid=12)\x1b[0m step:1 - critic/score/mean:0.61 - actor/lr:1e-06 - actor/grad_norm:nan - val-core/openai/gsm8k/acc/mean@1:0.5\n" +
      "Training Progress:  10%|█ | 1/10 [00:01<?]\rstep:2 - critic/score/mean:np.float64(0.5) - global_seqlen/min:-3 step:3 - a:1 - b:text\nnext step: 4 - to do\n";
    expect(readAll(verlConsole, text)).toEqual([
      {
        step: 1,
        at: null,
        values: {
          "critic/score/mean": 0.61,
          "actor/lr": 1e-6,
          "actor/grad_norm": NAN,
          "val-core/openai/gsm8k/acc/mean@1": 0.5,
        },
      },
      { step: 2, at: null, values: { "critic/score/mean": 0.5, "global_seqlen/min": -3 } },
      { step: 3, at: null, values: { a: 1 } },
    ]);
    expectSameRowsForAnyCuts(verlConsole, text);
  });

  it("lines with a step: prime-rl's two processes, Tinker's NaN, ART's splits; no rollouts", () => {
    const text = `{"step": 1, "time": 1767225600.5, "reward/all/mean": 0.25}
{"step": 1, "time": 1767225601, "optim/grad_norm": 1.5}
{"step": 2, "optim/entropy": NaN, "time/total": 3.5}
{"val/reward": 0.5, "step": 2, "recorded_at": "2026-01-01T00:00:00Z"}
{"step": 3, "input": "x", "output": "y", "score": 1}
`;
    expect(readAll(stepLines, text)).toEqual([
      { step: 1, at: 1767225600500, values: { "reward/all/mean": 0.25 } },
      { step: 1, at: 1767225601000, values: { "optim/grad_norm": 1.5 } },
      { step: 2, at: null, values: { "optim/entropy": NAN, "time/total": 3.5 } },
      { step: 2, at: 1767225600000, values: { "val/reward": 0.5 } },
    ]);
    expectSameRowsForAnyCuts(stepLines, text);
  });

  it("OpenRLHF's lines, with the star and without", () => {
    const text =
      "INFO x\n✨ Global step 1: {'rollout/reward_mean': 0.5, 'kl': nan}\nSample: ['{', 0.0]\nGlobal step 2: {'policy_loss': -1e-3}\nGlobal step 3: {'torn': 1";
    expect(readAll(openrlhf, text)).toEqual([
      { step: 1, at: null, values: { "rollout/reward_mean": 0.5, kl: NAN } },
      { step: 2, at: null, values: { policy_loss: -0.001 } },
    ]);
    expectSameRowsForAnyCuts(openrlhf, text);
  });

  it("NeMo RL's console, by its headings", () => {
    const text =
      "========================= Step 7/100 =========================\n▶ Preparing batch...\n\n📊 Training Results:\n  • Loss: 0.0123\n  • Avg Reward: 0.4200\n\n⏱️  Timing:\n  • Total step time: 12.50s\n  • policy_training: 3.20s (25.6%)\n\n📊 Validation Results:\n    • Accuracy: 0.5000\n";
    const rows = readAll(nemoRl, text);
    expect(rows.every(({ step }) => step === 7)).toBe(true);
    expect(Object.assign({}, ...rows.map(({ values }) => values))).toEqual({
      "train/Loss": 0.0123,
      "train/Avg Reward": 0.42,
      "timing/Total step time": 12.5,
      "timing/policy_training": 3.2,
      "validation/Accuracy": 0.5,
    });
    expectSameRowsForAnyCuts(nemoRl, text);
  });
});
