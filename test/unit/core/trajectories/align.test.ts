import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { alignTurns, sharedPrefix, type Turn } from "../../../../src/core/trajectories/align";

/** "a:x" is the assistant saying x, "t:x" a tool. */
const turns = (...texts: string[]): Turn[] =>
  texts.map((text) => ({ look: text, kind: text.slice(0, 2), role: text.slice(0, 1) }));

describe("aligned turns", () => {
  it("puts what looks the same on one line, and leaves gaps where one has more", () => {
    const lines = alignTurns([
      turns("a:look", "t:rows", "a:answer"),
      turns("a:look", "t:rows", "a:check", "t:ok", "a:answer"),
      turns("a:answer"),
    ]);
    expect(lines).toEqual([
      [0, 0, null],
      [1, 1, null],
      [null, 2, null],
      [null, 3, null],
      [2, 4, 0],
    ]);
  });

  it("never puts two roles on a line, loses no turn and keeps the order of each", () => {
    const turn = fc.constantFrom("a:x", "a:y", "t:x", "t:y", "u:x");
    fc.assert(
      fc.property(fc.array(fc.array(turn, { maxLength: 12 }), { maxLength: 5 }), (texts) => {
        const sequences = texts.map((one) => turns(...one));
        const lines = alignTurns(sequences);
        sequences.forEach((sequence, at) => {
          const positions = lines.map((line) => line[at]).filter((position) => position !== null);
          expect(positions).toEqual(sequence.map((_, i) => i));
        });
        for (const line of lines) {
          const roles = line.flatMap((position, at) =>
            position === null ? [] : [sequences[at]?.[position]?.role],
          );
          expect(new Set(roles).size).toBe(1);
        }
      }),
    );
  });

  it("counts what all have in common from the start", () => {
    expect(sharedPrefix([turns("u:q", "a:1"), turns("u:q", "a:2"), turns("u:q")])).toBe(1);
    expect(sharedPrefix([turns("u:q"), turns("u:r")])).toBe(0);
    expect(sharedPrefix([])).toBe(0);
  });

  it("takes sixteen of two hundred messages well within a second", () => {
    const sequences = Array.from({ length: 16 }, (_, s) =>
      turns(...Array.from({ length: 200 }, (_unused, i) => `${i % 2 ? "t" : "a"}:${(i * (s + 3)) % 17}`)),
    );
    expect(alignTurns(sequences).length).toBeGreaterThanOrEqual(200);
  });
});
