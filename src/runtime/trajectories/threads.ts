import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { RewardsmithError } from "../../base/errors";
import type { Indexer } from "../../formats/trajectories/indexing";
import type { ScanPosition } from "../../formats/trajectories/container";
import { ThreadTell, type ThreadAsk } from "./threadMessages";

const MOST_THREADS = 2;
/** Young objects of parsing die early: a small nursery keeps the process small. */
const NURSERY_MB = 32;

/** The thread's program beside the bundled one (or above its chunks); null where the sources run unbundled. */
export function threadProgram(): string | null {
  const candidates = ["./trajectoryThread.js", "../trajectoryThread.js"];
  const paths = candidates.map((candidate) => fileURLToPath(new URL(candidate, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? null;
}

interface Job {
  readonly ask: Exclude<ThreadAsk, { kind: "cancel" }>;
  readonly hear: (tell: ThreadTell) => void;
  readonly fail: (error: RewardsmithError) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
}

/** Indexes on threads of their own, started when first needed. One that dies fails its jobs, and is replaced. */
export function threadedIndexer(program: string, most = MOST_THREADS): Indexer {
  const size = Math.max(1, Math.min(most, availableParallelism()));
  const threads: Thread[] = [];
  let nextId = 0;
  let closed = false;

  const start = (): Thread => {
    const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: NURSERY_MB } });
    worker.unref();
    const thread: Thread = { worker, jobs: new Map() };
    const died = (why: string): void => {
      const at = threads.indexOf(thread);
      if (at >= 0) threads.splice(at, 1);
      for (const job of thread.jobs.values())
        job.fail(new RewardsmithError("WorkerCrashed", `the thread that read the file ended: ${why}`));
      thread.jobs.clear();
    };
    worker.on("message", (message: unknown) => {
      const tell = ThreadTell.parse(message);
      thread.jobs.get(tell.id)?.hear(tell);
    });
    worker.on("error", (error: unknown) => died(error instanceof Error ? error.message : String(error)));
    worker.on("exit", (code) => died(`exit code ${code}`));
    threads.push(thread);
    return thread;
  };

  const run = (job: Job): Thread => {
    const idle = threads.find(({ jobs }) => jobs.size === 0);
    const thread =
      idle ??
      (threads.length < size ? start() : threads.reduce((a, b) => (b.jobs.size < a.jobs.size ? b : a)));
    thread.jobs.set(job.ask.id, job);
    thread.worker.postMessage(job.ask);
    return thread;
  };

  const ask = <T>(
    made: (id: number) => Job["ask"],
    hear: (tell: ThreadTell) => T | null,
    signal: AbortSignal,
  ): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (closed || signal.aborted) {
        reject(new RewardsmithError(closed ? "Disposed" : "Cancelled", "not asked any more"));
        return;
      }
      const of = made(nextId++);
      const cancel = (): void => {
        if (!thread.jobs.delete(of.id)) return;
        thread.worker.postMessage({ kind: "cancel", id: of.id });
        reject(new RewardsmithError("Cancelled", "cancelled"));
      };
      const end = (): void => {
        thread.jobs.delete(of.id);
        signal.removeEventListener("abort", cancel);
      };
      const job: Job = {
        ask: of,
        hear: (tell) => {
          if (tell.kind === "failed") {
            end();
            reject(new RewardsmithError(tell.code, tell.message, tell.detail));
            return;
          }
          const result = hear(tell);
          if (result === null) return;
          end();
          resolve(result);
        },
        fail: (error) => {
          signal.removeEventListener("abort", cancel);
          reject(error);
        },
      };
      const thread = run(job);
      signal.addEventListener("abort", cancel, { once: true });
    });

  return {
    index: (job, onEvent, signal) =>
      ask<ScanPosition>(
        (id) => ({ kind: "index", id, job }),
        (tell) => {
          if (tell.kind === "event") onEvent(tell.event);
          return tell.kind === "indexed" ? tell.position : null;
        },
        signal,
      ),
    dispose() {
      closed = true;
      for (const { worker } of threads) void worker.terminate();
    },
  };
}
