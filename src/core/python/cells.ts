import { NotebookFile } from "../../schema/notebook";

/** Where cells stand in the module that they are in all (`cellModule.ts`). */
export interface CellLayout {
  /** For each cell the module line (0-based) of its first line. Goes on below the last cell that is in the text. */
  readonly starts: readonly number[];
  /** Lines of all cells and of what stands before them, also of cells that are not in the text. */
  readonly lineCount: number;
}

export interface PythonCell {
  readonly text: string;
  /** False: tagged to be left out. */
  readonly runs: boolean;
}

/** Tag of cells that don't run (nbclient's `skip_cells_with_tag`). */
export const SKIP_TAG = "skip-execution";

export function isNotebookPath(path: string): boolean {
  return /\.ipynb$/i.test(path);
}

/** Where cells stand in the module; cheap, reads no Python. */
export function layoutOf(cells: readonly PythonCell[]): CellLayout {
  let next = 1;
  const starts = cells.map(({ text }) => {
    const start = next;
    next += (text.match(/\r\n|\r|\n/g)?.length ?? 0) + 1;
    return start;
  });
  return { starts, lineCount: next };
}

/** The cell that a module line (0-based) stands in, and the line within it; null = no cell's. */
export function cellAt(
  { starts, lineCount }: CellLayout,
  moduleLine: number,
): { readonly cell: number; readonly line: number } | null {
  if (moduleLine >= lineCount) return null;
  const cell = starts.findLastIndex((start) => start <= moduleLine);
  const start = starts[cell];
  return start === undefined ? null : { cell, line: moduleLine - start };
}

/** Python cells of a notebook on disk, in order; null where the text is no notebook of nbformat 4. */
export function cellsOf(json: string): PythonCell[] | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  const read = NotebookFile.safeParse(value);
  if (!read.success) return null;
  const { metadata, cells } = read.data;
  // In this order, as VS Code reads it.
  const language = metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? "python";
  return cells.flatMap(({ cell_type, source, metadata: own }) => {
    const spoken = own?.vscode?.languageId ?? language;
    if (cell_type !== "code" || !/^x?python3?$/i.test(spoken)) return [];
    const text = typeof source === "string" ? source : source.join("");
    return [{ text, runs: own?.tags?.includes(SKIP_TAG) !== true }];
  });
}

/** The least notebook that has these cells: `cellsOf` gives them back. */
export function notebookOf(cells: readonly PythonCell[]): string {
  const file: NotebookFile = {
    cells: cells.map(({ text, runs }) => ({
      cell_type: "code",
      source: text,
      metadata: { tags: runs ? [] : [SKIP_TAG] },
    })),
  };
  return JSON.stringify(file);
}
