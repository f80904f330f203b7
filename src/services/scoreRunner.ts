import type { ErrorCode } from "../base/errors";
import type { Clock, JobFrame, WorkerPort } from "../core/ports";
import type { FunctionOutcome, RowOutcome } from "../core/scoring/outcome";
import type { Reason, ReasonCode, ScoreState } from "../schema/score";
import type { EndFrame, Job, LoadedFrame, LoadFailedFrame, UnitFrame } from "../schema/worker";
import { readUnit, stateOfFailure } from "./unitFrame";

/** What one pass is to do: some functions of one file over some rows of one set. */
export interface PassRequest {
  readonly target: Pick<Job, "path" | "module" | "roots" | "overlays">;
  readonly functions: readonly Job["functions"][number][];
  /** Known to the worker already (`WorkerPort.load`). */
  readonly set: string;
  /** Rows in the set; outcomes are arrays of this length. */
  readonly n: number;
  /** Rows of each call, as the trainer would make them. */
  readonly batches: readonly (readonly number[])[];
  readonly limits: Job["limits"];
  readonly guarded: boolean;
  readonly seed: number;
  readonly calls: 1 | 2;
  readonly trace: Job["trace"];
  /**
   * After this many calls in a row that ended their process (hang, crash, memory) the function's other rows are
   * cancelled with `pass-timeout`: a reward that hangs everywhere must not cost rows × timeout while somebody
   * types. Null = never (the user asked, sees progress and may cancel).
   */
  readonly patience: number | null;
  /** Rows of a call that ended its process are called one by one afterwards, to find out which of them did it. */
  readonly searches: boolean;
}

/** A whole call that failed, though its rows may have been recovered one by one. */
export interface BatchFailure {
  readonly rows: readonly number[];
  readonly state: ScoreState;
  readonly reason: Reason;
}

export interface PassFunction extends FunctionOutcome {
  readonly rows: (RowOutcome | undefined)[];
  readonly failures: BatchFailure[];
  /** Global state that the function changed: `random`, `numpy.random`, `torch`. */
  readonly changed: Set<string>;
  /** Rows whose second call in the same process gave something else → what it gave. */
  readonly again: Map<number, number | null>;
  /** Rows that a second call was made for. */
  calledTwice: number;
  /** With `trace`: row → 1-based lines of the file that ran. */
  readonly lines: Map<number, readonly number[]>;
  /** With `trace`: the pinned row's way through the file. */
  steps: NonNullable<UnitFrame["steps"]> | null;
}

/** Why the present text can't be scored at all. */
export interface LoadFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** The module that isn't installed. */
  readonly name: string | null;
  readonly traceback: string | null;
  readonly output: string;
}

export interface PassResult {
  readonly functions: PassFunction[];
  readonly loaded: LoadedFrame | null;
  readonly failure: LoadFailure | null;
  /** Ended by the signal; rows not reached are `cancelled`. */
  readonly cancelled: boolean;
  readonly ms: number;
  /** Until the module had been loaded by the first job, its waiting included. */
  readonly queuedMs: number;
  readonly jobs: number;
  /** Processes that the jobs left behind and that were ended. */
  readonly killed: number;
}

export interface PassOptions {
  readonly signal?: AbortSignal;
  /** After each unit: rows settled so far and rows to settle, over all functions. */
  readonly onProgress?: (functions: readonly PassFunction[], done: number, total: number) => void;
}

/** A stretch of work of one job: functions by index, over batches. */
interface Segment {
  readonly functions: readonly number[];
  readonly batches: readonly (readonly number[])[];
  readonly isolated: boolean;
}

/** What a job has said so far; units are numbered function-major. */
interface Seen {
  next: number;
  announced: number | null;
  loaded: boolean;
  loadFailed: LoadFailedFrame | null;
}

/** Errors of the returned whole: every row of the call has them, alone too, so nothing is scored one by one. */
const WHOLE_RETURN: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "signature",
  "wrong-count",
  "not-a-list",
  "coroutine",
  "no-tokens",
]);

/**
 * Runs a pass to its end. Never rejects for what user code does: that is in the rows' states or in `failure`;
 * rejects only where no worker can be had (`PythonMissing` and its kin).
 */
export async function runPass(
  port: Pick<WorkerPort, "run">,
  clock: Pick<Clock, "now">,
  request: PassRequest,
  options: PassOptions = {},
): Promise<PassResult> {
  return new Pass(port, clock, request, options).run();
}

