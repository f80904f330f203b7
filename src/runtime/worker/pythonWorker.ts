import { randomBytes } from "node:crypto";
import { access } from "node:fs/promises";
import { delimiter } from "node:path";
import { Emitter } from "../../base/event";
import { RewardsmithError, toRewardsmithError } from "../../base/errors";
import type { JobFrame, Logger, WorkerPort } from "../../core/ports";
import type { EngineSettings } from "../../schema/settings";
import type { EndFrame, Job, LoadedFrame, Ready } from "../../schema/worker";
import { mergeEnv } from "../envFile";
import { pythonMissing } from "../interpreters";
import { SessionRecord } from "../processes/leftovers";
import type { ProcessPlatform } from "../processes/platform";
import { systemPlatform } from "../processes/systemPlatform";
import { SampleRegistry, endedHere, type Crew, type CrewOptions } from "./crew";
import { ForkCrew } from "./forkCrew";
import { warmUpFrames } from "./frames";
import { Guardian } from "./guardian";
import { PythonProcess, type LaunchOptions } from "./pythonProcess";
import { SpareCrew } from "./spareCrew";
import { step, type Failure, type WorkerEffect, type WorkerEvent, type WorkerState } from "./state";

export interface WorkerOptions {
  /** Interpreter, used as given: a link of a virtual environment is never resolved. */
  readonly python: string;
  /** Laid over the process's own environment; PATH and PYTHONPATH are put before its own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly mode: EngineSettings["workerMode"];
  /** Folder of ours for temporary files and the record of processes. Created if missing. */
  readonly tmp: string;
  /** Folder of the `rewardsmith_worker` package. */
  readonly workerPath: string;
  /** Working folder of reward code; `tmp` where none is given. */
  readonly cwd?: string;
  /** Distributions whose versions `Ready` reports. */
  readonly packages?: readonly string[];
  readonly logger: Logger;
  readonly platform?: ProcessPlatform;
  /** Until `ready`, preloading included; milliseconds. */
  readonly startTimeoutMs?: number;
}

export interface PythonWorker extends WorkerPort {
  /** After `dispose`: resolves when no process is left. */
  readonly stopped: Promise<void>;
  /** Value (or, with a dot and more, beginning) of `REWARDSMITH_WORKER` in the environment of all its processes. */
  readonly marker: string;
  /** What is running, for diagnostics. */
  describe(): { mode: WorkerPort["mode"]; state: WorkerState["kind"]; pids: number[]; preload: string[] };
}

export function createWorker(options: WorkerOptions): PythonWorker {
  return new Worker(options);
}

interface Waiter {
  resolve(info: Ready): void;
  reject(error: RewardsmithError): void;
}

