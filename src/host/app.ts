import {
  type ExtensionContext,
  type LogOutputChannel,
  ExtensionMode,
  languages,
  l10n,
  env,
  window,
  workspace,
} from "vscode";
import { join } from "node:path";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { FileScores } from "../schema/live";
import type { SampleMapping } from "../schema/sample";
import { registerCommands } from "./commands";
import { readSettings } from "./config";
import { Consents } from "./consent";
import { Documents, mayHoldReward, PYTHON_DOCUMENTS } from "./documents";
import { EngineProcess, type EngineSetup, type EngineState } from "./process/engineProcess";
import type { Host } from "./host";
import { watchMissing } from "./missing";
import { InterpreterStatus } from "./interpreter";
import { RewardLenses } from "./language/codeLens";
import { ColumnCompletion } from "./language/completion";
import { RewardHover } from "./language/hover";
import { type PaintRecord, Painter } from "./language/painter";
import { Problems } from "./language/problems";
import { Status } from "./language/status";
import { Labs } from "./lab/labs";
import { Texts } from "./lab/texts";
import { Viewers } from "./trajectories/viewers";
import { LiveFiles } from "./live";
import type { Painting } from "./model/paint";
import { Models } from "./models";
import { onDidChangePython, pythonFromExtension } from "./python";
import { Views } from "./views/trees";
import { Workspace } from "./workspaceScan";

const WATCHED = "**/*.{py,ipynb,jsonl,ndjson,json,csv,parquet,eval,traj,yaml,yml,db}";
const IGNORED = /[\\/](?:\.git|node_modules|__pycache__|\.rewardsmith)[\\/]/u;
/** Changes on disk come in bursts (a checkout, a build). */
const WATCH_DELAY_MS = 50;

/** What the extension hands to other extensions and to its own tests. */
export interface RewardsmithApi {
  /** Everything is registered. The engine starts later, when a reward file is first seen. */
  readonly ready: Promise<void>;
  engineState(): EngineState;
  /** Newest snapshot of a reward file. */
  scoresOf(path: string): FileScores | undefined;
  /** What is drawn in the editors of a file now; of a notebook's cell by its URI. */
  painted(pathOrCell: string): Painting;
  /** Every drawing of numbers with its times, newest last, bounded. */
  paintRecords(pathOrCell: string): readonly PaintRecord[];
  /** Only under test (`ExtensionMode.Test`): chooses samples and gives permission without the questions. */
  readonly testing?: {
    choose(path: string, files: readonly string[], mapping?: SampleMapping): Promise<void>;
    forget(path: string): Promise<void>;
  };
}

