export interface KeyPress {
  readonly key: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
}

/** The active cell: `at` is the row's place in the filtered order, -1 the heads; `col` counts shown columns. */
export interface Cell {
  readonly at: number;
  readonly col: number;
}

export interface Extent {
  readonly rows: number;
  readonly cols: number;
  /** Rows that fit on screen. */
  readonly page: number;
}

export type TableAct =
  | { readonly kind: "move"; readonly to: Cell }
  | { readonly kind: "sort"; readonly add: boolean }
  | { readonly kind: "resize"; readonly by: number }
  | { readonly kind: "columnMenu" }
  | { readonly kind: "open" | "pin" | "copy" | "filter" | "next" | "previous" };

const RESIZE = 12;

/** What a key does in the table; null: nothing of the table's own. */
export function tableAct(press: KeyPress, cell: Cell, extent: Extent): TableAct | null {
  const { key, ctrl, shift, alt } = press;
  const { rows, cols, page } = extent;
  const head = cell.at < 0;
  if (key === "ContextMenu" || (key === "F10" && shift))
    return head ? { kind: "columnMenu" } : { kind: "copy" };
  if (head && (alt || shift) && (key === "ArrowLeft" || key === "ArrowRight"))
    return { kind: "resize", by: key === "ArrowRight" ? RESIZE : -RESIZE };
  if (alt) return null;
  const move = (at: number, col: number): TableAct => ({
    kind: "move",
    to: { at: Math.min(Math.max(-1, at), rows - 1), col: Math.min(Math.max(0, col), cols - 1) },
  });
  switch (key) {
    case "ArrowDown":
      return ctrl || shift ? null : move(cell.at + 1, cell.col);
    case "ArrowUp":
      return ctrl || shift ? null : move(cell.at - 1, cell.col);
    case "ArrowRight":
      return ctrl || shift ? null : move(cell.at, cell.col + 1);
    case "ArrowLeft":
      return ctrl || shift ? null : move(cell.at, cell.col - 1);
    case "PageDown":
      return move(Math.max(0, cell.at) + Math.max(1, page - 1), cell.col);
    case "PageUp":
      return head ? null : move(Math.max(0, cell.at - Math.max(1, page - 1)), cell.col);
    case "Home":
      return ctrl ? move(Math.min(0, rows - 1), 0) : move(cell.at, 0);
    case "End":
      return ctrl ? move(rows - 1, cols - 1) : move(cell.at, cols - 1);
    case "Enter":
      return head ? { kind: "sort", add: shift } : { kind: "open" };
    case " ":
      return head ? { kind: "sort", add: shift } : null;
    default:
      return ctrl ? null : letter(key, head);
  }
}

function letter(key: string, head: boolean): TableAct | null {
  switch (key) {
    case "/":
      return { kind: "filter" };
    case "c":
      return { kind: "copy" };
    case "n":
      return { kind: "next" };
    case "N":
      return { kind: "previous" };
    case "p":
      return head ? null : { kind: "pin" };
    default:
      return null;
  }
}
