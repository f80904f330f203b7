import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Emitter } from "../../base/event";
import { RewardsmithError } from "../../base/errors";
import type { Logger } from "../../core/ports";
import type { Frame, ToWorker } from "../../protocol/worker.contract";
import { WORKER_PROTOCOL, type Ready } from "../../schema/worker";
import { describeInterpreter, isTooOld, startFailure, tooOld } from "../interpreters";
import {
  MARKER,
  identityText,
  sweep,
  type ProcessIdentity,
  type ProcessPlatform,
} from "../processes/platform";
import { FrameLines } from "./frameLines";
import { parseFrame } from "./frames";
import { LineWriter } from "./lineWriter";
import { OutputTail } from "./outputTail";

export interface LaunchOptions {
  /** As given by the user; never resolved. */
  readonly python: string;
  /** Folder of the `rewardsmith_worker` package. */
  readonly workerPath: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly tmp: string;
  readonly packages: readonly string[];
  readonly platform: ProcessPlatform;
  readonly logger: Logger;
  readonly startTimeoutMs: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long a process that was asked to end may take before it is ended. */
const GRACE_MS = 1000;
/** How long frames may take to arrive after the process has ended: something of the user's may hold the pipe open. */
const DRAIN_MS = 250;

/**
 * One Python process and its streams: the only place that starts a worker, writes to it, or ends it. `ready` rejects
 * with PythonMissing, PythonTooOld, PythonFailed or ProtocolMismatch; `exited` always resolves.
 */
export class PythonProcess {
  /** Value of `REWARDSMITH_WORKER` in the environment of this process and all it starts. */
  readonly marker: string;
  readonly mode: "fork" | "spare";
  readonly ready: Promise<Ready>;
  readonly exited: Promise<Exit>;
  readonly errors = new OutputTail();

  readonly #options: LaunchOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #writer: LineWriter;
  readonly #frames = new Emitter<Frame>();
  readonly #lines: FrameLines;
  #settleReady: ((outcome: Ready | RewardsmithError) => void) | null = null;
  #alive = true;
  #warned = false;
  /** We asked it to end, or ended it. */
  #ordered = false;
  #identity: ProcessIdentity | null = null;
  readonly #ended = new Set<string>();

  constructor(options: LaunchOptions, mode: "fork" | "spare", marker: string, preload: readonly string[]) {
    this.#options = options;
    this.mode = mode;
    this.marker = marker;
    const token = randomBytes(16).toString("hex");
    this.#child = spawn(options.python, ["-X", "utf8", "-u", options.workerPath], {
      cwd: options.cwd,
      // Our guardian watches it: it needs no watcher of its own.
      env: { ...options.env, [MARKER]: marker, REWARDSMITH_TOKEN: token },
      shell: false,
      // Its own group on POSIX, so that the whole group can be ended.
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#writer = new LineWriter(this.#child.stdin);
    this.#lines = new FrameLines(token, (json) => this.#receive(json));
    this.#child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#child.stderr.on("data", (chunk: Buffer) => this.errors.push(chunk));

    const failedToStart = new Promise<Error>((resolve) => this.#child.once("error", resolve));
    this.exited = this.#waitForExit(failedToStart);
    this.ready = this.#waitUntilReady(failedToStart);
    // Whoever needs it awaits it; a process nobody waits for any more may fail in peace.
    this.ready.catch(() => undefined);

    this.send({
      t: "init",
      protocol: WORKER_PROTOCOL,
      mode,
      tmp: options.tmp,
      preload: [...preload],
      packages: [...options.packages],
    });
  }

  /** Undefined where it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Folder in which its jobs make their own. */
  get tmp(): string {
    return this.#options.tmp;
  }

  get alive(): boolean {
    return this.#alive;
  }

  readonly onFrame = this.#frames.event;

  /** Number and start time; null where it ended before we could ask. */
  async identity(): Promise<ProcessIdentity | null> {
    const { pid } = this.#child;
    if (pid === undefined || this.#identity) return this.#identity;
    const start = await this.#options.platform.startOf(pid);
    if (start !== null) this.#identity = { pid, start };
    return this.#identity;
  }

  send(message: Exclude<ToWorker, { t: "samples" }>): void {
    void this.#writer.write([JSON.stringify(message)]);
  }

  /** Lines that are JSON already; resolves when the last one has been handed to the pipe, or the process is gone. */
  sendLines(lines: Iterable<string>): Promise<void> {
    return this.#writer.write(lines);
  }

  /** Ends the process and all it started, at once. */
  async kill(): Promise<void> {
    const { platform } = this.#options;
    const { pid } = this.#child;
    this.#ordered = true;
    this.#writer.close();
    if (pid === undefined || !this.#alive) return;
    if (platform.listsQuickly) await this.#sweep();
    else await platform.endTree(pid);
  }

  /** Asks it to end (`kill`: ends it). Resolves with how many further processes of it had to be ended, when all are gone. */
  async end(how: "ask" | "kill"): Promise<number> {
    this.#ordered = true;
    if (how === "kill") await this.kill();
    else this.#child.stdin.end();
    if (!(await settlesWithin(this.exited, GRACE_MS))) {
      await this.kill();
      await settlesWithin(this.exited, GRACE_MS);
    }
    return this.leftBehind;
  }

  /** Further processes that were ended with or after it. */
  get leftBehind(): number {
    const own = this.#identity && identityText(this.#identity);
    return this.#ended.size - (own !== null && this.#ended.has(own) ? 1 : 0);
  }

  async #sweep(): Promise<void> {
    const own = await this.identity();
    await sweep(this.#options.platform, this.marker, own ? [own] : [], this.#ended);
  }

  #read(chunk: Buffer): void {
    this.#lines.push(chunk);
    if (this.#lines.garbageBytes > 0 && !this.#warned) {
      this.#warned = true;
      this.#options.logger.warn(
        `Python process ${this.pid ?? "?"}: user code wrote to the descriptor of the protocol; such lines are dropped`,
      );
    }
  }

  #receive(json: string): void {
    const parsed = parseFrame(json);
    if (!parsed.ok) {
      this.#options.logger.error(
        `Python process ${this.pid ?? "?"} sent a frame that can't be read: ${parsed.problem}`,
      );
      return;
    }
    const { frame } = parsed;
    if (frame.t === "ready") this.#settleReady?.(this.#judge(frame));
    else if (frame.t === "log") this.#options.logger[frame.level](`Python: ${frame.text}`);
    else this.#frames.fire(frame);
  }

