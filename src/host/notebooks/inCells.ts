import type { FileScores, FunctionScores } from "../../schema/live";
import type { Speech } from "../../words/format";
import type { Painting } from "../model/paint";

type LiveError = NonNullable<FileScores["error"]>;
/** The cell (number from 1) and its line (0-based) for a module line (0-based); null = no cell's. */
export type CellOf = (moduleLine: number) => { readonly cell: number; readonly line: number } | null;

/** Python's words for what a notebook runs by itself and a module can't. */
const TOP_LEVEL_AWAIT =
  /'await' outside|'async (?:with|for)' outside|asynchronous comprehension outside of an async/;

/** A notebook's snapshot for its readers: an error names its cell, lines are counted in the cell. Places nothing. */
export function inCells(scores: FileScores, cellOf: CellOf, speech: Speech): FileScores {
  return {
    ...scores,
    error: scores.error && errorInCell(scores.error, scores.path, cellOf, speech),
    functions: scores.functions.map((fn) => linesInCell(fn, cellOf)),
  };
}

export function errorInCell(error: LiveError, path: string, cellOf: CellOf, { t }: Speech): LiveError {
  const at =
    error.line === null || (error.path !== null && error.path !== path) ? null : cellOf(error.line - 1);
  if (!at) return error;
  const line = at.line + 1;
  if (error.code === "SyntaxError" && TOP_LEVEL_AWAIT.test(error.message))
    return {
      ...error,
      code: "TopLevelAwait",
      message: t(
        "cell {0}, line {1}: await outside a function works in a notebook only. Move it into an async function.",
        at.cell,
        line,
      ),
    };
  // These name a file where it isn't the reward's own: here it is the cell.
  if (error.code === "SyntaxError" || error.code === "ModuleFailed")
    return { ...error, path: t("cell {0}", at.cell), line };
  return { ...error, line: null, message: t("cell {0}, line {1}: {2}", at.cell, line, error.message) };
}

/** Lines of a function's own cell, counted there; a line of another cell is none that a reader could find. */
function linesInCell(fn: FunctionScores, cellOf: CellOf): FunctionScores {
  const home = cellOf(fn.line)?.cell;
  return {
    ...fn,
    raised: fn.raised.map((raised) => {
      const at = raised.line === null ? null : cellOf(raised.line - 1);
      return { ...raised, line: at && at.cell === home ? at.line + 1 : null };
    }),
  };
}

/** What belongs beside `lineCount` lines from the module line `first` on, in their own count. */
export function paintingWithin(painting: Painting, first: number, lineCount: number): Painting {
  const inside = (line: number): boolean => line >= first && line < first + lineCount;
  const own = <T extends { readonly line: number }>(all: readonly T[]): T[] =>
    all.filter(({ line }) => inside(line)).map((one) => ({ ...one, line: one.line - first }));
  const lines = (all: readonly number[]): number[] => all.filter(inside).map((line) => line - first);
  return {
    numbers: own(painting.numbers),
    previews: own(painting.previews),
    hit: lines(painting.hit),
    never: lines(painting.never),
  };
}
