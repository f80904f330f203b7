import { RewardsmithError } from "../base/errors";
import type { IDisposable } from "../base/lifecycle";
import type { Logger } from "../core/ports";
import { modelFile, type Override } from "../core/contracts/registry";
import { engineContract, type EngineContract } from "../protocol/engine.contract";
import { createServer, type Channel, type Handlers } from "../protocol/rpc";
import { pythonText } from "../core/python/cellModule";
import { isNotebookPath } from "../core/python/cells";
import type { ContractId } from "../schema/reward";
import { DEFAULT_SETTINGS, type EngineSettings } from "../schema/settings";
import type { SampleMapping } from "../schema/sample";
import { exportText } from "../services/exportText";
import { baselineText } from "../services/idlePasses";
import { PatternCounts } from "../services/patternCounts";
import { baseName } from "../services/paths";
import { PROJECT_FILE, resolveSuites, suiteFor, type ResolvedSuite } from "../services/project";
import { ScoreSession } from "../services/scoreSession";
import { sampleLine, samplePlace } from "../services/sampleLine";
import { suiteOverrides, suiteTrainer } from "../services/suites";
import { LabelStore } from "../services/labels/labelStore";
import { createGraph, type Graph } from "./compose";
import { LabView } from "./labView";
import type { Trajectories } from "./trajectories";
import { setUpTrajectories } from "./trajectorySetup";
import { labelFiles, sidecarOf } from "./labels";
import { Views } from "./views";
import { debugJob } from "./debugJob";
import { diagnosticsText } from "./diagnostics";
import { scanFolders } from "./scan";

type Methods = EngineContract["methods"];

/** What `initialize` brings; before it nothing but `initialize` is answered. */
interface Live {
  readonly graph: Graph;
  readonly patterns: PatternCounts;
  readonly trajectories: Trajectories;
  readonly version: string;
}

const DETAILS_MS = 500;

type TrajectoryHandlers = ReturnType<Trajectories["handlers"]>;

interface Bound {
  readonly session: ScoreSession;
  readonly heard: IDisposable;
  /** Sidecar of labels that the suite names; kept, since a Lab asks for rows with every turn of a wheel. */
  labels: string | null;
  /** Contracts that the user chose: they win over the project's. */
  readonly contracts: Readonly<Record<string, ContractId>>;
}

/** Answers the extension host: sessions by file, documents, samples. Runs code only for files that were bound. */
export class Engine implements IDisposable {
  readonly #workerPath: string;
  readonly #server: ReturnType<typeof createServer<Methods, EngineContract["events"]>>;
  readonly #sessions = new Map<string, Bound>();
  /** How each open set was asked for, so that it can be read again when its files change. */
  readonly #asked = new Map<string, { files: readonly string[]; mapping: SampleMapping | null }>();
  readonly #views = new Views((view, message) => this.#server.emit("frame", { view, message }));
  /** Labs by view, so that they hear of new scores. */
  readonly #labs = new Map<string, { readonly path: string; readonly lab: LabView }>();
  readonly #labels = new LabelStore(labelFiles, () => new Date().toISOString());
  #live: Live | null = null;
  #settings: EngineSettings = DEFAULT_SETTINGS;
  #folders: readonly string[] = [];
  #trusted = false;
  #seq = 0;
  readonly #details: string[] = [];
  #ending: Promise<void> | null = null;

