import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import type { z } from "zod";
import type { DocumentText, Drawing, Marker, ViewScores } from "../../src/protocol/lab.contract";
import { EMPTY_LAB_STATE, LabState } from "../../src/schema/lab";
import { type TextChange, UnsentEdits } from "../../src/schema/text";
import { toRewardsmithError } from "../../src/base/errors";
import { errorSentence } from "../../src/words/errors";
import type { Speech } from "../../src/words/format";
import { Emitter } from "../../src/base/event";
import type { Said } from "../shared/said";
import { keepState } from "../shared/keepState";
import type { Seam } from "../shared/seam";
import { speechOf } from "../shared/speech";
import { connect, type Connection } from "./connection";
import { Pace } from "./pace";

/** What the page is told once, before anything is drawn. */
export interface Greeting {
  readonly mode: "editor" | "panel";
  readonly name: string;
  readonly document: z.output<typeof DocumentText> | null;
  readonly markers: readonly Marker[];
  readonly options: {
    fontFamily: string;
    fontSize: number;
    tabSize: number;
    insertSpaces: boolean;
    wordWrap: boolean;
    readOnly: boolean;
  };
}

export interface DocumentEvent {
  readonly version: number;
  readonly changes: readonly TextChange[];
  readonly own: boolean;
  readonly dirty: boolean;
  /** `textHash` of the document's text after it. */
  readonly hash: number | null;
}

const EMPTY_SCORES: ViewScores = { scores: null, problem: null, chosen: false, trusted: true, columns: [] };
/**
 * The page's model: what it is told (scores, drawings, snapshot number) and what it keeps (`state`, over tab switch,
 * reload and restart). Views read its signals; data they ask for by `connection.data` and drop when it is old.
 */
export class Lab {
  readonly connection: Connection;
  readonly #seam: Seam;
  readonly greeting = signal<Greeting | null>(null);
  /** Why the page could not start. */
  readonly failed = signal<string | null>(null);
  readonly speech = signal<Speech>(speechOf({}, "en"));
  readonly scores = signal<ViewScores>(EMPTY_SCORES);
  readonly drawing = signal<Drawing>({ version: 0, numbers: [], previews: [], hit: [], never: [] });
  readonly markers = signal<readonly Marker[]>([]);
  /** The editor's settings keep the document from being changed. */
  readonly readOnly = signal(false);
  /** When newer scores are shown; drawings and labels of the user's own are shown at once. */
  readonly pace = new Pace();
  /** Rises with every snapshot of scores / labels: whoever shows data asks again. */
  readonly seq = signal(0);
  readonly labelSeq = signal(0);
  readonly state = signal<LabState>(EMPTY_LAB_STATE);
  /** Last text for screen readers; a new object each time, so that the same text is said again. */
  readonly said = signal<Said>({ text: "" });
  readonly onDocument = new Emitter<DocumentEvent>();
  readonly onReset = new Emitter<NonNullable<Greeting["document"]>>();
  readonly onAct = new Emitter<{ readonly act: string; readonly row: number | null }>();
  /** The Lab's own editor, while it is there; lines are 1-based; `stay`: the focus stays where it is. */
  readonly editor = signal<{ reveal(line: number, stay?: boolean): void; focus(): void } | null>(null);
  /** Keys that the table hands on, with the row that has the focus; true: taken. */
  readonly rowKeys: ((key: string, row: number) => boolean)[] = [];
  readonly trusted: ReadonlySignal<boolean> = computed(() => this.scores.value.trusted);

  constructor(seam: Seam) {
    this.#seam = seam;
    this.connection = connect(
      seam,
      {
        scores: (scores) => this.pace.run("view", () => (this.scores.value = scores)),
        drawing: (drawing) => (this.drawing.value = drawing),
        markers: ({ markers }) => (this.markers.value = markers),
        readOnly: ({ readOnly }) => (this.readOnly.value = readOnly),
        document: (event) => this.onDocument.fire(event),
        reset: (text) => this.onReset.fire(text),
        act: (act) => this.onAct.fire(act),
      },
      {
        changed: ({ seq, what }) => {
          const of = what === "scores" ? this.seq : this.labelSeq;
          this.pace.run(what, () => (of.value = seq));
        },
      },
    );
  }

  get t(): Speech["t"] {
    return this.speech.value.t;
  }

  async start(): Promise<void> {
    const kept = LabState.safeParse(this.#seam.kept("page"));
    const token = this.#seam.kept("token");
    try {
      const hello = await this.connection.host.hello(
        {
          restored: kept.success ? kept.data : null,
          token: typeof token === "string" ? token : null,
        },
        { timeoutMs: 30_000 },
      );
      batch(() => {
        this.speech.value = speechOf(hello.bundle, hello.language);
        this.scores.value = hello.scores;
        this.drawing.value = hello.drawing;
        this.markers.value = hello.markers;
        this.readOnly.value = hello.options.readOnly;
        if (hello.state) this.state.value = hello.state;
        this.greeting.value = hello;
      });
      this.#seam.keep("token", hello.token);
    } catch (error) {
      this.failed.value = error instanceof Error ? error.message : String(error);
      return;
    }
    keepState(this.state, this.#seam, (state) => this.connection.host.saveState(state));
  }

  /** Edits that the document doesn't have yet; VS Code keeps them over a reload. */
  get unsent(): UnsentEdits | null {
    const kept = UnsentEdits.safeParse(this.#seam.kept("unsent"));
    return kept.success ? kept.data : null;
  }

  set unsent(edits: UnsentEdits | null) {
    this.#seam.keep("unsent", edits);
  }

  /** Changes a part of what is kept. */
  set(part: Partial<LabState>): void {
    this.state.value = { ...this.state.value, ...part };
  }

  /** Says a text to screen readers. */
  say(text: string): void {
    this.said.value = { text };
  }

  /** Says that something the user asked for failed, to everybody: it stands there until the next text. */
  fail(error: unknown): void {
    this.said.value = { text: errorSentence(toRewardsmithError(error), this.speech.value), failed: true };
  }
}
