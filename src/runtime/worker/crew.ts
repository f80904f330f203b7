import type { Event } from "../../base/event";
import type { JobFrame, Logger } from "../../core/ports";
import type { EndFrame, Job, Ready } from "../../schema/worker";
import type { ProcessPlatform } from "../processes/platform";
import type { PythonProcess } from "./pythonProcess";
import type { Failure } from "./state";

/** The processes that carry out jobs, one job at a time: a parent that forks, or spare ones. */
export interface Crew {
  readonly mode: "fork" | "spare";
  readonly info: Ready;
  /** Always resolves; frames of the job come first, in order. Rejects only where no process can be had. */
  run(job: Job, onFrame: (frame: JobFrame) => void, signal: AbortSignal): Promise<EndFrame>;
  /** Resolves when every process that runs now has been told. */
  load(set: string): Promise<void>;
  drop(set: string): void;
  /** It ended by itself and can't run anything any more. */
  readonly onLost: Event<Failure>;
  /** Starts at once; resolves when nothing of it is left. */
  stop(): Promise<void>;
}

/** What crews share: how a process is started, and the samples that each must know. */
export interface CrewOptions {
  launch(mode: "fork" | "spare"): PythonProcess;
  readonly sets: SampleRegistry;
  readonly platform: ProcessPlatform;
  readonly logger: Logger;
}

/** The sample sets that every process is to know; texts are made anew for each process, never kept. */
export class SampleRegistry {
  readonly #sets = new Map<string, () => Iterable<string>>();

  has(set: string): boolean {
    return this.#sets.has(set);
  }

  add(set: string, parts: () => Iterable<string>): void {
    this.#sets.set(set, parts);
  }

  drop(set: string): boolean {
    return this.#sets.delete(set);
  }

  *lines(set: string): Generator<string, void, undefined> {
    for (const part of this.#sets.get(set)?.() ?? []) yield `{"t":"samples","part":${part}}`;
  }

  *allLines(): Generator<string, void, undefined> {
    for (const set of this.#sets.keys()) yield* this.lines(set);
  }
}

/** How a job ended when nobody but us can say so. */
export function endedHere(
  job: number,
  reason: EndFrame["reason"],
  more: Partial<Omit<EndFrame, "t" | "job" | "reason">> = {},
): EndFrame {
  return {
    t: "end",
    job,
    reason,
    exitCode: null,
    signal: null,
    hangLine: null,
    hangText: null,
    output: "",
    killed: 0,
    peakMb: null,
    ...more,
  };
}
