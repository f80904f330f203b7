import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contractSentence, functionHover, patternHover } from "../../../src/words/hover";
import { code, plain } from "../../../src/words/markdown";
import { histogramImage } from "../../../src/words/histogram";
import { english, fileScores, functionScores, preview } from "../host/snapshots";

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

  test("an exception stands with its message, line and rows; unscored rows come before the worst", () => {
    const raising = functionScores({
      states: { scored: 190, raised: 7, "timed-out": 3 },
      raised: [{ line: 12, type: "ValueError", message: "no call in `x`", count: 7, rows: [6, 11] }],
      worst: [{ row: 40, id: "w", group: "g", state: "scored", value: -1, text: "bad" }],
    });
    const unscored = [
      { row: 6, state: "raised" as const, reason: "ValueError: no call", line: 12, text: "no call here" },
      { row: 8, state: "timed-out" as const, reason: null, line: 14, text: "slow" },
      { row: 9, state: "timed-out" as const, reason: null, line: 14, text: null },
    ];
    const text = functionHover(raising, fileScores(), false, "light", LINKS, english, unscored);
    const bare = text.replaceAll("\\", "");
    expect(bare).toContain("- raised in 7 rows at line 12: `` ValueError: no call in `x` `` (rows 7, 12, …)");
    expect(bare).toContain("- at line 14: (rows 9, 10, …)");
    expect(bare).toContain(
      "| 7 | raised | `no call here` |\n| 9 | timed out | `slow` |\n| 41 | -1.0 | `bad` |",
    );
  });

  test("where nothing was scored no group is said to be untied", () => {
    const groups = { n: 4, tied: 0, noGradient: 4 };
    const none = functionScores({ states: { raised: 200 }, estimate: null, groups });
    const text = functionHover(none, fileScores(), false, "light", LINKS, english);
    expect(text).toContain("No group could be compared");
    expect(text).not.toContain("tied");
    expect(functionHover(functionScores({ groups }), fileScores(), false, "light", LINKS, english)).toContain(
      "0 of 4 groups are tied, 4 give no gradient",
    );
  });

  test("the notation beside the lines is explained where there are previews", () => {
    const lines = [preview({ line: 6, hits: 3, kind: "return" })];
    const previews = { traced: 3, of: 3, off: null, lines, neverHit: [] };
    const hover = (parts: Parameters<typeof functionScores>[0]): string =>
      functionHover(functionScores(parts), fileScores(), false, "light", LINKS, english);
    expect(hover({ previews })).toContain("`×24 → 1.0` samples reached the line");
    expect(hover({})).not.toContain("×24");
  });

  test("reasons of recognition make one sentence", () => {
    expect(
      contractSentence({ contract: "trl", reasons: ["completions-and-kwargs", "returns-list"] }, english),
    ).toBe("Contract trl, because it takes completions and **kwargs and returns a list.");
    expect(contractSentence({ contract: "trl", reasons: ["imports-trainer", "returns-list"] }, english)).toBe(
      "Contract trl, because the file imports the trainer, and it returns a list.",
    );
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
