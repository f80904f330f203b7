import { expect, it } from "vitest";
import { oneLine } from "../../../../src/core/trajectories/titles";

/** What a title is by its definition, however long that takes. */
function plainly(text: string, atMost: number): string {
  const line = text
    .slice(0, Math.max(2000, atMost))
    // eslint-disable-next-line no-control-regex -- those are what a line must not hold
    .replace(/[\s\u0000-\u001f\u007f]+/g, " ")
    .trim();
  return line.length <= atMost ? line : `${line.slice(0, atMost - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

it("puts any run of white space and control characters as one space", () => {
  const pieces = ["a", " ", "  ", "\n", "\t", "\u0000", "\u007f", "\u00a0", "\u2028", "word", "\ud83d\ude00"];
  let seed = 7;
  const next = (n: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % n;
  };
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: next(60) }, () => pieces[next(pieces.length)] ?? "").join("");
    expect(oneLine(text, 20)).toBe(plainly(text, 20));
  }
});

it("looks further where the start is white space", () => {
  expect(oneLine(`${" ".repeat(900)}late ${"x".repeat(500)}`, 10)).toBe("late xxxx…");
  expect(oneLine(`a${"\n".repeat(700)}b`, 10)).toBe("a b");
});
