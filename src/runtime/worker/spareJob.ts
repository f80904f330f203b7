import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { JobFrame } from "../../core/ports";
import type { Frame } from "../../protocol/worker.contract";
import type { EndFrame, Job } from "../../schema/worker";
import { errorText } from "../systemErrors";
import { endedHere, type CrewOptions } from "./crew";
import { findHang, outputOfLastUnit } from "./hang";
import type { Exit, PythonProcess } from "./pythonProcess";

/** Why we ended a job's process. */
type Cause = "cancelled" | "load-timeout" | "unit-timeout" | "memory";

/** A little more than the limit itself: shortly before it Python writes down where it stands. */
const SLACK_MS = 50;
/** How long a process may take to exit after it said that its job has ended. */
const FAREWELL_MS = 500;
const LONGEST_LINE = 500;

/** One job in a process of its own: hands out its frames, enforces its limits, ends its tree, says how it ended. */
export class SpareJob {
  readonly #process: PythonProcess;
  readonly #job: Job;
  readonly #onFrame: (frame: JobFrame) => void;
  readonly #options: CrewOptions;
  #loading = true;
  #loadFailed = false;
  #cause: Cause | null = null;
  #end: EndFrame | null = null;
  #heard = 0;
  /** Bytes that the process had written to standard error before the job. */
  readonly #from: number;
  #peakMb: number | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #settle: () => void = () => undefined;
  readonly ended: Promise<void>;

  constructor(process: PythonProcess, job: Job, onFrame: (frame: JobFrame) => void, options: CrewOptions) {
    this.#process = process;
    this.#job = job;
    this.#onFrame = onFrame;
    this.#options = options;
    this.#from = process.errors.total;
    this.ended = new Promise((resolve) => (this.#settle = resolve));
  }

  async run(signal: AbortSignal): Promise<EndFrame> {
    const process = this.#process;
    const cancel = (): void => this.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const listening = process.onFrame((frame) => this.#hear(frame));
    const memory = setInterval(() => void this.#watchMemory(), this.#options.platform.memoryIntervalMs);
    try {
      this.#rearm();
      process.send({ t: "run", job: this.#job });
      if (signal.aborted) cancel();
      const exit = await process.exited;
      if (!this.#end) void this.#removeFolder();
      return await this.#describe(exit, process.leftBehind);
    } finally {
      clearTimeout(this.#deadline);
      clearInterval(memory);
      listening.dispose();
      signal.removeEventListener("abort", cancel);
      this.#settle();
    }
  }

  cancel(): void {
    this.#stop("cancelled");
  }

  /** Python removes the job's folder itself unless it was ended. */
  async #removeFolder(): Promise<void> {
    const { pid, tmp } = this.#process;
    try {
      await rm(join(tmp, `pass-${this.#job.job}-${pid ?? 0}`), { recursive: true, force: true });
    } catch (error) {
      // The session's whole folder goes when the worker stops.
      this.#options.logger.debug(`temporary files of a pass are left: ${errorText(error)}`);
    }
  }

  #hear(frame: Frame): void {
    if (frame.t === "ready" || frame.t === "log" || frame.job !== this.#job.job) return;
    this.#heard += 1;
    if (frame.t === "end") {
      this.#end = frame;
      clearTimeout(this.#deadline);
      this.#deadline = setTimeout(() => void this.#process.kill(), FAREWELL_MS);
      return;
    }
    // Nothing is said after the order to end: the unit that ran into the limit has not ended.
    if (this.#cause !== null) return;
    if (frame.t === "loaded") this.#loading = false;
    if (frame.t === "loadFailed") this.#loadFailed = true;
    this.#rearm();
    this.#onFrame(frame);
  }

  #rearm(): void {
    const { limits, calls } = this.#job;
    const seconds = this.#loading ? limits.loadSeconds : limits.unitSeconds * calls;
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#due(), seconds * 1000 + SLACK_MS);
  }

  /** Frames may have come while this process was busy: they are heard first. */
  #due(): void {
    const heard = this.#heard;
    setImmediate(() =>
      setImmediate(() => {
        if (this.#heard === heard) this.#stop(this.#loading ? "load-timeout" : "unit-timeout");
      }),
    );
  }

  async #watchMemory(): Promise<void> {
    const { pid } = this.#process;
    if (pid === undefined || !this.#process.alive || this.#cause !== null) return;
    const used = await this.#options.platform.treeMb(pid).catch(() => null);
    if (used === null) return;
    this.#peakMb = Math.max(this.#peakMb ?? 0, used);
    if (used > this.#job.limits.memoryMb) this.#stop("memory");
  }

  #stop(cause: Cause): void {
    if (this.#cause !== null || this.#end !== null) return;
    this.#cause = cause;
    clearTimeout(this.#deadline);
    void this.#process.kill();
  }

  async #describe({ code, signal }: Exit, killed: number): Promise<EndFrame> {
    const peakMb = this.#peakMb === null ? null : Math.round(this.#peakMb * 10) / 10;
    if (this.#end)
      return { ...this.#end, killed: this.#end.killed + killed, peakMb: this.#end.peakMb ?? peakMb };

    const stderr = this.#process.errors.text(this.#from);
    const reason = this.#cause ?? (signal !== null ? "signal" : this.#loadFailed ? "load-failed" : "exit");
    const place =
      reason === "unit-timeout" || reason === "load-timeout" || reason === "signal"
        ? findHang(stderr, this.#job.path)
        : null;
    return endedHere(this.#job.job, reason, {
      ...(this.#cause === null ? { exitCode: code, signal } : {}),
      hangLine: place?.line ?? null,
      hangText: place && (await this.#lineText(place.line)),
      output: outputOfLastUnit(stderr).slice(0, this.#job.limits.outputBytes),
      killed,
      peakMb,
    });
  }

  async #lineText(line: number): Promise<string | null> {
    const { path, overlays } = this.#job;
    try {
      const text = overlays[path] ?? (await readFile(path, "utf8"));
      const lines = text.split(/\r\n|\r|\n/);
      return lines[line - 1]?.trim().slice(0, LONGEST_LINE) ?? null;
    } catch {
      return null;
    }
  }
}
