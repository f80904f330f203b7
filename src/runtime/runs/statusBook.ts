import { readFile } from "node:fs/promises";
import { mayFollow, isOver, type RunEnd } from "../../core/runs/stateMachine";
import type { Hide } from "../../core/runs/secrets";
import { RUN_SCHEMA, type RunEvent, type RunState, RunStatus } from "../../schema/run";
import { writeFileAtomically } from "../atomicFile";
import { errorText } from "../systemErrors";
import { AppendFile, isDiskFull } from "./appendFile";
import { paths } from "./layout";

/** Injected, so that tests can make the wall clock jump. */
export interface RunClock {
  /** Milliseconds since the epoch; may jump. Only for people. */
  wall(): number;
  /** Milliseconds, never going back. */
  monotonic(): number;
}

export const systemRunClock: RunClock = { wall: () => Date.now(), monotonic: () => performance.now() };

export function firstStatus(at: number, steps: number | null): RunStatus {
  return {
    schema: RUN_SCHEMA,
    state: "created",
    reason: null,
    exit: null,
    supervisor: null,
    job: null,
    heartbeat: at,
    started: null,
    ended: null,
    elapsedS: 0,
    step: null,
    steps,
    checkpoints: [],
    problems: [],
  };
}

/** Null: there is none yet, or it can't be read as one. */
export async function readStatus(folder: string): Promise<RunStatus | null> {
  try {
    return RunStatus.parse(JSON.parse(await readFile(paths.status(folder), "utf8")));
  } catch {
    return null;
  }
}

type ProblemCode = RunStatus["problems"][number]["code"];

const HEARTBEAT_MS = 5000;
const MOST_PROBLEMS = 20;

/** `status.json` and `events.jsonl` of one run, in the hands of the one process that may write them. */
export class StatusBook {
  readonly folder: string;
  readonly #clock: RunClock;
  readonly #hide: Hide;
  readonly #events: AppendFile;
  #status: RunStatus;
  #dirty = true;
  #written = Number.NEGATIVE_INFINITY;
  #full = false;

  constructor(folder: string, status: RunStatus, clock: RunClock, hide: Hide) {
    this.folder = folder;
    this.#status = status;
    this.#clock = clock;
    this.#hide = hide;
    this.#events = new AppendFile(paths.events(folder), (bytes) =>
      line({
        at: clock.wall(),
        kind: "problem",
        text: `${bytes} bytes of events are missing here: the disk was full`,
      }),
    );
  }

  get status(): RunStatus {
    return this.#status;
  }

  update(change: Partial<RunStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#dirty = true;
  }

  /** Throws where the state machine doesn't allow it: a defect of ours, never of a job. */
  enter(state: RunState, change: Partial<RunStatus> = {}): void {
    const from = this.#status.state;
    if (from === state) return this.update(change);
    if (!mayFollow(from, state)) throw new Error(`a run that is ${from} can't become ${state}`);
    this.update({ ...change, state });
    this.event({ kind: "state", state });
  }

  end({ state, reason, exit }: RunEnd, elapsedS: number): void {
    const hidden = reason && { ...reason, text: reason.text && this.#hide(reason.text).slice(0, 4000) };
    this.enter(state, { reason: hidden, exit, ended: this.#clock.wall(), elapsedS });
  }

  event(event: Omit<RunEvent, "at">): void {
    const text = event.text === undefined ? {} : { text: this.#hide(event.text).slice(0, 4000) };
    this.#events.add(line({ at: this.#clock.wall(), ...event, ...text }));
    this.#dirty = true;
  }

  /** Once for each code and text. */
  problem(code: ProblemCode, text: string): void {
    const hidden = this.#hide(text).slice(0, 1000);
    const { problems } = this.#status;
    if (problems.length >= MOST_PROBLEMS || problems.some((one) => one.code === code && one.text === hidden))
      return;
    this.update({ problems: [...problems, { code, text: hidden }] });
    this.event({ kind: "problem", text: `${code}: ${hidden}` });
  }

  get diskWasFull(): boolean {
    return this.#status.problems.some(({ code }) => code === "disk-full");
  }

  /** Writes what is new, and a sign of life now and then. False: it couldn't be written now and has to be tried again. */
  async flush(elapsedS: number): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (!this.#dirty && now - this.#written < HEARTBEAT_MS) return true;
    const over = isOver(this.#status.state);
    const status = over
      ? this.#status
      : { ...this.#status, elapsedS: Math.max(0, elapsedS), heartbeat: this.#clock.wall() };
    this.#status = status;
    try {
      if (!(await this.#events.flush())) return this.#noRoom("events.jsonl");
      // Set before the write: what changes during it is written next time.
      this.#dirty = false;
      await writeFileAtomically(paths.status(this.folder), `${JSON.stringify(status, null, 1)}\n`);
      this.#written = now;
      this.#full = false;
      return true;
    } catch (error) {
      this.#dirty = true;
      if (isDiskFull(error)) return this.#noRoom("status.json");
      this.problem("not-written", errorText(error));
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#events.close();
  }

  #noRoom(what: string): false {
    if (!this.#full) this.problem("disk-full", what);
    this.#full = true;
    this.#dirty = true;
    return false;
  }
}

function line(event: RunEvent): string {
  return `${JSON.stringify(event)}\n`;
}
