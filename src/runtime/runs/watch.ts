import type { ChildProcess } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { hider } from "../../core/runs/secrets";
import {
  endOf,
  isOver,
  notStarted,
  stoppedUnseen,
  unseenEnd,
  type RunEnd,
} from "../../core/runs/stateMachine";
import type { TelemetryReader } from "../../core/runs/telemetry";
import { type ProcessMark, RunRecord } from "../../schema/run";
import type { ProcessPlatform } from "../processes/platform";
import { errorText } from "../systemErrors";
import { takeRequests } from "./control";
import { JobProcesses, pause, stopJob } from "./endJob";
import { Followers } from "./followers";
import { type ExitFile, KeeperLine, readExitFile, readJobFile } from "./keeperFiles";
import { paths } from "./layout";
import { takeLock } from "./lock";
import { bootId, isAlive, ownMark, variableOf } from "./marks";
import { type RunClock, StatusBook, firstStatus, readStatus } from "./statusBook";
import { tailOf } from "./tail";

const TICK_MS = 200;
const LOOK_EVERY_MS = 5000;
/** What the job leaves running has this long to end by itself: after a good end longer, uploads may be under way. */
const LEFTOVERS_MS = { finished: 10_000, other: 1000 } as const;
/** For the keeper to write the last lines; on a full disk it goes on without us. */
const KEEPER_MS = 5000;
const FULL_DISK_RETRY_MS = 1000;

export interface WatchOptions {
  readonly folder: string;
  readonly platform: ProcessPlatform;
  readonly readers: readonly TelemetryReader[];
  readonly clock: RunClock;
  /** Environment with the values of the run's secrets. */
  readonly env: NodeJS.ProcessEnv;
  /** Starts the job's parent; `env` goes on top of ours. */
  keeper(mode: "keep" | "keep-on", env: NodeJS.ProcessEnv): ChildProcess;
}

/** `left`: another supervisor has it, or it is over. `done`: the run's end is on the disk. */
export type WatchResult = "left" | "done";

/** Starts a run's job, or takes over one whose supervisor is gone, and stays with it to its end. */
export async function watchRun(options: WatchOptions, mode: "start" | "adopt"): Promise<WatchResult> {
  const { folder, platform } = options;
  const mark = await ownMark(platform);
  const lock = await takeLock(folder, mark, (other) => isAlive(other, platform));
  if (!lock.held) return "left";
  const record = RunRecord.parse(JSON.parse(await readFile(paths.record(folder), "utf8")));
  const before = await readStatus(folder);
  if (before && isOver(before.state)) return "left";
  // Somebody else started it before and is gone: what is there is taken over, nothing is started twice.
  const fresh = mode === "start" && lock.generation === 1;
  const watch = new Watch(
    options,
    record,
    mark,
    before ?? firstStatus(options.clock.wall(), record.settings.steps ?? null),
  );
  return fresh ? watch.start() : watch.adopt();
}

class Watch {
  readonly #options: WatchOptions;
  readonly #record: RunRecord;
  readonly #mark: ProcessMark;
  readonly #book: StatusBook;
  readonly #followers: Followers;
  readonly #elapsedBefore: number;
  readonly #since: number;
  readonly #hurry = new AbortController();
  #job: JobProcesses | null = null;
  #keeper: ChildProcess | null = null;
  #stopping: Promise<{ readonly forced: boolean }> | null = null;
  #exit: ExitFile | null = null;
  #failure: RunEnd | null = null;
  #lastLook = Number.NEGATIVE_INFINITY;
  /** Secrets of the run whose values can't be had here, so that they can't be hidden either. */
  readonly #unknown: readonly string[];
  /** The supervisor before us was stopping it, and may have sent its signals. */
  #askedBefore = false;

  constructor(options: WatchOptions, record: RunRecord, mark: ProcessMark, status: StatusBook["status"]) {
    this.#options = options;
    this.#record = record;
    this.#mark = mark;
    const secrets = this.#secretsOf(status.job);
    this.#unknown = (record.command?.secrets ?? []).filter((name) => secrets[name] === undefined);
    const hide = hider(Object.values(secrets).filter((value) => value !== undefined));
    this.#book = new StatusBook(options.folder, status, options.clock, hide);
    this.#followers = new Followers(options.folder, record, options.readers, options.clock, this.#book, hide);
    this.#elapsedBefore = status.elapsedS;
    this.#since = options.clock.monotonic();
  }

