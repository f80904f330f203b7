import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../../src/core/python/magics";
import { moveLine } from "../../../src/host/model/lines";
import { type CellOf, errorInCell, inCells, paintingWithin } from "../../../src/host/notebooks/inCells";
import { PlacedCells } from "../../../src/host/notebooks/placing";
import { errorAtLine } from "../../../src/words/errors";
import { english as speech, fileScores, functionScores } from "./snapshots";

const placed = (cells: Record<string, string>): PlacedCells =>
  new PlacedCells(Object.entries(cells).map(([key, text]) => ({ key, text, runs: true })));

describe("cells as lines of a module", () => {
  it("finds cells and lines both ways", () => {
    const cells = placed({ a: "x\r\ny", b: "", c: "z" });
    expect(cells.startOf("c")).toBe(4);
    expect(cells.at(2)).toEqual({ key: "a", line: 1 });
    expect(cells.at(3)).toEqual({ key: "b", line: 0 });
    expect(cells.at(0)).toBeNull();
    expect(cells.startOf("d")).toBeNull();
    expect([0, 1, 2, 3, 4, 5].map((line) => cells.lineText(line))).toEqual(["", "x", "y", "", "z", ""]);
  });

  it.each<[string, Record<string, string>, Record<string, string>, (string | null)[]]>([
    ["inserted above", { a: "1\n2" }, { n: "0\n0\n0", a: "1\n2" }, ["a0", "a1"]],
    ["inserted between", { a: "1", b: "2" }, { a: "1", n: "0\n", b: "2" }, ["a0", "b0"]],
    ["added below", { a: "1" }, { a: "1", n: "0" }, ["a0"]],
    ["deleted above", { n: "0\n0", a: "1\n2" }, { a: "1\n2" }, [null, null, "a0", "a1"]],
    ["deleted below", { a: "1", n: "0" }, { a: "1" }, ["a0", null]],
    ["all deleted", { a: "1", b: "2" }, {}, [null, null]],
  ])("lines move with cells %s", (_, before, after, expected) => {
    const [old, now] = [placed(before), placed(after)];
    const edits = now.editsFrom(old);
    const moved = Array.from({ length: old.lineCount - 1 }, (_one, line) => {
      const to = moveLine(line + 1, edits);
      const at = to === null ? null : now.at(to);
      return at && `${at.key}${at.line}`;
    });
    expect(moved).toEqual(expected);
  });

  it("never puts a line into another cell than the one it was in", () => {
    const cell = fc.constantFrom("", "1", "1\n2", "1\n2\n3");
    const keys = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 6 });
    fc.assert(
      fc.property(keys, keys, fc.array(cell, { minLength: 10, maxLength: 10 }), (some, others, texts) => {
        const of = (chosen: number[]): PlacedCells =>
          new PlacedCells(chosen.map((key) => ({ key: String(key), text: texts[key]!, runs: true })));
        const [old, now] = [of(some), of(others)];
        const edits = now.editsFrom(old);
        for (let line = 1; line < old.lineCount; line++) {
          const to = moveLine(line, edits);
          if (to !== null) expect(now.at(to)).toEqual(old.at(line));
        }
        // Nothing between the two changed: all of it is found again.
        if (JSON.stringify(some) === JSON.stringify(others)) expect(edits).toEqual([]);
      }),
    );
  });

  it("are the same only with the same documents, texts and tags", () => {
    const cells = placed({ a: "1", b: "2" });
    expect(cells.isSameAs(placed({ a: "1", b: "2" }))).toBe(true);
    expect(cells.isSameAs(placed({ a: "1", c: "2" }))).toBe(false);
    expect(cells.isSameAs(placed({ a: "1", b: "3" }))).toBe(false);
    expect(cells.isSameAs(placed({ a: "1" }))).toBe(false);
    expect(new PlacedCells([{ key: "a", text: "1", runs: false }]).isSameAs(placed({ a: "1" }))).toBe(false);
  });
});

describe("a snapshot in the words of who reads cells", () => {
  // Cells 2 and 3 of the notebook, of three lines each.
  const cellOf: CellOf = (line) =>
    line < 1 || line > 6 ? null : { cell: line < 4 ? 2 : 3, line: (line - 1) % 3 };
  const error = (code: string, message: string, line: number | null, path: string | null = "/w/n.ipynb") => ({
    code,
    message,
    path,
    line,
    column: null,
    name: null,
  });
  const said = (one: ReturnType<typeof error>): string =>
    errorAtLine(errorInCell(one, "/w/n.ipynb", cellOf, speech), "/w/n.ipynb", speech);

  it.each([
    ["SyntaxError", "invalid syntax", "syntax error in cell 3 line 2"],
    ["ModuleFailed", "ZeroDivisionError", "cell 3 failed to load, line 2: ZeroDivisionError"],
    ["ImportFailed", "cannot import", "import failed: cell 3, line 2: cannot import"],
    ["TimedOut", "load", "timed out: cell 3, line 2: load"],
  ])("%s: %s", (code, message, text) => {
    expect(said(error(code, message, 6))).toBe(text);
  });

  it.each(["'await' outside function", "'async with' outside async function"])("%s", (message) => {
    expect(said(error("SyntaxError", message, 2))).toBe(
      "cell 2, line 1: await outside a function works in a notebook only. Move it into an async function.",
    );
  });

  it("leaves a helper's error, and one without a line, as they are", () => {
    const elsewhere = error("SyntaxError", "invalid syntax", 6, "/w/helper.py");
    expect(errorInCell(elsewhere, "/w/n.ipynb", cellOf, speech)).toBe(elsewhere);
    const nowhere = error("TimedOut", "load", null);
    expect(errorInCell(nowhere, "/w/n.ipynb", cellOf, speech)).toBe(nowhere);
  });

  it("counts lines in the function's own cell", () => {
    const raised = [5, 2, null].map((line) => ({ type: "E", message: "m", line, count: 1, rows: [0] }));
    const scores = fileScores({ path: "/w/n.ipynb", functions: [functionScores({ line: 4, raised })] });
    expect(inCells(scores, cellOf, speech).functions[0]!.raised.map((one) => one.line)).toEqual([
      1 + cellOf(4)!.line,
      null,
      null,
    ]);
  });

  it("keeps what belongs to the cell, in its own count", () => {
    const number = (line: number) => ({
      line,
      text: String(line),
      old: false,
      failed: false,
      health: "good" as const,
      function: "f",
    });
    const painting = {
      numbers: [3, 4, 6, 7].map(number),
      previews: [{ line: 5, text: "p", old: false }],
      hit: [1, 4],
      never: [6, 7],
    };
    const own = paintingWithin(painting, 4, 3);
    expect(own.numbers.map((one) => [one.line, one.text])).toEqual([
      [0, "4"],
      [2, "6"],
    ]);
    expect([own.previews[0]?.line, own.hit, own.never]).toEqual([1, [0], [2]]);
  });
});

describe("lines", () => {
  it("are counted as the editor counts them", () => {
    expect(linesOf("a\r\nb\rc\n")).toEqual(["a", "b", "c", ""]);
  });
});
