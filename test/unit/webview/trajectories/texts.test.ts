import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ansiParts, withoutColours } from "../../../../webview/trajectories/one/ansi";
import { diffLines, isDiff } from "../../../../webview/trajectories/one/diffText";
import { type Block, type Inline, markdownBlocks } from "../../../../webview/trajectories/one/markdown";
import { messageAt, minimapBars } from "../../../../webview/trajectories/one/minimap";
import { stateDiff } from "../../../../webview/trajectories/one/snapshots";
import { tokenBars, tokenStats } from "../../../../webview/trajectories/one/tokenStats";
import { argumentsLine, wordsIn } from "../../../../webview/trajectories/one/values";

const ESC = "\u001b";

describe("a terminal's text", () => {
  it("colours and weights become classes, and end where they end", () => {
    expect(ansiParts(`a${ESC}[1;31mb${ESC}[22mc${ESC}[0md`)).toEqual([
      { kind: "text", text: "a", classes: [] },
      { kind: "text", text: "b", classes: ["ansi-bold", "ansi-fg-red"] },
      { kind: "text", text: "c", classes: ["ansi-fg-red"] },
      { kind: "text", text: "d", classes: [] },
    ]);
  });
  it("of 256 colours the first sixteen are the theme's; true colours are no colour", () => {
    const classes = (code: string): unknown => {
      const [part] = ansiParts(`${ESC}[${code}mx`);
      return part?.kind === "text" ? part.classes : null;
    };
    expect(classes("38;5;9")).toEqual(["ansi-fg-bright-red"]);
    expect(classes("48;5;46")).toEqual(["ansi-bg-green"]);
    expect(classes("38;2;1;2;3;4")).toEqual(["ansi-underline"]);
  });
  it("what isn't a colour is a sign: titles, links, cursor", () => {
    const parts = ansiParts(`${ESC}]0;title\u0007x${ESC}[2J${ESC}]8;;http://a/${ESC}\\y`);
    expect(parts.filter(({ kind }) => kind === "escape")).toHaveLength(3);
  });
  it("loses nothing but colours", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", ESC, "[", "3", "1", "m", ";", "]", "\u0007", "\n")),
        (all) => {
          const text = all.join("");
          const shown = ansiParts(text)
            .map((part) => part.text)
            .join("");
          expect(shown).toBe(text.replace(/\u001b\[[\d;]*m/gu, "")); // eslint-disable-line no-control-regex -- that is it
        },
      ),
    );
  });
  it("one line of it has no colours", () => {
    expect(withoutColours(`${ESC}[31mred${ESC}[0m ${ESC}[2J`)).toBe(`red ${ESC}[2J`);
  });
});

describe("diffs", () => {
  const text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ def f\n keep\n-old\n+new\nafter";
  it("lines by what they are; a head's signs are no changes", () => {
    expect(isDiff(text)).toBe(true);
    expect(diffLines(text).map(({ kind }) => kind)).toEqual([
      "file",
      "file",
      "file",
      "hunk",
      "context",
      "removed",
      "added",
      "context",
    ]);
  });
  it("a list with signs is no diff", () => {
    expect(isDiff("- one\n- two\n+ three")).toBe(false);
  });
});

