import {
  type DocumentFilter,
  type TextDocument,
  type TextDocumentContentChangeEvent,
  window,
  workspace,
} from "vscode";
import { notebookOf } from "../core/python/cells";
import { Emitter } from "../base/event";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { FileScores } from "../schema/live";
import type { Speech } from "../words/format";
import type { EngineClient, EngineLink } from "./process/link";
import { EditHistory, type LineEdit } from "./model/lines";
import { inCells } from "./notebooks/inCells";
import { isNotebookCell, NOTEBOOK_TYPE, Notebooks, type NotebookState } from "./notebooks/notebooks";

/** Where surfaces of the editor are offered. */
export const PYTHON_DOCUMENTS: readonly DocumentFilter[] = [
  { language: "python", scheme: "file" },
  { language: "python", notebookType: NOTEBOOK_TYPE },
];

function isPythonFile(document: TextDocument): boolean {
  return document.languageId === "python" && document.uri.scheme === "file";
}

/** A Python file, or a Python cell of a notebook on disk: its `uri.fsPath` is the notebook's. */
export function isPython(document: TextDocument): boolean {
  return isPythonFile(document) || (document.languageId === "python" && isNotebookCell(document));
}

/** A document as lines of the Python module that the engine knows: a file is one, a cell is a part of one. */
export interface Source {
  readonly path: string;
  /** Of the module. */
  readonly version: number;
  /** Module line of the document's first line. */
  readonly first: number;
  /** Of the whole module. */
  readonly lineCount: number;
  /** A line of the module. */
  lineText(moduleLine: number): string;
}

/** Where a line of a module stands in the editor. */
export interface Place {
  readonly document: TextDocument;
  readonly line: number;
  /** Number of the notebook's cell, from 1; null in a file. */
  readonly cell: number | null;
}

/** Python that may hold a reward: only such a file wakes the engine. */
export function mayHoldReward(document: TextDocument): boolean {
  return (
    isPython(document) &&
    /\bdef\b|\blambda\b|=/u.test(document.getText()) &&
    /complet|reward|score|answer|response/iu.test(document.getText())
  );
}

function lineEdits(changes: readonly TextDocumentContentChangeEvent[]): LineEdit[] {
  // VS Code hands changes from the end of the document to its start, all in old coordinates: applied in that order
  // none moves another.
  return changes.map((change) => ({
    from: change.range.start.line,
    to: change.range.end.line,
    column: change.range.start.character,
    added: change.text.split("\n").length - 1,
  }));
}

