import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rewardsmithLog } from "../../../../../src/core/runs/readers/rewardsmithLog";
import { LONGEST_LINE } from "../../../../../src/core/runs/readers/segments";
import { trainerState } from "../../../../../src/core/runs/readers/trainerState";
import { trlConsole } from "../../../../../src/core/runs/readers/trlConsole";
import { expectSameRowsForAnyCuts, readAll, readPieces } from "./cuts";

const real = (name: string) =>
  readFileSync(new URL(`../../../../fixtures/runs/trl-1.13.0/${name}`, import.meta.url), "utf8");
const bar = (step: number, total = 8) =>
  ` 17%|█▋        | ${String(step)}/${String(total)} [00:03<00:16,  3.38s/it]`;

describe("trl-console", () => {
  it("reads what TRL 1.13 printed: the steps and, to four digits, the numbers of its own trainer_state.json", () => {
    const rows = readAll(trlConsole, real("console.log"));
    const exact = readAll(trainerState, real("trainer_state.json"));
    expect(rows.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 6]);
    expect(exact.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 6]);
    rows.forEach((row, at) => {
      for (const [name, value] of Object.entries(row.values)) {
        const other = exact[at]?.values[name];
        expect(typeof other, name).toBe("number");
        // Four digits, the last one rounded half to even.
        expect(Math.abs(Number(value) - Number(other)), name).toBeLessThanOrEqual(
          Math.abs(Number(other)) * 5.0001e-4,
        );
      }
    });
    expect(rows[0]?.values["rewards/correctness/mean"]).toBe(0.8125);
  });

  it("has the steps of Transformers' own bars where steps are faster than they are drawn, beside evaluations", () => {
    // Written by ProgressCallback itself: each dict's `mark` is its step, and the evaluation's bar is as long.
    const text = readFileSync(
      new URL("../../../../fixtures/runs/transformers-5.24/fast-steps.log", import.meta.url),
      "utf8",
    );
    const rows = readAll(trlConsole, text);
    expect(rows).toHaveLength(17);
    for (const { step, values } of rows) expect(values["mark"] ?? values["eval_mark"]).toBe(step);
    expect(rows.filter(({ values }) => "eval_mark" in values).map(({ step }) => step)).toEqual([12, 24, 36]);
    expectSameRowsForAnyCuts(trlConsole, text);
  });

  it("gives the same rows wherever the text is cut", () => {
    expectSameRowsForAnyCuts(trlConsole, real("console.log"), 60);
  });

  it("gives a row as soon as the bar behind it is drawn", () => {
    const reading = trlConsole.open();
    expect(reading.push(`\r${bar(0)}`)).toEqual([]);
    expect(reading.push(`\r   \r{'loss': '0.5', 'epoch': '0.1'}\n`)).toEqual([]);
    expect(reading.push(`\r${bar(1)}`)).toEqual([{ step: 1, at: null, values: { loss: 0.5, epoch: 0.1 } }]);
    expect(reading.push(`\r${bar(2)}`)).toEqual([]);
  });

  it("trusts the bar after a dict, not the one before, which may be older", () => {
    const text = `\r${bar(0)}\r${bar(1)}\r  \r{'loss': 0.5, 'epoch': 0.4}\n\r${bar(4)}\r${bar(5)}\n`;
    expect(readAll(trlConsole, text).map(({ step }) => step)).toEqual([4]);
  });

  it("reads bare numbers of Transformers 4, nan and inf, None, NumPy's and torch's words; texts aren't numbers", () => {
    const dict =
      "{'loss': nan, 'a': inf, 'b': -inf, 'c': None, 'd': 1e-05, 'e': np.float64(0.25), 'f': tensor(0.5, device='cuda:0'), 'g': 'No', 'h': True, 'i': [1, {'x': 2}], 'it\\'s': 3, \"k's\": 4, 'epoch': 0.5}";
    expect(readAll(trlConsole, `\r${bar(0)}\r${dict}\r${bar(1)}\n`)).toEqual([
      {
        step: 1,
        at: null,
        values: {
          loss: { nonFinite: "nan" },
          a: { nonFinite: "inf" },
          b: { nonFinite: "-inf" },
          c: null,
          d: 0.00001,
          e: 0.25,
          f: 0.5,
          "it's": 3,
          "k's": 4,
          epoch: 0.5,
        },
      },
    ]);
  });

  it("takes no bar of another loop for the trainer's, and evaluations for the step they belong to", () => {
    const below = `\n\r${bar(3)}\x1b[A`;
    const text =
      `\rMap: ${bar(7)}\r${bar(40, 40)}\n\r${bar(0)}\r${bar(5)}\r  \r{'loss': 1, 'epoch': 0.5}\n\r${bar(5)}` +
      `${below}\n\r 30%|███ | 3/10 [00:01<00:02, 1.0it/s]\x1b[A\r  \r{'eval_reward': 0.75, 'epoch': 0.5}\n${below}\r${bar(5)}\r${bar(6)}\n`;
    expect(readAll(trlConsole, text).map(({ step, values }) => [step, Object.keys(values)[0]])).toEqual([
      [5, "loss"],
      [5, "eval_reward"],
    ]);
    expectSameRowsForAnyCuts(trlConsole, text);
  });

  it("gives nothing more where output was buffered, so that dicts lie apart from their bars", () => {
    const dict = (epoch: number) => `{'loss': 1, 'epoch': ${String(epoch)}}\n`;
    const text = `\r${bar(0)}\r${bar(1)}\r${bar(2)}\n${dict(0.1)}${dict(0.2)}\r${bar(3)}\n${dict(0.3)}\r${bar(4)}\n`;
    expect(readAll(trlConsole, text)).toEqual([]);
  });

  it("counts logging events where there is no bar at all", () => {
    const text = "{'loss': 1, 'epoch': 0.1}\n{'loss': 2, 'epoch': 0.2}\n{'eval_loss': 3, 'epoch': 0.2}\n";
    expect(readAll(trlConsole, text).map(({ step }) => step)).toEqual([1, 2, 2]);
  });

  it("passes over dicts that a reward prints, and torn ones", () => {
    const text = `\r${bar(0)}\n{'answer': 4, 'gold': 5}\n{'loss': 1, 'ep\n{'loss': 2, 'epoch': 0.1}\n\r${bar(1)}\n`;
    expect(readAll(trlConsole, text)).toEqual([{ step: 1, at: null, values: { loss: 2, epoch: 0.1 } }]);
  });

  it("passes over a line of 100 MB without keeping it", () => {
    const reading = trlConsole.open();
    reading.push(`\r${bar(0)}\n`);
    const piece = "x".repeat(1_000_000);
    for (let at = 0; at < 100; at++) expect(reading.push(piece)).toEqual([]);
    reading.push(`{'loss': 9, 'epoch': 0.1}\n{'loss': 2, 'epoch': 0.1}\n`);
    expect(reading.push(`\r${bar(1)}\n`)).toEqual([{ step: 1, at: null, values: { loss: 2, epoch: 0.1 } }]);
    expect(100 * piece.length).toBeGreaterThan(LONGEST_LINE);
  });
});

