import { type TextDocument, window } from "vscode";
import { isPython } from "./documents";
import type { Host } from "./host";

/** Of the notebook in front: the cursor where a cell has it, else the selected cell's first line. */
function selectedCell(): { document: TextDocument; line: number } | undefined {
  const notebook = window.activeNotebookEditor;
  if (!notebook || notebook.notebook.cellCount === 0) return undefined;
  const { document } = notebook.notebook.cellAt(notebook.selection.start);
  if (!isPython(document)) return undefined;
  const editor = window.activeTextEditor;
  return { document, line: editor?.document === document ? editor.selection.active.line : 0 };
}

/**
 * The Python document that the user is looking at, and the cursor's line where it has one. A webview with the focus
 * leaves no active text editor: a Lab's own document counts then, and else the file that can still be seen.
 */
export function seenDocument(host: Pick<Host, "labs">): { document: TextDocument; line: number } | undefined {
  const lab = host.labs.active;
  if (lab) return { document: lab.document, line: 0 };
  const cell = selectedCell();
  if (cell) return cell;
  const editor = window.activeTextEditor ?? window.visibleTextEditors.find((one) => isPython(one.document));
  if (editor)
    return isPython(editor.document)
      ? { document: editor.document, line: editor.selection.active.line }
      : undefined;
  return undefined;
}
