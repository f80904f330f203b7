import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differing, marksOf, pieces, type Marks, type Match } from "../../../../webview/lab/detail/marks";

const none: Marks = { matches: [], groups: [], reached: null };
const span = (n: number) =>
  fc.tuple(fc.nat(n), fc.nat(n)).map(([a, b]): [number, number] => (a <= b ? [a, b] : [b, a]));

describe("a marked text", () => {
  it("has matches with their groups inside", () => {
    const out = pieces("The answer is 42.", { ...none, matches: [[4, 16]], groups: [[14, 16], null] });
    expect(out.map(({ text, match, groups }) => [text, match, groups])).toEqual([
      ["The ", null, []],
      ["answer is ", 0, []],
      ["42", 0, [1]],
      [".", null, []],
    ]);
  });
  it("shows how far a pattern got, and stops before the next character", () => {
    const out = pieces("<think>\nx", { ...none, reached: [0, 7] });
    expect(out.map(({ text, reached, stop }) => [text, reached, stop])).toEqual([
      ["<think>", true, false],
      ["\nx", false, true],
    ]);
    expect(pieces("ab", { ...none, reached: [0, 2] }).at(-1)).toMatchObject({ text: "", stop: true });
  });
  it("an empty match stands where it is; one beyond a cut text isn't shown", () => {
    expect(pieces("ab", { ...none, matches: [[1, 1]] }).filter(({ match }) => match === 0)).toHaveLength(1);
    expect(pieces("ab", { ...none, matches: [[5, 9]] }).every(({ match }) => match === null)).toBe(true);
  });
  it("loses and doubles nothing, whatever lies on it", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 20 }),
        fc.array(span(24), { maxLength: 4 }),
        fc.array(fc.option(span(24)), { maxLength: 3 }),
        fc.option(span(24)),
        (text, matches, groups, reached) => {
          const out = pieces(text, { matches, groups, reached });
          expect(out.map((piece) => piece.text).join("")).toBe(text);
          expect(out.filter(({ stop }) => stop)).toHaveLength(reached === null ? 0 : 1);
        },
      ),
    );
  });
  it("moves marks to where the searched text begins", () => {
    const match: Match = {
      kind: "match",
      step: 0,
      line: 1,
      method: "search",
      pattern: "b",
      flags: "",
      text: "ab",
      cut: false,
      spans: [[1, 2]],
      groups: [null, [1, 2]],
      place: null,
      reached: { pattern: 1, text: [0, 1] },
      wouldMatch: [],
    };
    expect(marksOf(match, 10)).toEqual({ matches: [[11, 12]], groups: [null, [11, 12]], reached: [10, 11] });
  });
});

describe("where two texts differ", () => {
  it("is between what they share at both ends", () => {
    expect(differing(String.raw`\frac{1`, String.raw`\frac{1}{2}`)).toMatchObject({
      left: [7, 7],
      right: [7, 11],
    });
    expect(differing("a.b", "a,b")).toMatchObject({ left: [1, 2], right: [1, 2] });
  });
  it("putting one's middle in the other's place gives the one", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const { left, right } = differing(a, b);
        expect(b.slice(0, right[0]) + a.slice(...left) + b.slice(right[1])).toBe(a);
        if (a === b) expect(left[0]).toBe(left[1]);
      }),
    );
  });
});
