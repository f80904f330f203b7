import { describe, expect, it } from "vitest";
import { RUN_STATES, RunReasonCode, type RunStatus } from "../../../src/schema/run";
import { runProblemSentence, runSentence, runStateWord } from "../../../src/words/runs";
import type { Speech } from "../../../src/words/format";

const speech: Speech = {
  language: "en",
  t: (message, ...args) => message.replace(/\{(\d+)\}/g, (_, at: string) => String(args[Number(at)])),
};

const status = (change: Partial<RunStatus>): Parameters<typeof runSentence>[0] => ({
  state: "failed",
  reason: null,
  exit: null,
  step: null,
  ...change,
});

describe("words for runs", () => {
  it("each state and reason has its own whole sentences", () => {
    const texts = [
      ...RUN_STATES.map((state) => runSentence(status({ state }), speech)),
      ...RunReasonCode.options.map((code) =>
        runSentence(status({ reason: { code, text: "why" }, exit: { code: 7, signal: 9 } }), speech),
      ),
    ];
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).toMatch(/^[A-Z].*\.$/);
    expect(new Set(RUN_STATES.map((state) => runStateWord(state, speech))).size).toBe(RUN_STATES.length);
  });

  it("say the code, the signal and what the job said last", () => {
    expect(
      runSentence(
        status({ reason: { code: "exit-code", text: "Boom\nx" }, exit: { code: 3, signal: null } }),
        speech,
      ),
    ).toBe("The job ended with exit code 3: Boom x. The log has the rest.");
    expect(
      runSentence(
        status({ state: "killed", reason: { code: "signal", text: null }, exit: { code: null, signal: 9 } }),
        speech,
      ),
    ).toContain("signal 9");
    expect(runProblemSentence({ code: "disk-full", text: "status.json" }, speech)).toContain("status.json");
  });

  it("leave no gap where nothing was said", () => {
    for (const code of RunReasonCode.options)
      expect(
        runSentence(status({ reason: { code, text: null }, exit: { code: 1, signal: null } }), speech),
        code,
      ).not.toMatch(/: \.|\s\.|: ;/);
  });
});
