import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { join } from "node:path";
import type { ProcessIdentity } from "../processes/platform";
import type { LaunchOptions } from "./pythonProcess";

/**
 * A tiny process that outlives us: when its input closes without a word, because the engine was killed, it ends every
 * worker process. It works where a worker can't end itself (stuck in C code with the interpreter lock, its death
 * signal unavailable). It is started after the first worker, so it never delays a score.
 */
export class Guardian {
  readonly #options: LaunchOptions;
  readonly #marker: string;
  readonly #watched = new Map<number, string>();
  #child: ChildProcessWithoutNullStreams | null = null;
  #starts = 0;
  #stopping = false;

  constructor(options: LaunchOptions, marker: string) {
    this.#options = options;
    this.#marker = marker;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  watch({ pid, start }: ProcessIdentity): void {
    if (this.#stopping) return;
    this.#watched.set(pid, start);
    if (this.#child) this.#tell(`watch ${pid} ${start}`);
    else this.#start();
  }

  forget(pid: number): void {
    if (this.#watched.delete(pid)) this.#tell(`forget ${pid}`);
  }

  /** After the last worker has ended. Resolves when it has gone. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    this.#tell("done");
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), 1000);
    await exited;
    clearTimeout(timer);
  }

  #start(): void {
    const { python, workerPath, logger, env, tmp } = this.#options;
    this.#starts += 1;
    // -I -S: neither the user's modules nor site-packages, so that it starts in some 10 ms and nothing can break it.
    const child = spawn(python, ["-I", "-S", join(workerPath, "guardian.py"), this.#marker], {
      cwd: tmp,
      env: { ...env },
      shell: false,
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.stdin.on("error", () => undefined);
    child.stdout.resume();
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-1000)));
    const gone = (why: string): void => {
      if (this.#child !== child) return;
      this.#child = null;
      if (this.#stopping) return;
      logger.warn(`the guardian of the Python processes ended (${why}) ${said.trim()}`);
      if (this.#starts < 3 && this.#watched.size > 0) this.#start();
    };
    child.once("error", (error) => gone(error.message));
    child.once("exit", (code, signal) => gone(signal ?? `code ${code ?? "?"}`));
    for (const [pid, start] of this.#watched) this.#tell(`watch ${pid} ${start}`);
  }

  #tell(line: string): void {
    this.#child?.stdin.write(`${line}\n`);
  }
}
