import { describe, expect, it } from "vitest";
import { LAUNCH_LIMITS, launchGate } from "../../../src/core/runs/gates/launch";
import { MARGINS, promotionGate } from "../../../src/core/runs/gates/promotion";
import { evidenceInMarkdown } from "../../../src/words/evidence";

const speech = {
  t: (text: string, ...args: (string | number | boolean)[]) =>
    text.replace(/\{(\d)\}/g, (_, at) => String(args[Number(at)])),
  language: "en",
};
const rollout = (success: boolean, reward: number) => ({
  infrastructure: false,
  success,
  invalid: false,
  unsafe: false,
  latencyS: 2,
  cost: null,
  reward,
  checks: {},
});

describe("evidence as Markdown", () => {
  it("tells a refused promotion as a reviewer needs it", () => {
    const tasks = Array.from({ length: 400 }, (_, at) => ({
      task: String(at),
      baseline: [rollout(at % 2 === 0, 0.5)],
      candidate: [rollout(at % 2 === 0, 0.75)],
    }));
    const text = evidenceInMarkdown(
      promotionGate({
        at: 0,
        baseline: "step-100",
        candidate: "step|200 <b>",
        tasks,
        margins: MARGINS,
        sealed: { split: "test", openings: 2 },
        conditions: { judge: ["v1", "v1"] },
      }),
      speech,
    );
    expect(text.split("\n")[0]).toBe("## Promotion: refused");
    expect(text).toContain("step\\|200 \\<b\\> against step-100, on 400 tasks.");
    expect(text).toContain("The training reward went up and independent success did not");
    expect(text).toMatch(
      /\| success \| 50 % \| 50 % \| 0 % \| -[\d.]+ % to [\d.]+ % \| low bound above 0 \| no \| 400 \|/,
    );
    expect(text).toContain("| reward | 0.5 | 0.75 | 0.25 | 0.25 to 0.25 | nothing | – | 400 |");
    expect(text).toContain("| latency | 2 | 2 | 0 % | 0 % to 0 % | at most 10 % worse | yes | 400 |");
    // Cost wasn't measured: a dash, never 0.
    expect(text).toContain("| cost | – | – | – | – | at most 10 % worse | – | 0 |");
    expect(text).toContain("opened 2 times");
    expect(text).toContain("two-sided error 0.025");
    const columns = text.split("\n").filter((line) => line.startsWith("|"));
    expect(new Set(columns.map((line) => line.replace(/\\\|/g, "").split("|").length)).size).toBe(1);
  });

  it("tells a launch that was passed over, with its reason and what wasn't measured", () => {
    const text = evidenceInMarkdown(
      launchGate({
        at: 0,
        limits: LAUNCH_LIMITS,
        sources: null,
        mixedGroups: { count: 60, of: 100 },
        infrastructure: { count: 0, of: 20 },
        rewardTime: null,
        lookedAt: 12,
        gold: { count: 20, of: 20 },
        antiGold: null,
        errors: 1,
        suppressed: [{ code: "dot-all", reason: "one line only" }],
        override: "a try on\none machine",
      }),
      speech,
    );
    expect(text).toContain("## Launch: passed over\n\nReason given: a try on one machine\n");
    expect(text).toContain("- **met**: groups whose rewards differ: 60 % of 100, at least 50 %");
    expect(text).toContain("- **not measured**: 99th percentile of the reward's time: – s");
    expect(text).toContain("- **not met**: random outputs looked at: 12 of 50");
    expect(text).toContain("- Finding dot-all was set aside: one line only");
  });
});