  async start(): Promise<WatchResult> {
    const { folder, clock } = this.#options;
    await mkdir(paths.control(folder), { recursive: true });
    this.#book.enter("starting", { supervisor: this.#mark, started: clock.wall() });
    await this.#book.flush(0);
    this.#startKeeper("keep");
    return this.#stay();
  }

  async adopt(): Promise<WatchResult> {
    const { folder, platform } = this.#options;
    const { status } = this.#book;
    if (status.state === "created") this.#book.enter("starting");
    this.#book.update({ supervisor: this.#mark });
    const job = await this.#findJob();
    await this.#followers.resume();
    if (!job) return this.#finish(unseenEnd((status.job ?? status.supervisor)?.boot ?? "", bootId()));
    this.#job = new JobProcesses(platform, job);
    this.#exit = readExitFile(folder);
    if (!(await isAlive(job, platform)) && !this.#exit) {
      await this.#job.end();
      return this.#finish(unseenEnd(job.boot, bootId()));
    }
    if (this.#book.status.state === "starting") this.#book.enter("running", { job });
    this.#book.update({ job });
    this.#book.event({ kind: "adopted" });
    this.#askedBefore = this.#book.status.state === "stopping";
    if (this.#askedBefore) this.#stop(false);
    return this.#stay();
  }

  /** Of `process/job.json`; its keeper may be between starting the job and noting it. */
  async #findJob(): Promise<ProcessMark | null> {
    const { folder, platform } = this.#options;
    for (let again = 0; again < 10; again++) {
      const file = await readJobFile(folder);
      if (file?.mark) return file.mark;
      if (this.#book.status.job) return this.#book.status.job;
      const table = file ? await platform.list() : [];
      const leader = table.find(({ pid, group, marker }) => marker === file?.token && group === pid);
      if (file && leader) return { pid: leader.pid, start: leader.start, boot: bootId(), token: file.token };
      await pause(100);
    }
    return null;
  }

  async #stay(): Promise<WatchResult> {
    for (;;) {
      const end = await this.#endIfOver();
      if (end) return this.#finish(end);
      await this.#requests();
      if (this.#unknown.length === 0) await this.#followers.follow();
      await this.#look();
      await this.#book.flush(this.#elapsed());
      await pause(TICK_MS);
    }
  }

  async #endIfOver(): Promise<RunEnd | null> {
    if (this.#failure) return this.#failure;
    const stopped = this.#stopping && (this.#exit ?? (await this.#gone())) ? await this.#stopping : null;
    const exit = this.#exit ?? (await this.#gone());
    if (!exit) return null;
    const asked = stopped !== null || this.#askedBefore;
    const forced = stopped?.forced ?? false;
    await this.#clearAway(exit !== "unseen" && exit.code === 0 && !asked);
    if (exit === "unseen")
      return asked ? stoppedUnseen(forced) : unseenEnd(this.#book.status.job?.boot ?? "", bootId());
    await this.#keeperDone();
    return endOf({
      code: exit.code,
      signal: exit.signal,
      memoryKill: exit.memoryKill,
      asked,
      forced,
      tail: await tailOf(paths.console(this.#options.folder)),
      diskWasFull: this.#book.diskWasFull,
    });
  }

  /** The job is gone, and its parent told us nothing: it noted the end on disk, or is gone itself. */
  async #gone(): Promise<ExitFile | "unseen" | null> {
    const { folder, platform } = this.#options;
    const { job } = this.#book.status;
    if (!job || (await isAlive(job, platform))) return null;
    // A parent that is alive is about to note it.
    for (let again = 0; again < 20; again++) {
      const exit = this.#exit ?? readExitFile(folder);
      if (exit) return exit;
      const parent = (await readJobFile(folder))?.keeper;
      if (!parent || !(await isAlive(parent, platform))) break;
      await pause(100);
    }
    return this.#exit ?? readExitFile(folder) ?? "unseen";
  }

  async #clearAway(finished: boolean): Promise<void> {
    if (!this.#job) return;
    const never = new AbortController().signal;
    const gone = await this.#job.goneWithin(finished ? LEFTOVERS_MS.finished : LEFTOVERS_MS.other, never);
    if (gone) return;
    await this.#job.signal("SIGTERM", true);
    if (await this.#job.goneWithin(LEFTOVERS_MS.other, never)) return;
    const ended = await this.#job.end();
    this.#book.event({ kind: "note", text: `The job left ${ended} processes running; they were ended.` });
  }

  async #finish(end: RunEnd): Promise<WatchResult> {
    if (this.#unknown.length === 0) await this.#followers.end();
    this.#book.end(end, this.#elapsed());
    // On a full disk the run's end is told as soon as there is room.
    while (!(await this.#book.flush(this.#elapsed()))) await pause(FULL_DISK_RETRY_MS);
    await this.#book.close();
    return "done";
  }

  async #requests(): Promise<void> {
    for (const request of await takeRequests(this.#options.folder)) {
      this.#book.event({ kind: "stop-asked", text: `${request.kind} (${request.by})` });
      this.#stop(request.kind === "kill");
    }
  }

  #stop(now: boolean): void {
    if (now) this.#hurry.abort();
    // Asked before there was a job: the next round, when there is one.
    if (!this.#job) {
      this.#book.enter("stopping");
      return;
    }
    if (this.#stopping || this.#exit) return;
    this.#book.enter("stopping");
    this.#stopping = stopJob(this.#job, this.#options.platform.name, this.#hurry.signal);
  }

  /** Members are remembered while they can still be told; a lost keeper is replaced. */
  async #look(): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (!this.#job || now - this.#lastLook < LOOK_EVERY_MS) return;
    this.#lastLook = now;
    await this.#job.look();
    if (this.#keeper) return;
    const file = await readJobFile(this.#options.folder);
    if (!file?.pipe || (await isAlive(file.keeper, this.#options.platform))) return;
    if (this.#unknown.length === 0) {
      this.#startKeeper("keep-on");
      return;
    }
    // What can't be hidden isn't written: the job waits at a full pipe until somebody looks who has the values.
    this.#book.problem(
      "not-written",
      `console.log: the values of ${this.#unknown.join(", ")} aren't known here, and without them they can't be hidden. Open the run where they are set.`,
    );
  }

  #startKeeper(mode: "keep" | "keep-on"): void {
    const keeper = this.#options.keeper(mode, this.#secretsOf(this.#book.status.job));
    this.#keeper = keeper;
    let told = false;
    let stderr = "";
    if (keeper.stdout)
      createInterface({ input: keeper.stdout }).on("line", (text) => {
        const line = parseLine(text);
        if (!line) return;
        told = true;
        this.#hear(line);
      });
    keeper.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-4000)));
    keeper.once("error", (error) => {
      stderr += errorText(error);
    });
    keeper.once("close", () => {
      this.#keeper = null;
      this.#lastLook = Number.NEGATIVE_INFINITY;
      if (!told && mode === "keep" && !this.#job) this.#failure ??= notStarted(null, stderr.trim());
    });
  }

  #hear(line: KeeperLine): void {
    switch (line.kind) {
      case "failed":
        if (!this.#job) this.#failure = notStarted(line.code, line.text);
        return;
      case "started": {
        const asked = this.#book.status.state === "stopping";
        this.#job = new JobProcesses(this.#options.platform, line.mark);
        if (asked) {
          this.#book.update({ job: line.mark });
          this.#stop(false);
        } else this.#book.enter("running", { job: line.mark });
        return;
      }
      case "exited":
        this.#exit = line.exit;
        return;
      case "output":
        if (line.problem) this.#book.problem(line.problem, `console.log ${line.text}`.trim());
    }
  }

  async #keeperDone(): Promise<void> {
    const until = performance.now() + KEEPER_MS;
    while (performance.now() < until) {
      const parent = (await readJobFile(this.#options.folder))?.keeper;
      if (!this.#keeper && !(parent && (await isAlive(parent, this.#options.platform)))) return;
      await pause(50);
    }
  }

  #elapsed(): number {
    return this.#elapsedBefore + (this.#options.clock.monotonic() - this.#since) / 1000;
  }

  /** Of our own environment; an adopter that was started without them finds them in the job's. */
  #secretsOf(job: ProcessMark | null): NodeJS.ProcessEnv {
    const names = this.#record.command?.secrets ?? [];
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = this.#options.env[name] ?? (job ? (variableOf(job.pid, name) ?? undefined) : undefined);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }
}

function parseLine(text: string): KeeperLine | null {
  try {
    return KeeperLine.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
