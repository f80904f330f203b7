import type { RunReasonCode, RunState, RunStatus } from "../../schema/run";

/** Which state may follow which. What is over stays as it is: a run that goes on is a new run that `resumes` the old. */
const NEXT: Readonly<Record<RunState, readonly RunState[]>> = {
  created: ["starting", "failed", "stopped"],
  starting: ["running", "stopping", "finished", "failed", "killed", "stopped", "lost"],
  running: ["stopping", "finished", "failed", "killed", "stopped", "lost"],
  stopping: ["finished", "failed", "killed", "stopped", "lost"],
  finished: [],
  failed: [],
  killed: [],
  stopped: [],
  lost: [],
};

export function mayFollow(from: RunState, to: RunState): boolean {
  return NEXT[from].includes(to);
}

/** A supervisor is at work, or should be. `created` isn't: nothing was started yet. */
export function isLive(state: RunState): boolean {
  return state === "starting" || state === "running" || state === "stopping";
}

export function isOver(state: RunState): boolean {
  return NEXT[state].length === 0;
}

export type Reason = NonNullable<RunStatus["reason"]>;

export interface RunEnd {
  readonly state: RunState;
  readonly reason: Reason | null;
  readonly exit: NonNullable<RunStatus["exit"]> | null;
}

/** How a job ended, as its parent saw it. */
export interface SeenEnd {
  /** One of the two is null. */
  readonly code: number | null;
  readonly signal: number | null;
  /** We sent a signal before it ended, as somebody had asked for the end. */
  readonly asked: boolean;
  /** It didn't go by itself: SIGKILL was ours. */
  readonly forced: boolean;
  /** The kernel counted a process of the job's control group that it ended for want of memory. */
  readonly memoryKill: boolean;
  /** Last lines of what the job printed. */
  readonly tail: string;
  /** Something of the run couldn't be written for want of space. */
  readonly diskWasFull: boolean;
}

const SIGKILL = 9;
/** Shells' words for a command that isn't there, and one that can't be run (POSIX 2.8.2). */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

const OUT_OF_MEMORY =
  /\b(?:OutOfMemoryError|CUDA out of memory|MemoryError|Cannot allocate memory|CUDA error: out of memory|HIP out of memory|std::bad_alloc)\b/;
const DISK_FULL = /No space left on device|\bENOSPC\b|Disk quota exceeded/;

/** State and reason that follow from an end that was seen. A job killed by a signal that nobody here sent is `killed`. */
export function endOf(end: SeenEnd): RunEnd {
  const exit = { code: end.code, signal: end.signal };
  const because = (state: RunState, code: RunReasonCode, text: string | null = null): RunEnd => ({
    state,
    reason: { code, text },
    exit,
  });
  if (end.asked) return because("stopped", end.forced ? "stop-forced" : "stop-asked");
  if (end.signal !== null) {
    const memory = end.signal === SIGKILL && end.memoryKill;
    return because("killed", memory ? "out-of-memory" : "signal");
  }
  if (end.code === 0) return { state: "finished", reason: null, exit };
  const line = (pattern: RegExp): string | null =>
    end.tail
      .split("\n")
      .findLast((one) => pattern.test(one))
      ?.trim()
      .slice(0, 1000) ?? null;
  const memory = line(OUT_OF_MEMORY);
  if (memory !== null || end.memoryKill) return because("failed", "out-of-memory", memory);
  const disk = line(DISK_FULL);
  if (disk !== null || end.diskWasFull) return because("failed", "disk-full", disk);
  const last = lastLine(end.tail);
  if (end.code === NOT_FOUND) return because("failed", "program-missing", last);
  if (end.code === NOT_RUNNABLE) return because("failed", "cannot-start", last);
  return because("failed", "exit-code", last);
}

function lastLine(tail: string): string | null {
  const line = tail
    .split("\n")
    .map((one) => one.trim())
    .findLast((one) => one !== "");
  return line === undefined ? null : line.slice(0, 1000);
}

/** The job couldn't be started at all. `code`: the system's error. */
export function notStarted(code: string | null, text: string): RunEnd {
  const reason: RunReasonCode =
    code === "ENOENT"
      ? "program-missing"
      : code === "ENOSPC" || code === "EDQUOT"
        ? "disk-full"
        : "cannot-start";
  return { state: "failed", reason: { code: reason, text: text.slice(0, 4000) }, exit: null };
}

/**
 * The job is gone and nobody saw how it ended. `then` and `now`: ids of the machine's boots; empty where the system has
 * none.
 */
export function unseenEnd(then: string, now: string): RunEnd {
  const restarted = then !== "" && now !== "" && then !== now;
  return {
    state: "lost",
    reason: { code: restarted ? "machine-restarted" : "supervisor-gone", text: null },
    exit: null,
  };
}

/** We ended it, its parent being gone: that it is over, and why, is known; its exit code isn't. */
export function stoppedUnseen(forced: boolean): RunEnd {
  return {
    state: "stopped",
    reason: { code: forced ? "stop-forced" : "stop-asked", text: null },
    exit: null,
  };
}
