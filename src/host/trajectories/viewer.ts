import { type WebviewPanel, env, workspace } from "vscode";
import { basename } from "node:path";
import type { z } from "zod";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import { createServer, type Channel, type Handlers } from "../../protocol/rpc";
import {
  trajectoriesContract,
  type TrajectoriesContract,
  type TrajectoryPageAct,
} from "../../protocol/trajectories.contract";
import { trajectoryDataContract } from "../../protocol/trajectoryData.contract";
import { TrajectoriesState } from "../../schema/trajectoryView";
import type { LabHost } from "../host";
import { EngineFrames } from "../lab/engineFrames";
import { webviewHtml } from "../lab/html";
import { textBundle, tokenOf } from "../lab/labView";
import { PageState } from "../lab/pageState";
import { carryOut } from "./acts";

type Methods = TrajectoriesContract["methods"];
type Events = TrajectoriesContract["events"];
type PageAct = z.infer<typeof TrajectoryPageAct>;

export type ViewerMode = "viewer" | "compare";

/** What a page is to show first: of a comparison what is compared. */
export interface FirstSight {
  readonly index?: number;
  readonly compared?: readonly number[];
}

/**
 * One open viewer: its page, and its half in the engine. The page's `trajectories` frames are answered here;
 * `trajectoryData` frames go to the engine and back unread.
 */
export class Viewer implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #host: LabHost;
  readonly #frames: EngineFrames;
  readonly #messages = new Emitter<unknown>();
  readonly #server;
  readonly #waiting: { act: PageAct; index: number | null }[] = [];
  readonly panel: WebviewPanel;
  readonly path: string;
  readonly mode: ViewerMode;
  #greeted = false;
  #disposed = false;
  readonly #state: PageState<TrajectoriesState>;
  #first: FirstSight | null;

  constructor(
    host: LabHost,
    panel: WebviewPanel,
    path: string,
    mode: ViewerMode,
    id: string,
    first: FirstSight | null,
  ) {
    this.#host = host;
    this.panel = panel;
    this.path = path;
    this.mode = mode;
    const key = `rewardsmith.trajectories:${mode}:${path}`;
    this.#state = new PageState(host.context.workspaceState, key, TrajectoriesState);
    this.#first = first;
    const post = (message: unknown): void => void panel.webview.postMessage(message);
    this.#frames = this.#store.add(
      new EngineFrames({
        engine: host.engine,
        view: id,
        path,
        kind: "trajectories",
        post,
        report: (problem) => host.log.warn(problem),
      }),
    );
    const channel: Channel = {
      post,
      onMessage: this.#messages.event,
      onClose: () => ({ dispose: () => undefined }),
    };
    this.#server = this.#store.add(
      createServer<Methods, Events>(trajectoriesContract, channel, this.#handlers(), (problem) =>
        host.log.warn(`trajectories: ${problem}`),
      ),
    );
    this.#store.add(panel.webview.onDidReceiveMessage((message: unknown) => this.#take(message)));
    const tell = (): void => {
      if (this.#greeted)
        this.#server.emit("trusted", { trusted: workspace.isTrusted, reward: this.#reward() });
    };
    this.#store.add(workspace.onDidGrantWorkspaceTrust(tell));
    this.#store.add(host.models.onDidChange(tell));
    panel.webview.html = webviewHtml(
      panel.webview,
      host.context.extensionUri,
      "trajectories",
      mode,
      env.language,
    );
  }

  /** Stands for the source in what the page keeps. */
  get token(): string {
    return tokenOf(`${this.mode}:${this.path}`);
  }

  get isActive(): boolean {
    return !this.#disposed && this.panel.active;
  }

  /** Ends with the view. */
  own(part: IDisposable): void {
    this.#store.add(part);
  }

  /** The trajectory that is looked at, as far as the page said. */
  get index(): number | null {
    return this.#state.now?.index ?? null;
  }

  get filter(): string {
    return this.#state.now?.query.filter ?? "";
  }

  get compared(): readonly number[] {
    return this.#state.now?.compared ?? [];
  }

  /** Has the page carry out a command of the palette. */
  act(act: PageAct, index: number | null = null): void {
    this.panel.reveal(undefined, false);
    if (this.#greeted) this.#server.emit("act", { act, index });
    else this.#waiting.push({ act, index });
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    void this.#state.store();
    this.#store.dispose();
  }

  #take(message: unknown): void {
    const contract = typeof message === "object" && message !== null && "c" in message ? message.c : null;
    if (contract === trajectoryDataContract.name) void this.#frames.send(message);
    else this.#messages.fire(message);
  }

  /** Name of the reward that "score" would take: the one that was looked at last. */
  #reward(): string | null {
    const path = this.#host.models.latest;
    return path === null ? null : basename(path);
  }

  #handlers(): Handlers<Methods> {
    return {
      hello: async ({ restored, token }) => {
        const kept = this.#state.restore(token === this.token ? restored : null);
        if (this.#first) this.#state.now = firstState(kept, this.#first);
        this.#first = null;
        await this.#frames.restart();
        this.#greeted = true;
        setTimeout(() => {
          for (const act of this.#waiting.splice(0)) this.#server.emit("act", act);
        });
        return {
          mode: this.mode,
          token: this.token,
          name: basename(this.path),
          language: env.language,
          bundle: textBundle(),
          state: this.#state.now,
          trusted: workspace.isTrusted,
          reward: this.#reward(),
        };
      },
      saveState: (state) => {
        this.#state.keep(state);
        return Promise.resolve(null);
      },
      act: async (ask) => ({ said: await carryOut(this.#host, this, ask) }),
      copy: async ({ text }) => {
        await env.clipboard.writeText(text);
        return null;
      },
      showLogs: () => {
        this.#host.log.show();
        return Promise.resolve(null);
      },
    };
  }
}

function firstState(state: TrajectoriesState | null, first: FirstSight): TrajectoriesState {
  return {
    ...(state ?? TrajectoriesState.parse({ query: null })),
    at: Date.now(),
    ...(first.index === undefined ? {} : { index: first.index }),
    ...(first.compared === undefined ? {} : { compared: [...first.compared] }),
  };
}
