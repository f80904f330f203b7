import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHidden, visibleParts } from "../../../../webview/shared/visible";

const symbols = (text: string) =>
  visibleParts(text).flatMap((part) => (part.kind === "symbol" ? [`${part.symbol}×${part.count}`] : []));

describe("characters that can't be seen", () => {
  it("are named: controls, overrides, zero width, carriage returns, tags, lone surrogates", () => {
    expect(symbols("a\u0000\u0000b\u202ec\u200bd\r\ne\u{e0041}f\ud800")).toEqual([
      "NUL×2",
      "RLO×1",
      "ZWSP×1",
      "CR×1",
      "TAG A×1",
      "U+D800×1",
    ]);
  });
  it("line feeds, tabs, accents and emoji of several parts stay as they are", () => {
    expect(symbols("a\n\té e\u0301 👨‍👩‍👧 👍🏽 ❤️‍🔥")).toEqual([]);
    expect(symbols("a\u200db")).toEqual(["ZWJ×1"]);
  });
  it("no text that is shown as it is holds one, and nothing is lost", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(
            fc.string({ unit: "binary", maxLength: 1 }),
            fc.constantFrom("\u202e", "\u0007", "\u200b", "x"),
          ),
        }),
        (text) => {
          const parts = visibleParts(text);
          for (const part of parts)
            if (part.kind === "text")
              expect(Array.from(part.text.replaceAll("\u200d", "")).some(isHidden)).toBe(false);
          const length = parts.reduce(
            (n, part) => n + (part.kind === "text" ? Array.from(part.text).length : part.count),
            0,
          );
          expect(length).toBe(Array.from(text).length);
        },
      ),
    );
  });
});
