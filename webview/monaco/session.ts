import * as monaco from "monaco-editor/editor/editor.api.js";
import { TextClient, type ClientPorts } from "../../src/core/text/client";
import { type Changes, ordered, sequential } from "../../src/core/text/ops";
import type { DocumentEvent, Greeting, Lab } from "../lab/lab";
import { WordGroups } from "./wordGroups";

type WholeText = NonNullable<Greeting["document"]>;

const ANSWER_MS = 20_000;
const RETRY_MS = 1000;

/** The model of Monaco and the host's document as one text: what is typed goes out, what others do comes in. */
export class TextSession {
  readonly model: monaco.editor.ITextModel;
  readonly client: TextClient;
  readonly #lab: Lab;
  readonly #words = new WordGroups(Date.now());
  readonly #disposables: { dispose(): void }[];
  readonly #onText: () => void;
  readonly #onTrouble: (text: string | null) => void;
  /** Changes that the model gets from us aren't typed. */
  #receiving = false;
  /** Where the last change of an undo ends, for the caret. */
  #undone: number | null = null;
  #disposed = false;

  /**
   * @param onText after every change of the model, and whenever the host's version has moved on
   * @param onTrouble a sentence while what is typed can't be written; null: it can again
   */
  constructor(lab: Lab, whole: WholeText, onText: () => void, onTrouble: (text: string | null) => void) {
    this.#lab = lab;
    this.#onText = onText;
    this.#onTrouble = onTrouble;
    const kept = lab.unsent;
    this.client = new TextClient(this.#ports(), whole);
    // Before there is a model, as `resume` may send at once.
    if (kept) this.client.resume(kept, whole);
    this.model = monaco.editor.createModel(this.client.text, "python");
    this.#setEol(whole.eol);
    this.#disposables = [
      this.model.onDidChangeContent((event) => this.#changed(event)),
      lab.onDocument.event((event) => this.#received(event)),
      lab.onReset.event((text) => this.#restart(text)),
      this.model,
    ];
  }

  /** The page was told of nothing between its hello and this editor: what changed by then is in the whole text. */
  refresh(): void {
    void this.#resync();
  }

  undo(redo: boolean): void {
    this.#words.end();
    this.client.undo(redo);
  }

  /** What was pasted or jumped to isn't one word with what comes next. */
  endWord(): void {
    this.#words.end();
  }

  /** The document has everything that was typed, or the time is over. */
  async settled(ms: number): Promise<void> {
    await Promise.race([this.client.settled(), new Promise((resolve) => setTimeout(resolve, ms))]);
  }

  dispose(): void {
    this.#disposed = true;
    for (const one of this.#disposables) one.dispose();
  }

  #changed({ changes, isEolChange }: monaco.editor.IModelContentChangedEvent): void {
    if (!this.#receiving && !isEolChange) {
      const told = changes.map(({ rangeOffset, rangeLength, text }) => ({
        offset: rangeOffset,
        length: rangeLength,
        text,
      }));
      this.#lab.pace.typed();
      this.client.typed(sequential(told), this.#words.next(told, Date.now()));
    }
    this.#onText();
  }

  #received({ version, changes, own, hash }: DocumentEvent): void {
    const list = ordered(changes);
    if (list) this.client.received({ version, changes: list, own, hash });
    else this.client.failed();
    this.#onTrouble(null);
    this.#onText();
    this.#undone = null;
  }

  #restart(whole: WholeText): void {
    if (this.model.getEOL() === whole.eol) this.client.restart(whole);
    else {
      // Line ends changed: changes between the two texts can't be put into a model of the other kind.
      this.#receiving = true;
      this.client.restart(whole);
      this.#receiving = false;
      this.#setEol(whole.eol);
    }
    if (this.model.getValue() !== this.client.text) this.#into(() => this.model.setValue(this.client.text));
    this.#onTrouble(null);
    this.#onText();
  }

  #setEol(eol: "\n" | "\r\n"): void {
    const { CRLF, LF } = monaco.editor.EndOfLineSequence;
    this.#into(() => this.model.setEOL(eol === "\r\n" ? CRLF : LF));
  }

  #apply(changes: Changes, because: "other" | "undo"): void {
    if (this.#receiving) return;
    const edits = changes.map(({ offset, length, text }) => ({
      range: monaco.Range.fromPositions(
        this.model.getPositionAt(offset),
        this.model.getPositionAt(offset + length),
      ),
      text,
      // As in the transform: at one place, the text of others stands before what is typed next.
      forceMoveMarkers: true,
    }));
    this.#into(() => this.model.applyEdits(edits));
    const [first] = changes;
    if (because === "undo" && first) this.#undone = first.offset + first.text.length;
  }

  /** Offset at which the caret belongs after an undo that has just come in. */
  get undone(): number | null {
    return this.#undone;
  }

  #into(run: () => void): void {
    this.#receiving = true;
    try {
      run();
    } finally {
      this.#receiving = false;
    }
  }

  #ports(): ClientPorts {
    const { host } = this.#lab.connection;
    return {
      newId: () => crypto.randomUUID(),
      edit: ({ id, base, word, changes }) =>
        void host.edit({ id, base, word, changes: [...changes] }, { timeoutMs: ANSWER_MS }).then(
          ({ accepted, version }) => this.client.answered({ id, base }, accepted, version),
          () => this.client.failed(),
        ),
      undo: (redo) =>
        void host.undo({ redo }, { timeoutMs: ANSWER_MS }).then(
          () => this.client.undone(),
          () => this.client.failed(),
        ),
      refused: () => {
        this.#onTrouble(
          this.#lab.t("This file can't be changed now. What you typed is kept here and sent again."),
        );
        setTimeout(() => this.client.retry(), RETRY_MS);
      },
      resync: () => void this.#resync(),
      apply: (changes, because) => this.#apply(changes, because),
      keep: (unsent) => (this.#lab.unsent = unsent),
    };
  }

  async #resync(): Promise<void> {
    while (!this.#disposed) {
      try {
        this.#restart(await this.#lab.connection.host.text({}, { timeoutMs: ANSWER_MS }));
        return;
      } catch {
        this.#onTrouble(
          this.#lab.t("The editor doesn't answer. What you typed is kept here and sent again."),
        );
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}
