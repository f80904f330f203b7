import { describe, expect, test } from "vitest";
import { paint, type PaintedDocument } from "../../../src/host/model/paint";
import type { FileScores, Previews } from "../../../src/schema/live";
import { english, fileScores, functionScores, preview, syntaxError } from "./snapshots";

const SOURCE = `def correctness(completions, answer, **kwargs):
    scores = []
    for text, gold in zip(completions, answer):
        found = NUMBER.search(text)
        if not found:
            # nothing there
            scores.append(0.0)
            continue
        scores.append(float(found[0] == gold))
    return scores
`.split("\n");

function document(lines: readonly string[], version = 7): PaintedDocument {
  return { version, lineCount: lines.length, lineText: (line) => lines[line] ?? "" };
}

const previews: Previews = {
  traced: 200,
  of: 200,
  off: null,
  lines: [
    preview({
      line: 2,
      hits: 200,
      values: [
        { name: "text", text: "'The answer is 4.'" },
        { name: "gold", text: "'4'" },
      ],
    }),
    preview({ line: 4, hits: 200, kind: "branch" }),
    preview({ line: 6, hits: 37, kind: "append", scores: [{ value: 0, count: 37 }] }),
    preview({
      line: 8,
      hits: 163,
      kind: "append",
      scores: [
        { value: 1, count: 124 },
        { value: null, count: 39 },
      ],
    }),
  ],
  neverHit: [7],
};
const scores = (parts: Partial<FileScores> = {}): FileScores =>
  fileScores({ functions: [functionScores({ line: 0, previews })], ...parts });
const everything = [{ from: 0, to: 100 }];

describe("painting", () => {
  test("numbers at the def line, counts and values beside the lines, marks in the gutter", () => {
    const drawn = paint(scores({ pinned: 16 }), undefined, document(SOURCE), [], everything, true, english);
    expect(drawn.numbers).toEqual([
      {
        line: 0,
        text: "● 0.62 ±0.07 · 41 ms",
        old: false,
        failed: false,
        health: "good",
        function: "correctness",
      },
    ]);
    expect(Object.fromEntries(drawn.previews.map((one) => [one.line, one.text]))).toEqual({
      2: "text = 'The answer is 4.'  gold = '4'   (pinned: row 17)",
      4: "→ 37",
      6: "×37 → 0.0",
      8: "×163 → 1.0 ×124, no score ×39",
    });
    expect(drawn.hit).toEqual([2, 4, 6, 8]);
    expect(drawn.never).toEqual([7]);
  });

  test("results of an older version are marked old and stand where their lines went", () => {
    const edited = ["import re", ...SOURCE];
    const edits = [{ from: 0, to: 0, column: 0, added: 1 }];
    const drawn = paint(scores(), undefined, document(edited, 8), edits, everything, true, english);
    expect(drawn.numbers[0]).toMatchObject({ line: 1, old: true });
    expect(drawn.previews.map((one) => [one.line, one.old])).toEqual([
      [3, true],
      [5, true],
      [7, true],
      [9, true],
    ]);
    expect(drawn.never).toEqual([8]);
  });

  test("nothing is painted at a def line that was deleted", () => {
    const edits = [{ from: 0, to: 1, column: 0, added: 0 }];
    const drawn = paint(scores(), undefined, document(SOURCE.slice(1), 8), edits, everything, true, english);
    expect(drawn.numbers).toEqual([]);
  });

  test("where the way of the lines is not known, no preview is drawn at a guessed place", () => {
    const drawn = paint(scores(), undefined, document(SOURCE, 900), null, everything, true, english);
    expect(drawn.previews).toEqual([]);
    expect(drawn.hit).toEqual([]);
  });

  test("previews are drawn for what is seen only, and not when they are off", () => {
    const seen = paint(scores(), undefined, document(SOURCE), [], [{ from: 5, to: 7 }], true, english);
    expect(seen.previews.map((one) => one.line)).toEqual([6]);
    const off = paint(scores(), undefined, document(SOURCE), [], everything, false, english);
    expect(off.previews.length + off.hit.length + off.never.length).toBe(0);
    expect(off.numbers).toHaveLength(1);
  });

  test("at most 200 previews, however long the file", () => {
    const lines = ["def f(completions):", ...Array.from({ length: 500 }, () => "    x = 1")];
    const many = {
      ...previews,
      lines: lines.map((_, line) => preview({ line, hits: 1, values: [{ name: "x", text: "1" }] })),
    };
    const drawn = paint(
      scores({ functions: [functionScores({ line: 0, previews: many })] }),
      undefined,
      document(lines),
      [],
      [{ from: 0, to: 1000 }],
      true,
      english,
    );
    expect(drawn.previews).toHaveLength(200);
  });

  test("an error before the first score stands at the functions that the model found", () => {
    const at = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
    const model = {
      path: "/work/reward.py",
      version: 7,
      broken: true,
      functions: [
        {
          name: "correctness",
          line: 0,
          range: at,
          nameRange: at,
          contract: "trl" as const,
          reasons: [],
          isAsync: false,
          parameters: [],
          columns: [],
        },
      ],
    };
    const broken = scores({ functions: [], error: syntaxError, status: "old" });
    const drawn = paint(broken, model, document(SOURCE), [], everything, true, english);
    expect(drawn.numbers).toEqual([
      {
        line: 0,
        text: "✗ syntax error line 12",
        old: true,
        failed: true,
        health: "warning",
        function: "correctness",
      },
    ]);
  });

  test("a helper that serves two rewards says whose counts are whose, in the file's order; values once", () => {
    const at = (count: number, value: number, values: { name: string; text: string }[]): Previews => ({
      ...previews,
      lines: [preview({ line: 1, hits: count, kind: "return", scores: [{ value, count }], values })],
      neverHit: value === 0 ? [2] : [],
    });
    const pinned = [{ name: "n", text: "3" }];
    const first = functionScores({ name: "correctness", line: 3, previews: at(24, 1, pinned) });
    const second = functionScores({ name: "format", line: 6, previews: at(16, 0, pinned) });
    for (const functions of [
      [first, second],
      [second, first],
    ]) {
      const drawn = paint(scores({ functions }), undefined, document(SOURCE), [], everything, true, english);
      expect(drawn.previews).toEqual([
        { line: 1, text: "n = 3 │ correctness ×24 → 1.0 · format ×16 → 0.0", old: false },
      ]);
      expect(drawn.hit).toEqual([1]);
    }
  });

  test("a line that one reward reaches isn't drawn as never reached because another doesn't", () => {
    const reaches = { ...previews, lines: [preview({ line: 1, hits: 4 })], neverHit: [] };
    const misses = { ...previews, lines: [], neverHit: [1, 2] };
    const functions = [
      functionScores({ name: "a", line: 3, previews: misses }),
      functionScores({ name: "b", line: 6, previews: reaches }),
    ];
    const drawn = paint(scores({ functions }), undefined, document(SOURCE), [], everything, true, english);
    expect([drawn.hit, drawn.never]).toEqual([[1], [2]]);
  });

  test("says how many samples were followed where not all were", () => {
    const some = scores({
      functions: [functionScores({ line: 0, previews: { ...previews, traced: 200, of: 1000 } })],
    });
    const drawn = paint(some, undefined, document(SOURCE), [], everything, true, english);
    expect(drawn.previews[0]?.text).toContain("(followed 200 of 1,000)");
  });
});
