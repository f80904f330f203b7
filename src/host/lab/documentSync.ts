import {
  type EndOfLine,
  Range,
  TabInputCustom,
  TabInputText,
  type TextDocument,
  TextDocumentChangeReason,
  type TextDocumentChangeEvent,
  WorkspaceEdit,
  commands,
  window,
  workspace,
} from "vscode";
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { RewardsmithError } from "../../base/errors";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import { applyChanges, type Changes, ordered, sequential, textHash } from "../../core/text/ops";
import type { DocumentText } from "../../protocol/lab.contract";
import type { TextChange } from "../../schema/text";
import { UndoGroups } from "./undoGroups";
import { textOf } from "./views";

export interface DocumentChange {
  readonly version: number;
  readonly changes: readonly TextChange[];
  /** Made by an accepted `apply` of this view. */
  readonly own: boolean;
  readonly dirty: boolean;
  /** Of the document's text after it. */
  readonly hash: number;
}

export interface ViewEdit {
  readonly id: string;
  readonly base: number;
  readonly changes: readonly TextChange[];
  /** Numbers what one undo takes back: edits with the same number go together. */
  readonly word: number;
}

export interface EditAnswer {
  readonly accepted: boolean;
  readonly version: number;
}

/** A change that came while the editor was applying an edit of ours: whose it is, its answer says. */
interface Held {
  readonly change: DocumentChange;
  readonly text: string;
  readonly reason: TextDocumentChangeReason | undefined;
}

/**
 * One view's edits on a TextDocument: refuses what is based on another version, tells of every change in order.
 *
 * VS Code compares the version once more when it applies an edit, so an edit that it took is the first change after its
 * base. It can say so only after the change event; until then events are held back.
 */
export class DocumentSync implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<DocumentChange>());
  readonly #onReset = this.#store.add(new Emitter<void>());
  readonly #groups = new UndoGroups();
  readonly #session = randomUUID();
  readonly document: TextDocument;
  readonly onDidChange = this.#onChange.event;
  /** Changes can't tell what happened: the view starts again from `whole()`. */
  readonly onDidReset = this.#onReset.event;
  #lastEdit: string | null = null;
  #eol: EndOfLine;
  #applying = false;
  readonly #held: Held[] = [];
  /** Saved, or no longer as saved: said after the changes, as it names their version. */
  #heldState: DocumentChange | null = null;
  /** Edits and undos, one after the other. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(document: TextDocument) {
    this.document = document;
    this.#eol = document.eol;
    this.#store.add(
      workspace.onDidChangeTextDocument((event) => {
        if (event.document === document) this.#changed(event);
      }),
    );
  }

  whole(): z.infer<typeof DocumentText> {
    return { ...textOf(this.document), session: this.#session, lastEdit: this.#lastEdit };
  }

  /** Resolves when no edit or undo that was asked for is under way. */
  async settled(): Promise<void> {
    await this.#work;
  }

  /** @throws ProtocolMismatch where the changes overlap or lie outside of the text that they are based on */
  apply(edit: ViewEdit): Promise<EditAnswer> {
    return this.#after(() => this.#apply(edit));
  }

  /** Takes back (brings back) the steps of one word, as far as the editor that would do it is this document's. */
  undo(redo: boolean): Promise<void> {
    return this.#after(async () => {
      const steps = this.#groups.steps(redo);
      for (let step = 0; step < steps; step++) {
        if (!this.#isActive()) return;
        const { version } = this.document;
        await commands.executeCommand(redo ? "redo" : "undo");
        // Nothing to undo, or somebody else's change came in between: then the rest of the word isn't on top any more.
        if (this.document.version !== version + 1) return;
      }
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  async #apply({ id, base, changes, word }: ViewEdit): Promise<EditAnswer> {
    const { document } = this;
    if (id === this.#lastEdit) return { accepted: true, version: document.version };
    if (base !== document.version) return { accepted: false, version: document.version };
    const before = document.getText();
    const list = inText(before, changes);
    const edit = new WorkspaceEdit();
    for (const { offset, length, text } of list)
      edit.replace(
        document.uri,
        new Range(document.positionAt(offset), document.positionAt(offset + length)),
        text,
      );
    this.#applying = true;
    let accepted = false;
    try {
      accepted = await workspace.applyEdit(edit);
    } finally {
      this.#applying = false;
      this.#release(accepted, id, word, applyChanges(before, list));
    }
    return { accepted, version: document.version };
  }

  #release(accepted: boolean, id: string, word: number, expected: string): void {
    this.#tellHeld(accepted, id, word, expected);
    const state = this.#heldState;
    this.#heldState = null;
    if (state) this.#onChange.fire(state);
  }

  #tellHeld(accepted: boolean, id: string, word: number, expected: string): void {
    const [first, ...rest] = this.#held.splice(0);
    if (accepted) {
      this.#lastEdit = id;
      if (first?.text !== expected) {
        // The editor made something else of it, or of this and another edit together.
        this.#groups.foreign();
        this.#onReset.fire();
        return;
      }
      this.#groups.applied(word);
      this.#onChange.fire({ ...first.change, own: true });
    } else if (first) this.#tell(first);
    for (const held of rest) this.#tell(held);
  }

  #changed({ contentChanges, reason }: TextDocumentChangeEvent): void {
    const { document } = this;
    if (document.eol !== this.#eol) {
      this.#eol = document.eol;
      this.#groups.foreign();
      // A view can't tell this by changes; the edit that may be under way is told by `lastEdit`.
      void this.#after(() => {
        this.#onReset.fire();
        return Promise.resolve();
      });
      return;
    }
    const text = document.getText();
    const change: DocumentChange = {
      version: document.version,
      changes: sequential(
        contentChanges.map(({ rangeOffset, rangeLength, text: added }) => ({
          offset: rangeOffset,
          length: rangeLength,
          text: added,
        })),
      ),
      own: false,
      dirty: document.isDirty,
      hash: textHash(text),
    };
    const held = { change, text, reason };
    if (contentChanges.length === 0) {
      if (this.#applying) this.#heldState = change;
      else this.#onChange.fire(change);
    } else if (this.#applying) this.#held.push(held);
    else this.#tell(held);
  }

  #tell({ change, reason }: Held): void {
    if (reason === TextDocumentChangeReason.Undo) this.#groups.moved(false);
    else if (reason === TextDocumentChangeReason.Redo) this.#groups.moved(true);
    else this.#groups.foreign();
    this.#onChange.fire(change);
  }

  /** `undo` of the workbench goes to the editor that is active. */
  #isActive(): boolean {
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    return (
      (input instanceof TabInputCustom || input instanceof TabInputText) &&
      input.uri.toString() === this.document.uri.toString()
    );
  }
}

function inText(text: string, changes: readonly TextChange[]): Changes {
  const list = ordered(changes);
  const last = list?.at(-1);
  if (!list || (last && last.offset + last.length > text.length))
    throw new RewardsmithError("ProtocolMismatch", "edit: its changes don't fit the text");
  return list;
}