  #judge(ready: Ready): Ready | RewardsmithError {
    const { python } = this.#options;
    if (isTooOld(ready.python.version)) return tooOld(python, ready.python.version);
    if (ready.protocol !== WORKER_PROTOCOL)
      return new RewardsmithError(
        "ProtocolMismatch",
        `the worker speaks version ${ready.protocol}, ${WORKER_PROTOCOL} is needed`,
        { path: python },
      );
    return ready;
  }

  #waitUntilReady(failedToStart: Promise<Error>): Promise<Ready> {
    const { python, startTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const settle = (outcome: Ready | RewardsmithError): void => {
        if (this.#settleReady === null) return;
        this.#settleReady = null;
        clearTimeout(timer);
        if (outcome instanceof RewardsmithError) {
          void this.end("kill");
          reject(outcome);
        } else resolve(outcome);
      };
      this.#settleReady = settle;
      const timer = setTimeout(() => {
        const why = `${python} did not answer within ${startTimeoutMs} ms`;
        settle(new RewardsmithError("PythonFailed", why, { path: python, stderr: this.errors.text() }));
      }, startTimeoutMs);
      void failedToStart.then((error) => settle(startFailure(python, error)));
      void this.exited.then(async (exit) => {
        if (this.#settleReady === null) return;
        if (this.#ordered) settle(new RewardsmithError("Disposed", "the worker has been stopped"));
        else settle(await this.#endedEarly(exit));
      });
    });
  }

  async #endedEarly({ code, signal }: Exit): Promise<RewardsmithError> {
    const { python } = this.#options;
    try {
      // An interpreter that is too old may not even understand our arguments.
      const { version } = await describeInterpreter(python);
      if (isTooOld(version)) return tooOld(python, version);
    } catch {
      // It can't say what it is either: the first failure is the one to show.
    }
    const how = signal === null ? `code ${code ?? "?"}` : signal;
    return new RewardsmithError("PythonFailed", `${python} ended with ${how} before it was ready`, {
      path: python,
      stderr: this.errors.text(),
    });
  }

  async #waitForExit(failedToStart: Promise<Error>): Promise<Exit> {
    const closed = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    const exit = await Promise.race([
      new Promise<Exit>((resolve) => this.#child.once("exit", (code, signal) => resolve({ code, signal }))),
      failedToStart.then((): Exit => ({ code: null, signal: null })),
    ]);
    const { platform } = this.#options;
    this.#alive = false;
    this.#writer.close();
    if (this.#child.pid !== undefined) {
      // Windows: no groups to end, and asking takes half a second that nobody should wait for.
      if (platform.listsQuickly) await this.#sweep();
      else void this.#sweep().catch(() => undefined);
      await settlesWithin(closed, DRAIN_MS);
    }
    return exit;
  }
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const done = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return done;
}