describe("Markdown", () => {
  const kinds = (text: string): string[] => markdownBlocks(text).map(({ kind }) => kind);
  it("common blocks", () => {
    expect(
      kinds("# a\n\nb\n\n- c\n- d\n\n```js\nx\n```\n\n> q\n\n---\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
    ).toEqual(["heading", "paragraph", "list", "code", "quote", "rule", "table"]);
  });
  it("HTML is text, a link is data, marks in code are code", () => {
    const [block] = markdownBlocks("<b>x</b> [y](command:z) `**c**` ![p](http://a/b.png)");
    expect(block).toEqual({
      kind: "paragraph",
      children: [
        { kind: "text", text: "<b>x</b> " },
        { kind: "link", image: false, text: "y", address: "command:z" },
        { kind: "text", text: " " },
        { kind: "code", text: "**c**" },
        { kind: "text", text: " " },
        { kind: "link", image: true, text: "p", address: "http://a/b.png" },
      ],
    });
  });
  it("ends on every text, and no word of it is lost", () => {
    const text = fc
      .array(
        fc.constantFrom(
          "word",
          "*",
          "**",
          "_",
          "`",
          "```",
          "#",
          ">",
          "-",
          "1.",
          "|",
          "---",
          "[",
          "](",
          ")",
          "\n",
          "\n\n",
          "  ",
          "<p>",
        ),
      )
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, (one) => {
        const shown = markdownBlocks(one).map(blockText).join(" ");
        expect(shown.split("word").length).toBe(one.split("word").length);
      }),
      { numRuns: 300 },
    );
  });
  it("deep nesting and long lines take no time worth speaking of", () => {
    const start = performance.now();
    markdownBlocks(`${">".repeat(5000)} x\n${"*a ".repeat(2000)}\n${"[".repeat(6000)}`);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

function inlineText(parts: readonly Inline[]): string {
  return parts.map(oneText).join("");
}
function oneText(part: Inline): string {
  switch (part.kind) {
    case "strong":
    case "emphasis":
      return inlineText(part.children);
    case "link":
      return `${part.text} ${part.address}`;
    case "text":
    case "code":
      return part.text;
  }
}
function blockText(block: Block): string {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return inlineText(block.children);
    case "code":
      return `${block.language} ${block.text}`;
    case "quote":
      return block.children.map(blockText).join(" ");
    case "list":
      return block.items.flat().map(blockText).join(" ");
    case "table":
      return [block.head, ...block.rows].flat().map(inlineText).join(" ");
    case "rule":
      return "";
  }
}

describe("small things", () => {
  it("arguments on one line", () => {
    expect(argumentsLine({ city: "Oslo", seats: 3 })).toBe('city: "Oslo", seats: 3');
    expect(argumentsLine(undefined)).toBe("null");
    expect(argumentsLine({ text: "x".repeat(1000) }).length).toBeLessThan(120);
    expect(wordsIn(" one  two\nthree ")).toBe(3);
  });
  it("tokens: means over what is known, bars over all", () => {
    const tokens = {
      count: 4,
      ids: null,
      mask: [false, true, true, true],
      logprobs: [null, -1, -3, -2],
      advantages: null,
      versions: [4, 4, 5, 5],
    };
    expect(tokenStats(tokens)).toEqual({
      count: 4,
      trained: 3,
      meanLogprob: -2,
      least: { at: 2, logprob: -3 },
      versions: [4, 5],
      advantages: null,
    });
    expect(tokenBars(tokens, 2)).toEqual([
      { from: 0, to: 2, logprob: -1, trained: 0.5 },
      { from: 2, to: 4, logprob: -3, trained: 1 },
    ]);
  });
  it("states: what came and went, with a few lines around", () => {
    const before = { a: Array.from({ length: 30 }, (_, i) => i), cash: 100 };
    const lines = stateDiff(before, { ...before, cash: 80 }) ?? [];
    expect(lines.filter(({ kind }) => kind === "removed").map(({ text }) => text.trim())).toEqual([
      '"cash": 100',
    ]);
    expect(lines.filter(({ kind }) => kind === "added").map(({ text }) => text.trim())).toEqual([
      '"cash": 80',
    ]);
    expect(lines.length).toBeLessThan(12);
  });
  it("the minimap has room for ten thousand, and an error isn't lost in it", () => {
    const entries = Array.from({ length: 10_000 }, (_, at) => ({
      at,
      role: "tool" as const,
      name: null,
      text: "",
      calls: [],
      callCount: 0,
      error: at === 4321,
      reward: null,
      reasoning: false,
      sampled: null,
      characters: at,
      tokens: null,
      shared: false,
    }));
    const bars = minimapBars(entries, 300);
    expect(bars.length).toBeLessThanOrEqual(100);
    expect(bars.filter(({ error }) => error)).toHaveLength(1);
    expect(bars.at(-1)?.to).toBe(10_000);
    expect(messageAt(bars, 0)).toBe(0);
    expect(messageAt(bars, 299)).toBe(bars.at(-1)?.from);
  });
});
