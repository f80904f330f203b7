import { RewardsmithError, toRewardsmithError } from "../base/errors";
import { Emitter } from "../base/event";
import type { IDisposable } from "../base/lifecycle";
import type { Overrides } from "../core/contracts/registry";
import { encodeParts } from "../core/scoring/encode";
import { allRows } from "../core/scoring/plan";
import type { SampleTable } from "../core/scoring/table";
import type { FileScores } from "../schema/live";
import type { ScoreReport } from "../schema/report";
import type { Finding } from "../schema/reward";
import type { RowScore, ScoreState, SideEffect } from "../schema/score";
import type { EngineSettings } from "../schema/settings";
import { Asides } from "./asides";
import { Baseline, type BaselineKind } from "./baseline";
import { compose } from "./composition";
import { findingsOf } from "./findings";
import { scoreBaseline, tracePass, type IdleContext } from "./idlePasses";
import { askedKind, liveKind, passRequest, type PassKind } from "./passRequest";
import type { ScoringPorts } from "./ports";
import { RewardText } from "./rewardText";
import { labSource, type LabSource } from "./lab/source";
import { anySettled, rowsOfScored, toScored, withMore, type Scored, type Subject } from "./scored";
import { runPass, type LoadFailure, type PassFunction, type PassRequest } from "./scoreRunner";
import { reportOf } from "./scoreReports";
import { withSecondCalls } from "./secondCalls";
import type { SessionOptions } from "./sessionOptions";
import { fileScores } from "./snapshot";
import type { SuiteTrainer } from "./suites";
import { liveChoice } from "./liveChoice";
import { Throttle } from "./throttle";
import { versionHash, versionTexts } from "./versions";

/**
 * After a pass, wait this long for the next key before using the worker for what can wait. A spare process is used up
 * by each job and takes long to replace: there the next key must not find them spent.
 */
const IDLE_MS = { fork: 200, spare: 400, none: 200 } as const;
/** A pass that takes longer shows what it has so far, and again after as long. */
const STREAM_MS = 150;
/** Rows sent to the worker in one message. */
const PART_ROWS = 500;

/**
 * Scores of one reward file, kept true while its text, its helpers, its samples and its settings change. A change ends
 * the older pass; what a pass that was ended gave is never shown; numbers of an older text are marked as such.
 */
export class ScoreSession implements IDisposable {
  readonly path: string;
  readonly #ports: ScoringPorts;
  readonly #reward: RewardText;
  readonly #baseline: Baseline;
  #trainer: SuiteTrainer;
  readonly #nextSeq: () => number;
  readonly #emitter = new Emitter<FileScores>();
  readonly onDidChange = this.#emitter.event;
  #settings: EngineSettings;
  #table: SampleTable;
  #isLive: boolean;
  #trusted: boolean;
  #pinned: number | null = null;
  #visible: readonly number[] = [];

  /** The last complete scores, of the present text or an older one. */
  #scored: Scored | null = null;
  /** What a pass that is still running has so far. */
  #partial: Scored | null = null;
  /** `#scored` is of the present text, helpers, samples and settings. */
  #fresh = false;
  /** Counts changes, so that a pass the user asked for knows whether its text is still the present one. */
  #generation = 0;
  #failure: LoadFailure | null = null;
  #samplesProblem: RewardsmithError | null = null;
  #workerProblem: { readonly code: string; readonly message: string } | null = null;
  #findings: readonly Finding[] = [];
  /** Files that the last version loaded. */
  #closure: ReadonlySet<string> = new Set();

  #live = new AbortController();
  #asked: { readonly controller: AbortController; readonly done: Promise<void> } | null = null;
  #next: (() => Promise<void>) | null = null;
  #scheduled = false;
  #running = false;
  #changedAt: number | null = null;
  #disposed = false;
  readonly #asides = new Asides();

