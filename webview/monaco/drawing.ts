import * as monaco from "monaco-editor/editor/editor.api.js";
import type { Drawing, Marker } from "../../src/protocol/lab.contract";
import type { TextClient } from "../../src/core/text/client";
import type { Speech } from "../../src/words/format";

const { NeverGrowsWhenTypingAtEdges, GrowsOnlyWhenTypingBefore } = monaco.editor.TrackedRangeStickiness;
/** Longer texts would widen every line's scroll range. */
const MOST_TEXT = 300;

interface Drawn {
  readonly id: string;
  readonly classes: string;
  readonly text: string;
}

/**
 * Numbers and previews behind lines, marks in the margin: Monaco's injected text, which no copy, find or save sees.
 * A drawing is for one version of the host's text; its lines are carried over what isn't there yet. Until the next one
 * comes Monaco moves it along with its lines, dimmed.
 */
export class Drawings {
  readonly #model: monaco.editor.ITextModel;
  readonly #client: TextClient;
  readonly #t: Speech["t"];
  #waiting: Drawing | null = null;
  #texts: Drawn[] = [];
  readonly #marks;

  constructor(
    editor: monaco.editor.IStandaloneCodeEditor,
    model: monaco.editor.ITextModel,
    client: TextClient,
    t: Speech["t"],
  ) {
    this.#model = model;
    this.#client = client;
    this.#t = t;
    this.#marks = editor.createDecorationsCollection();
  }

  /** Draws now, or as soon as the view has got to the drawing's version; one of an older version is dropped. */
  show(drawing: Drawing): void {
    this.#waiting = drawing;
    this.versionChanged();
  }

  versionChanged(): void {
    const drawing = this.#waiting;
    if (!drawing || drawing.version > this.#client.version) return;
    this.#waiting = null;
    if (drawing.version === this.#client.version) this.#draw(drawing);
  }

  /** The text changed: texts stay behind the ends of their lines, and count as old. */
  textChanged(): void {
    if (this.#texts.length === 0) return;
    const specs = this.#texts.flatMap(({ id, classes, text }) => {
      const range = this.#model.getDecorationRange(id);
      const old = classes.includes("lab-old") ? classes : `${classes} lab-old`;
      return range ? [{ line: range.startLineNumber, classes: old, text }] : [];
    });
    this.#setTexts(specs);
  }

  #draw({ numbers, previews, hit, never }: Drawing): void {
    const starts = lineStarts(this.#client.hostText);
    const place = (line: number): number => {
      const start = starts[line];
      if (start === undefined) return this.#model.getLineCount();
      return this.#model.getPositionAt(this.#client.toView(start)).lineNumber;
    };
    const pending = !this.#client.isIdle;
    const dim = (old: boolean): string => (old || pending ? " lab-old" : "");
    this.#setTexts([
      ...numbers.map(({ line, text, old, failed, health }) => ({
        line: place(line),
        text,
        classes: `lab-number lab-${failed ? "error" : health}${dim(old)}`,
      })),
      ...previews.map(({ line, text, old }) => ({
        line: place(line),
        text,
        classes: `lab-preview${dim(old)}`,
      })),
    ]);
    const mark = (line: number, className: string, says: string) => ({
      range: new monaco.Range(line, 1, line, 1),
      options: {
        glyphMarginClassName: className,
        glyphMarginHoverMessage: { value: says },
        stickiness: NeverGrowsWhenTypingAtEdges,
      },
    });
    this.#marks.set([
      ...hit.map((line) => mark(place(line), "lab-hit", this.#t("Samples reached this line."))),
      ...never.map((line) => mark(place(line), "lab-never", this.#t("No sample reached this line."))),
    ]);
  }

  /** Each text stands already as it should, at the end of its line. */
  #stand(specs: readonly { line: number; classes: string; text: string }[]): boolean {
    return (
      specs.length === this.#texts.length &&
      specs.every(({ line, classes, text }, i) => {
        const drawn = this.#texts[i];
        if (drawn?.classes !== classes || drawn.text !== text) return false;
        const range = this.#model.getDecorationRange(drawn.id);
        return (
          range?.isEmpty() === true &&
          range.startLineNumber === Math.min(line, this.#model.getLineCount()) &&
          range.startColumn === this.#model.getLineMaxColumn(range.startLineNumber)
        );
      })
    );
  }

  #setTexts(specs: readonly { line: number; classes: string; text: string }[]): void {
    // Decorations of injected text have their lines drawn anew: most keys move none.
    if (this.#stand(specs)) return;
    const ids = this.#model.deltaDecorations(
      this.#texts.map(({ id }) => id),
      specs.map(({ line, classes, text }) => {
        const at = Math.min(line, this.#model.getLineCount());
        const end = this.#model.getLineMaxColumn(at);
        return {
          range: new monaco.Range(at, end, at, end),
          options: {
            description: "rewardsmith",
            showIfCollapsed: true,
            // Stays on its line when a new one is begun at its end.
            stickiness: GrowsOnlyWhenTypingBefore,
            after: {
              // A space of its own, so that the text doesn't touch the code, and no-break ones inside: it is one thing.
              content: `\u00a0\u00a0\u00a0${text.slice(0, MOST_TEXT).replace(/\s/gu, "\u00a0")}`,
              inlineClassName: classes,
              inlineClassNameAffectsLetterSpacing: true,
              cursorStops: monaco.editor.InjectedTextCursorStops.None,
            },
          },
        };
      }),
    );
    this.#texts = specs.map(({ classes, text }, i) => ({ id: ids[i] ?? "", classes, text }));
  }

  markers(markers: readonly Marker[]): void {
    monaco.editor.setModelMarkers(
      this.#model,
      "rewardsmith",
      markers.map(({ range, message, severity, source, code }) => ({
        startLineNumber: range.start.line + 1,
        startColumn: range.start.character + 1,
        endLineNumber: range.end.line + 1,
        endColumn: range.end.character + 1,
        message,
        source,
        code,
        severity: SEVERITIES[severity],
      })),
    );
  }

  dispose(): void {
    this.#marks.clear();
    if (!this.#model.isDisposed()) this.#setTexts([]);
  }
}

const SEVERITIES: Readonly<Record<Marker["severity"], monaco.MarkerSeverity>> = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
  hint: monaco.MarkerSeverity.Hint,
};

/** Offsets at which the lines of a text start. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
