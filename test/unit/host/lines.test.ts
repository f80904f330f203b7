import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EditHistory, type LineEdit, moveLine } from "../../../src/host/model/lines";

/** Applies the edit to real text, where every line is unique, and finds the line again. */
function byText(lines: readonly string[], edit: LineEdit, inserted: string): string[] {
  const text = lines.join("\n");
  const offset = (line: number, column: number): number =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + column;
  const start = offset(edit.from, edit.column);
  const end = offset(edit.to, lines[edit.to]!.length);
  return (text.slice(0, start) + inserted + text.slice(end)).split("\n");
}

describe("lines move with edits", () => {
  test.each<[string, number, LineEdit, number | null]>([
    ["typing in the line", 5, { from: 5, to: 5, column: 4, added: 0 }, 5],
    ["a new line above", 5, { from: 2, to: 2, column: 8, added: 1 }, 6],
    ["a new line at its start", 5, { from: 5, to: 5, column: 0, added: 1 }, 6],
    ["a new line at its end", 5, { from: 5, to: 5, column: 9, added: 1 }, 5],
    ["lines above removed", 5, { from: 1, to: 3, column: 0, added: 0 }, 3],
    ["the line removed with its line end", 5, { from: 5, to: 6, column: 0, added: 0 }, null],
    ["removed from the line before", 5, { from: 4, to: 5, column: 3, added: 0 }, null],
    ["inside a removed block", 5, { from: 3, to: 8, column: 0, added: 0 }, null],
    ["an edit below", 5, { from: 9, to: 12, column: 0, added: 7 }, 5],
  ])("%s", (_, line, edit, expected) => {
    expect(moveLine(line, [edit])).toBe(expected);
  });

  test("a line outside the edit is found where its text went", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 19 }),
        fc.integer({ min: 0, max: 19 }),
        fc.integer({ min: 0, max: 19 }),
        fc.integer({ min: 0, max: 5 }),
        (line, a, b, added) => {
          const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
          const edit = { from: Math.min(a, b), to: Math.max(a, b), column: 2, added };
          fc.pre(line < edit.from || line > edit.to);
          const after = byText(lines, edit, "\n".repeat(added));
          expect(moveLine(line, [edit])).toBe(after.indexOf(`line ${line}`));
        },
      ),
    );
  });

  test("history gives what happened after a version, and says where it has forgotten", () => {
    const history = new EditHistory();
    const edit = (from: number): LineEdit => ({ from, to: from, column: 0, added: 1 });
    history.record(2, [edit(0)]);
    history.record(3, [edit(1)]);
    expect(history.since(2)).toEqual([edit(1)]);
    expect(history.since(3)).toEqual([]);
    for (let version = 4; version < 600; version++) history.record(version, [edit(0)]);
    expect(history.since(5)).toBeNull();
    expect(history.since(598)).toHaveLength(1);
  });
});