/** Makes and joins the parts; lives as long as the extension. */
export class App implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #host: Host;
  readonly api: RewardsmithApi;

  constructor(context: ExtensionContext) {
    const log = this.#store.add(window.createOutputChannel("Rewardsmith", { log: true }));
    const speech: Host["speech"] = {
      t: (message, ...args) => l10n.t(message, ...args),
      language: env.language,
    };
    const engine = this.#store.add(
      new EngineProcess(context.asAbsolutePath(join("dist", "node", "engine.js")), () => setup(context), log),
    );
    const problem = (text: string): void => log.warn(text);
    const consents = new Consents(context.workspaceState);
    const documents = this.#store.add(new Documents(engine, problem));
    const models = this.#store.add(new Models(engine, problem));
    const live = this.#store.add(
      new LiveFiles(engine, consents, {
        isTrusted: () => workspace.isTrusted,
        isOpen: (path) => documents.isOpen(path) || labs.of(path) !== null || viewers.scores(path),
      }),
    );
    const painter = this.#store.add(new Painter(context, documents, live, models, speech));
    const texts = this.#store.add(new Texts());
    const parts = {
      context,
      log,
      speech,
      engine,
      consents,
      documents,
      models,
      live,
      painter,
      interpreter: this.#store.add(new InterpreterStatus(engine)),
      scan: this.#store.add(new Workspace(engine)),
      texts,
    };
    // The Labs need the rest of the host, and commands need the Labs.
    const labs: Labs = this.#store.add(new Labs(parts));
    const viewers: Viewers = this.#store.add(new Viewers(parts));
    this.#host = { ...parts, labs, viewers };
    this.#surfaces();
    this.#attend();
    this.#watch(log);
    this.api = {
      ready: Promise.resolve(),
      engineState: () => engine.state,
      scoresOf: (path) => live.scoresOf(path),
      painted: (path) => painter.painted(path),
      paintRecords: (path) => painter.records(path),
      ...(context.extensionMode === ExtensionMode.Test ? { testing: testing(this.#host) } : {}),
    };
  }

  /** Resolves when no process of ours is left. */
  stop(): Promise<void> {
    return this.#host.engine.stop();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #surfaces(): void {
    const host = this.#host;
    this.#store.add(registerCommands(host));
    const lenses = this.#store.add(new RewardLenses(host));
    this.#store.add(languages.registerCodeLensProvider(PYTHON_DOCUMENTS, lenses));
    this.#store.add(languages.registerHoverProvider(PYTHON_DOCUMENTS, new RewardHover(host)));
    this.#store.add(
      languages.registerCompletionItemProvider(
        PYTHON_DOCUMENTS,
        new ColumnCompletion(host),
        "(",
        ",",
        " ",
        '"',
        "'",
      ),
    );
    this.#store.add(new Problems(host));
    this.#store.add(new Status(host));
    this.#store.add(new Views(host));
  }

  /** Notices reward files that come into sight, change, close, move; and trust that is given. */
  #attend(): void {
    const { documents, models, live, consents, labs, viewers } = this.#host;
    const see = (): void => {
      for (const document of documents.visible()) {
        const path = document.uri.fsPath;
        if (consents.get(path)) {
          if (!live.isBound(path)) void live.ensure(path).then(() => this.#started());
          if (!models.get(path)) void models.refresh(path);
        } else if (!models.get(path) && mayHoldReward(document)) void models.refresh(path);
      }
    };
    this.#store.add(window.onDidChangeVisibleTextEditors(see));
    this.#store.add(workspace.onDidGrantWorkspaceTrust(() => void this.#configure().then(see)));
    this.#store.add(
      documents.onDidChange((document) => {
        const path = document.uri.fsPath;
        if (models.get(path) || mayHoldReward(document)) void models.refresh(path);
      }),
    );
    this.#store.add(
      documents.onDidClose((path) => {
        // A panel of scores, or of trajectories, goes on with what is on disk.
        if (labs.of(path) || viewers.scores(path)) return;
        models.forget(path);
        void live.unbind(path);
      }),
    );
    const closed = (path: string): void => {
      if (documents.isOpen(path) || labs.of(path) || viewers.scores(path)) return;
      models.forget(path);
      void live.unbind(path);
    };
    this.#store.add(labs.onDidClose(closed));
    this.#store.add(viewers.onDidUnscore(closed));
    this.#store.add(
      workspace.onDidRenameFiles(async ({ files }) => {
        for (const { oldUri, newUri } of files) await consents.rename(oldUri.fsPath, newUri.fsPath);
        see();
      }),
    );
    this.#store.add(workspace.onDidChangeWorkspaceFolders(() => void this.#configure()));
    this.#store.add(
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("rewardsmith")) void this.#configure();
      }),
    );
    see();
  }

  #started(): void {
    const { interpreter, live } = this.#host;
    if (interpreter.current === undefined && live.paths().length > 0) void interpreter.refresh();
  }

  async #configure(): Promise<void> {
    const { engine, interpreter, log, scan } = this.#host;
    scan.invalidate();
    const client = engine.running;
    if (!client) return;
    const { trusted, folders, settings } = await setup(this.#host.context);
    try {
      await client.configure({ trusted, folders, settings });
      if (interpreter.current !== undefined) await interpreter.refresh();
    } catch (error) {
      log.warn(`configure: ${String(error)}`);
    }
  }

  #watch(log: LogOutputChannel): void {
    const { engine } = this.#host;
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = (uri: { readonly fsPath: string }): void => {
      if (!engine.running || IGNORED.test(uri.fsPath)) return;
      changed.add(uri.fsPath);
      timer ??= setTimeout(() => {
        timer = undefined;
        const paths = [...changed];
        changed.clear();
        engine.running
          ?.filesChanged({ paths })
          .catch((error: unknown) => log.warn(`watch: ${String(error)}`));
      }, WATCH_DELAY_MS);
    };
    // Watching costs nothing before there is an engine to tell.
    const watching = engine.onDidStart(() => {
      watching.dispose();
      this.#store.add(watchMissing(this.#host.live));
      const watcher = this.#store.add(workspace.createFileSystemWatcher(WATCHED));
      this.#store.add(watcher.onDidChange(tell));
      this.#store.add(watcher.onDidCreate(tell));
      this.#store.add(watcher.onDidDelete(tell));
      void onDidChangePython(() => void this.#configure()).then((made) => made && this.#store.add(made));
    });
    this.#store.add(watching);
    this.#store.add({ dispose: () => clearTimeout(timer) });
  }
}

async function setup(context: ExtensionContext): Promise<EngineSetup> {
  const folders = (workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
  const settings = readSettings();
  // In Restricted Mode another extension's choice of interpreter isn't asked for: nothing will run.
  const choice = workspace.isTrusted ? await pythonFromExtension(folders[0]?.uri) : { python: null, env: {} };
  const about: unknown = context.extension.packageJSON;
  return {
    version: about !== null && typeof about === "object" && "version" in about ? String(about.version) : "0",
    trusted: workspace.isTrusted,
    folders: folders.map((folder) => folder.uri.fsPath),
    storage: (context.storageUri ?? context.globalStorageUri).fsPath,
    settings: { ...settings, python: settings.python ?? choice.python, env: choice.env },
  };
}

function testing(host: Host): NonNullable<RewardsmithApi["testing"]> {
  return {
    choose: async (path, files, mapping) => {
      const consent = {
        files: [...files],
        mapping: mapping ?? null,
        contracts: {},
        allow: {},
        live: true,
        pinned: null,
      };
      await host.consents.set(path, consent);
      await host.live.rebind(path);
      const problem = host.live.problemOf(path);
      if (problem) throw problem;
    },
    forget: async (path) => {
      await host.consents.set(path, undefined);
      await host.live.unbind(path);
    },
  };
}