class Pass {
  readonly #port: Pick<WorkerPort, "run">;
  readonly #clock: Pick<Clock, "now">;
  readonly #request: PassRequest;
  readonly #options: PassOptions;
  readonly #functions: PassFunction[];
  readonly #suspects: number[][];
  /** Calls in a row that ended their process, per function. */
  readonly #strikes: number[];
  readonly #started: number;
  readonly #total: number;
  #done = 0;
  #loaded: LoadedFrame | null = null;
  #failure: LoadFailure | null = null;
  #queuedMs = 0;
  #jobs = 0;
  #killed = 0;

  constructor(
    port: Pick<WorkerPort, "run">,
    clock: Pick<Clock, "now">,
    request: PassRequest,
    options: PassOptions,
  ) {
    this.#port = port;
    this.#clock = clock;
    this.#request = request;
    this.#options = options;
    this.#started = clock.now();
    this.#functions = request.functions.map(({ name }) => emptyFunction(name, request.n));
    this.#suspects = request.functions.map(() => []);
    this.#strikes = request.functions.map(() => 0);
    this.#total = request.functions.length * request.batches.reduce((sum, rows) => sum + rows.length, 0);
  }

  async run(): Promise<PassResult> {
    const all = this.#functions.map((_, index) => index);
    // A traced pass is made of batches of one already; announcing them says which one hung.
    const isolated = this.#request.trace !== null;
    await this.#work([{ functions: all, batches: this.#request.batches, isolated }]);
    if (!this.#failure) {
      // A job over several functions would repeat every batch for each of them, so isolation goes by function.
      for (const fn of all) {
        const rows = this.#suspects[fn] ?? [];
        if (rows.length === 0) continue;
        this.#strikes[fn] = 0;
        await this.#work([{ functions: [fn], batches: rows.map((row) => [row]), isolated: true }]);
      }
    }
    const cancelled = this.#options.signal?.aborted === true;
    if (!this.#failure) this.#settleRest(cancelled);
    return {
      functions: this.#functions,
      loaded: this.#loaded,
      failure: this.#failure,
      cancelled,
      ms: this.#clock.now() - this.#started,
      queuedMs: this.#queuedMs,
      jobs: this.#jobs,
      killed: this.#killed,
    };
  }

  async #work(segments: Segment[]): Promise<void> {
    for (let segment = segments.shift(); segment; segment = segments.shift()) {
      if (this.#options.signal?.aborted || this.#failure) return;
      segments.unshift(...(await this.#job(segment)));
    }
  }

  /** Runs one job and returns what is left to do of its segment. */
  async #job(segment: Segment): Promise<Segment[]> {
    const { functions, batches, isolated } = segment;
    const size = batches.length;
    const seen: Seen = { next: 0, announced: null, loaded: false, loadFailed: null };

    const onFrame = (frame: JobFrame): void => {
      switch (frame.t) {
        case "loaded":
          seen.loaded = true;
          if (!this.#loaded) {
            this.#loaded = frame;
            this.#queuedMs = this.#clock.now() - this.#started;
          }
          return;
        case "loadFailed":
          seen.loadFailed = frame;
          return;
        case "start":
          seen.announced = frame.fn * size + frame.batch;
          return;
        case "unit": {
          seen.next = frame.fn * size + frame.batch + 1;
          seen.announced = null;
          const fn = functions[frame.fn];
          const rows = batches[frame.batch];
          if (fn !== undefined && rows) this.#unit(fn, rows, frame, isolated);
          return;
        }
      }
    };

    this.#jobs += 1;
    const end = await this.#port.run(this.#makeJob(segment), onFrame, this.#options.signal);
    this.#killed += end.killed;
    if (end.reason === "done" || end.reason === "cancelled" || this.#options.signal?.aborted) return [];
    if (!seen.loaded) {
      if (this.#loaded) this.#failRest(segment, seen.loadFailed, end);
      else this.#failure = loadFailure(seen.loadFailed, end, this.#request.target.path);
      return [];
    }
    const culprit = seen.announced ?? seen.next;
    // The process ended after its last answer: nothing is missing, so nobody is to blame.
    if (culprit >= functions.length * size) return [];
    return this.#lost(segment, culprit, end);
  }

  /** A call ended its process: its rows are suspects (or, alone, guilty); the calls behind it go into a further job. */
  #lost(segment: Segment, culprit: number, end: EndFrame): Segment[] {
    const { functions, batches, isolated } = segment;
    const position = Math.floor(culprit / batches.length);
    const batch = culprit % batches.length;
    const fn = functions[position];
    const rows = batches[batch];
    if (fn === undefined || !rows) return [];

    const { state, reason } = fateOfProcess(end, this.#request.limits);
    if (rows.length > 1) this.#functions[fn]?.failures.push({ rows, state, reason });
    if (rows.length === 1)
      this.#settle(fn, rows, {
        state,
        value: null,
        recovered: false,
        reason,
        output: end.output || null,
        ms: 0,
      });
    else if (this.#request.searches) this.#suspects[fn]?.push(...rows);

    const strikes = (this.#strikes[fn] ?? 0) + 1;
    this.#strikes[fn] = strikes;
    const { patience } = this.#request;
    const spent = patience !== null && strikes >= patience;
    const rest: Segment[] = [];
    if (!spent && batch + 1 < batches.length)
      rest.push({ functions: [fn], batches: batches.slice(batch + 1), isolated });
    if (position + 1 < functions.length)
      rest.push({ functions: functions.slice(position + 1), batches, isolated });
    return rest;
  }

  #unit(fn: number, rows: readonly number[], frame: UnitFrame, isolated: boolean): void {
    const target = this.#functions[fn];
    const plan = this.#request.functions[fn]?.plan;
    if (!target || !plan) return;
    this.#strikes[fn] = 0;
    for (const name of frame.changed ?? []) target.changed.add(name);
    if (frame.steps) target.steps = frame.steps;
    const only = rows[0];
    if (frame.lines && only !== undefined) target.lines.set(only, frame.lines);
    const { failed } = frame;
    if (failed && rows.length > 1) {
      target.failures.push({ rows, state: stateOfFailure(failed.code), reason: failed });
      // One function call a sample has no batch to fail; a whole-return error would come again for each row.
      if (plan.unit === "batch" && !WHOLE_RETURN.has(failed.code)) {
        this.#suspects[fn]?.push(...rows);
        return;
      }
    }
    const recovered =
      (isolated && this.#request.trace === null && plan.unit === "batch") || frame.spoiled === true;
    const outcomes = readUnit(rows, frame, recovered);
    outcomes.forEach((outcome, index) => this.#put(target, rows[index], outcome));
    if (this.#request.calls === 2) {
      target.calledTwice += rows.length;
      for (const [index, row] of rows.entries()) {
        const second = outcomes[index]?.again;
        if (second !== undefined) target.again.set(row, second);
      }
    }
    this.#progress(rows.length);
  }

  #put(target: PassFunction, row: number | undefined, outcome: RowOutcome): void {
    if (row !== undefined) target.rows[row] = outcome;
  }

  #settle(fn: number, rows: readonly number[], outcome: RowOutcome): void {
    const target = this.#functions[fn];
    if (!target) return;
    for (const row of rows) this.#put(target, row, outcome);
    this.#progress(rows.length);
  }

  #progress(rows: number): void {
    this.#done += rows;
    this.#options.onProgress?.(this.#functions, this.#done, this.#total);
  }

  /** The module loaded before and now doesn't: the rows that were still to come have crashed with it. */
  #failRest(segment: Segment, frame: LoadFailedFrame | null, end: EndFrame): void {
    const failure = loadFailure(frame, end, this.#request.target.path);
    const reason: Reason = {
      code: "module",
      text: failure.message,
      ...(failure.line ? { line: failure.line } : {}),
    };
    const outcome: RowOutcome = {
      state: "crashed",
      value: null,
      recovered: false,
      reason,
      output: failure.output || null,
      ms: 0,
    };
    for (const fn of segment.functions) for (const rows of segment.batches) this.#settle(fn, rows, outcome);
  }

  #settleRest(cancelled: boolean): void {
    const reason: Reason = { code: cancelled ? "user-cancelled" : "pass-timeout" };
    const outcome: RowOutcome = {
      state: "cancelled",
      value: null,
      recovered: false,
      reason,
      output: null,
      ms: 0,
    };
    for (const target of this.#functions)
      for (const rows of this.#request.batches) for (const row of rows) target.rows[row] ??= outcome;
  }

  #makeJob({ functions, batches, isolated }: Segment): Omit<Job, "job"> {
    const { target, set, limits, guarded, seed, calls, trace } = this.#request;
    return {
      ...target,
      functions: functions.flatMap((index) => this.#request.functions[index] ?? []),
      set,
      batches: batches.map((rows) => [...rows]),
      isolated,
      limits,
      guarded,
      seed,
      calls,
      trace,
    };
  }
}

function emptyFunction(name: string, n: number): PassFunction {
  return {
    name,
    rows: new Array<RowOutcome | undefined>(n).fill(undefined),
    failures: [],
    changed: new Set(),
    again: new Map(),
    calledTwice: 0,
    lines: new Map(),
    steps: null,
  };
}

/** State and reason of a call that took its process with it. */
function fateOfProcess(end: EndFrame, limits: Job["limits"]): { state: ScoreState; reason: Reason } {
  const where: Partial<Reason> = {
    ...(end.hangLine === null ? {} : { line: end.hangLine }),
    ...(end.hangText === null ? {} : { text: end.hangText.slice(0, 4000) }),
  };
  switch (end.reason) {
    case "unit-timeout":
    case "load-timeout":
      return {
        state: "timed-out",
        reason: { code: "row-timeout", expected: Math.ceil(limits.unitSeconds), ...where },
      };
    case "memory":
      return { state: "crashed", reason: { code: "memory", expected: limits.memoryMb, ...where } };
    case "signal":
      return { state: "crashed", reason: { code: "signal", ...where, text: end.signal ?? "unknown signal" } };
    case "exit":
    case "done":
    case "cancelled":
    case "load-failed":
      return {
        state: "crashed",
        reason: { code: "exit", ...where, text: exitWords(end) },
      };
  }
}

function loadFailure(frame: LoadFailedFrame | null, end: EndFrame, path: string): LoadFailure {
  if (frame) {
    return {
      code: loadCode(frame),
      message: frame.kind === "missing-file" ? frame.message : `${frame.type}: ${frame.message}`,
      path: frame.path,
      line: frame.line,
      column: frame.column,
      name: frame.module,
      traceback: frame.traceback,
      output: frame.output,
    };
  }
  const timedOut = end.reason === "load-timeout" || end.reason === "unit-timeout";
  return {
    code: timedOut ? "TimedOut" : "ModuleFailed",
    message: loadEndWords(end, timedOut),
    path,
    line: end.hangLine,
    column: null,
    name: null,
    traceback: null,
    output: end.output,
  };
}

function loadCode(frame: LoadFailedFrame): ErrorCode {
  switch (frame.kind) {
    case "syntax":
      return "SyntaxError";
    case "import":
      return frame.module === null ? "ImportFailed" : "ModuleMissing";
    case "exception":
      return "ModuleFailed";
    case "missing-file":
      return "FileMissing";
  }
}

function loadEndWords(end: EndFrame, timedOut: boolean): string {
  if (timedOut) return "loading the module took too long and was ended";
  if (end.reason === "exit" && end.exitCode !== null && WORKER_EXITS.has(end.exitCode))
    return `the module couldn't be loaded: ${exitWords(end)}`;
  return `loading the module ended its process: ${processWords(end)}`;
}

function processWords(end: EndFrame): string {
  if (end.reason === "memory") return "it used more memory than allowed";
  if (end.signal !== null) return `killed by ${end.signal}`;
  return exitWords(end);
}

/** Exit codes of the worker's own (`rewardsmith_worker.child`), which tell more than a number would. */
const WORKER_EXITS: ReadonlyMap<number, string> = new Map([
  [113, "the code closed or replaced the descriptor that its scores are sent through"],
  [114, "Rewardsmith's own worker failed"],
]);
const TAIL_LINES = 3;

function exitWords(end: EndFrame): string {
  const code = `exit code ${end.exitCode ?? "unknown"}`;
  const words = end.exitCode === null ? undefined : WORKER_EXITS.get(end.exitCode);
  if (words === undefined) return code;
  const tail = end.output
    .trim()
    .split(/\s*\n\s*/)
    .slice(-TAIL_LINES)
    .join(" | ");
  return `${words} (${code})${tail === "" ? "" : `: ${tail.slice(-500)}`}`;
}
