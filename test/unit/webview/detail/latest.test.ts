import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RewardsmithError } from "../../../../src/base/errors";
import { Latest } from "../../../../webview/lab/detail/latest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), ms));

describe("the newest answer", () => {
  it("wins, and the older question is cancelled", async () => {
    const latest = new Latest<string>();
    let cancelled = false;
    latest.ask((signal) => {
      signal.addEventListener("abort", () => (cancelled = true));
      return after(50, "old");
    });
    latest.ask(() => after(10, "new"));
    expect([cancelled, latest.old.value]).toEqual([true, true]);
    await vi.advanceTimersByTimeAsync(100);
    expect([latest.value.value, latest.old.value]).toEqual(["new", false]);
  });
  it("while typing only the last text is asked about", async () => {
    const latest = new Latest<string>();
    const asked: string[] = [];
    for (const text of ["a", "ab", "abc"]) {
      latest.ask(() => (asked.push(text), after(1, text)), 150);
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(200);
    expect(asked).toEqual(["abc"]);
  });
  it("a stream of newer snapshots starves nobody: an answer under way arrives, the last question is asked", async () => {
    const latest = new Latest<number>();
    for (let i = 0; i < 50; i++) {
      latest.refresh(() => after(30, i), 40);
      await vi.advanceTimersByTimeAsync(20);
      if (i === 25) expect(latest.value.value).toBeGreaterThan(5);
    }
    await vi.advanceTimersByTimeAsync(200);
    expect([latest.value.value, latest.old.value]).toEqual([49, false]);
  });
  it("what was shown stays through a failure, and an overtaken question is none", async () => {
    const latest = new Latest<string>();
    latest.ask(() => after(1, "kept"));
    await vi.advanceTimersByTimeAsync(5);
    latest.ask(() => Promise.reject(new RewardsmithError("Cancelled", "newer edit")));
    await vi.advanceTimersByTimeAsync(5);
    expect([latest.value.value, latest.failure.value]).toEqual(["kept", null]);
    latest.ask(() => Promise.reject(new Error("broken")));
    await vi.advanceTimersByTimeAsync(5);
    expect([latest.value.value, latest.failure.value?.message]).toEqual(["kept", "broken"]);
  });
});
