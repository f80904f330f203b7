import { describe, expect, it } from "vitest";
import {
  LAUNCH_LIMITS,
  launchGate,
  wilsonUpper,
  type LaunchInput,
} from "../../../../../src/core/runs/gates/launch";
import { LaunchEvidence } from "../../../../../src/schema/evidence";

const GOOD: LaunchInput = {
  at: 0,
  limits: LAUNCH_LIMITS,
  sources: { samples: "m@1 chat t=1", run: "m@1 chat t=1" },
  mixedGroups: { count: 60, of: 100 },
  infrastructure: { count: 1, of: 200 },
  rewardTime: { p99: 2, timeout: 10, n: 500 },
  lookedAt: 50,
  gold: { count: 20, of: 20 },
  antiGold: { count: 20, of: 20 },
  errors: 0,
  suppressed: [],
  override: null,
};

describe("the launch gate", () => {
  it("passes where all is met", () => {
    const evidence = LaunchEvidence.parse(launchGate(GOOD));
    expect(evidence.verdict).toBe("pass");
    expect(evidence.checks).toHaveLength(8);
  });

  const wrong: [string, Partial<LaunchInput>, "not-met" | "unknown"][] = [
    ["same-source", { sources: { samples: "m@1", run: "m@2" } }, "not-met"],
    ["same-source", { sources: null }, "unknown"],
    ["mixed-groups", { mixedGroups: { count: 40, of: 100 } }, "not-met"],
    ["mixed-groups", { mixedGroups: { count: 0, of: 0 } }, "unknown"],
    // Nothing spoilt of 20 is no proof of few.
    ["infrastructure", { infrastructure: { count: 0, of: 20 } }, "not-met"],
    ["infrastructure", { infrastructure: null }, "unknown"],
    ["reward-time", { rewardTime: { p99: 11, timeout: 10, n: 500 } }, "not-met"],
    ["looked-at", { lookedAt: 49 }, "not-met"],
    ["gold", { gold: { count: 19, of: 20 } }, "not-met"],
    ["anti-gold", { antiGold: null }, "unknown"],
    ["findings", { errors: 1 }, "not-met"],
  ];

  it.each(wrong)("%s stops it: %j", (code, fields, state) => {
    const { verdict, checks } = launchGate({ ...GOOD, ...fields });
    expect(verdict).toBe("fail");
    expect(checks.filter((one) => one.state !== "met").map((one) => [one.code, one.state])).toEqual([
      [code, state],
    ]);
  });

  it("is passed over only with a reason, which is kept", () => {
    expect(launchGate({ ...GOOD, errors: 1, override: "  " })).toMatchObject({
      verdict: "fail",
      override: null,
    });
    expect(launchGate({ ...GOOD, errors: 1, override: "a try" })).toMatchObject({
      verdict: "overridden",
      override: "a try",
    });
  });

  it("has Wilson's bound", () => {
    expect(wilsonUpper({ count: 0, of: 50 })).toBeCloseTo(0.0513, 3);
    expect(wilsonUpper({ count: 5, of: 50 })).toBeCloseTo(0.1915, 3);
  });
});
