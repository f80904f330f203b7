import { describe, expect, it } from "vitest";
import { number, oneLine, table, widthOf } from "../../../src/cli/table";
import { paint } from "../../../src/cli/terminal";

describe("numbers", () => {
  it.each([
    [0, "0"],
    [1, "1"],
    [0.60512, "0.605"],
    [-0.0004999, "-0.0005"],
    [12.345, "12.3"],
    [1234.5, "1235"],
    [0.00001234, "1.23e-5"],
    [123456789, "1.23e+8"],
    [NaN, "nan"],
    [{ nonFinite: "-inf" } as const, "-inf"],
    [null, "–"],
  ])("%j", (value, expected) => {
    expect(number(value)).toBe(expected);
  });
});

describe("tables", () => {
  it("puts decimal points below each other and heads over their column", () => {
    expect(
      table(
        [{ head: "name" }, { head: "mean", align: "number" }, { head: "n", align: "right" }],
        [
          ["a", "0.605", "8"],
          ["long", "-12.3", "128"],
          ["none", "–", "0"],
        ],
      ),
    ).toEqual(["name     mean    n", "a       0.605    8", "long  -12.3    128", "none        –    0"]);
  });

  it("counts wide characters as two and colours as none", () => {
    expect(widthOf("東京")).toBe(4);
    expect(widthOf("😀é")).toBe(3);
    expect(widthOf(paint({ colour: true }, "bad", "abc"))).toBe(3);
  });
});

describe("foreign text on one line", () => {
  it("lets no control character, escape sequence or direction mark through", () => {
    const hostile = "\u001b[31mred\u001b]0;title\u0007 \u202eabc\u0000\u009b2J \ud800";
    const shown = oneLine(hostile, 200);
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(shown).toContain("␛[31mred");
    expect(shown).toContain("␀");
  });

  it("shows line breaks as marks and cuts to the width", () => {
    expect(oneLine("one\r\ntwo\nthree", 80)).toBe("one⏎two⏎three");
    expect(oneLine("abcdef", 6)).toBe("abcdef");
    expect(oneLine("abcdefg", 6)).toBe("abcde…");
    expect(widthOf(oneLine("東京都庁", 6))).toBeLessThanOrEqual(6);
    expect(oneLine("x".repeat(5_000_000), 10)).toBe(`${"x".repeat(9)}…`);
  });

  it("never cuts inside a character", () => {
    for (let most = 2; most < 12; most++)
      expect(oneLine("👩‍👩‍👧é😀東".repeat(3), most)).not.toMatch(/\p{Surrogate}/u);
  });
});

describe("colours", () => {
  it("are left out where nobody wants them", () => {
    expect(paint({ colour: false }, "bad", "x")).toBe("x");
    expect(paint({ colour: true }, "bad", "x")).toBe("\u001b[31mx\u001b[39m");
  });
});
