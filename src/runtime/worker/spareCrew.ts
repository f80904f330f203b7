import { Emitter } from "../../base/event";
import { RewardsmithError, toRewardsmithError } from "../../base/errors";
import type { JobFrame } from "../../core/ports";
import type { EndFrame, Job, Ready } from "../../schema/worker";
import { endedHere, type Crew, type CrewOptions } from "./crew";
import type { PythonProcess } from "./pythonProcess";
import { SpareJob } from "./spareJob";
import type { Failure } from "./state";

/** Warm processes that are kept: one can be taken while the one behind it is still starting. */
export const SPARES = 2;

/** Each process runs one job and exits; others are kept warm (started, preloaded, samples known) for the next jobs. */
export class SpareCrew implements Crew {
  readonly mode = "spare";
  readonly info: Ready;
  readonly #options: CrewOptions;
  readonly #lost = new Emitter<Failure>();
  readonly onLost = this.#lost.event;
  /** The oldest first: it is the one most likely to be ready. */
  readonly #warm: PythonProcess[] = [];
  readonly #endings = new Set<Promise<unknown>>();
  #running: SpareJob | null = null;
  #stopping: Promise<void> | null = null;

  /** `first` is ready and has been given the samples. */
  constructor(first: PythonProcess, info: Ready, options: CrewOptions) {
    this.info = info;
    this.#options = options;
    this.#keep(first);
    this.#replenish();
  }

  async run(job: Job, onFrame: (frame: JobFrame) => void, signal: AbortSignal): Promise<EndFrame> {
    const process = await this.#take(signal);
    if (process === null) return endedHere(job.job, "cancelled");
    this.#replenish();
    const running = new SpareJob(process, job, onFrame, this.#options);
    this.#running = running;
    try {
      return await running.run(signal);
    } finally {
      this.#running = null;
    }
  }

  async load(set: string): Promise<void> {
    await Promise.all(this.#warm.map((process) => process.sendLines(this.#options.sets.lines(set))));
  }

  drop(set: string): void {
    for (const process of this.#warm) process.send({ t: "drop", set });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#running?.cancel();
    // A spare process holds nothing that needs time to end well.
    for (const process of this.#warm.splice(0)) this.#end(process);
    await Promise.all([...this.#endings, this.#running?.ended]);
  }

  /** Null where the signal was aborted first. Rejects where no further process can be started. */
  async #take(signal: AbortSignal): Promise<PythonProcess | null> {
    const aborted = new Promise<null>((resolve) =>
      signal.addEventListener("abort", () => resolve(null), { once: true }),
    );
    for (let failures = 0; ;) {
      if (signal.aborted || this.#stopping) return null;
      this.#replenish();
      const [next] = this.#warm;
      if (!next) throw new RewardsmithError("Disposed", "the worker has been stopped");
      let failure: RewardsmithError | null = null;
      try {
        if ((await Promise.race([next.ready, aborted])) === null) return null;
      } catch (error) {
        failure = toRewardsmithError(error);
      }
      const at = this.#warm.indexOf(next);
      if (at >= 0) this.#warm.splice(at, 1);
      if (failure === null && next.alive) return next;
      // One that was ended from outside says nothing about the next; two in a row do.
      if (failure !== null && ++failures >= 2) throw this.#giveUp(failure);
    }
  }

  #giveUp({ code, message, detail }: RewardsmithError): RewardsmithError {
    this.#lost.fire({ code, message, detail });
    return new RewardsmithError(code, message, detail);
  }

  #replenish(): void {
    while (!this.#stopping && this.#warm.length < SPARES) {
      const process = this.#options.launch("spare");
      void process.sendLines(this.#options.sets.allLines());
      this.#keep(process);
    }
  }

  #keep(process: PythonProcess): void {
    this.#warm.push(process);
    void process.exited.then(() => {
      const at = this.#warm.indexOf(process);
      if (at < 0) return;
      this.#options.logger.debug(`spare Python process ${process.pid ?? "?"} ended by itself`);
      // Replaced when the next job asks for one: an interpreter that can't start must not be tried in a loop.
      this.#warm.splice(at, 1);
      this.#end(process);
    });
  }

  #end(process: PythonProcess): void {
    const ending = process.end("kill").finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}
