import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cell, type KeyPress, tableAct } from "../../../webview/shared/tableKeys";

const EXTENT = { rows: 100, cols: 10, page: 20 };
const press = (key: string, with_: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrl: false,
  shift: false,
  alt: false,
  ...with_,
});
const to = (key: KeyPress, from: Cell, extent = EXTENT): Cell | null => {
  const act = tableAct(key, from, extent);
  return act?.kind === "move" ? act.to : null;
};

describe("keys of the table", () => {
  it("move between cells, rows and pages", () => {
    const from = { at: 50, col: 3 };
    expect(to(press("ArrowDown"), from)).toEqual({ at: 51, col: 3 });
    expect(to(press("ArrowLeft"), from)).toEqual({ at: 50, col: 2 });
    expect(to(press("Home"), from)).toEqual({ at: 50, col: 0 });
    expect(to(press("End", { ctrl: true }), from)).toEqual({ at: 99, col: 9 });
    expect(to(press("Home", { ctrl: true }), from)).toEqual({ at: 0, col: 0 });
    expect(to(press("PageDown"), { at: 90, col: 3 })).toEqual({ at: 99, col: 3 });
    expect(to(press("PageUp"), { at: 5, col: 3 })).toEqual({ at: 0, col: 3 });
  });

  it("reach the heads from the first row, where Enter sorts", () => {
    expect(to(press("ArrowUp"), { at: 0, col: 3 })).toEqual({ at: -1, col: 3 });
    expect(tableAct(press("Enter"), { at: -1, col: 3 }, EXTENT)).toEqual({ kind: "sort", add: false });
    expect(tableAct(press("Enter", { shift: true }), { at: -1, col: 3 }, EXTENT)).toEqual({
      kind: "sort",
      add: true,
    });
    expect(tableAct(press("Enter"), { at: 0, col: 3 }, EXTENT)).toEqual({ kind: "open" });
  });

  it("resize a column from its head alone", () => {
    expect(tableAct(press("ArrowRight", { alt: true }), { at: -1, col: 3 }, EXTENT)).toMatchObject({
      kind: "resize",
    });
    expect(tableAct(press("ArrowRight", { alt: true }), { at: 3, col: 3 }, EXTENT)).toBeNull();
  });

  it("leave what isn't theirs to others", () => {
    for (const key of [
      press("g"),
      press("b"),
      press("f", { ctrl: true }),
      press("c", { ctrl: true }),
      press("Tab"),
    ])
      expect(tableAct(key, { at: 3, col: 3 }, EXTENT)).toBeNull();
    expect(tableAct(press("p"), { at: -1, col: 0 }, EXTENT)).toBeNull();
  });

  it("never lead out of the table", () => {
    const keys = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"];
    fc.assert(
      fc.property(
        fc.constantFrom(...keys),
        fc.boolean(),
        fc.nat({ max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: -1, max: 5 }),
        fc.nat({ max: 3 }),
        (key, ctrl, rows, cols, at, col) => {
          const cell = to(press(key, { ctrl }), { at, col }, { rows, cols, page: 3 });
          if (!cell) return;
          expect(cell.at).toBeGreaterThanOrEqual(-1);
          expect(cell.at).toBeLessThan(Math.max(rows, 0.5));
          expect(cell.col).toBeGreaterThanOrEqual(0);
          expect(cell.col).toBeLessThan(cols);
        },
      ),
    );
  });
});