/** Keeps the engine's view of open Python files equal to the editor's, and remembers what moved where. */
export class Documents implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<TextDocument>());
  readonly #onClose = this.#store.add(new Emitter<string>());
  readonly #notebooks = this.#store.add(new Notebooks());
  readonly #histories = new Map<string, EditHistory>();
  readonly #changedAt = new Map<string, { readonly version: number; readonly at: number }>();
  readonly #engine: EngineLink;
  readonly #onProblem: (text: string) => void;

  /** After the new text has been sent. */
  readonly onDidChange = this.#onChange.event;
  readonly onDidClose = this.#onClose.event;

  constructor(engine: EngineLink, onProblem: (text: string) => void) {
    this.#engine = engine;
    this.#onProblem = onProblem;
    this.#store.add(engine.onDidStart((client) => this.#sendAll(client)));
    this.#store.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!isPythonFile(document)) return;
        if (contentChanges.length === 0) {
          this.#send(document);
          return;
        }
        const path = document.uri.fsPath;
        this.#changedAt.set(path, { version: document.version, at: Date.now() });
        this.#history(path).record(document.version, lineEdits(contentChanges));
        this.#send(document);
        this.#onChange.fire(document);
      }),
    );
    this.#store.add(workspace.onDidSaveTextDocument((document) => this.#send(document)));
    this.#store.add(workspace.onDidOpenTextDocument((document) => this.#send(document)));
    this.#store.add(
      workspace.onDidCloseTextDocument((document) => {
        if (isPythonFile(document)) this.#closed(document.uri.fsPath, document.version);
      }),
    );
    this.#store.add(
      this.#notebooks.onDidChange(({ state, edits, document }) => {
        const { path, version } = state;
        if (edits.length > 0) {
          this.#changedAt.set(path, { version, at: Date.now() });
          this.#history(path).record(version, edits);
        }
        this.#sendNotebook(state);
        if (edits.length > 0 && document) this.#onChange.fire(document);
      }),
    );
    this.#store.add(this.#notebooks.onDidClose((path) => this.#closed(path, 0)));
  }

  /** Open as a file, or as a notebook. */
  isOpen(path: string): boolean {
    return this.#notebooks.get(path) !== undefined || this.#file(path) !== undefined;
  }

  /** The document and its line for a line (0-based) of a module; null where it isn't open or no cell has the line. */
  placeOf(path: string, moduleLine: number): Place | null {
    if (this.#notebooks.get(path)) {
      const found = this.#notebooks.at(path, moduleLine);
      return found && { document: found.document, line: found.line, cell: found.number };
    }
    const document = this.#file(path);
    return document ? { document, line: moduleLine, cell: null } : null;
  }

  /** Null = no Python that the engine knows. */
  sourceOf(document: TextDocument): Source | null {
    const path = document.uri.fsPath;
    const notebook = this.#notebooks.of(document);
    if (notebook) {
      const { placed, version } = notebook;
      const first = placed.startOf(document.uri.toString());
      const { lineCount } = placed;
      return first === null ? null : { path, version, first, lineCount, lineText: (n) => placed.lineText(n) };
    }
    if (!isPythonFile(document)) return null;
    const { version, lineCount } = document;
    return { path, version, first: 0, lineCount, lineText: (n) => document.lineAt(n).text };
  }

  /** A snapshot with the lines that its readers see: a notebook's are counted in its cells. */
  asRead(scores: FileScores, speech: Speech): FileScores {
    const { path } = scores;
    return this.#notebooks.get(path) ? inCells(scores, (line) => this.#cellOf(path, line), speech) : scores;
  }

  /** A line (from 1) of a function's module as its reader sees it; null where he couldn't find it. */
  lineAsRead(path: string, line: number): number | null {
    if (!this.#notebooks.get(path)) return line;
    const at = this.#cellOf(path, line - 1);
    return at && at.line + 1;
  }

  visible(): TextDocument[] {
    return [...new Set(window.visibleTextEditors.map((editor) => editor.document))].filter(isPython);
  }

  /** Edits since a version; null where too long ago. */
  editsSince(path: string, version: number): readonly LineEdit[] | null {
    const history = this.#histories.get(path);
    return history ? history.since(version) : [];
  }

  /** When the document got the version that it has now (milliseconds since the epoch). */
  changedAt(path: string, version: number): number | null {
    const change = this.#changedAt.get(path);
    return change?.version === version ? change.at : null;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #history(path: string): EditHistory {
    let history = this.#histories.get(path);
    if (!history) this.#histories.set(path, (history = new EditHistory()));
    return history;
  }

  #cellOf(path: string, moduleLine: number): { readonly cell: number; readonly line: number } | null {
    const found = this.#notebooks.at(path, moduleLine);
    return found && { cell: found.number, line: found.line };
  }

  #file(path: string): TextDocument | undefined {
    return workspace.textDocuments.find((document) => isPythonFile(document) && document.uri.fsPath === path);
  }

  #closed(path: string, version: number): void {
    this.#histories.delete(path);
    this.#changedAt.delete(path);
    void this.#engine.running
      ?.document({ path, version, text: null, saved: true })
      .catch((error: unknown) => this.#onProblem(`document ${path}: ${String(error)}`));
    this.#onClose.fire(path);
  }

  #sendAll(client: EngineClient): void {
    for (const document of workspace.textDocuments) this.#send(document, client);
    for (const state of this.#notebooks.all()) this.#sendNotebook(state, client);
  }

  #sendNotebook(
    { path, version, placed, saved }: NotebookState,
    client: EngineClient | undefined = this.#engine.running,
  ): void {
    client
      // As the disk has it: the engine makes the module, reading Python takes longer than a keystroke should here.
      ?.document({ path, version, text: notebookOf(placed.cells), saved })
      .catch((error: unknown) => this.#onProblem(`document ${path}: ${String(error)}`));
  }

  #send(document: TextDocument, client = this.#engine.running): void {
    if (!client || !isPythonFile(document) || document.isClosed) return;
    const path = document.uri.fsPath;
    client
      .document({ path, version: document.version, text: document.getText(), saved: !document.isDirty })
      .catch((error: unknown) => this.#onProblem(`document ${path}: ${String(error)}`));
  }
}
