import type { TextDocument } from "vscode";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import type { TextChange } from "../../schema/text";

export interface DocumentChange {
  readonly version: number;
  readonly changes: readonly TextChange[];
  /** Made by an accepted `apply` of this view. */
  readonly own: boolean;
  readonly dirty: boolean;
}

/** One view's edits on a TextDocument: refuses what is based on another version, tells of every change. */
export class DocumentSync implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<DocumentChange>());
  readonly onDidChange = this.#onChange.event;
  readonly document: TextDocument;

  constructor(document: TextDocument) {
    this.document = document;
  }

  /** `word` numbers what one undo takes back: edits with the same number go together. */
  apply(
    _base: number,
    _changes: readonly TextChange[],
    _word: number,
  ): Promise<{ accepted: boolean; version: number }> {
    return Promise.resolve({ accepted: false, version: this.document.version });
  }

  undo(_redo: boolean): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
    this.#store.dispose();
  }
}
