import { describe, expect, test } from "vitest";
import { formatDuration, formatMean, formatNumber, formatScore, oneLine } from "../../../src/words/format";
import { english } from "../host/snapshots";

describe("numbers", () => {
  test.each([
    [0.6183, "0.618"],
    [0.5, "0.5"],
    [-0, "0"],
    [1, "1"],
    [12.345, "12.3"],
    [1234.56, "1,234.6"],
    [123456, "123,456"],
    [0.00012345, "1.23E-4"],
    [-2.4149, "-2.41"],
  ])("%d has three significant digits: %s", (value, text) => {
    expect(formatNumber(value, "en")).toBe(text);
  });

  test("non-finite is said, never written as a number; nothing is a dash", () => {
    expect(formatNumber({ nonFinite: "nan" }, "en")).toBe("nan");
    expect(formatNumber({ nonFinite: "-inf" }, "en")).toBe("-inf");
    expect(formatNumber(null, "en")).toBe("–");
  });

  test("a mean has the decimals that its interval supports", () => {
    expect(formatMean(0.6183, 0.067, "en")).toBe("0.62 ±0.07");
    expect(formatMean(0.6183, 0.0042, "en")).toBe("0.618 ±0.004");
    expect(formatMean(13.26, 1.4, "en")).toBe("13.3 ±1.4");
    expect(formatMean(-0.001, 0.1, "en")).toBe("0.00 ±0.10");
    expect(formatMean(0.5147, 0.265, "en")).toBe("0.51 ±0.27");
    expect(formatMean(9.4, 2.5, "en")).toBe("9.40 ±2.50");
    expect(formatMean(940.2, 25, "en")).toBe("940 ±25");
    expect(formatMean(0.6183, null, "en")).toBe("0.618");
    expect(formatMean(1, 0, "en")).toBe("1.0");
    expect(formatMean({ nonFinite: "inf" }, 1, "en")).toBe("inf");
  });

  test("scores look like the floats that rewards are", () => {
    expect(formatScore(0, "en")).toBe("0.0");
    expect(formatScore(-1, "en")).toBe("-1.0");
    expect(formatScore(0.25, "en")).toBe("0.25");
  });

  test("the editor's language decides signs", () => {
    expect(formatMean(0.6183, 0.067, "de")).toBe("0,62 ±0,07");
  });

  test("times change unit at a second", () => {
    expect(formatDuration(41.4, english)).toBe("41 ms");
    expect(formatDuration(1540, english)).toBe("1.5 s");
  });
});

test("one line has no line ends and no control characters, and says that it was cut", () => {
  expect(oneLine("a\n  b\tc\u0007d", 20)).toBe("a b c·d");
  expect(oneLine("abcdef", 4)).toBe("abc…");
});
