import {
  type CancellationToken,
  type CustomDocument,
  type CustomReadonlyEditorProvider,
  type Uri,
  ViewColumn,
  type WebviewPanel,
  window,
} from "vscode";
import { basename } from "node:path";
import * as z from "zod";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import type { LabHost } from "../host";
import { TRAJECTORY_EDITOR, TRAJECTORY_PANEL } from "../ids";
import { webviewRoots } from "../lab/html";
import type { TrajectoryAct } from "../../protocol/trajectories.contract";
import { carryOut } from "./acts";
import { type FirstSight, Viewer, type ViewerMode } from "./viewer";

const PanelState = z.object({ token: z.string() });
const SOURCES_KEY = "rewardsmith.trajectories.sources";
const Sources = z.record(z.string(), z.object({ path: z.string(), mode: z.enum(["viewer", "compare"]) }));

/**
 * Every open trajectory viewer: the read-only custom editor of a file, and panels for folders and comparisons. What a page
 * is about, the host knows and the page doesn't.
 */
export class Viewers implements CustomReadonlyEditorProvider, IDisposable {
  readonly #store = new DisposableStore();
  readonly #host: LabHost;
  readonly #views = new Set<Viewer>();
  /** Rewards that score an open source, by path. */
  readonly #scored = new Map<string, string>();
  readonly #onUnscored = this.#store.add(new Emitter<string>());
  #next = 1;

  /** Path of a reward whose trajectories were closed. */
  readonly onDidUnscore = this.#onUnscored.event;

  constructor(host: LabHost) {
    this.#host = host;
    this.#store.add(
      window.registerCustomEditorProvider(TRAJECTORY_EDITOR, this, {
        webviewOptions: { retainContextWhenHidden: true },
        supportsMultipleEditorsPerDocument: true,
      }),
    );
    this.#store.add(
      window.registerWebviewPanelSerializer(TRAJECTORY_PANEL, {
        deserializeWebviewPanel: (panel, state: unknown) => {
          const known = PanelState.safeParse(state);
          const source = known.success ? this.#sources()[known.data.token] : undefined;
          if (source) {
            panel.webview.options = this.#options();
            this.#attach(panel, source.path, source.mode, null);
          } else panel.dispose();
          return Promise.resolve();
        },
      }),
    );
  }

  /** A reward is live while the trajectories that it scores are looked at, with no editor of its own. */
  score(reward: string, source: string): void {
    this.#scored.set(reward, source);
  }

  scores(reward: string): boolean {
    const source = this.#scored.get(reward);
    return source !== undefined && [...this.#views].some((view) => view.path === source);
  }

  get active(): Viewer | null {
    return [...this.#views].find((view) => view.isActive) ?? null;
  }

  openCustomDocument(uri: Uri): CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor(document: CustomDocument, panel: WebviewPanel, _token: CancellationToken): void {
    panel.webview.options = this.#options();
    this.#attach(panel, document.uri.fsPath, "viewer", null);
  }

  /** A folder (or a file, in a panel) of trajectories; one that is open already is shown, at `first` if given. */
  openPanel(path: string, mode: ViewerMode, first: FirstSight | null = null): Viewer {
    const known = [...this.#views].find((view) => view.path === path && view.mode === mode);
    if (known && mode === "viewer") {
      if (first?.index === undefined) known.panel.reveal();
      else known.act("showIndex", first.index);
      return known;
    }
    const { t } = this.#host.speech;
    const name = basename(path);
    const panel = window.createWebviewPanel(
      TRAJECTORY_PANEL,
      mode === "compare" ? t("Compare: {0}", name) : t("Trajectories: {0}", name),
      ViewColumn.Active,
      this.#options(),
    );
    return this.#attach(panel, path, mode, first);
  }

  /** The viewer of a source that is open, the one with the focus first. */
  of(path: string): Viewer | null {
    const all = [...this.#views].filter((view) => view.path === path && view.mode === "viewer");
    return all.find((view) => view.isActive) ?? all.at(-1) ?? null;
  }

  /** An act that a command asks for, in place of the page. */
  async carryOut(
    view: Viewer,
    act: z.infer<typeof TrajectoryAct>,
    indexes: number[],
    filter: string | null,
  ): Promise<void> {
    await carryOut(this.#host, view, { act, indexes, filter });
  }

  dispose(): void {
    this.#store.dispose();
    for (const view of [...this.#views]) view.dispose();
  }

  #options() {
    return {
      enableScripts: true,
      retainContextWhenHidden: true,
      localResourceRoots: webviewRoots(this.#host.context.extensionUri),
    };
  }

  #sources(): z.infer<typeof Sources> {
    const known = Sources.safeParse(this.#host.context.workspaceState.get(SOURCES_KEY));
    return known.success ? known.data : {};
  }

  #attach(panel: WebviewPanel, path: string, mode: ViewerMode, first: FirstSight | null): Viewer {
    const view = new Viewer(this.#host, panel, path, mode, `trajectories-${this.#next++}`, first);
    this.#views.add(view);
    view.own(
      panel.onDidDispose(() => {
        this.#views.delete(view);
        view.dispose();
        for (const [reward, source] of [...this.#scored])
          if (source === path && !this.scores(reward)) {
            this.#scored.delete(reward);
            this.#onUnscored.fire(reward);
          }
      }),
    );
    void this.#host.context.workspaceState.update(SOURCES_KEY, {
      ...this.#sources(),
      [view.token]: { path, mode },
    });
    return view;
  }
}
