import {
  type CancellationToken,
  type CustomTextEditorProvider,
  type TextDocument,
  Uri,
  ViewColumn,
  type WebviewPanel,
  l10n,
  window,
  workspace,
} from "vscode";
import { basename } from "node:path";
import * as z from "zod";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import { isPython } from "../documents";
import type { LabHost } from "../host";
import { LAB_EDITOR, LAB_PANEL } from "../ids";
import { webviewRoots } from "./html";
import { LabView } from "./labView";

/** What the page keeps of its document: a token. Which path it stands for is known here alone. */
const PanelState = z.object({ token: z.string() });
const PATHS_KEY = "rewardsmith.lab.paths";
const Paths = z.record(z.string(), z.string());

/**
 * Every open Lab: custom editors with Monaco on the document, and panels beside the native editor. Both are the same web
 * app; which document it is about, the host knows and the page doesn't.
 */
export class Labs implements CustomTextEditorProvider, IDisposable {
  readonly #store = new DisposableStore();
  readonly #host: LabHost;
  readonly #views = new Set<LabView>();
  readonly #onActive = this.#store.add(new Emitter<string | null>());
  readonly #onClose = this.#store.add(new Emitter<string>());
  #next = 1;

  /** The document of the Lab that has the focus, or null. */
  readonly onDidChangeActive = this.#onActive.event;
  /** Path of a document whose Lab was closed. */
  readonly onDidClose = this.#onClose.event;

  constructor(host: LabHost) {
    this.#host = host;
    this.#store.add(
      window.registerCustomEditorProvider(LAB_EDITOR, this, {
        // Monaco takes longer to start than a tab switch may (DESIGN §12: 150 ms).
        webviewOptions: { retainContextWhenHidden: true },
        supportsMultipleEditorsPerDocument: true,
      }),
    );
    const follow = (): void => this.#follow(window.activeTextEditor?.document);
    this.#store.add(window.onDidChangeActiveTextEditor(follow));
    this.#store.add(host.models.onDidChange(follow));
    this.#store.add(
      window.registerWebviewPanelSerializer(LAB_PANEL, {
        deserializeWebviewPanel: async (panel, state: unknown) => {
          const known = PanelState.safeParse(state);
          const path = known.success ? this.#paths()[known.data.token] : undefined;
          if (path === undefined) {
            panel.dispose();
            return;
          }
          await this.#adopt(panel, path);
        },
      }),
    );
  }

  #paths(): Record<string, string> {
    const known = Paths.safeParse(this.#host.context.workspaceState.get(PATHS_KEY));
    return known.success ? known.data : {};
  }

  /**
   * A panel follows the native editor: where another reward is looked at, it is about that one. Not while it has the
   * focus itself, and not where that reward has a panel already.
   */
  #follow(document: TextDocument | undefined): void {
    if (!document || !isPython(document)) return;
    const path = document.uri.fsPath;
    const panels = [...this.#views].filter((view) => view.mode === "panel");
    if (panels.some((view) => view.path === path)) return;
    if ((this.#host.models.get(path)?.functions.length ?? 0) === 0) return;
    const view = panels.findLast((one) => one.isVisible && !one.isActive);
    if (!view) return;
    const { panel } = view;
    this.#release(view);
    panel.title = this.#title(path);
    this.#attach(panel, document, "panel");
  }

  #release(view: LabView): void {
    this.#views.delete(view);
    view.dispose();
    this.#onClose.fire(view.path);
  }

  /** Path of the document of the Lab that has the focus. */
  get activePath(): string | null {
    return this.active?.path ?? null;
  }

  get active(): LabView | null {
    return [...this.#views].find((view) => view.isActive) ?? null;
  }

  /** The Lab of a document that was last seen: the one with the focus, else any. */
  of(path: string): LabView | null {
    const all = [...this.#views].filter((view) => view.path === path);
    return all.find((view) => view.isActive) ?? all.at(-1) ?? null;
  }

  resolveCustomTextEditor(document: TextDocument, panel: WebviewPanel, _token: CancellationToken): void {
    panel.webview.options = this.#options();
    this.#attach(panel, document, "editor");
  }

  /** Opens the panel beside the native editor, or shows the one that is there. */
  async openBeside(path: string): Promise<LabView> {
    const known = [...this.#views].find((view) => view.path === path && view.mode === "panel");
    if (known) {
      known.reveal();
      return known;
    }
    const panel = window.createWebviewPanel(
      LAB_PANEL,
      this.#title(path),
      { viewColumn: ViewColumn.Beside, preserveFocus: true },
      // Given at once: a webview whose options change after it was made loads twice. Kept, as the Lab is.
      { ...this.#options(), retainContextWhenHidden: true },
    );
    return this.#adopt(panel, path, true);
  }

  dispose(): void {
    this.#store.dispose();
    for (const view of [...this.#views]) view.dispose();
  }

  #title(path: string): string {
    return l10n.t("Scores: {0}", basename(path));
  }

  #options() {
    return {
      enableScripts: true,
      localResourceRoots: webviewRoots(this.#host.context.extensionUri),
    };
  }

  async #adopt(panel: WebviewPanel, path: string, ready = false): Promise<LabView> {
    const document = await workspace.openTextDocument(Uri.file(path));
    panel.title = this.#title(path);
    if (!ready) panel.webview.options = this.#options();
    return this.#attach(panel, document, "panel");
  }

  #attach(panel: WebviewPanel, document: TextDocument, mode: "editor" | "panel"): LabView {
    const view = new LabView(this.#host, panel, document, mode, `lab-${this.#next++}`);
    this.#views.add(view);
    const tell = (): void => this.#onActive.fire(this.activePath);
    view.own(panel.onDidChangeViewState(tell));
    view.own(
      panel.onDidDispose(() => {
        this.#release(view);
        tell();
      }),
    );
    if (mode === "panel")
      void this.#host.context.workspaceState.update(PATHS_KEY, {
        ...this.#paths(),
        [view.token]: view.path,
      });
    tell();
    return view;
  }
}
