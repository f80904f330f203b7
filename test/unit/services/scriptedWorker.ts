import { Emitter } from "../../../src/base/event";
import type { JobFrame, WorkerPort } from "../../../src/core/ports";
import { toTagged } from "../../../src/schema/number";
import type { Reason } from "../../../src/schema/score";
import type { EndFrame, Job, LoadFailedFrame, Ready, UnitFrame } from "../../../src/schema/worker";

/** What a scripted function does with one call. */
export type Answer =
  | (number | null)[]
  | { readonly raise: string; readonly line?: number }
  | { readonly failed: Reason }
  | { readonly end: "unit-timeout" | "exit" | "signal" | "memory" }
  | { readonly frame: Partial<UnitFrame> };

export interface Script {
  /** Called for each unit of each job; what it closes over lives on between jobs. */
  readonly functions: Record<string, (rows: readonly number[], job: RunningJob) => Answer>;
  /** Null = loads. */
  load?: (job: RunningJob) => Partial<LoadFailedFrame> | { readonly end: EndFrame["reason"] } | null;
  /** Milliseconds of the test's clock that a unit takes. */
  files?: (job: RunningJob) => string[];
  /** Awaited before each unit: lets a test hold a job in the middle. */
  gate?: (job: RunningJob, rows: readonly number[]) => Promise<void> | undefined;
}
export type RunningJob = Omit<Job, "job"> & { readonly job: number };

const READY: Ready = {
  t: "ready",
  protocol: 1,
  pid: 1,
  python: {
    version: [3, 11, 7],
    implementation: "cpython",
    executable: "/py",
    prefix: "/p",
    basePrefix: "/b",
  },
  platform: "linux",
  capabilities: { fork: true, subreaper: true, deathSignal: true, monitoring: false },
  threads: 1,
  packages: { trl: null },
  preloadFailed: {},
};

/** A worker in memory: units in the order of the real one, one job at a time, ends and cancels as documented. */
export class ScriptedWorker implements WorkerPort {
  readonly jobs: RunningJob[] = [];
  readonly ended: EndFrame[] = [];
  readonly sets = new Map<string, string[]>();
  readonly #fail = new Emitter<string>();
  readonly onDidFail = this.#fail.event;
  mode: "fork" | "spare" | "none" = "fork";
  script: Script;
  running = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(script: Script) {
    this.script = script;
  }

  ready(): Promise<Ready> {
    return Promise.resolve(READY);
  }
  load(set: string, parts: () => Iterable<string>): Promise<void> {
    this.sets.set(set, [...parts()]);
    return Promise.resolve();
  }
  drop(set: string): void {
    this.sets.delete(set);
  }
  dispose(): void {
    this.#fail.dispose();
  }

  run(job: Omit<Job, "job">, onFrame: (frame: JobFrame) => void, signal?: AbortSignal): Promise<EndFrame> {
    const result = this.#queue.then(() => this.#run(job, onFrame, signal));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #run(
    spec: Omit<Job, "job">,
    onFrame: (frame: JobFrame) => void,
    signal: AbortSignal | undefined,
  ): Promise<EndFrame> {
    const job: RunningJob = { ...structuredClone(spec), job: this.jobs.length + 1 };
    this.jobs.push(job);
    this.running += 1;
    if (this.running > 1) throw new Error("two jobs at once");
    const end = (reason: EndFrame["reason"], more: Partial<EndFrame> = {}): EndFrame => {
      this.running -= 1;
      const frame: EndFrame = {
        t: "end",
        job: job.job,
        reason,
        exitCode: reason === "exit" ? 0 : null,
        signal: reason === "signal" ? "SIGKILL" : null,
        hangLine: reason === "unit-timeout" ? 7 : null,
        hangText: reason === "unit-timeout" ? "while True:" : null,
        output: "",
        killed: 0,
        peakMb: null,
        ...more,
      };
      this.ended.push(frame);
      return frame;
    };
    await Promise.resolve();
    if (signal?.aborted) return end("cancelled");
    const load = this.script.load?.(job) ?? null;
    if (load && "end" in load) return end(load.end);
    if (load) {
      onFrame({
        t: "loadFailed",
        job: job.job,
        kind: "syntax",
        type: "SyntaxError",
        message: "invalid syntax",
        path: job.path,
        line: 1,
        column: 1,
        module: null,
        traceback: "",
        output: "",
        ...load,
      });
      return end("load-failed");
    }
    onFrame({
      t: "loaded",
      job: job.job,
      ms: 1,
      functions: job.functions.map(({ name }) => ({
        name,
        found: true,
        callable: true,
        isAsync: false,
        asyncCall: false,
        bindError: null,
        line: 1,
      })),
      files: this.script.files?.(job) ?? [job.path],
      thirdParty: [],
      versions: {},
    });
    for (const [fn, { name }] of job.functions.entries()) {
      for (const [batch, rows] of job.batches.entries()) {
        if (job.isolated) onFrame({ t: "start", job: job.job, fn, batch });
        const held = this.script.gate?.(job, rows);
        if (held && !signal?.aborted) {
          const aborted = new Promise<void>((resolve) =>
            signal?.addEventListener("abort", () => resolve(), { once: true }),
          );
          await Promise.race([held, aborted]);
        } else await Promise.resolve();
        if (signal?.aborted) return end("cancelled");
        const answer = this.script.functions[name]?.(rows, job) ?? { raise: `NameError: ${name}` };
        const head = { t: "unit", job: job.job, fn, batch, ms: rows.length } as const;
        const none = rows.map(() => null);
        if (Array.isArray(answer)) {
          const states = answer.map((v) =>
            v === null
              ? ("not-applicable" as const)
              : Number.isFinite(v)
                ? ("scored" as const)
                : ("non-finite" as const),
          );
          onFrame({
            ...head,
            values: answer.map((v) => (v === null ? null : toTagged(v))),
            ...(states.every((s) => s === "scored") ? {} : { states }),
          });
        } else if ("raise" in answer) {
          const [type = "", text = ""] = answer.raise.split(": ");
          const failed: Reason = { code: "exception", type, text, line: answer.line ?? 3 };
          onFrame({ ...head, values: none, states: rows.map(() => "raised"), failed });
        } else if ("failed" in answer) onFrame({ ...head, values: none, failed: answer.failed });
        else if ("frame" in answer) onFrame({ ...head, values: none, ...answer.frame });
        else return end(answer.end);
      }
    }
    return end("done");
  }
}
