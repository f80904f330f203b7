import { describe, expect, it } from "vitest";
import {
  closingLine,
  exitCode,
  fromRows,
  fromVitest,
  judge,
  none,
  one,
  plus,
  skippedTier,
} from "../../../scripts/lib/count.mjs";

const vitestFile = (name: string, ...statuses: string[]) => ({
  name,
  status: statuses.includes("failed") ? "failed" : "passed",
  assertionResults: statuses.map((status, i) => ({
    fullName: `${name} ${i}`,
    status,
    failureMessages: status === "failed" ? ["expected 1 to be 2"] : [],
  })),
});
const row = (name: string, state: string, text?: string): string => JSON.stringify({ name, state, text });
const END = '{"end":true}';

describe("a tier's report", () => {
  it("counts vitest's tests by what happened to each, and keeps why one failed", () => {
    const counts = fromVitest({
      testResults: [
        vitestFile("a", "passed", "failed"),
        vitestFile("b", "skipped", "todo", "pending", "passed"),
      ],
    });
    expect(counts).toMatchObject({ passed: 2, failed: 1, skipped: 3 });
    expect(counts.failures).toEqual([{ name: "a 1", text: "expected 1 to be 2" }]);
  });

  it("counts a test file that does not load as a failure", () => {
    const counts = fromVitest({
      testResults: [
        vitestFile("a", "passed"),
        { name: "broken.test.ts", status: "failed", message: "SyntaxError: x", assertionResults: [] },
      ],
    });
    expect(counts).toMatchObject({ passed: 1, failed: 1 });
    expect(counts.failures[0]?.name).toContain("broken.test.ts");
  });

  it("reads one test a line, with reasons of skipped ones", () => {
    const counts = fromRows(
      [row("a", "passed"), row("b", "failed", "boom"), row("c", "skipped", "no fork here"), END, ""].join(
        "\n",
      ),
    );
    expect(counts).toEqual({
      passed: 1,
      failed: 1,
      skipped: 1,
      failures: [{ name: "b", text: "boom" }],
      reason: "no fork here",
    });
  });

  it("counts a run that died on the way as failed, with the last test it had finished", () => {
    const counts = fromRows([row("a", "passed"), row("b", "passed")].join("\n"));
    expect(counts).toMatchObject({ passed: 2, failed: 1 });
    expect(counts.failures[0]?.text).toContain("b");
  });
});

describe("a tier", () => {
  const good = { ...none(), passed: 3 };

  it("passes only where its process ended well too", () => {
    expect(judge(good, { code: 0 })).toEqual(good);
    expect(judge(good, { code: 1, tail: "Unhandled rejection" })).toMatchObject({ passed: 3, failed: 1 });
    expect(judge(good, { code: null })).toMatchObject({ failed: 1 });
    expect(judge(good, { code: 0, timedOut: true })).toMatchObject({ failed: 1 });
  });

  it("is not blamed twice when a failed test made its process fail", () => {
    const bad = { ...none(), passed: 1, failed: 2 };
    expect(judge(bad, { code: 1 })).toEqual(bad);
  });

  it("fails without a report and without a test", () => {
    expect(judge(undefined, { code: 0 })).toMatchObject({ failed: 1 });
    expect(judge(none(), { code: 0 })).toMatchObject({ failed: 1 });
  });

  it("that can't run here is skipped, with its reason", () => {
    expect(skippedTier("no browser")).toMatchObject({
      passed: 0,
      failed: 0,
      skipped: 1,
      reason: "no browser",
    });
  });
});

describe("the closing line", () => {
  it("adds all tiers up, and its exit code is zero only when tests ran and none failed", () => {
    const fine = plus(plus({ ...none(), passed: 5 }, one(true, "lint", "")), skippedTier("no browser"));
    expect(closingLine(fine)).toBe("6 passed, 0 failed, 1 skipped");
    expect(exitCode(fine)).toBe(0);

    const broken = plus(fine, one(false, "types", "error TS1"));
    expect(closingLine(broken)).toBe("6 passed, 1 failed, 1 skipped");
    expect(exitCode(broken)).toBe(1);
    expect(broken.failures).toEqual([{ name: "types", text: "error TS1" }]);

    expect(exitCode(skippedTier("nothing ran"))).toBe(1);
  });
});
