import type { ProcessMark } from "../../schema/run";
import {
  belonging,
  identityText,
  sweep,
  type ProcessIdentity,
  type ProcessPlatform,
} from "../processes/platform";
import { errorCode } from "../systemErrors";

/** Signal, to every process or the group alone, and the wait after it. With the sweep (below a second) the whole stop stays under ten. */
const POLITELY = [
  ["SIGINT", false, 4500],
  ["SIGTERM", true, 3000],
] as const;
const LOOK_MS = 100;

/**
 * All processes of a job: its group, what descends from it and what carries its token. Seen ones are remembered, as a
 * process that left the session, cleared its environment and lost its parent could not be told from any other.
 */
export class JobProcesses {
  readonly #platform: ProcessPlatform;
  readonly #mark: ProcessMark;
  readonly #seen = new Map<string, ProcessIdentity>();

  constructor(platform: ProcessPlatform, mark: ProcessMark) {
    this.#platform = platform;
    this.#mark = mark;
    this.#seen.set(identityText(mark), mark);
  }

  get #leaders(): ProcessIdentity[] {
    return [...this.#seen.values()];
  }

  /** Those that are alive now. */
  async look(): Promise<readonly ProcessIdentity[]> {
    const found = belonging(await this.#platform.list(), this.#mark.token, this.#leaders).filter(
      ({ pid }) => pid !== process.pid,
    );
    this.#seen.clear();
    this.#seen.set(identityText(this.#mark), this.#mark);
    for (const { pid, start } of found) this.#seen.set(identityText({ pid, start }), { pid, start });
    return found;
  }

  /** To the job's group; `all`: to every process of it. */
  async signal(signal: "SIGINT" | "SIGTERM", all: boolean): Promise<void> {
    const found = await this.look();
    // The group's number is the job's as long as one of the group lives: it can't be another's.
    if (found.length > 0) send(-this.#mark.pid, signal);
    if (all) for (const { pid } of found) if (pid !== this.#mark.pid) send(pid, signal);
  }

  /** SIGKILL to all, until the process table shows nothing more. Resolves with how many it ended. */
  async end(): Promise<number> {
    await this.look();
    return (await sweep(this.#platform, this.#mark.token, this.#leaders)).size;
  }

  /** True: nothing is left. */
  async goneWithin(ms: number, hurry: AbortSignal): Promise<boolean> {
    const until = performance.now() + ms;
    for (;;) {
      if ((await this.look()).length === 0) return true;
      if (performance.now() >= until || hurry.aborted) return false;
      await pause(LOOK_MS);
    }
  }
}

/** INT, TERM, KILL with bounded waits between. `hurry`: go to KILL at once. True: it had to be killed. */
export async function stopJob(
  job: JobProcesses,
  system: ProcessPlatform["name"],
  hurry: AbortSignal,
): Promise<{ readonly forced: boolean }> {
  // Windows has no signals for a group without a console: its tree is ended at once.
  if (system !== "windows") {
    for (const [signal, all, ms] of POLITELY) {
      if (hurry.aborted) break;
      await job.signal(signal, all);
      if (await job.goneWithin(ms, hurry)) return { forced: false };
    }
  }
  await job.end();
  return { forced: true };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
