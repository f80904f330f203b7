import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyHunks, linesOf, mergeNearest } from "../../../../src/core/text/hunks";
import { hunksOf } from "../../../../src/services/lab/hunkDiff";

const texts = fc
  .array(fc.constantFrom("a", "b", "c", "", "    d"), { maxLength: 30 })
  .map((lines) => lines.join("\n"));

describe("hunks of two texts", () => {
  it("all of them together make the later text, none of them the earlier", () => {
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 1, max: 5 }), (before, now, most) => {
        const hunks = hunksOf(before, now, most);
        expect(hunks.length).toBeLessThanOrEqual(most);
        expect(applyHunks(linesOf(before), hunks)).toBe(now);
        expect(applyHunks(linesOf(before), [])).toBe(before);
        expect(hunks.length === 0).toBe(before === now);
      }),
    );
  });

  it("one alone changes its own lines only, and both sides' lines are where it says", () => {
    fc.assert(
      fc.property(texts, texts, (before, now) => {
        const [old, lines] = [linesOf(before), linesOf(now)];
        for (const hunk of hunksOf(before, now, 100)) {
          expect(old.slice(hunk.before.from - 1, hunk.before.to - 1)).toEqual(hunk.removed);
          expect(lines.slice(hunk.now.from - 1, hunk.now.to - 1)).toEqual(hunk.added);
          const alone = linesOf(applyHunks(old, [hunk]));
          expect(alone.slice(0, hunk.before.from - 1)).toEqual(old.slice(0, hunk.before.from - 1));
          expect(alone.slice(hunk.before.from - 1 + hunk.added.length)).toEqual(
            old.slice(hunk.before.to - 1),
          );
        }
      }),
    );
  });

  it("line ends of another system are no difference", () => {
    expect(hunksOf("a\r\nb\r\n", "a\nb\n", 24)).toEqual([]);
    expect(hunksOf("a\r\nb\r\n", "a\nc\n", 24)).toMatchObject([
      { id: 0, before: { from: 2, to: 3 }, removed: ["b"], added: ["c"] },
    ]);
  });

  it("too many: those that lie nearest to each other become one", () => {
    const edit = (from: number, to: number) => ({ before: { from, to }, now: { from, to } });
    expect(mergeNearest([edit(0, 1), edit(10, 11), edit(12, 14), edit(30, 31)], 3)).toEqual([
      edit(0, 1),
      edit(10, 14),
      edit(30, 31),
    ]);
    expect(mergeNearest([edit(0, 1), edit(5, 6)], 2)).toHaveLength(2);
  });
});
