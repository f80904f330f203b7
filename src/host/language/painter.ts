import {
  DecorationRangeBehavior,
  type DecorationOptions,
  type ExtensionContext,
  OverviewRulerLane,
  Range,
  type TextDocument,
  type TextEditor,
  ThemeColor,
  Uri,
  window,
  workspace,
} from "vscode";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import type { Documents, Source } from "../documents";
import type { LiveFiles } from "../live";
import type { Models } from "../models";
import { EMPTY_PAINTING, type LineRange, paint, type Painting } from "../model/paint";
import { isNotebookCell } from "../notebooks/notebooks";
import { paintingWithin } from "../notebooks/inCells";
import type { Health } from "../../words/defLine";
import { errorSentence } from "../../words/errors";
import type { Speech } from "../../words/format";
import { previewsEnabled } from "../config";

/** One call of `setDecorations` for the numbers, as tests and the benchmark see it. */
export interface PaintRecord {
  readonly docVersion: number;
  /** Version that the numbers are from. */
  readonly scoresVersion: number;
  /** Milliseconds since the epoch: document change, arrival of the scores, painting done. */
  readonly changedAt: number | null;
  readonly paintedAt: number;
  readonly old: boolean;
  readonly texts: readonly string[];
}

/** Cells of one notebook share a path. */
function paintedKey(document: TextDocument): string {
  return isNotebookCell(document) ? document.uri.toString() : document.uri.fsPath;
}

const MOST_RECORDS = 1000;

const COLORS = {
  numbers: "descriptionForeground",
  previews: "editorCodeLens.foreground",
  old: "disabledForeground",
  failed: "editorWarning.foreground",
};
const HEALTH_COLORS: Readonly<Record<Health, string>> = {
  good: COLORS.numbers,
  warning: "editorWarning.foreground",
  error: "editorError.foreground",
};

/**
 * Draws numbers, previews and gutter marks in every visible editor (a webview may have the focus). Four decoration
 * types in all. What is drawn is always for the document as it is now: results of an older version are marked.
 */