describe("trainer-state", () => {
  const state = (entries: string) => `{"global_step": 2, "log_history": [${entries}]}`;

  it("keeps NaN and infinity as they are, null as no number, and gives each entry once", () => {
    const reading = trainerState.open();
    const first =
      '{"loss": NaN, "reward": -Infinity, "kl": null, "note": "NaN, a word", "step": 1, "total_flos": 5}';
    const row = {
      step: 1,
      at: null,
      values: { loss: { nonFinite: "nan" }, reward: { nonFinite: "-inf" }, kl: null },
    };
    expect(reading.push(state(first))).toEqual([row]);
    expect(reading.push(state(first))).toEqual([]);
    expect(reading.push(state(`${first}, {"loss": 2, "step": 2}`))).toEqual([
      { step: 2, at: null, values: { loss: 2 } },
    ]);
    expect(reading.push(state(`${first}, {"loss": 3, "step": 2}`))).toEqual([
      { step: 2, at: null, values: { loss: 3 } },
    ]);
  });

  it("waits for the whole document", () => {
    const reading = trainerState.open();
    const text = real("trainer_state.json");
    expect(reading.push(text.slice(0, 900))).toEqual([]);
    expect(reading.push(text)).toHaveLength(7);
  });
});

describe("rewardsmith-log", () => {
  const line = (step: number, reward: string) =>
    `{"step": ${String(step)}, "at": 1767225600000, "values": {"reward": ${reward}}}`;

  it("reads numbers, tagged ones and nulls; times; never a line without a step", () => {
    const text = `${line(1, "0.5")}\n${line(2, '{"nonFinite": "nan"}')}\n${line(3, "null")}\n{"values": {"reward": 1}}\n{"step": true, "values": {"reward": 1}}\n{"step": -1, "values": {"reward": 1}}\nnoise\n`;
    expect(readAll(rewardsmithLog, text)).toEqual([
      { step: 1, at: 1767225600000, values: { reward: 0.5 } },
      { step: 2, at: 1767225600000, values: { reward: { nonFinite: "nan" } } },
      { step: 3, at: 1767225600000, values: { reward: null } },
    ]);
  });

  it("reads what stands whole in glued and torn lines, the last one without its end too", () => {
    const text = `${line(1, "1")}${line(2, "2")}\n{"step": 3, "values": {"rew${line(4, "4")}\n${line(5, "5")}`;
    expect(readAll(rewardsmithLog, text).map(({ step }) => step)).toEqual([1, 2, 4, 5]);
    expectSameRowsForAnyCuts(rewardsmithLog, text);
  });

  it("gives no row before the line has its end", () => {
    const reading = rewardsmithLog.open();
    expect(reading.push(line(1, "1"))).toEqual([]);
    expect(reading.push("\n")).toHaveLength(1);
    expect(readPieces(rewardsmithLog, [line(1, "1").slice(0, 20)])).toEqual([]);
  });
});
