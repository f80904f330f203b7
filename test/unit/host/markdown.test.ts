import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { functionHover, patternHover } from "../../../src/host/words/hover";
import { code, plain } from "../../../src/host/words/markdown";
import { histogramImage } from "../../../src/host/words/histogram";
import { english, fileScores, functionScores } from "./snapshots";

const LINKS = { read: "command:a", pin: "command:b", exportScores: "command:c" };
const EVIL = "`x` | <img src=x onerror=alert(1)> [click](command:workbench.action.quit) **b**\n# h";

describe("text from data stays text", () => {
  test("a code span can't be ended by what is in it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("`", "a", "|", " ", "\n", "\\"), maxLength: 30 }),
        (text) => {
          const span = code(text);
          const fence = /^`+/u.exec(span)![0];
          const inside = span.slice(fence.length, -fence.length);
          expect(span.endsWith(fence)).toBe(true);
          // No run of exactly the fence's length inside: CommonMark would end the span there.
          expect([...inside.matchAll(/`+/gu)].some((run) => run[0].length === fence.length)).toBe(false);
          expect(inside).not.toContain("\n");
          expect(/(?<!\\)\|/u.test(inside.replaceAll("\\|", ""))).toBe(false);
        },
      ),
    );
  });

  test("names and sentences are escaped", () => {
    expect(plain("__init__ [x](y) <b>")).toBe("\\_\\_init\\_\\_ \\[x\\]\\(y\\) \\<b\\>");
  });

  test("completions in a hover make no link, no image, no markup", () => {
    const row = { row: 3, id: "a", group: "g", state: "scored" as const, value: 1, text: EVIL };
    const text = functionHover(functionScores({ worst: [row] }), fileScores(), false, "dark", LINKS, english);
    const outsideCode = text.replace(/(`+)(?:(?!\1).)*\1/gu, "");
    expect(outsideCode).not.toContain("workbench.action.quit");
    expect(outsideCode).not.toContain("<img");
    expect(text.match(/command:[\w.]+/gu)?.filter((link) => !link.includes("workbench"))).toEqual([
      "command:a",
      "command:b",
      "command:c",
    ]);
  });

  test("a pattern's misses are data too", () => {
    const hover = patternHover(
      { pattern: "x", matched: 1, of: 2, misses: [{ row: 0, text: EVIL }], error: null },
      english,
    );
    expect(hover).toContain("Matches 1 of 2 completions");
    expect(hover.replace(/(`+)(?:(?!\1).)*\1/gu, "")).not.toContain("onerror");
  });
});

describe("hover on a reward", () => {
  const fn = functionScores({
    states: { scored: 196, raised: 4 },
    histogram: { edges: [0, 0.5, 1], counts: [60, 136] },
    fates: {
      raised: {
        word: "stops",
        given: null,
        inBaseline: false,
        inLoss: false,
        scope: "run",
        retries: 0,
        waits: false,
      },
    },
  });

  test("distribution as picture and as table, states with their fates", () => {
    const text = functionHover(fn, fileScores(), false, "light", LINKS, english);
    expect(text).toContain("](data:image/svg+xml;utf8,");
    expect(text).toContain("| 0\\.5 to 1 | 136 |");
    expect(text).toMatch(/4 raised\*\*: .*TRL stops the run/u);
  });

  test("says when the numbers are from before", () => {
    expect(functionHover(fn, fileScores(), true, "light", LINKS, english)).toContain("before your last edit");
  });

  test("bars are as tall as their share of the tallest", () => {
    const svg = decodeURIComponent(histogramImage({ edges: [0, 1, 2], counts: [10, 40] }, "dark", english));
    const tall = [...svg.matchAll(/<rect [^>]*height="([\d.]+)"/gu)].map((bar) => Number(bar[1]));
    expect(tall).toEqual([16, 64]);
  });
});
