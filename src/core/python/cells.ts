import { NotebookFile } from "../../schema/notebook";
import { modelOf } from "../contracts/registry";
import { silenced, withoutMagics } from "./magics";
import type { SourceModel } from "./model";
import { parseSource } from "./source";

/**
 * A notebook's Python cells as one module.
 *
 * The module is what the notebook does when it is run from its top down to **the last cell that holds a reward
 * function**: cells below that one (training, plots) are not part of it. A name that is defined twice is what its
 * last definition makes it, as in any module. Line counts stay: a magic becomes `pass`, a cell tagged
 * `skip-execution` (as nbclient has it) is silent. Line 0 belongs to no cell: it gives what IPython has of itself.
 */
export interface CellModule {
  /** Python text. */
  readonly text: string;
  /** For each cell the module line (0-based) of its first line. Goes on below the last cell that is in the text. */
  readonly starts: readonly number[];
  /** Lines of all cells and of what stands before them, also of cells that are not in the text. */
  readonly lineCount: number;
  /** Cells that are in the text. */
  readonly used: number;
}

export interface PythonCell {
  readonly text: string;
  /** False: tagged to be left out. */
  readonly runs: boolean;
}

/** Tag of cells that don't run (nbclient's `skip_cells_with_tag`). */
export const SKIP_TAG = "skip-execution";

/** `display` shows nothing here, and IPython's shell does nothing. */
const IPYTHON =
  'display = lambda *shown, **how: None; get_ipython = lambda: type("InteractiveShell", (), {"__getattr__": lambda shell, name: lambda *given, **named: None})()';
const DEFINES = /^(?:async[ \t]+)?def\b/m;

export function isNotebookPath(path: string): boolean {
  return /\.ipynb$/i.test(path);
}

/** Where cells stand in the module; cheap, reads no Python. */
export function layoutOf(cells: readonly PythonCell[]): Pick<CellModule, "starts" | "lineCount"> {
  let next = 1;
  const starts = cells.map(({ text }) => {
    const start = next;
    next += (text.match(/\r\n|\r|\n/g)?.length ?? 0) + 1;
    return start;
  });
  return { starts, lineCount: next };
}

export function moduleOf(cells: readonly PythonCell[]): CellModule {
  const future = new Set<string>();
  const plain = cells.map(({ text, runs }) => {
    const cell = runs ? withoutMagics(text) : { lines: silenced(text), future: [] };
    for (const name of cell.future) future.add(name);
    return cell.lines;
  });
  const layout = layoutOf(cells);
  const head = future.size > 0 ? `from __future__ import ${[...future].join(", ")}; ${IPYTHON}` : IPYTHON;
  const textOf = (count: number): string => `${[head, ...plain.slice(0, count).flat()].join("\n")}\n`;
  const source = parseSource(textOf(cells.length));
  const rewards = modelOf("", -1, source).functions;
  const last = Math.max(...rewards.map(({ range }) => cellAt(layout, range.start.line)?.cell ?? -1), -1);
  // Where none is recognised, one may still be asked for by its name.
  const used = (last >= 0 ? last : plain.findLastIndex((lines) => DEFINES.test(lines.join("\n")))) + 1;
  const below = used < cells.length ? namedBelow(source, layout.starts[used] ?? 0) : "";
  return { ...layout, text: textOf(used) + below, used };
}

/** The cell that a module line (0-based) stands in, and the line within it; null = no cell's. */
export function cellAt(
  { starts, lineCount }: Pick<CellModule, "starts" | "lineCount">,
  moduleLine: number,
): { readonly cell: number; readonly line: number } | null {
  if (moduleLine >= lineCount) return null;
  const cell = starts.findLastIndex((start) => start <= moduleLine);
  const start = starts[cell];
  return start === undefined ? null : { cell, line: moduleLine - start };
}

/**
 * Which functions the cells below hand to a trainer, and what these import, says whose rewards they are. One line that
 * never runs tells it to whoever reads the text alone; cells below are read, not run.
 */
function namedBelow({ imports, rewardFuncs, rubricFuncs }: SourceModel, from: number): string {
  const modules = new Set(
    imports.flatMap(({ module, level, line }) => (level === 0 && line >= from ? [module] : [])),
  );
  const said = [
    ...(modules.size > 0 ? [`import ${[...modules].join(", ")}`] : []),
    ...(rewardFuncs.length > 0 ? [`_Trainer(reward_funcs=[${rewardFuncs.join(", ")}])`] : []),
    ...(rubricFuncs.length > 0 ? [`_Rubric(funcs=[${rubricFuncs.join(", ")}])`] : []),
  ];
  return said.length > 0 ? `if False: ${said.join("; ")}\n` : "";
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

/** What Python is given for a file of this path: a notebook's cells as a module, anything else as it is. */
export function pythonText(path: string, text: string): string | null {
  if (!isNotebookPath(path)) return text;
  const cells = cellsOf(text);
  return cells && moduleOf(cells).text;
}