/** Carries out the steps of `state.ts`: starts crews, swaps them for fresher ones, runs one job at a time, ends all. */
class Worker implements PythonWorker {
  readonly marker = randomBytes(6).toString("hex");
  readonly stopped: Promise<void>;
  readonly #options: WorkerOptions;
  readonly #platform: ProcessPlatform;
  readonly #logger: Logger;
  readonly #record: SessionRecord;
  readonly #sets = new SampleRegistry();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #failed = new Emitter<string>();
  readonly onDidFail = this.#failed.event;
  readonly #waiters = new Set<Waiter>();
  readonly #processes = new Set<PythonProcess>();
  readonly #endings = new Set<Promise<void>>();
  #state: WorkerState = { kind: "idle" };
  #prepared: Promise<LaunchOptions> | null = null;
  #guardian: Guardian | null = null;
  #crew: Crew | null = null;
  /** A crew with more modules preloaded, on its way or waiting for a moment without a job. */
  #fresh: { readonly modules: readonly string[]; crew: Crew | null } | null = null;
  /** What the present crew was asked to preload, and what the last passes loaded. */
  #preload: readonly string[] = [];
  readonly #wanted = new Set<string>();
  /** Modules with which no crew came up. */
  readonly #refused = new Set<string>();
  /** How the job that is about to be taken starts. */
  #pending: ((crew: Crew) => void) | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #jobs = 0;
  #processCount = 0;
  #disposed = false;
  #allStopped: () => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#platform = options.platform ?? systemPlatform();
    this.#logger = options.logger;
    this.#record = new SessionRecord(options.tmp, this.marker, this.#platform, options.logger);
    this.stopped = new Promise((resolve) => (this.#allStopped = resolve));
  }

  get mode(): WorkerPort["mode"] {
    return this.#crew?.mode ?? "none";
  }

  describe(): { mode: WorkerPort["mode"]; state: WorkerState["kind"]; pids: number[]; preload: string[] } {
    const pids = [...this.#processes].flatMap(({ pid }) => pid ?? []);
    return { mode: this.mode, state: this.#state.kind, pids, preload: [...this.#preload] };
  }

  async ready(signal?: AbortSignal): Promise<Ready> {
    if (this.#disposed) throw stopped();
    if (signal?.aborted) throw cancelled();
    await this.#checkInterpreter();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiters.delete(waiter);
        reject(cancelled());
      };
      const waiter: Waiter = {
        resolve: (info) => {
          signal?.removeEventListener("abort", abort);
          resolve(info);
        },
        reject: (error) => {
          signal?.removeEventListener("abort", abort);
          reject(error);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiters.add(waiter);
      this.#dispatch({ kind: "wanted" });
    });
  }

  load(set: string, parts: () => Iterable<string>): Promise<void> {
    const known = this.#loading.get(set);
    if (known) return known;
    this.#sets.add(set, parts);
    const crews = [this.#crew, this.#fresh?.crew].flatMap((crew) => crew ?? []);
    const loading = Promise.all(crews.map((crew) => crew.load(set))).then(() => undefined);
    this.#loading.set(set, loading);
    return loading;
  }

  drop(set: string): void {
    this.#loading.delete(set);
    if (!this.#sets.drop(set)) return;
    this.#crew?.drop(set);
    this.#fresh?.crew?.drop(set);
  }

  async run(
    job: Omit<Job, "job">,
    onFrame: (frame: JobFrame) => void,
    signal?: AbortSignal,
  ): Promise<EndFrame> {
    const number = ++this.#jobs;
    const before = this.#turn;
    const turn = this.#whenFree(before, { ...job, job: number }, onFrame, signal);
    this.#turn = Promise.allSettled([before, turn]);
    return turn;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#dispatch({ kind: "stop" });
    this.#failed.dispose();
  }

  // -- jobs -----------------------------------------------------------------------------------------------------

  async #whenFree(
    before: Promise<unknown>,
    job: Job,
    onFrame: (frame: JobFrame) => void,
    outer: AbortSignal | undefined,
  ): Promise<EndFrame> {
    // A signal of this job alone: listeners don't pile up on one that lives as long as a pass.
    const controller = new AbortController();
    const { signal } = controller;
    const abort = (): void => controller.abort();
    if (outer?.aborted) abort();
    else outer?.addEventListener("abort", abort, { once: true });
    try {
      await Promise.race([before, whenAborted(signal)]);
      for (;;) {
        await this.ready(signal);
        // It may have been lost between being ready and now; then there is another one to wait for.
        if (this.#state.kind === "ready") return await this.#perform(job, onFrame, signal);
      }
    } catch (error) {
      if (error instanceof RewardsmithError && error.code === "Cancelled")
        return endedHere(job.job, "cancelled");
      throw error;
    } finally {
      outer?.removeEventListener("abort", abort);
    }
  }

  async #perform(job: Job, onFrame: (frame: JobFrame) => void, signal: AbortSignal): Promise<EndFrame> {
    const hear = (frame: JobFrame): void => {
      if (frame.t === "loaded") this.#noteModules(frame);
      onFrame(frame);
    };
    try {
      return await new Promise<EndFrame>((resolve, reject) => {
        this.#pending = (crew) => void crew.run(job, hear, signal).then(resolve, reject);
        this.#dispatch({ kind: "jobTaken", job: job.job });
      });
    } finally {
      this.#dispatch({ kind: "jobEnded", job: job.job });
    }
  }

  #noteModules(frame: LoadedFrame): void {
    for (const module of frame.thirdParty) if (!this.#refused.has(module)) this.#wanted.add(module);
  }

  // -- the state machine ------------------------------------------------------------------------------------------

  #dispatch(event: WorkerEvent): void {
    const { state, effects } = step(this.#state, event);
    if (state.kind !== this.#state.kind)
      this.#logger.debug(`Python worker: ${this.#state.kind} → ${state.kind}`);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: WorkerEffect): void {
    switch (effect.kind) {
      case "start":
        void this.#start();
        return;
      case "admit": {
        const info = this.#crew?.info;
        if (info) for (const waiter of this.#takeWaiters()) waiter.resolve(info);
        return;
      }
      case "refuse":
        for (const waiter of this.#takeWaiters()) waiter.reject(toError(effect.failure));
        return;
      case "run":
        if (this.#crew) this.#pending?.(this.#crew);
        this.#pending = null;
        return;
      case "renew":
        this.#renew();
        return;
      case "report":
        this.#retire();
        this.#logger.warn(effect.failure.message);
        this.#failed.fire(effect.failure.message);
        return;
      case "end":
        void this.#stopAll();
        return;
    }
  }

  #takeWaiters(): Waiter[] {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    return waiters;
  }

  // -- crews ------------------------------------------------------------------------------------------------------

  async #start(): Promise<void> {
    try {
      const crew = await this.#startCrew(this.#preload);
      if (this.#state.kind !== "starting") {
        this.#end(crew);
        return;
      }
      this.#adopt(crew);
      this.#dispatch({ kind: "started" });
    } catch (error) {
      // What was preloaded last time may be what broke it: the next start goes without.
      this.#preload = [];
      this.#dispatch({ kind: "startFailed", failure: toFailure(error) });
    }
  }

  /** Starts processes of the mode asked for; `auto` forks where the system and the loaded modules allow it. */
  async #startCrew(preload: readonly string[]): Promise<Crew> {
    const { mode } = this.#options;
    const launch = await this.#prepare();
    const crewOptions: CrewOptions = {
      launch: (kind) => this.#launch(launch, kind, preload),
      sets: this.#sets,
      platform: this.#platform,
      logger: this.#logger,
    };
    const kind = mode === "auto" ? (this.#platform.name === "linux" ? "fork" : "spare") : mode;
    const first = crewOptions.launch(kind);
    void first.sendLines(this.#sets.allLines());
    warmUpFrames();
    const info = await first.ready;
    for (const [module, message] of Object.entries(info.preloadFailed))
      this.#logger.debug(`${module} can't be loaded ahead: ${message}`);
    if (kind === "spare") return new SpareCrew(first, info, crewOptions);
    if (info.capabilities.fork) return new ForkCrew(first, info, crewOptions);

    void first.end("ask");
    if (mode === "fork") {
      const why = `forking isn't safe here (${info.platform}, ${info.threads} threads)`;
      throw new RewardsmithError("PythonFailed", why, { path: launch.python, stderr: "" });
    }
    this.#logger.info(
      `forking isn't safe here (${info.threads} threads after loading): spare processes are used`,
    );
    const spare = crewOptions.launch("spare");
    void spare.sendLines(this.#sets.allLines());
    return new SpareCrew(spare, await spare.ready, crewOptions);
  }

  /** Once; after a failure (a folder that can't be written) again. */
  #prepare(): Promise<LaunchOptions> {
    this.#prepared ??= this.#makeLaunchOptions().catch((error: unknown) => {
      this.#prepared = null;
      throw error;
    });
    return this.#prepared;
  }

  async #makeLaunchOptions(): Promise<LaunchOptions> {
    const options = this.#options;
    const tmp = await this.#record.open();
    return {
      python: options.python,
      workerPath: options.workerPath,
      env: workerEnvironment(process.env, options.env ?? {}),
      cwd: options.cwd !== undefined && (await exists(options.cwd)) ? options.cwd : tmp,
      tmp,
      packages: options.packages ?? [],
      platform: this.#platform,
      logger: this.#logger,
      startTimeoutMs: options.startTimeoutMs ?? 60_000,
    };
  }

  #launch(launch: LaunchOptions, mode: "fork" | "spare", preload: readonly string[]): PythonProcess {
    if (this.#disposed) throw stopped();
    const process = new PythonProcess(launch, mode, `${this.marker}.${++this.#processCount}`, preload);
    this.#processes.add(process);
    const { pid } = process;
    this.#guardian ??= new Guardian(launch, this.marker);
    const guardian = this.#guardian;
    // Only once it is ready: starting a guardian must not slow the first score down.
    void process.ready
      .then(() => process.identity())
      .then((identity) => {
        if (!identity || !process.alive) return;
        this.#record.add(identity);
        guardian.watch(identity);
      })
      .catch(() => undefined);
    void process.exited.then(() => {
      this.#processes.delete(process);
      if (pid === undefined) return;
      this.#record.remove(pid);
      guardian.forget(pid);
    });
    return process;
  }

  #adopt(crew: Crew): void {
    this.#crew = crew;
    crew.onLost((failure) => {
      if (this.#crew === crew) this.#dispatch({ kind: "lost", failure });
      else if (this.#fresh?.crew === crew) this.#fresh = null;
    });
  }

  /** The processes are gone: what is left of them is ended, the next wish starts anew. */
  #retire(): void {
    if (this.#crew) this.#end(this.#crew);
    this.#crew = null;
    if (this.#fresh?.crew) this.#end(this.#fresh.crew);
    this.#fresh = null;
  }

  #end(crew: Crew): void {
    const ending = crew.stop().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  /** Between jobs: a crew that has the modules of the last passes preloaded takes over, or is started behind. */
  #renew(): void {
    const fresh = this.#fresh;
    if (fresh?.crew) {
      if (this.#crew) this.#end(this.#crew);
      this.#fresh = null;
      this.#preload = fresh.modules;
      this.#adopt(fresh.crew);
      this.#logger.debug(`Python worker: ${fresh.modules.join(", ")} loaded ahead`);
      return;
    }
    const missing = [...this.#wanted].filter((module) => !this.#preload.includes(module));
    if (fresh || missing.length === 0) return;
    const modules = [...this.#preload, ...missing].sort();
    const next: { readonly modules: readonly string[]; crew: Crew | null } = { modules, crew: null };
    this.#fresh = next;
    void this.#startCrew(modules).then(
      (crew) => {
        if (this.#fresh !== next) {
          this.#end(crew);
          return;
        }
        next.crew = crew;
        if (this.#state.kind === "ready") this.#renew();
      },
      (error: unknown) => {
        // The present crew goes on; its jobs import these modules themselves.
        for (const module of missing) {
          this.#wanted.delete(module);
          this.#refused.add(module);
        }
        if (this.#fresh === next) this.#fresh = null;
        this.#logger.warn(
          `${missing.join(", ")} can't be loaded ahead: ${toRewardsmithError(error).message}`,
        );
      },
    );
  }

  /** A running worker doesn't notice that its environment was deleted; the user must, before the first odd error. */
  async #checkInterpreter(): Promise<void> {
    const { python } = this.#options;
    if (this.#crew === null || !/[\\/]/.test(python) || (await exists(python))) return;
    const failure = toFailure(pythonMissing(python));
    this.#dispatch({ kind: "lost", failure });
    throw toError(failure);
  }

  async #stopAll(): Promise<void> {
    this.#retire();
    await this.#prepared?.catch(() => undefined);
    const ending = [...this.#processes].map((process) => process.end("ask"));
    await Promise.all([...this.#endings, ...ending]);
    await this.#guardian?.stop();
    await this.#record.close();
    this.#dispatch({ kind: "stopped" });
    this.#allStopped();
  }
}

/** Ours, without what tells Electron's and VS Code's programs how to behave, and a fixed order of sets from run to run. */
export function workerEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.fromEntries(
    Object.entries(own).filter(([name]) => !/^(ELECTRON_|VSCODE_|REWARDSMITH_)/.test(name)),
  );
  // Passes are compared with each other: sets of text must not change their order because a process is another one.
  return { PYTHONHASHSEED: "0", ...mergeEnv(kept, extra, delimiter) };
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function stopped(): RewardsmithError {
  return new RewardsmithError("Disposed", "the worker has been stopped");
}

function cancelled(): RewardsmithError {
  return new RewardsmithError("Cancelled", "cancelled while waiting for Python");
}

function toError({ code, message, detail }: Failure): RewardsmithError {
  return new RewardsmithError(code, message, detail);
}

function toFailure(error: unknown): Failure {
  const { code, message, detail } = toRewardsmithError(error);
  return { code, message, detail };
}
