import {
  type NotebookCell,
  type NotebookDocument,
  NotebookCellKind,
  type TextDocument,
  workspace,
} from "vscode";
import * as z from "zod";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import { SKIP_TAG } from "../../core/python/cells";
import type { LineEdit } from "../model/lines";
import { PlacedCells } from "./placing";

export const NOTEBOOK_TYPE = "jupyter-notebook";
export const CELL_SCHEME = "vscode-notebook-cell";
/** VS Code says of a notebook that it is saved a little after it says what changed in it. */
const SETTLE_MS = 100;

const Tagged = z.object({ tags: z.array(z.string()) });
const CellMetadata = z.union([
  z.object({ metadata: Tagged }).transform((cell) => cell.metadata.tags),
  z.object({ custom: z.object({ metadata: Tagged }) }).transform((cell) => cell.custom.metadata.tags),
]);

/** A cell of a notebook that lies on disk. */
export function isNotebookCell({ uri }: TextDocument): boolean {
  return uri.scheme === CELL_SCHEME && workspace.notebookDocuments.some((one) => isOurs(one, uri.fsPath));
}

function isOurs({ notebookType, uri }: NotebookDocument, path: string): boolean {
  return notebookType === NOTEBOOK_TYPE && uri.scheme === "file" && uri.fsPath === path;
}

/** One notebook's module as the engine is to know it. */
export interface NotebookState {
  readonly path: string;
  /** Counts changes of the module; no version of VS Code's. */
  readonly version: number;
  readonly placed: PlacedCells;
  /** The disk holds the same cells. */
  readonly saved: boolean;
}

export interface NotebookChange {
  readonly state: NotebookState;
  /** In module lines, in order; empty where only `saved` changed. */
  readonly edits: readonly LineEdit[];
  /** A cell to look at, where there is one: that which changed. */
  readonly document: TextDocument | null;
}

interface Entry extends NotebookState {
  readonly notebook: NotebookDocument;
  version: number;
  placed: PlacedCells;
  saved: boolean;
  /** What the disk has; null = not known. */
  onDisk: PlacedCells | null;
  settling: ReturnType<typeof setTimeout> | undefined;
}

/** Open notebooks, each as one Python module with the notebook's own path: it never is a Python file's. */
export class Notebooks implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<NotebookChange>());
  readonly #onClose = this.#store.add(new Emitter<string>());
  readonly #entries = new Map<string, Entry>();
  readonly onDidChange = this.#onChange.event;
  readonly onDidClose = this.#onClose.event;

  constructor() {
    for (const notebook of workspace.notebookDocuments) this.#open(notebook);
    this.#store.add(workspace.onDidOpenNotebookDocument((notebook) => this.#open(notebook)));
    this.#store.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const entry =
          document.uri.scheme === CELL_SCHEME ? this.#entries.get(document.uri.fsPath) : undefined;
        const start = entry?.placed.startOf(document.uri.toString()) ?? null;
        if (!entry || start === null || contentChanges.length === 0) return;
        // In the order in which VS Code hands them on: from the end to the start, in old coordinates.
        const edits = contentChanges.map(({ range, text }) => ({
          from: start + range.start.line,
          to: start + range.end.line,
          column: range.start.character,
          added: text.split("\n").length - 1,
        }));
        this.#update(entry, edits, document);
      }),
    );
    this.#store.add(
      workspace.onDidChangeNotebookDocument(({ notebook }) => {
        const entry = this.#entries.get(notebook.uri.fsPath);
        if (entry?.notebook === notebook) this.#update(entry, null, null);
      }),
    );
    this.#store.add(
      workspace.onDidSaveNotebookDocument((notebook) => {
        const entry = this.#entries.get(notebook.uri.fsPath);
        if (entry) this.#saved(entry);
      }),
    );
    this.#store.add(
      workspace.onDidCloseNotebookDocument((notebook) => {
        const path = notebook.uri.fsPath;
        const entry = this.#entries.get(path);
        if (entry?.notebook !== notebook) return;
        clearTimeout(entry.settling);
        this.#entries.delete(path);
        this.#onClose.fire(path);
      }),
    );
  }

  get(path: string): NotebookState | undefined {
    return this.#entries.get(path);
  }

  all(): NotebookState[] {
    return [...this.#entries.values()];
  }

  /** The notebook that a cell's document is a Python cell of. */
  of(document: TextDocument): NotebookState | undefined {
    if (document.uri.scheme !== CELL_SCHEME) return undefined;
    const entry = this.#entries.get(document.uri.fsPath);
    return entry?.placed.startOf(document.uri.toString()) === null ? undefined : entry;
  }

  /** The cell document and its line for a module line (0-based); its number among all cells counts from 1. */
  at(
    path: string,
    moduleLine: number,
  ): { readonly document: TextDocument; readonly line: number; readonly number: number } | null {
    const entry = this.#entries.get(path);
    const found = entry?.placed.at(moduleLine);
    const cell = found && entry?.notebook.getCells().find((one) => one.document.uri.toString() === found.key);
    return cell ? { document: cell.document, line: found.line, number: cell.index + 1 } : null;
  }

  dispose(): void {
    for (const { settling } of this.#entries.values()) clearTimeout(settling);
    this.#entries.clear();
    this.#store.dispose();
  }

  #open(notebook: NotebookDocument): void {
    const path = notebook.uri.fsPath;
    if (!isOurs(notebook, path) || this.#entries.has(path)) return;
    const placed = placedCells(notebook);
    const saved = !notebook.isDirty;
    const entry: Entry = {
      path,
      notebook,
      version: 1,
      placed,
      saved,
      onDisk: saved ? placed : null,
      settling: undefined,
    };
    this.#entries.set(path, entry);
    this.#tell(entry, [], null);
  }

  /** `edits` null = cells may have come, gone or moved. */
  #update(entry: Entry, edits: readonly LineEdit[] | null, document: TextDocument | null): void {
    const before = entry.placed;
    const placed = placedCells(entry.notebook);
    if (placed.isSameAs(before)) return;
    entry.placed = placed;
    entry.version++;
    entry.saved = entry.onDisk !== null && placed.isSameAs(entry.onDisk);
    this.#settle(entry);
    this.#tell(entry, edits ?? placed.editsFrom(before), document);
  }

  /** A notebook that was read again from the disk has changed and yet is saved. */
  #settle(entry: Entry): void {
    clearTimeout(entry.settling);
    entry.settling = setTimeout(() => {
      if (!entry.notebook.isDirty && !entry.saved) this.#saved(entry);
    }, SETTLE_MS);
  }

  #saved(entry: Entry): void {
    entry.onDisk = entry.placed;
    entry.saved = true;
    this.#tell(entry, [], null);
  }

  #tell(entry: Entry, edits: readonly LineEdit[], document: TextDocument | null): void {
    this.#onChange.fire({ state: entry, edits, document: document ?? firstOf(entry) });
  }
}

function firstOf(entry: Entry): TextDocument | null {
  return entry.notebook.getCells().find(isPythonCell)?.document ?? null;
}

function isPythonCell(cell: NotebookCell): boolean {
  return cell.kind === NotebookCellKind.Code && cell.document.languageId === "python";
}

function placedCells(notebook: NotebookDocument): PlacedCells {
  return new PlacedCells(
    notebook
      .getCells()
      .filter(isPythonCell)
      .map(({ document, metadata }) => {
        const tags = CellMetadata.safeParse(metadata);
        return {
          key: document.uri.toString(),
          text: document.getText(),
          runs: !(tags.success && tags.data.includes(SKIP_TAG)),
        };
      }),
  );
}
