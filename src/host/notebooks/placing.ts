import { type CellLayout, type PythonCell, cellAt, layoutOf } from "../../core/python/cells";
import { linesOf } from "../../core/python/magics";
import type { LineEdit } from "../model/lines";

export interface KeyedCell extends PythonCell {
  /** The cell's document, however it is moved. */
  readonly key: string;
}

/** One state of a notebook's Python cells. */
export class PlacedCells {
  readonly cells: readonly KeyedCell[];
  readonly #layout: CellLayout;
  #lines: readonly string[] | undefined;

  constructor(cells: readonly KeyedCell[]) {
    this.cells = cells;
    this.#layout = layoutOf(cells);
  }

  /** A module line as its cell has it. */
  lineText(moduleLine: number): string {
    this.#lines ??= ["", ...this.cells.flatMap(({ text }) => linesOf(text))];
    return this.#lines[moduleLine] ?? "";
  }

  get lineCount(): number {
    return this.#layout.lineCount;
  }

  /** Module line of a cell's first line; null where it is none of these. */
  startOf(key: string): number | null {
    return this.#layout.starts[this.cells.findIndex((cell) => cell.key === key)] ?? null;
  }

  at(moduleLine: number): { readonly key: string; readonly line: number } | null {
    const found = cellAt(this.#layout, moduleLine);
    const cell = found && this.cells[found.cell];
    return cell ? { key: cell.key, line: found.line } : null;
  }

  isSameAs(other: PlacedCells): boolean {
    return (
      this.cells.length === other.cells.length &&
      this.cells.every((cell, index) => {
        const same = other.cells[index];
        return same?.key === cell.key && same.text === cell.text && same.runs === cell.runs;
      })
    );
  }

  /**
   * What turns `before`'s lines into these, cells as wholes: those equal at the top and at the bottom stay where they
   * are, what lies between is replaced.
   */
  editsFrom(before: PlacedCells): LineEdit[] {
    const same = (one: KeyedCell | undefined, other: KeyedCell | undefined): boolean =>
      one !== undefined && one.key === other?.key && one.text === other.text;
    const most = Math.min(before.cells.length, this.cells.length);
    let top = 0;
    while (top < most && same(before.cells[top], this.cells[top])) top++;
    let bottom = 0;
    while (bottom < most - top && same(before.cells.at(-1 - bottom), this.cells.at(-1 - bottom))) bottom++;
    const from = before.#start(top);
    const to = before.#start(before.cells.length - bottom);
    const added = this.#start(this.cells.length - bottom) - this.#start(top);
    return from === to && added === 0 ? [] : [{ from, to, column: 0, added }];
  }

  /** A cell's first line; after the last cell, where a further one would start. */
  #start(index: number): number {
    return this.#layout.starts[index] ?? this.#layout.lineCount;
  }
}