  constructor(ports: ScoringPorts, options: SessionOptions) {
    this.path = options.path;
    this.#ports = ports;
    this.#baseline = new Baseline(options.settings.baseline);
    this.#reward = new RewardText(
      options.path,
      ports.documents,
      options.overrides,
      options.allow,
      (from, to) => this.#baseline.rename(from, to),
    );
    this.#trainer = options.trainer;
    this.#nextSeq = options.nextSeq;
    this.#settings = options.settings;
    this.#table = options.table;
    this.#isLive = options.live;
    this.#trusted = options.trusted;
  }

  get baseline(): Baseline {
    return this.#baseline;
  }

  get table(): SampleTable {
    return this.#table;
  }

  /** Reads the file and, where it may, starts the first pass. */
  async start(): Promise<FileScores> {
    await this.#reward.read();
    this.#schedule();
    this.#running = this.#mayRun() && this.#reward.present !== null;
    return this.snapshot();
  }

  snapshot(): FileScores {
    return fileScores({
      path: this.path,
      seq: this.#nextSeq(),
      present: this.#reward.present,
      scored: this.#partial ?? this.#scored,
      fresh: this.#partial !== null || this.#fresh,
      running: this.#running,
      blocked: this.#blockedBy(),
      error: this.#samplesProblem ?? this.#failure ?? this.#workerProblem,
      table: this.#table,
      pinned: this.#pinned,
      baseline: this.#baseline,
      findings: this.#findings,
    });
  }

  /** An open document changed, was saved, opened or closed. */
  documentChanged(path: string, saved: boolean): void {
    if (!this.#concerns(path)) return;
    if (saved && this.#baseline.dependsOn(path)) this.#baseline.invalidate();
    const open = this.#ports.documents.get(path);
    const scored = this.#scored?.texts.get(path);
    if (this.#fresh && open !== null && open.text === scored) this.#scheduleIdle();
    else this.#schedule();
  }

  /** Files changed on disk. Of one that is open the editor's text counts, and only the baseline moves. */
  filesChanged(paths: readonly string[]): void {
    const concerned = paths.filter((path) => this.#concerns(path));
    if (concerned.length === 0) return;
    if (concerned.some((path) => this.#baseline.dependsOn(path))) this.#baseline.invalidate();
    const open = concerned.every((path) => this.#ports.documents.get(path) !== null);
    if (open && this.#fresh) this.#scheduleIdle();
    else this.#schedule();
  }

  configure(settings: EngineSettings, trusted: boolean): void {
    if (this.#baseline.kind !== "pin" && this.#settings.baseline !== settings.baseline)
      this.#baseline.kind = settings.baseline;
    this.#baseline.invalidate();
    this.#settings = settings;
    this.#trusted = trusted;
    this.#workerProblem = null;
    this.#schedule();
  }

  /** The suite's settings, or what it says of the functions, have changed. */
  setSuite(trainer: SuiteTrainer, overrides: Overrides): void {
    this.#trainer = trainer;
    this.#reward.choose(overrides);
    this.#baseline.invalidate();
    this.#schedule();
  }

  setSamples(table: SampleTable): void {
    if (table === this.#table && !this.#samplesProblem) return;
    this.#table = table;
    this.#samplesProblem = null;
    this.#schedule();
  }

  /** The samples' files can't be read any more; the numbers shown are of what they were. */
  samplesGone(error: unknown): void {
    this.#samplesProblem = toRewardsmithError(error);
    this.#schedule();
  }

  setLive(live: boolean): void {
    if (this.#isLive === live) return;
    this.#isLive = live;
    this.#workerProblem = null;
    if (live && !this.#fresh) this.#schedule();
    else if (live) this.#scheduleIdle();
    else this.#stopLive();
    this.#emit();
  }

  allow(name: string, effects: readonly SideEffect[]): void {
    this.#reward.allow.set(name, effects);
    this.#baseline.invalidate();
    this.#schedule();
  }

  pin(row: number | null): void {
    this.#pinned = row;
    const has = row === null || this.#scored?.outcomes.every(({ rows }) => rows[row] !== undefined) === true;
    if (this.#fresh && this.#scored && has) {
      this.#scored = { ...this.#scored, previews: new Map() };
      this.#scheduleIdle();
    } else this.#schedule();
    this.#emit();
  }

  /** Rows on screen: the next passes take them first. */
  visibleRows(rows: readonly number[]): void {
    this.#visible = rows;
  }

  async setBaseline(kind: BaselineKind): Promise<FileScores> {
    this.#baseline.kind = kind;
    this.#baseline.pinned = kind === "pin" && this.#scored ? Object.fromEntries(this.#scored.texts) : null;
    this.#baseline.invalidate();
    if (this.#fresh && this.#scored && this.#trusted && !this.#asked) {
      const signal = this.#restart();
      await scoreBaseline(this.#context(), this.#baseline, this.#scored, true, signal);
      if (!signal.aborted) this.#scheduleIdle();
    }
    return this.#emit();
  }

  /** Scores every row, without the live guard. Ends when the pass has ended, however it did. */
  score(signal?: AbortSignal): Promise<FileScores> {
    return this.#ask(1, signal);
  }

  /** As `score`, with each batch called twice: the findings say whether a second call gives something else. */
  async check(signal?: AbortSignal): Promise<readonly Finding[]> {
    await this.#ask(2, signal);
    return this.#findings;
  }

  cancel(): void {
    this.#asked?.controller.abort();
    this.#stopLive();
  }

  /** Rows of the last pass that are in one of the states, `count` of them from the `from`-th on. */
  rows(
    name: string,
    from: number,
    count: number,
    states: readonly ScoreState[] | null,
  ): { rows: RowScore[]; total: number } {
    return rowsOfScored(this.#partial ?? this.#scored, name, from, count, states);
  }

  /** What the Lab shows: the scores at hand, complete or so far, and what they are compared with. */
  lab(): LabSource {
    return labSource(
      this.path,
      this.#table,
      this.#scored,
      this.#partial,
      this.#fresh,
      this.#baseline,
      this.#pinned,
    );
  }

  /**
   * Runs something small beside the passes (one sample's way, a tried completion). Its jobs queue behind the pass that
   * is running; a newer edit ends it, with `Cancelled`.
   */
  async aside<T>(
    run: (subject: Subject, context: IdleContext, signal: AbortSignal) => Promise<T>,
    outer: AbortSignal,
  ): Promise<T> {
    if (!this.#trusted)
      throw new RewardsmithError("Untrusted", "Code runs in trusted folders only.", { path: this.path });
    return this.#asides.run(async (signal) => {
      const subject = await this.#subject(signal);
      const { path } = this;
      if (!subject) throw new RewardsmithError("FileMissing", `${path}: there is no such file.`, { path });
      return run(subject, this.#context(), signal);
    }, outer);
  }

  /** The report of the last pass; null before the first. */
  report(version: string): ScoreReport | null {
    return this.#scored && reportOf(version, this.path, this.#scored, this.#findings, this.#failure);
  }

  dispose(): void {
    this.#disposed = true;
    this.#asides.end();
    this.cancel();
    this.#emitter.dispose();
  }

  #emit(): FileScores {
    const snapshot = this.snapshot();
    if (!this.#disposed) this.#emitter.fire(snapshot);
    return snapshot;
  }

  /** The reward file, what it loaded, and, while it doesn't load, any Python file: it may be the missing helper. */
  #concerns(path: string): boolean {
    if (path === this.path || this.#closure.has(path)) return true;
    // A folder that was moved is told as one path.
    if (this.path.startsWith(`${path}/`) || this.path.startsWith(`${path}\\`)) return true;
    return this.#failure !== null && path.endsWith(".py");
  }

  #blockedBy(): FileScores["blocked"] {
    if (this.#reward.present === null) return "gone";
    if (!this.#trusted) return "untrusted";
    if (this.#samplesProblem) return "no-samples";
    if (this.#workerProblem) return "no-python";
    if (!this.#isLive) return "paused";
    return this.#settings.liveMode === "manual" ? "manual" : null;
  }

  #mayRun(): boolean {
    if (!this.#trusted || !this.#isLive || this.#samplesProblem) return false;
    const { liveMode } = this.#settings;
    if (liveMode === "onSave") return this.#ports.documents.get(this.path)?.saved ?? true;
    return liveMode === "onType";
  }

  #stopLive(): void {
    this.#live.abort();
    if (this.#asked) return;
    this.#running = false;
    this.#partial = null;
  }

  /** Ends what is running live; the signal is for what comes now. */
  #restart(): AbortSignal {
    this.#live.abort();
    this.#live = new AbortController();
    return this.#live.signal;
  }

  #schedule(): void {
    this.#generation += 1;
    this.#asides.end();
    this.#changedAt ??= this.#ports.clock.now();
    this.#fresh = false;
    this.#stopLive();
    this.#soon(async () => {
      const signal = this.#restart();
      await this.#livePass(signal);
      if (!signal.aborted && this.#fresh) await this.#idle(signal);
    });
  }

  #scheduleIdle(): void {
    if (!this.#fresh) return this.#schedule();
    this.#live.abort();
    this.#soon(async () => {
      await this.#reward.read();
      // A change that came meanwhile has made its own plan.
      if (this.#fresh) await this.#idle(this.#restart());
    });
  }

  #soon(run: () => Promise<void>): void {
    this.#next = run;
    if (this.#scheduled || this.#disposed) return;
    this.#scheduled = true;
    this.#ports.soon(() => {
      this.#scheduled = false;
      const next = this.#next;
      if (this.#asked || this.#disposed || !next) return;
      this.#next = null;
      void next().catch((error: unknown) => this.#problem(error, this.#live.signal));
    });
  }

  #problem(error: unknown, signal: AbortSignal): void {
    if (signal.aborted || this.#disposed) return;
    const { code, message, stack } = toRewardsmithError(error);
    this.#running = false;
    this.#partial = null;
    this.#workerProblem = { code, message };
    this.#ports.log.error(code === "Internal" ? (stack ?? message) : message);
    this.#emit();
  }

  /** One live pass over the present text: numbers first. */
  async #livePass(signal: AbortSignal): Promise<void> {
    const subject = this.#mayRun() ? await this.#subject(signal) : await this.#look();
    if (signal.aborted) return;
    if (!subject) {
      this.#running = false;
      this.#emit();
      return;
    }
    await this.#scorePass(subject, this.#liveRows(subject.table), liveKind(this.#settings), signal);
  }

  #liveRows(table: SampleTable): number[] {
    const { liveRows: limit } = this.#settings;
    const flipped = (): number[] =>
      this.#scored?.table === table ? this.#baseline.flippedRows(this.#scored.outcomes, table) : [];
    return liveChoice(table, { limit, pinned: this.#pinned, visible: this.#visible, flipped });
  }

  /** Takes in the present text without running anything. */
  async #look(): Promise<null> {
    if (await this.#reward.read()) return null;
    this.#scored = null;
    this.#failure = null;
    this.#findings = [];
    return null;
  }

  /** All that a pass over the present text needs; null where there is no such text. */
  async #subject(signal: AbortSignal): Promise<Subject | null> {
    const present = await this.#reward.read();
    if (!present) return this.#look();
    const { worker } = this.#ports;
    const table = this.#table;
    const ready = await worker.ready(signal);
    await worker.load(table.info.set, () => encodeParts(table, PART_ROWS));
    this.#workerProblem = null;
    return {
      ...present,
      table,
      ready,
      composition: compose(present.model.functions, table, ready, this.#context().trainer),
    };
  }

  #context(): IdleContext {
    const trainer = { ...this.#trainer, batch: this.#trainer.batch ?? this.#settings.batch };
    return { ports: this.#ports, reward: this.#reward, settings: this.#settings, trainer };
  }

  async #ask(calls: 1 | 2, outer?: AbortSignal): Promise<FileScores> {
    this.#asked?.controller.abort();
    await this.#asked?.done.catch(() => undefined);
    this.#live.abort();
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    outer?.addEventListener("abort", abort, { once: true });
    const done = this.#askedPass(calls, controller.signal);
    this.#asked = { controller, done };
    try {
      await done;
    } catch (error) {
      this.#problem(error, controller.signal);
    } finally {
      outer?.removeEventListener("abort", abort);
      this.#asked = null;
      this.#running = false;
      this.#partial = null;
    }
    // The text may have changed meanwhile: a live pass follows then, and what can wait otherwise.
    if (this.#fresh) this.#scheduleIdle();
    else this.#schedule();
    return this.#emit();
  }

  async #askedPass(calls: 1 | 2, signal: AbortSignal): Promise<void> {
    if (!this.#trusted) return;
    this.#changedAt ??= this.#ports.clock.now();
    const subject = await this.#subject(signal);
    if (!subject || signal.aborted) return;
    await this.#scorePass(subject, allRows(subject.table), askedKind(this.#settings, calls), signal);
    if (calls === 1) await this.#callAgain(signal);
  }

  /** The numbers are shown by now: only what a second call gives is added. */
  async #callAgain(signal: AbortSignal): Promise<void> {
    const scored = this.#scored;
    if (ended(signal) || !this.#fresh || !scored) return;
    const more = await withSecondCalls(this.#asides, this.#context(), scored, signal);
    if (!more || this.#scored !== scored) return;
    this.#scored = more;
    this.#findings = findingsOf(more, more, null);
  }

  /**
   * Runs a pass and makes its scores the present ones. A live pass that was ended gives nothing; one that the user asked
   * for and cancelled gives the rows that it got to.
   */
  async #scorePass(
    subject: Subject,
    rows: readonly number[],
    kind: PassKind,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, worker, hasher } = this.#ports;
    const generation = this.#generation;
    const started = clock.now();
    const changedAt = this.#changedAt ?? started;
    this.#running = true;
    const show = (functions: readonly PassFunction[]): void => {
      if (signal.aborted) return;
      this.#partial = toScored(subject, { functions, ms: clock.now() - started }, kind.calls);
      this.#emit();
    };
    const stream = new Throttle(STREAM_MS, show, () => clock.now());
    const request = await this.#request(subject, rows, kind);
    const result = await runPass(worker, clock, request, {
      signal,
      onProgress: (functions) => stream.push(functions),
    }).finally(() => stream.dispose());
    const nothing = result.cancelled && !anySettled(result);
    if (signal.aborted && (kind.guarded || nothing)) return;
    if (result.loaded) this.#closure = new Set([...result.loaded.files, this.path]);
    const texts = await versionTexts(this.#ports.documents, this.path, subject.text, result.loaded);
    if (signal.aborted && kind.guarded) return;
    this.#running = false;
    this.#partial = null;
    this.#failure = result.failure;
    if (result.failure) this.#findings = findingsOf(subject, null, result.failure);
    else {
      const timing = {
        queuedMs: result.queuedMs,
        passMs: result.ms,
        totalMs: clock.now() - changedAt,
        mode: worker.mode,
      };
      const { ready, composition, table } = subject;
      const hash = versionHash(hasher, texts, ready, result.loaded, composition, table);
      this.#scored = { ...toScored(subject, result, kind.calls), texts, hash, timing };
      this.#fresh = generation === this.#generation;
      this.#findings = findingsOf(subject, this.#scored, null);
    }
    if (generation === this.#generation) this.#changedAt = null;
    this.#emit();
  }

  #request(subject: Subject, rows: readonly number[], kind: PassKind): Promise<PassRequest> {
    return passRequest(this.#ports, {
      path: this.path,
      table: subject.table,
      composition: subject.composition,
      rows,
      overlays: this.#ports.documents.overlays(this.path),
      kind,
      settings: this.#settings,
      allow: this.#reward.allow,
    });
  }

  /** What can wait: flips against the baseline, previews, rows beyond the live limit. A newer edit ends it. */
  async #idle(signal: AbortSignal): Promise<void> {
    await this.#ports.clock.delay(IDLE_MS[this.#ports.worker.mode], signal).catch(() => undefined);
    if (signal.aborted || !this.#trusted) return;
    await this.#compare(signal);
    if (!this.#mayRun()) return;
    await this.#trace(signal);
    while (await this.#more(signal)) await this.#compare(signal);
  }

  async #compare(signal: AbortSignal): Promise<void> {
    if (ended(signal) || !this.#scored) return;
    const may = this.#mayRun();
    if (await scoreBaseline(this.#context(), this.#baseline, this.#scored, may, signal)) this.#emit();
  }

  async #trace(signal: AbortSignal): Promise<void> {
    const scored = this.#scored;
    const { previews: wanted, traceRows } = this.#settings;
    if (ended(signal) || !scored || scored.previews.size > 0 || !wanted || traceRows === 0) return;
    const previews = await tracePass(this.#context(), scored, this.#pinned, this.#visible, signal);
    if (!previews || ended(signal)) return;
    this.#scored = { ...scored, previews };
    this.#emit();
  }

  /** Scores the next rows that a live pass left out. False where there are none, or a newer edit came. */
  async #more(signal: AbortSignal): Promise<boolean> {
    const scored = this.#scored;
    const first = scored?.outcomes[0];
    if (ended(signal) || !scored || !first) return false;
    const left = allRows(scored.table).filter((row) => first.rows[row] === undefined);
    if (left.length === 0) return false;
    const rows = left.slice(0, this.#settings.liveRows * 2);
    const request = await this.#request(scored, rows, liveKind(this.#settings));
    const more = await runPass(this.#ports.worker, this.#ports.clock, request, { signal });
    if (ended(signal) || more.failure) return false;
    this.#scored = withMore(scored, more);
    this.#findings = findingsOf(this.#scored, this.#scored, null);
    this.#emit();
    return true;
  }
}

/** Asked anew after each await; a plain property read would count as unchanged to the compiler. */
function ended(signal: AbortSignal): boolean {
  return signal.aborted;
}
