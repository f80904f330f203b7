import { type TextDocument, type TextDocumentContentChangeEvent, window, workspace } from "vscode";
import { Emitter } from "../base/event";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { EngineClient, EngineLink } from "./process/link";
import { EditHistory, type LineEdit } from "./model/lines";

export function isPython(document: TextDocument): boolean {
  return document.languageId === "python" && document.uri.scheme === "file";
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
        if (!isPython(document)) return;
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
        if (!isPython(document)) return;
        const path = document.uri.fsPath;
        this.#histories.delete(path);
        this.#changedAt.delete(path);
        void this.#engine.running
          ?.document({ path, version: document.version, text: null, saved: true })
          .catch((error: unknown) => this.#onProblem(`document ${path}: ${String(error)}`));
        this.#onClose.fire(path);
      }),
    );
  }

  find(path: string): TextDocument | undefined {
    return workspace.textDocuments.find((document) => isPython(document) && document.uri.fsPath === path);
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

  #sendAll(client: EngineClient): void {
    for (const document of workspace.textDocuments) this.#send(document, client);
  }

  #send(document: TextDocument, client = this.#engine.running): void {
    if (!client || !isPython(document) || document.isClosed) return;
    const path = document.uri.fsPath;
    client
      .document({ path, version: document.version, text: document.getText(), saved: !document.isDirty })
      .catch((error: unknown) => this.#onProblem(`document ${path}: ${String(error)}`));
  }
}
