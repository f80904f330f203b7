import { describe, expect, it } from "vitest";
import { weightRows, weightsAsJson, withWeight } from "../../../webview/lab/weightsModel";

const functions = [
  { name: "correct", weight: 1 },
  { name: "format", weight: 0.25 },
];

describe("weights to try", () => {
  it("are the suite's until one is moved, with shares of all", () => {
    expect(weightRows(functions, null).map(({ value, share }) => [value, share])).toEqual([
      [1, 0.8],
      [0.25, 0.2],
    ]);
    expect(
      weightRows(functions, { correct: 0.25, gone: 7 }).map(({ value, share }) => [value, share]),
    ).toEqual([
      [0.25, 0.5],
      [0.25, 0.5],
    ]);
  });
  it("count by size where one is negative, and are no share where all are 0", () => {
    expect(weightRows(functions, { correct: -1, format: 1 }).map(({ share }) => share)).toEqual([0.5, 0.5]);
    expect(weightRows(functions, { correct: 0, format: 0 }).map(({ share }) => share)).toEqual([0, 0]);
  });
  it("have sliders that reach the value, whatever was typed", () => {
    for (const value of [-30, 0, 0.3, 500]) {
      const [row] = weightRows(functions, { correct: value });
      expect(row!.slider.min).toBeLessThanOrEqual(value);
      expect(row!.slider.max).toBeGreaterThanOrEqual(value);
      expect(row!.slider.step).toBeGreaterThan(0);
    }
  });
  it("are all kept once one differs, and none when they are the suite's again", () => {
    const moved = withWeight(functions, null, "format", 0.5);
    expect(moved).toEqual({ correct: 1, format: 0.5 });
    expect(withWeight(functions, moved, "format", 0.25)).toBeNull();
    expect(withWeight(functions, { gone: 3 }, "correct", 2)).toEqual({ correct: 2, format: 0.25 });
  });
  it("are copied by name", () => {
    expect(JSON.parse(weightsAsJson(weightRows(functions, { correct: 2 })))).toEqual({
      correct: 2,
      format: 0.25,
    });
  });
});