  constructor(channel: Channel, workerPath: string) {
    this.#workerPath = workerPath;
    this.#labels.onDidChange(() => {
      for (const { lab } of this.#labs.values()) lab.changed("labels");
    });
    this.#server = createServer<Methods, EngineContract["events"]>(
      engineContract,
      channel,
      this.#handlers(),
      (problem) => this.#log("warn", problem),
    );
  }

  /** Ends sessions and every process of ours. */
  end(): Promise<void> {
    this.#ending ??= (async () => {
      this.#views.dispose();
      this.#labels.dispose();
      for (const path of [...this.#sessions.keys()]) this.#unbind(path);
      this.#server.dispose();
      this.#live?.trajectories.dispose();
      await this.#live?.graph.dispose();
    })();
    return this.#ending;
  }

  dispose(): void {
    void this.end();
  }

  #log(level: "debug" | "info" | "warn" | "error", text: string): void {
    this.#server.emit("log", { level, text });
  }

  /** Details of every pass would cost a message each while somebody types: they go together, a little later. */
  #debugLater(text: string): void {
    this.#details.push(text);
    if (this.#details.length > 1) return;
    setTimeout(() => this.#log("debug", this.#details.splice(0).join("\n")), DETAILS_MS).unref();
  }

  #require(): Live {
    if (!this.#live) throw new RewardsmithError("ProtocolMismatch", "initialize comes first");
    return this.#live;
  }

  #session(path: string): ScoreSession {
    const entry = this.#sessions.get(path);
    if (!entry) throw new RewardsmithError("NoSamples", `${path} isn't bound to samples.`, { path });
    return entry.session;
  }

  #handlers(): Handlers<Methods> {
    return {
      initialize: async ({ version, trusted, folders, storage, settings }) => {
        if (this.#live) throw new RewardsmithError("ProtocolMismatch", "initialize came twice");
        this.#settings = settings;
        this.#trusted = trusted;
        this.#folders = folders;
        const logger: Logger = {
          debug: (text) => this.#debugLater(text),
          info: (text) => this.#log("info", text),
          warn: (text) => this.#log("warn", text),
          error: (text) => this.#log("error", text),
        };
        const graph = createGraph({ settings, folders, storage, workerPath: this.#workerPath, logger });
        graph.ports.documents.onDidChange(({ path, saved }) => {
          if (baseName(path) === PROJECT_FILE) void this.#projectChanged();
          for (const { session } of this.#sessions.values()) session.documentChanged(path, saved);
        });
        graph.python.onDidFail((problem) => {
          logger.warn(problem);
          this.#server.emit("changed", { what: "interpreter" });
        });
        const trajectories = setUpTrajectories({
          folders: () => this.#folders,
          storage,
          labeller: () => this.#settings.labeller,
          scored: () => [...this.#sessions.values()].map(({ session }) => session.lab()),
          logger,
        });
        this.#live = { graph, patterns: new PatternCounts(graph.ports), trajectories, version };
        graph
          .endLeftovers()
          .catch((error: unknown) => logger.warn(`Looking for leftovers failed: ${String(error)}`));
        return Promise.resolve({ pid: process.pid, node: process.version });
      },

      configure: ({ trusted, folders, settings }) => {
        const { graph } = this.#require();
        this.#settings = settings;
        this.#trusted = trusted;
        this.#folders = folders;
        graph.configure(settings, folders);
        for (const { session } of this.#sessions.values()) session.configure(settings, trusted);
        this.#server.emit("changed", { what: "interpreter" });
        return Promise.resolve(null);
      },

      document: ({ path, version, text, saved }) => {
        const { documents } = this.#require().graph.ports;
        const python = text === null ? null : (pythonText(path, text) ?? "");
        documents.set(path, python === null ? null : { version, text: python, saved });
        return Promise.resolve(null);
      },

      filesChanged: async ({ paths }) => {
        await this.#filesChanged(paths);
        return null;
      },

      model: async ({ path }) => {
        const { documents } = this.#require().graph.ports;
        const now = await documents.text(path);
        if (!now) throw new RewardsmithError("FileMissing", `${path}: there is no such file.`, { path });
        return modelFile(path, now.version, now.text, suiteOverrides(await this.#suite(path), path));
      },

      scan: ({ limit }, signal) => {
        const { documents } = this.#require().graph.ports;
        return scanFolders(this.#folders, limit, (path) => documents.get(path)?.text ?? null, signal);
      },

      project: async ({ path }) => {
        const { project, problems, path: found } = await this.#require().graph.projects.find(path);
        return { path: found, project, problems: [...problems] };
      },

      openSamples: async ({ files, mapping }, signal) => {
        const { info } = await this.#require().graph.samples.open(files, mapping, { signal });
        this.#asked.set(info.set, { files, mapping });
        return info;
      },

      readSamples: ({ set, from, count, maxText }) =>
        Promise.resolve(this.#require().graph.samples.rows(set, from, count, maxText)),

      columnValues: ({ set, column, limit }) =>
        Promise.resolve(this.#require().graph.samples.columnValues(set, column, limit)),

      patternAt: async ({ path, line, character }, signal) => {
        const { graph, patterns } = this.#require();
        const session = this.#sessions.get(path)?.session;
        if (!session || !this.#trusted) return null;
        const now = await graph.ports.documents.text(path);
        if (!now) return null;
        return patterns.at(path, now.text, { line, character }, session.table, this.#settings, signal);
      },

      bind: async ({ path, set, contracts, allow, live }) => {
        if (!this.#trusted)
          throw new RewardsmithError("Untrusted", "Code runs in trusted folders only.", { path });
        const { graph } = this.#require();
        const table = graph.samples.require(set);
        const suite = await this.#suite(path);
        this.#unbind(path);
        const session = new ScoreSession(graph.ports, {
          path,
          table,
          overrides: overridesOf(suite, path, contracts),
          allow,
          live,
          trusted: this.#trusted,
          settings: this.#settings,
          trainer: suiteTrainer(suite, path),
          nextSeq: () => ++this.#seq,
        });
        const heard = session.onDidChange((scores) => {
          this.#server.emit("scores", scores);
          this.#tellLabs(path, "scores");
          this.#live?.trajectories.scoresChanged();
        });
        this.#sessions.set(path, { session, heard, contracts, labels: suite?.labels ?? null });
        this.#tellLabs(path, "scores");
        return session.start();
      },

      unbind: ({ path }) => {
        this.#unbind(path);
        return Promise.resolve(null);
      },
      setLive: ({ path, live }) => {
        this.#session(path).setLive(live);
        return Promise.resolve(null);
      },
      allow: ({ path, function: name, effects }) => {
        this.#session(path).allow(name, effects);
        return Promise.resolve(null);
      },
      score: ({ path }, signal) => this.#session(path).score(signal),
      cancel: ({ path }) => {
        this.#session(path).cancel();
        return Promise.resolve(null);
      },
      pin: ({ path, row }) => {
        this.#session(path).pin(row);
        return Promise.resolve(null);
      },
      setBaseline: ({ path, kind }) => this.#session(path).setBaseline(kind),
      visibleRows: ({ path, rows }) => {
        this.#session(path).visibleRows(rows);
        return Promise.resolve(null);
      },
      rows: ({ path, function: name, from, count, states }) =>
        Promise.resolve(this.#session(path).rows(name, from, count, states)),
      check: async ({ path }, signal) => ({ findings: [...(await this.#session(path).check(signal))] }),

      ...this.#trajectoryHandlers(),

      openView: ({ view, path, kind }) => {
        if (kind === "trajectories") {
          const { trajectories } = this.#require();
          this.#views.open(view, (channel) => trajectories.view(channel, path));
          return Promise.resolve(null);
        }
        this.#views.open(view, (channel) => {
          const lab = new LabView(channel, {
            session: () => this.#session(path),
            labels: this.#labels,
            sidecar: () => sidecarOf(this.#session(path).table, this.#sessions.get(path)?.labels ?? null),
            labeller: () => this.#settings.labeller,
            report: (problem) => this.#log("warn", problem),
          });
          this.#labs.set(view, { path, lab });
          return lab;
        });
        return Promise.resolve(null);
      },
      closeView: ({ view }) => {
        this.#labs.delete(view);
        this.#views.close(view);
        return Promise.resolve(null);
      },
      frame: ({ view, message }) => {
        this.#views.take(view, message);
        return Promise.resolve(null);
      },
      baselineText: async ({ path }) => {
        const { baseline } = this.#session(path);
        const { ports } = this.#require().graph;
        const now = await ports.documents.text(path);
        return {
          kind: baseline.kind,
          text: await baselineText(ports, baseline, path),
          now: now?.text ?? null,
        };
      },
      sampleLine: ({ path, row, completion }) =>
        Promise.resolve(sampleLine(this.#session(path).table, row, completion)),
      sampleAt: ({ path, row }) => Promise.resolve(samplePlace(this.#session(path).table, row)),
      debugJob: ({ path, row, function: name }, signal) =>
        debugJob(this.#session(path), this.#require().graph, { row, function: name }, signal),

      export: ({ path, form }) => {
        const report = this.#session(path).report(this.#require().version);
        if (!report) throw new RewardsmithError("NoSamples", `${path} hasn't been scored yet.`, { path });
        return Promise.resolve({ text: exportText(report, form) });
      },

      diagnostics: async () => {
        const { graph, version } = this.#require();
        const sessions = await Promise.all(
          [...this.#sessions.values()].map(async ({ session }) => ({
            scores: session.snapshot(),
            roots: (await graph.ports.imports(session.path)).roots,
          })),
        );
        return {
          text: diagnosticsText({
            version,
            settings: this.#settings,
            trusted: this.#trusted,
            folders: this.#folders,
            python: graph.python,
            sessions,
          }),
        };
      },

      interpreter: async (_, signal) => {
        const { python } = this.#require().graph;
        // In Restricted Mode nothing of the folder runs, its interpreter neither.
        if (this.#trusted) await python.ready(signal).catch(() => undefined);
        const { path, ready, error } = python.state;
        return {
          python: path,
          version: ready?.python.version.join(".") ?? null,
          trl: ready?.packages["trl"] ?? null,
          mode: python.mode,
          error: error?.message ?? null,
        };
      },
    };
  }

  /** Of what `initialize` makes: looked up when asked. */
  #trajectoryHandlers(): TrajectoryHandlers {
    const of = (): TrajectoryHandlers => this.#require().trajectories.handlers();
    return {
      trajectorySources: (ask, signal) => of().trajectorySources(ask, signal),
      trajectoryNodes: (ask, signal) => of().trajectoryNodes(ask, signal),
      trajectoryAt: (ask, signal) => of().trajectoryAt(ask, signal),
      trajectoryText: (ask, signal) => of().trajectoryText(ask, signal),
      exportTrajectories: (ask, signal) => of().exportTrajectories(ask, signal),
      reportTrajectories: (ask, signal) => of().reportTrajectories(ask, signal),
    };
  }

  #tellLabs(path: string, what: "scores" | "labels"): void {
    for (const { path: about, lab } of this.#labs.values()) if (about === path) lab.changed(what);
  }

  async #suite(path: string): Promise<ResolvedSuite | null> {
    const found = await this.#require().graph.projects.find(path);
    if (found.path === null || !found.project) return null;
    return suiteFor(resolveSuites(found.project, found.path), path);
  }

  #unbind(path: string): void {
    const entry = this.#sessions.get(path);
    if (!entry) return;
    this.#sessions.delete(path);
    entry.heard.dispose();
    entry.session.dispose();
    this.#live?.trajectories.scoresChanged();
    this.#dropUnused(entry.session.table.info.set);
  }

  /** A set that no session scores any more needn't stay in the worker. */
  #dropUnused(set: string): void {
    const used = [...this.#sessions.values()].some(({ session }) => session.table.info.set === set);
    if (!used) this.#live?.graph.python.drop(set);
  }

  /** Weights, batch and contracts may be others now. */
  async #projectChanged(): Promise<void> {
    for (const [path, bound] of [...this.#sessions]) {
      const { session, contracts } = bound;
      const suite = await this.#suite(path);
      bound.labels = suite?.labels ?? null;
      session.setSuite(suiteTrainer(suite, path), overridesOf(suite, path, contracts));
    }
  }

  async #filesChanged(paths: readonly string[]): Promise<void> {
    const { graph } = this.#require();
    if (paths.some((path) => baseName(path) === PROJECT_FILE)) await this.#projectChanged();
    for (const { session } of this.#sessions.values()) session.filesChanged(paths);
    this.#labels.filesChanged(paths);
    const changed = new Set(paths);
    for (const { session } of [...this.#sessions.values()]) {
      const { info } = session.table;
      if (!info.files.some((file) => changed.has(file))) continue;
      const asked = this.#asked.get(info.set) ?? { files: info.files, mapping: info.mapping };
      try {
        const table = await graph.samples.open(asked.files, asked.mapping);
        if (table.info.set === info.set) continue;
        this.#asked.set(table.info.set, asked);
        session.setSamples(table);
        this.#dropUnused(info.set);
      } catch (error) {
        session.samplesGone(error);
      }
    }
    if (paths.some((path) => /\.(jsonl|ndjson|json|csv|tsv|parquet)$/i.test(path)))
      this.#server.emit("changed", { what: "samples" });
    else if (paths.some((path) => /\.(eval|traj|ya?ml|db)$/i.test(path)))
      this.#server.emit("changed", { what: "trajectories" });
    if (paths.some((path) => path.endsWith(".py") || isNotebookPath(path)))
      this.#server.emit("changed", { what: "rewards" });
  }
}

function overridesOf(
  suite: ResolvedSuite | null,
  path: string,
  contracts: Readonly<Record<string, ContractId>>,
): Map<string, Override> {
  const chosen = Object.entries(contracts).map(([name, contract]): [string, Override] => [
    name,
    { contract, by: "user" },
  ]);
  return new Map([...suiteOverrides(suite, path), ...chosen]);
}
