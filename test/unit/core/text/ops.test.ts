import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyChanges,
  type Changes,
  compose,
  difference,
  mapOffset,
  ordered,
  smaller,
  transform,
} from "../../../../src/core/text/ops";

/** Change lists on a text, in the form that `ordered` makes. */
const listOn = (text: string): fc.Arbitrary<Changes> =>
  fc
    .array(fc.tuple(fc.nat(text.length), fc.nat(4), fc.string({ maxLength: 4 })), { maxLength: 4 })
    .map((parts) => {
      const raw: { offset: number; length: number; text: string }[] = [];
      let at = 0;
      for (const [offset, length, added] of parts.sort((a, b) => a[0] - b[0])) {
        if (offset < at) continue;
        const fitting = Math.min(length, text.length - offset);
        raw.unshift({ offset, length: fitting, text: added });
        at = offset + fitting;
      }
      return ordered(raw) ?? [];
    });
const textAndList = fc.string({ maxLength: 20 }).chain((text) => fc.tuple(fc.constant(text), listOn(text)));
const textAndTwo = fc
  .string({ maxLength: 20 })
  .chain((text) => fc.tuple(fc.constant(text), listOn(text), listOn(text)));

describe("change lists", () => {
  test("two in a row are one", () => {
    fc.assert(
      fc.property(
        textAndList.chain(([text, first]) =>
          fc.tuple(fc.constant(text), fc.constant(first), listOn(applyChanges(text, first))),
        ),
        ([text, first, second]) => {
          const both = compose(first, second);
          expect(applyChanges(text, both)).toBe(applyChanges(applyChanges(text, first), second));
          expect(ordered([...both].reverse())).toEqual(both);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("carried over each other they end in the same text, whichever came first", () => {
    fc.assert(
      fc.property(textAndTwo, ([text, mine, theirs]) => {
        const over = transform(mine, theirs);
        expect(applyChanges(applyChanges(text, theirs), over.mine)).toBe(
          applyChanges(applyChanges(text, mine), over.theirs),
        );
      }),
      { numRuns: 5000 },
    );
  });

  test("carrying over two at once is carrying over one and then the other", () => {
    fc.assert(
      fc.property(
        textAndTwo.chain(([text, mine, first]) =>
          fc.tuple(
            fc.constant(text),
            fc.constant(mine),
            fc.constant(first),
            listOn(applyChanges(text, first)),
          ),
        ),
        ([text, mine, first, second]) => {
          const stepwise = transform(transform(mine, first).mine, second).mine;
          const server = applyChanges(applyChanges(text, first), second);
          // Both are valid on the host's text and bring in every character that was typed.
          const added = mine.map((change) => change.text).join("");
          expect(applyChanges(server, stepwise).length).toBeGreaterThanOrEqual(added.length);
          expect(stepwise.map((change) => change.text).join("")).toBe(added);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("at one place theirs goes first", () => {
    const { mine, theirs } = transform(
      [{ offset: 2, length: 0, text: "M" }],
      [{ offset: 2, length: 0, text: "T" }],
    );
    expect(applyChanges("abTcd", mine)).toBe("abTMcd");
    expect(applyChanges("abMcd", theirs)).toBe("abTMcd");
  });

  test("what is typed inside a part that others remove stays", () => {
    const { mine } = transform(
      [{ offset: 3, length: 0, text: "key" }],
      [{ offset: 0, length: 6, text: "new" }],
    );
    expect(applyChanges("new", mine)).toBe("newkey");
  });

  test("an editor's list, last change first; two at one place keep the editor's order", () => {
    const raw = [
      { offset: 4, length: 1, text: "E" },
      { offset: 2, length: 0, text: "2" },
      { offset: 2, length: 0, text: "1" },
    ];
    // As the editor itself would apply it, one after the other.
    let text = "abcdef";
    for (const { offset, length, text: added } of raw)
      text = text.slice(0, offset) + added + text.slice(offset + length);
    expect(applyChanges("abcdef", ordered(raw) ?? [])).toBe(text);
    expect(
      ordered([
        { offset: 0, length: 3, text: "" },
        { offset: 2, length: 1, text: "" },
      ]),
    ).toBeNull();
  });

  test("a change outside of the text is refused", () => {
    expect(() => applyChanges("abc", [{ offset: 2, length: 2, text: "" }])).toThrow(RangeError);
  });

  test("the difference of two texts turns one into the other and is no longer than needed at the ends", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (head, a, b, tail) => {
        const [before, after] = [head + a + tail, head + b + tail];
        const change = difference(before, after);
        expect(applyChanges(before, change)).toBe(after);
        for (const { length, text } of change) {
          expect(length).toBeLessThanOrEqual(a.length);
          expect(text.length).toBeLessThanOrEqual(b.length);
        }
      }),
    );
  });

  test("no change cuts a line end or a surrogate pair apart", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("\r\n", "😀", "😁", "a"), { maxLength: 8 }),
        fc.array(fc.constantFrom("\r\n", "😀", "😁", "a"), { maxLength: 8 }),
        (a, b) => {
          const [before, after] = [a.join(""), b.join("")];
          for (const { offset, length, text } of difference(before, after)) {
            const places = new Set(a.map((_, i) => a.slice(0, i).join("").length)).add(before.length);
            expect(places).toContain(offset);
            expect(places).toContain(offset + length);
            expect(/[\ud800-\udfff]/u.test(text)).toBe(false);
          }
        },
      ),
    );
  });

  test("a replacement of everything shrinks to what it changes", () => {
    const before = "def f(x):\n  return x\n";
    const after = "def f(x):\n    return x\n";
    const small = smaller(before, [{ offset: 0, length: before.length, text: after }]);
    expect(applyChanges(before, small)).toBe(after);
    expect(small).toEqual([{ offset: expect.any(Number) as number, length: 0, text: "  " }]);
  });

  test("an offset goes along with the character behind it", () => {
    fc.assert(
      fc.property(textAndList, fc.nat(20), ([text, list], at) => {
        const offset = Math.min(at, text.length);
        // A character that the text can't have marks the place.
        const moved = transform([{ offset, length: 0, text: "\uE000" }], list).mine;
        expect(applyChanges(applyChanges(text, list), moved).indexOf("\uE000")).toBe(mapOffset(offset, list));
      }),
    );
  });
});
