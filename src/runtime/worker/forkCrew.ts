import { Emitter } from "../../base/event";
import type { JobFrame } from "../../core/ports";
import type { Frame } from "../../protocol/worker.contract";
import type { EndFrame, Job, Ready } from "../../schema/worker";
import { endedHere, type Crew, type CrewOptions } from "./crew";
import type { Exit, PythonProcess } from "./pythonProcess";
import type { Failure } from "./state";

/** How much later than a job's own limits the parent may be before it counts as not answering. */
const SILENCE_MS = 5000;
/** How long a cancelled job may take to end. */
const CANCEL_MS = 2000;

/**
 * A single-threaded Python parent that forks a child for each job and enforces its limits. We end the parent only
 * when it stops answering.
 */
export class ForkCrew implements Crew {
  readonly mode = "fork";
  readonly info: Ready;
  readonly #parent: PythonProcess;
  readonly #options: CrewOptions;
  readonly #lost = new Emitter<Failure>();
  readonly onLost = this.#lost.event;
  /** Who ended it, once it ends: what comes first counts. */
  #endedBy: "us" | "itself" | null = null;
  #ending: Promise<void> | null = null;

  /** `parent` is ready and has been given the samples. */
  constructor(parent: PythonProcess, info: Ready, options: CrewOptions) {
    this.#parent = parent;
    this.info = info;
    this.#options = options;
    void parent.exited.then((exit) => this.#gone(exit));
  }

  run(job: Job, onFrame: (frame: JobFrame) => void, signal: AbortSignal): Promise<EndFrame> {
    return new Promise((resolve) => {
      const parent = this.#parent;
      let loading = true;
      let overdue: EndFrame["reason"] | null = null;
      let watchdog: NodeJS.Timeout | undefined;
      const watch = (ms: number, reason: EndFrame["reason"]): void => {
        clearTimeout(watchdog);
        watchdog = setTimeout(() => {
          overdue = reason;
          this.#options.logger.warn(`the Python parent ${parent.pid ?? "?"} stopped answering and is ended`);
          void parent.kill();
        }, ms);
      };
      const rearm = (): void => {
        if (signal.aborted) watch(CANCEL_MS, "cancelled");
        else if (loading) watch(job.limits.loadSeconds * 1000 + SILENCE_MS, "load-timeout");
        else watch(job.limits.unitSeconds * job.calls * 1000 + SILENCE_MS, "unit-timeout");
      };
      const finish = (end: EndFrame): void => {
        clearTimeout(watchdog);
        listening.dispose();
        signal.removeEventListener("abort", cancel);
        resolve(end);
      };
      const cancel = (): void => {
        parent.send({ t: "cancel", job: job.job });
        watch(CANCEL_MS, "cancelled");
      };
      const hear = (frame: Frame): void => {
        if (frame.t === "ready" || frame.t === "log" || frame.job !== job.job) return;
        if (frame.t === "end") {
          finish(frame);
          return;
        }
        if (frame.t === "loaded") loading = false;
        rearm();
        onFrame(frame);
      };

      const listening = parent.onFrame(hear);
      signal.addEventListener("abort", cancel, { once: true });
      // Its last frames have been heard by then; `finish` after an end frame does nothing more.
      void parent.exited.then((exit) =>
        finish(this.#lostJob(job, exit, signal.aborted ? "cancelled" : overdue)),
      );
      rearm();
      parent.send({ t: "run", job });
    });
  }

  load(set: string): Promise<void> {
    return this.#parent.sendLines(this.#options.sets.lines(set));
  }

  drop(set: string): void {
    this.#parent.send({ t: "drop", set });
  }

  stop(): Promise<void> {
    this.#endedBy ??= "us";
    return this.#end();
  }

  #end(): Promise<void> {
    this.#ending ??= this.#parent.end("ask").then((left) => {
      if (left > 0)
        this.#options.logger.warn(`${left} processes that reward code had left behind were ended`);
    });
    return this.#ending;
  }

  #lostJob(job: Job, { code, signal }: Exit, known: EndFrame["reason"] | null): EndFrame {
    const reason = known ?? (this.#endedBy === "us" ? "cancelled" : signal === null ? "exit" : "signal");
    return endedHere(job.job, reason, {
      exitCode: code,
      signal,
      output: this.#parent.errors.text().slice(-2000),
    });
  }

  #gone({ code, signal }: Exit): void {
    this.#endedBy ??= "itself";
    if (this.#endedBy === "us") return;
    // Its children die with it; what those had started doesn't.
    void this.#end();
    this.#lost.fire({
      code: "WorkerCrashed",
      message: `the Python process ended by itself (${signal ?? `code ${code ?? "?"}`})`,
      detail: { signal, exitCode: code, stderr: this.#parent.errors.text().slice(-4000) },
    });
  }
}
