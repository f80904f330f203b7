import { type TextDocument, type WebviewPanel, env, l10n, languages, workspace } from "vscode";
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import {
  labContract,
  type Drawing,
  type LabAct,
  type LabContract,
  type ViewScores,
} from "../../protocol/lab.contract";
import { labDataContract } from "../../protocol/labData.contract";
import { createServer, type Channel, type Handlers } from "../../protocol/rpc";
import { LabState } from "../../schema/lab";
import { errorSentence } from "../../words/errors";
import type { LabHost } from "../host";
import { labActs } from "./acts";
import { DocumentSync } from "./documentSync";
import { EngineFrames } from "./engineFrames";
import { webviewHtml } from "./html";
import { languageFeatures } from "./languageFeatures";
import { PageState } from "./pageState";
import { ReadOnly } from "./readOnly";
import { Sender } from "./sender";
import { markersOf } from "./views";

type Methods = LabContract["methods"];
type Events = LabContract["events"];

/**
 * One open Lab: its page, the document it is about, and its half in the engine. The page's `lab` frames are answered
 * here; `labData` frames go to the engine and back unread.
 */
export class LabView implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #host: LabHost;
  readonly #panel: WebviewPanel;
  readonly #document: TextDocument;
  readonly #sync: DocumentSync;
  readonly #readOnly: ReadOnly;
  readonly #frames: EngineFrames;
  readonly #messages = new Emitter<unknown>();
  readonly #server;
  readonly mode: "editor" | "panel";
  /** The page has said hello: before that it hears nothing. */
  #greeted = false;
  /** Acts for the page, until it has the answer to its hello. */
  readonly #waiting: { act: LabAct; row: number | null }[] = [];
  readonly #scoresSent = new Sender<ViewScores>((scores) => this.#server.emit("scores", scores));
  readonly #drawingSent = new Sender<Drawing>((drawing) => this.#server.emit("drawing", drawing));
  #drawsSoon = false;
  #disposed = false;
  readonly #state: PageState<LabState>;

  constructor(
    host: LabHost,
    panel: WebviewPanel,
    document: TextDocument,
    mode: "editor" | "panel",
    id: string,
  ) {
    this.#host = host;
    this.#panel = panel;
    this.#document = document;
    this.mode = mode;
    this.#state = new PageState(host.context.workspaceState, `rewardsmith.lab:${this.path}`, LabState);
    this.#sync = this.#store.add(new DocumentSync(document));
    this.#readOnly = this.#store.add(new ReadOnly(document));
    this.#frames = this.#store.add(
      new EngineFrames({
        engine: host.engine,
        view: id,
        path: this.path,
        post: (message) => void panel.webview.postMessage(message),
        report: (problem) => host.log.warn(problem),
      }),
    );
    const channel: Channel = {
      post: (message) => void panel.webview.postMessage(message),
      onMessage: this.#messages.event,
      onClose: () => ({ dispose: () => undefined }),
    };
    this.#server = this.#store.add(
      createServer<Methods, Events>(labContract, channel, this.#handlers(), (problem) =>
        host.log.warn(`lab: ${problem}`),
      ),
    );
    this.#store.add(panel.webview.onDidReceiveMessage((message: unknown) => this.#take(message)));
    this.#listen();
    panel.webview.html = webviewHtml(panel.webview, host.context.extensionUri, "lab", mode, env.language);
    // A file that is looked at in a Lab counts as open, with no native editor.
    void host.models.refresh(this.path);
    if (host.consents.get(this.path)) void host.live.ensure(this.path);
  }

  get path(): string {
    return this.#document.uri.fsPath;
  }

  /** Stands for the document in what the page keeps. */
  get token(): string {
    return tokenOf(this.path);
  }

  get document(): TextDocument {
    return this.#document;
  }

  get isActive(): boolean {
    return !this.#disposed && this.#panel.active;
  }

  get isVisible(): boolean {
    return !this.#disposed && this.#panel.visible;
  }

  get panel(): WebviewPanel {
    return this.#panel;
  }

  /** Ends with the view. */
  own(part: IDisposable): void {
    this.#store.add(part);
  }

  reveal(): void {
    this.#panel.reveal(undefined, false);
  }

  /** One word, as typed in the page; steps of the document's own history where that isn't known. */
  async undo(redo: boolean): Promise<void> {
    await this.#sync.undo(redo);
  }

  /** Has the page carry out a command of the palette. */
  act(act: LabAct, row: number | null = null): void {
    this.reveal();
    if (this.#greeted) this.#server.emit("act", { act, row });
    else this.#waiting.push({ act, row });
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    void this.#state.store();
    this.#store.dispose();
  }

  #take(message: unknown): void {
    const contract = typeof message === "object" && message !== null && "c" in message ? message.c : null;
    if (contract === labDataContract.name) void this.#frames.send(message);
    else this.#messages.fire(message);
  }

  #listen(): void {
    const { live, models, documents } = this.#host;
    const mine = (path: string): boolean => path === this.path;
    this.#store.add(live.onDidChange((path) => mine(path) && this.#showScores()));
    this.#store.add(models.onDidChange((path) => mine(path) && this.#drawSoon()));
    this.#store.add(documents.onDidChange((document) => mine(document.uri.fsPath) && this.#drawSoon()));
    this.#store.add(
      this.#sync.onDidChange((change) => {
        if (this.#greeted && this.mode === "editor")
          this.#server.emit("document", { ...change, changes: [...change.changes] });
      }),
    );
    this.#store.add(
      this.#sync.onDidReset(() => {
        if (this.#greeted && this.mode === "editor") this.#server.emit("reset", this.#sync.whole());
      }),
    );
    this.#store.add(
      this.#readOnly.onDidChange((readOnly) => {
        if (this.#greeted && this.mode === "editor") this.#server.emit("readOnly", { readOnly });
      }),
    );
    this.#store.add(
      languages.onDidChangeDiagnostics(({ uris }) => {
        if (this.#greeted && this.mode === "editor" && uris.some((uri) => mine(uri.fsPath)))
          this.#server.emit("markers", { markers: markersOf(this.#document.uri) });
      }),
    );
    this.#store.add(workspace.onDidGrantWorkspaceTrust(() => this.#showScores()));
    this.#store.add(
      this.#panel.onDidChangeViewState(() => {
        // A page that was kept has heard of everything; what else is old (the folder's trust) goes with it.
        if (this.#panel.visible) this.#showScores();
      }),
    );
  }

  #scores(): ViewScores {
    const { live, consents, documents, speech } = this.#host;
    const problem = live.problemOf(this.path);
    const scores = live.scoresOf(this.path);
    return {
      scores: scores ? documents.asRead(scores, speech) : null,
      problem: problem ? errorSentence(problem, speech) : null,
      chosen: consents.get(this.path) !== undefined,
      trusted: workspace.isTrusted,
      columns: live.setOf(this.path)?.columns ?? [],
    };
  }

  #showScores(): void {
    if (!this.#greeted) return;
    this.#scoresSent.send(this.#scores());
    this.#draw();
  }

  #drawing(): Drawing {
    const painting = this.#host.painter.paintingOf(this.#document);
    return {
      version: this.#document.version,
      numbers: [...painting.numbers],
      previews: [...painting.previews],
      hit: [...painting.hit],
      never: [...painting.never],
    };
  }

  #draw(): void {
    if (this.#greeted && this.mode === "editor") this.#drawingSent.send(this.#drawing());
  }

  /** Once for all that a key moves; where scores come with it they bring their own. */
  #drawSoon(): void {
    if (this.#drawsSoon) return;
    this.#drawsSoon = true;
    setTimeout(() => {
      this.#drawsSoon = false;
      if (!this.#disposed) this.#draw();
    });
  }

  #handlers(): Handlers<Methods> {
    return {
      hello: async ({ restored, token }) => {
        const state = this.#state.restore(token === this.token ? restored : null);
        // What the page asks waits for the engine by itself.
        this.#frames.restart().catch((error: unknown) => this.#host.log.warn(`lab view: ${String(error)}`));
        // An edit of the page before this one is applied by now, or never.
        await this.#sync.settled();
        const readOnly = await this.#readOnly.look();
        this.#greeted = true;
        setTimeout(() => {
          for (const act of this.#waiting.splice(0)) this.#server.emit("act", act);
        });
        const config = workspace.getConfiguration("editor", this.#document);
        const [scores, drawing] = [this.#scores(), this.#drawing()];
        this.#scoresSent.told(scores);
        this.#drawingSent.told(drawing);
        return {
          mode: this.mode,
          token: this.token,
          name: basename(this.path),
          language: env.language,
          bundle: textBundle(),
          state,
          document: this.mode === "editor" ? this.#sync.whole() : null,
          scores,
          drawing,
          markers: this.mode === "editor" ? markersOf(this.#document.uri) : [],
          options: {
            fontFamily: config.get("fontFamily", "monospace"),
            fontSize: config.get("fontSize", 14),
            tabSize: config.get("tabSize", 4),
            insertSpaces: config.get("insertSpaces", true),
            wordWrap: config.get<string>("wordWrap", "off") !== "off",
            readOnly,
          },
        };
      },
      saveState: (state) => {
        this.#state.keep(state);
        return Promise.resolve(null);
      },
      // What was typed before the page knew is kept there, as with any edit that isn't taken.
      edit: (edit) =>
        this.#readOnly.now
          ? Promise.resolve({ accepted: false, version: this.#document.version })
          : this.#sync.apply(edit),
      undo: async ({ redo }) => {
        await this.#sync.undo(redo);
        return null;
      },
      text: async () => {
        await this.#sync.settled();
        return this.#sync.whole();
      },
      save: async () => {
        await this.#document.save();
        return null;
      },
      copy: async ({ text }) => {
        await env.clipboard.writeText(text);
        return null;
      },
      ...languageFeatures(this.#document),
      ...labActs(this.#host, this.#document),
    };
  }
}

export function tokenOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 24);
}

/** Texts of the page in the editor's language; empty where that is English. */
export function textBundle(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(l10n.bundle ?? {}).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value]] : [],
    ),
  );
}
