import { Emitter } from "../base/event";
import { RewardsmithError, toRewardsmithError } from "../base/errors";
import type { JobFrame, Logger, WorkerPort } from "../core/ports";
import { findInterpreters } from "../runtime/interpreters";
import { createWorker, type PythonWorker } from "../runtime/worker/pythonWorker";
import type { EndFrame, Job, Ready } from "../schema/worker";
import type { EngineSettings } from "../schema/settings";

export interface PythonOptions {
  /** Interpreter as given; null = the first one found in the folders and on PATH. */
  readonly python: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly mode: EngineSettings["workerMode"];
  readonly folders: readonly string[];
  /** Working folder of reward code. */
  readonly cwd: string | null;
  readonly tmp: string;
  readonly workerPath: string;
  readonly logger: Logger;
}

/** Distributions whose versions the contracts ask for. */
const PACKAGES = ["trl"];

/**
 * The worker of the present settings. It starts when first needed; other settings end it and start another, and
 * whoever holds this port notices nothing but the new versions in `ready`.
 */
export class Python implements WorkerPort {
  readonly #failed = new Emitter<string>();
  readonly onDidFail = this.#failed.event;
  readonly #endings = new Set<Promise<void>>();
  #options: PythonOptions;
  #worker: PythonWorker | null = null;
  /** Started to see whether it will do. */
  #trying: PythonWorker | null = null;
  #starting: Promise<PythonWorker> | null = null;
  #ready: Ready | null = null;
  #error: RewardsmithError | null = null;
  #generation = 0;
  #disposed = false;

  constructor(options: PythonOptions) {
    this.#options = options;
  }

  get mode(): WorkerPort["mode"] {
    return this.#worker?.mode ?? "none";
  }

  /** What is known without starting anything. */
  get state(): {
    readonly path: string | null;
    readonly ready: Ready | null;
    readonly error: RewardsmithError | null;
  } {
    return {
      path: this.#ready?.python.executable ?? this.#options.python,
      ready: this.#ready,
      error: this.#error,
    };
  }

  /** Value of `REWARDSMITH_WORKER` in the environment of all its processes; null before the first start. */
  get marker(): string | null {
    return this.#worker?.marker ?? null;
  }

  describe(): string {
    if (!this.#worker) return "not started";
    const { mode, state, pids, preload } = this.#worker.describe();
    return `${mode}, ${state}, processes ${pids.join(" ") || "none"}, preloaded ${preload.join(" ") || "nothing"}`;
  }

  configure(options: PythonOptions): void {
    const key = ({ python, env, mode, folders, cwd }: PythonOptions): string =>
      JSON.stringify([python, env, mode, folders, cwd]);
    const same = key(options) === key(this.#options);
    this.#options = options;
    // A failed start is tried again: what was missing may be there now.
    if (!same || this.#error) this.#end();
  }

  async ready(signal?: AbortSignal): Promise<Ready> {
    const worker = await this.#start();
    const ready = await worker.ready(signal);
    this.#ready = ready;
    return ready;
  }

  async load(set: string, parts: () => Iterable<string>): Promise<void> {
    return (await this.#start()).load(set, parts);
  }

  drop(set: string): void {
    this.#worker?.drop(set);
  }

  async run(
    job: Omit<Job, "job">,
    onFrame: (frame: JobFrame) => void,
    signal?: AbortSignal,
  ): Promise<EndFrame> {
    const worker = this.#worker ?? (await this.#start());
    return worker.run(job, onFrame, signal);
  }

  dispose(): void {
    this.#disposed = true;
    this.#end();
    this.#failed.dispose();
  }

  /** After `dispose`: resolves when no process is left. */
  async stopped(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    await Promise.all(this.#endings);
  }

  #end(): void {
    this.#generation += 1;
    const worker = this.#worker;
    this.#worker = null;
    this.#starting = null;
    this.#ready = null;
    this.#error = null;
    if (worker) this.#endWorker(worker);
    if (this.#trying) this.#endWorker(this.#trying);
    this.#trying = null;
  }

  #endWorker(worker: PythonWorker): void {
    worker.dispose();
    const ending = worker.stopped.finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #start(): Promise<PythonWorker> {
    if (this.#disposed) return Promise.reject(new RewardsmithError("Disposed", "the engine has ended"));
    this.#starting ??= this.#choose(this.#generation).catch((error: unknown) => {
      this.#error = toRewardsmithError(error);
      this.#starting = null;
      throw this.#error;
    });
    return this.#starting;
  }

  /**
   * A given interpreter is taken as it is; of those found, the first whose worker comes up. Asking each what it is
   * would start it twice (and behind a version manager's shim a start is slow).
   */
  async #choose(generation: number): Promise<PythonWorker> {
    const options = this.#options;
    const found = await findInterpreters({
      setting: options.python,
      env: { ...process.env, ...options.env },
      folders: options.folders,
      platform: process.platform,
    });
    let failure = new RewardsmithError(
      "PythonMissing",
      "No Python was found in the folder's environment or on PATH. Name one in the setting rewardsmith.python.interpreter.",
    );
    for (const [index, { path }] of found.entries()) {
      const worker = createWorker({
        python: path,
        env: options.env,
        mode: options.mode,
        tmp: options.tmp,
        workerPath: options.workerPath,
        ...(options.cwd === null ? {} : { cwd: options.cwd }),
        packages: PACKAGES,
        logger: options.logger,
      });
      this.#trying = worker;
      const problem = await worker.ready().then(
        () => null,
        (error: unknown) => toRewardsmithError(error),
      );
      this.#trying = null;
      if (generation !== this.#generation || this.#disposed) {
        this.#endWorker(worker);
        throw new RewardsmithError("Cancelled", "the interpreter was changed meanwhile");
      }
      if (!problem) {
        worker.onDidFail((text) => this.#failed.fire(text));
        this.#worker = worker;
        return worker;
      }
      this.#endWorker(worker);
      // The one that comes first is the one that was meant.
      if (index === 0) failure = problem;
    }
    throw failure;
  }
}
