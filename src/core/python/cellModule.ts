import { modelOf } from "../contracts/registry";
import { type CellLayout, type PythonCell, cellAt, cellsOf, isNotebookPath, layoutOf } from "./cells";
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
export interface CellModule extends CellLayout {
  /** Python text. */
  readonly text: string;
  /** Cells that are in the text. */
  readonly used: number;
}

/** `display` shows nothing here, and IPython's shell does nothing. */
const IPYTHON =
  'display = lambda *shown, **how: None; get_ipython = lambda: type("InteractiveShell", (), {"__getattr__": lambda shell, name: lambda *given, **named: None})()';
const DEFINES = /^(?:async[ \t]+)?def\b/m;

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

/** What Python is given for a file of this path: a notebook's cells as a module, anything else as it is. */
export function pythonText(path: string, text: string): string | null {
  if (!isNotebookPath(path)) return text;
  const cells = cellsOf(text);
  return cells && moduleOf(cells).text;
}
