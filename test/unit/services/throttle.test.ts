import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Throttle } from "../../../src/services/throttle";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("showing what a pass has so far", () => {
  test("the last value, at most once in the time, the first one waits too", () => {
    const seen: number[] = [];
    const throttle = new Throttle<number>(150, (value) => seen.push(value), Date.now);
    throttle.push(1);
    throttle.push(2);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(150);
    expect(seen).toEqual([2]);
    throttle.push(3);
    vi.advanceTimersByTime(149);
    expect(seen).toEqual([2]);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual([2, 3]);
  });

  test("a costly run makes the next one wait ten times as long", () => {
    let at = 0;
    const seen: number[] = [];
    const throttle = new Throttle<number>(
      150,
      (value) => {
        seen.push(value);
        at += 40;
      },
      () => at,
    );
    throttle.push(1);
    vi.advanceTimersByTime(150);
    throttle.push(2);
    vi.advanceTimersByTime(399);
    expect(seen).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual([1, 2]);
  });

  test("what waits at the end is dropped", () => {
    const seen: number[] = [];
    const throttle = new Throttle<number>(150, (value) => seen.push(value), Date.now);
    throttle.push(1);
    throttle.dispose();
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual([]);
  });
});