export class Painter implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #documents: Documents;
  readonly #live: LiveFiles;
  readonly #models: Models;
  readonly #speech: Speech;
  readonly #paintings = new Map<string, Painting>();
  readonly #records = new Map<string, PaintRecord[]>();
  readonly #types;
  #previews = previewsEnabled();

  constructor(
    context: ExtensionContext,
    documents: Documents,
    live: LiveFiles,
    models: Models,
    speech: Speech,
  ) {
    this.#documents = documents;
    this.#live = live;
    this.#models = models;
    this.#speech = speech;
    const icon = (name: string): Uri => Uri.joinPath(context.extensionUri, "media", "gutter", name);
    const type = window.createTextEditorDecorationType.bind(window);
    this.#types = {
      numbers: this.#store.add(type({ rangeBehavior: DecorationRangeBehavior.ClosedClosed })),
      previews: this.#store.add(type({ rangeBehavior: DecorationRangeBehavior.ClosedClosed })),
      hit: this.#store.add(
        type({
          isWholeLine: true,
          gutterIconSize: "contain",
          light: { gutterIconPath: icon("hit-light.svg") },
          dark: { gutterIconPath: icon("hit-dark.svg") },
        }),
      ),
      never: this.#store.add(
        type({
          isWholeLine: true,
          opacity: "0.6",
          gutterIconSize: "contain",
          overviewRulerLane: OverviewRulerLane.Left,
          overviewRulerColor: new ThemeColor("editorOverviewRuler.border"),
          light: { gutterIconPath: icon("never-light.svg") },
          dark: { gutterIconPath: icon("never-dark.svg") },
        }),
      ),
    };
    this.#store.add(documents.onDidChange((document) => this.refresh(document.uri.fsPath)));
    this.#store.add(live.onDidChange((path) => this.refresh(path)));
    this.#store.add(models.onDidChange((path) => this.refresh(path)));
    this.#store.add(
      window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) this.#paint(editor);
      }),
    );
    this.#store.add(
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        if (this.#live.scoresOf(textEditor.document.uri.fsPath)) this.#paint(textEditor);
      }),
    );
    this.#store.add(
      workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration("rewardsmith.previews")) return;
        this.#previews = previewsEnabled();
        for (const editor of window.visibleTextEditors) this.#paint(editor);
      }),
    );
  }

  /** @param key a file's path, or a notebook cell's URI */
  painted(key: string): Painting {
    return this.#paintings.get(key) ?? EMPTY_PAINTING;
  }

  records(key: string): readonly PaintRecord[] {
    return this.#records.get(key) ?? [];
  }

  refresh(path: string): void {
    for (const editor of window.visibleTextEditors)
      if (editor.document.uri.fsPath === path) this.#paint(editor);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #paint(editor: TextEditor): void {
    const { document } = editor;
    const source = this.#documents.sourceOf(document);
    if (!source) return;
    const key = paintedKey(document);
    const painting = this.paintingFor(editor);
    if (painting === EMPTY_PAINTING && !this.#paintings.has(key)) return;
    this.#paintings.set(key, painting);
    const after = (line: number, text: string, old: boolean, color: string): DecorationOptions => ({
      range: new Range(line, 0, line, document.lineAt(line).text.length),
      renderOptions: {
        after: {
          contentText: text,
          margin: "0 0 0 3em",
          fontStyle: old ? "italic" : "normal",
          color: new ThemeColor(color),
        },
      },
    });
    const whole = (line: number): Range => new Range(line, 0, line, 0);
    editor.setDecorations(
      this.#types.numbers,
      painting.numbers.map((one) =>
        after(
          one.line,
          one.text,
          one.old,
          one.failed ? COLORS.failed : one.old ? COLORS.old : HEALTH_COLORS[one.health],
        ),
      ),
    );
    this.#record(key, source, painting);
    editor.setDecorations(
      this.#types.previews,
      painting.previews.map((one) =>
        after(one.line, one.text, one.old, one.old ? COLORS.old : COLORS.previews),
      ),
    );
    editor.setDecorations(this.#types.hit, painting.hit.map(whole));
    editor.setDecorations(this.#types.never, painting.never.map(whole));
  }

  /** What belongs in an editor now; also for reading it aloud. */
  paintingFor(editor: TextEditor, everywhere = false): Painting {
    const { document } = editor;
    const ranges = everywhere
      ? null
      : editor.visibleRanges.map((range) => ({ from: range.start.line, to: range.end.line }));
    return this.paintingOf(document, ranges);
  }

  /** What belongs beside a document's lines now; `ranges`: only there, null = throughout. */
  paintingOf(document: TextDocument, visible: readonly LineRange[] | null = null): Painting {
    const source = this.#documents.sourceOf(document);
    if (!source) return EMPTY_PAINTING;
    const { path, first } = source;
    const scores = this.#live.scoresOf(path);
    const model = this.#models.get(path);
    const problem = this.#live.problemOf(path);
    const own = (painting: Painting): Painting =>
      first === 0 ? painting : paintingWithin(painting, first, document.lineCount);
    if (problem) {
      const text = `✗ ${errorSentence(problem, this.#speech)}`;
      const numbers = (model?.functions ?? [])
        .filter((fn) => fn.line < source.lineCount)
        .map((fn) => ({
          line: fn.line,
          text,
          old: true,
          failed: true,
          health: "warning" as const,
          function: fn.name,
        }));
      return own({ ...EMPTY_PAINTING, numbers });
    }
    if (!scores) return EMPTY_PAINTING;
    const edits = scores.docVersion === -1 ? [] : this.#documents.editsSince(path, scores.docVersion);
    const ranges = (visible ?? [{ from: 0, to: document.lineCount }]).map(({ from, to }) => ({
      from: from + first,
      to: to + first,
    }));
    const read = this.#documents.asRead(scores, this.#speech);
    return own(paint(read, model, source, edits, ranges, this.#previews, this.#speech));
  }

  #record(key: string, { path, version: docVersion }: Source, painting: Painting): void {
    const records = this.#records.get(key) ?? [];
    records.push({
      docVersion,
      scoresVersion: this.#live.scoresOf(path)?.docVersion ?? -1,
      changedAt: this.#documents.changedAt(path, docVersion),
      paintedAt: Date.now(),
      old: painting.numbers.some((one) => one.old),
      texts: painting.numbers.map((one) => one.text),
    });
    if (records.length > MOST_RECORDS) records.splice(0, records.length - MOST_RECORDS);
    this.#records.set(key, records);
  }
}
