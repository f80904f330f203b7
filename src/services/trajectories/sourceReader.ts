import { RewardsmithError, toRewardsmithError } from "../../base/errors";
import { MARK, type SummaryBatch } from "../../core/trajectories/batch";
import { nothingKnown } from "../../core/trajectories/tried";
import type { IndexEvent } from "../../formats/trajectories/indexing";
import type { LabelValue } from "../../schema/label";
import type { SourceProgress, TrajectoryProblem } from "../../schema/trajectory";
import { RowColumns } from "./columns";
import { RowFacts } from "./facts";
import { MOST_FILES, chosenFiles, frameworkOf, sourceFile } from "./fileList";
import { FileReading, type FileHearer } from "./fileReading";
import { GroupIndex } from "./groupIndex";
import { Intake } from "./intake";
import type { StorePorts } from "./ports";
import type { RecordPlace } from "./recordPool";
import type { SourceChange } from "./source";
import { RunTally } from "./runTally";
import { SourceFile, placed } from "./sourceFile";
import { RowTexts } from "./texts";

/** Files that are read at the same time; the rows of the later ones wait for those of the earlier. */
const AT_ONCE = 2;
const MOST_PROBLEMS = 10_000;
const CHANGED_MS = 100;
/** Polled, so that files on network disks are followed as well. */
const POLL_MS = 500;
const NEW_FILES_ROUNDS = 4;
const GIVEN = MARK.given;

export interface ReaderEvents {
  readonly changed: (what: SourceChange) => void;
  /** Its bytes are others, or more: what is open of it is old. */
  readonly fileChanged: (file: SourceFile) => void;
}

/** Goes through the files of a source and joins their summaries, in order of the files. */
export class SourceReader {
  readonly #path: string;
  readonly #ports: StorePorts;
  readonly #events: ReaderEvents;
  readonly #closed = new AbortController();
  readonly #opened: Promise<void>;
  readonly #reading: FileReading;
  readonly #intake: Intake;
  #finished: Promise<void>;
  #sayOpened: () => void = () => undefined;
  #files: SourceFile[] = [];
  #facts: RowFacts;
  #tally = new RunTally();
  /** Whose run the folder is; null: a plain folder, or a file. */
  runFramework: string | null = null;
  #labels: ReadonlyMap<string, LabelValue> = new Map();

  #seq = 0;
  #changed = false;
  folder = false;
  complete = false;
  #following = false;
  #stopFollowing: AbortController | null = null;
  #problems: TrajectoryProblem[] = [];
  #problemCount = 0;
  #saidOthers = false;

  constructor(path: string, ports: StorePorts, events: ReaderEvents) {
    this.#path = path;
    this.#ports = ports;
    this.#events = events;
    this.#facts = this.#noFacts();
    this.#reading = new FileReading(ports, this.#closed.signal);
    this.#intake = new Intake(ports, (file, event) => this.#take(file, event), this.#closed.signal);
    const form = new Promise<void>((resolve) => (this.#sayOpened = resolve));
    this.#finished = this.#readAll();
    // Known, or all is looked at and nothing was known (which rejects).
    this.#opened = Promise.race([form, this.#finished]);
    this.#opened.catch(() => undefined);
  }

  get files(): readonly SourceFile[] {
    return this.#files;
  }

  get facts(): RowFacts {
    return this.#facts;
  }

  get tally(): RunTally {
    return this.#tally;
  }

  get name(): string {
    return this.#path.split(/[\\/]/).filter(Boolean).at(-1) ?? this.#path;
  }

  get total(): number {
    return this.#facts.columns.n;
  }

  /** Where the row's record lies in its file. */
  placeOf(row: number): RecordPlace {
    const number = (name: "at" | "length" | "line" | "record" | "nth"): number =>
      this.#facts.columns.column(name).get(row);
    return {
      at: number("at"),
      length: number("length"),
      line: number("line"),
      record: number("record"),
      nth: number("nth"),
    };
  }

  opened(): Promise<void> {
    return this.#opened;
  }

  whenComplete(): Promise<void> {
    return this.#finished.catch(() => undefined);
  }

  progress(): SourceProgress {
    const files = this.#files.filter((file) => !file.unknown);
    const sum = (of: (file: SourceFile) => number): number =>
      files.reduce((total, file) => total + of(file), 0);
    return {
      seq: this.#seq,
      known: this.#facts.columns.n,
      files: files.length,
      filesDone: files.filter((file) => file.done).length,
      bytes: sum((file) => file.toRead),
      bytesDone: sum((file) => file.read),
      complete: this.complete,
      following: this.#following,
      problems: this.#problemCount + this.#pending.length,
    };
  }

  problems(from: number, count: number): { total: number; problems: TrajectoryProblem[] } {
    const pending = this.#pending;
    const problems = [...this.#problems, ...pending].slice(from, from + count);
    return { total: this.#problemCount + pending.length, problems };
  }

  setLabels(labels: ReadonlyMap<string, LabelValue>): void {
    this.#labels = labels;
    this.#facts.setLabels(labels);
  }

  /** Looks at the files again and again; asked for while it does so already, nothing changes. */
  follow(on: boolean): void {
    if (this.#following === on) return;
    this.#following = on;
    this.#stopFollowing?.abort();
    this.#stopFollowing = null;
    if (!on) return;
    const stop = new AbortController();
    this.#stopFollowing = stop;
    this.#followUntil(AbortSignal.any([stop.signal, this.#closed.signal])).catch((error: unknown) => {
      if (!stop.signal.aborted && !this.#closed.signal.aborted)
        this.#ports.warn(`following ${this.#path}: ${toRewardsmithError(error).message}`);
    });
  }

  dispose(): void {
    this.#closed.abort(new RewardsmithError("Disposed", "the source was closed"));
    void this.#facts.texts.close();
  }

  async #followUntil(signal: AbortSignal): Promise<void> {
    for (let round = 1; !signal.aborted; round++) {
      await this.whenComplete();
      await this.#look(round % NEW_FILES_ROUNDS === 0, signal);
      await this.#ports.delay(POLL_MS, signal);
    }
  }

  /** One look at what changed since the last. */
  async #look(forNew: boolean, signal: AbortSignal): Promise<void> {
    for (const file of this.#files) {
      if (file.unknown) continue;
      signal.throwIfAborted();
      const found = await this.#ports.files.stat(file.path);
      if (!found) {
        if (!file.gone) {
          file.gone = true;
          this.#addProblem(file, { line: 1, code: "missing-file", message: `${file.name} is gone.` });
          this.#say("rows");
        }
        continue;
      }
      if (!file.gone && found.bytes === file.bytes && found.mtimeMs === file.mtimeMs) continue;
      file.gone = false;
      // Another file may begin and end as the one before it.
      const another = file.inode !== null && found.inode !== null && file.inode !== found.inode;
      if (another || !(await this.#reading.grew(file, found.bytes))) {
        await this.#restart();
        return;
      }
      file.bytes = found.bytes;
      file.mtimeMs = found.mtimeMs;
      this.#events.fileChanged(file);
      file.done = false;
      await this.#readFile(file, this.#hearerOf(file));
      await this.#intake.drained();
    }
    if (forNew && this.folder) await this.#takeNewFiles(signal);
  }

  async #takeNewFiles(signal: AbortSignal): Promise<void> {
    const { files, whole } = await this.#ports.files.list(this.#path, MOST_FILES, signal);
    this.#sayOthers(whole);
    const known = new Map(this.#files.map((file) => [file.name, file]));
    const added: SourceFile[] = [];
    for (const found of chosenFiles(files, this.runFramework)) {
      const { name, bytes, mtimeMs, inode } = found;
      const before = known.get(name);
      // One that wasn't known may have been empty, or without its first whole line.
      if (before && !(before.unknown && before.bytes !== bytes)) continue;
      const file = before ?? sourceFile(this.#ports.files, this.#path, found, this.#files.length);
      file.bytes = bytes;
      file.mtimeMs = mtimeMs;
      file.inode = inode;
      file.unknown = false;
      file.done = false;
      if (!before) this.#files.push(file);
      added.push(file);
    }
    if (added.length === 0) return;
    await this.#readFiles(added);
    this.#say("info");
  }

  /** A file was rewritten: nothing that was read holds any more. */
  async #restart(): Promise<void> {
    const { now } = this.#facts;
    void this.#facts.texts.close();
    for (const file of this.#files) this.#events.fileChanged(file);
    this.#facts = this.#noFacts();
    this.#tally = new RunTally();
    this.#facts.setLabels(this.#labels);
    if (now !== null) this.#say("scores");
    this.#problems = [];
    this.#problemCount = 0;
    this.complete = false;
    this.#say("reset");
    this.#finished = this.#readAll();
    // A file that is just being written anew may be empty for a moment: the next look reads it.
    await this.#finished.catch(() => undefined);
    this.complete = true;
    this.#say("rows");
  }

  #noFacts(): RowFacts {
    return new RowFacts({
      columns: new RowColumns(),
      groups: new GroupIndex(),
      texts: new RowTexts(this.#ports.spill),
      fileName: (file) => this.#files[file]?.name ?? "",
    });
  }

  async #readAll(): Promise<void> {
    await this.#listFiles();
    await this.#readFiles(this.#files);
    this.#closed.signal.throwIfAborted();
    if (!this.#knowsAny && this.runFramework !== null) await this.#readOthers();
    if (!this.#knowsAny) {
      const tried = this.#files.map(({ name, refusal }) => ({ name, why: refusal }));
      throw new RewardsmithError("FormatUnknown", nothingKnown(this.name, tried), { path: this.#path });
    }
    this.complete = true;
    this.#say("rows");
    this.#say("info");
  }

  get #knowsAny(): boolean {
    return this.#files.some((file) => file.facts !== null && !file.unknown);
  }

  /** It was taken for a run by its names, but no form knows its rollouts: another file there may hold some. */
  async #readOthers(): Promise<void> {
    const { files } = await this.#ports.files.list(this.#path, MOST_FILES, this.#closed.signal);
    const known = new Set(this.#files.map((file) => file.name));
    this.runFramework = null;
    const others = chosenFiles(files, null)
      .filter(({ name }) => !known.has(name))
      .map((found, at) => sourceFile(this.#ports.files, this.#path, found, known.size + at));
    this.#files.push(...others);
    await this.#readFiles(others);
    this.#closed.signal.throwIfAborted();
  }

  async #listFiles(): Promise<void> {
    const found = await this.#ports.files.stat(this.#path);
    if (!found) throw new RewardsmithError("FileMissing", `${this.#path} isn't there`, { path: this.#path });
    this.folder = found.directory;
    if (!found.directory) {
      const file = new SourceFile(this.#path, this.name, 0, found.bytes, found.mtimeMs);
      file.inode = found.inode;
      this.#files = [file];
      return;
    }
    const { files, whole } = await this.#ports.files.list(this.#path, MOST_FILES, this.#closed.signal);
    this.runFramework = frameworkOf(files);
    this.#files = chosenFiles(files, this.runFramework).map((found, at) =>
      sourceFile(this.#ports.files, this.#path, found, at),
    );
    this.#saidOthers = false;
    this.#sayOthers(whole);
  }

  /** Once: that there are more files than are looked at. */
  #sayOthers(whole: boolean): void {
    const [first] = this.#files;
    if (whole || !first || this.#saidOthers) return;
    this.#saidOthers = true;
    this.#addProblem(first, {
      line: 1,
      code: "too-large",
      message: `The folder has more than ${MOST_FILES} files; the others aren't looked at.`,
    });
    this.#say("rows");
  }

  /** Some at once; what is found is joined in order of the files. */
  async #readFiles(files: readonly SourceFile[]): Promise<void> {
    const queues = new Map<SourceFile, IndexEvent[]>();
    let head = 0;
    let next = 0;
    const done = new Set<SourceFile>();
    const advance = (): void => {
      for (let file = files[head]; file && done.has(file); file = files[head]) {
        head++;
        const following = files[head];
        if (!following) return;
        for (const event of queues.get(following) ?? []) this.#intake.push(following, event);
        queues.delete(following);
      }
    };
    const one = async (): Promise<void> => {
      for (let file = files[next++]; file; file = files[next++]) {
        const current = file;
        const own = this.#hearerOf(current);
        const queue: IndexEvent[] = [];
        queues.set(current, queue);
        await this.#readFile(current, {
          hear: (event) => (files[head] === current ? own.hear(event) : queue.push(event)),
          taken: own.taken,
        });
        done.add(current);
        advance();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, () => one()));
    await this.#intake.drained();
  }

  #hearerOf(file: SourceFile): FileHearer {
    return { hear: (event) => this.#intake.push(file, event), taken: () => this.#intake.drained() };
  }

  async #readFile(file: SourceFile, hearer: FileHearer): Promise<void> {
    try {
      await this.#reading.read(file, hearer);
    } catch (error) {
      this.#closed.signal.throwIfAborted();
      this.#failed(file, toRewardsmithError(error));
    }
  }

  /** A file alone that can't be read can't be opened; one of many that isn't known is none of ours. */
  #failed(file: SourceFile, error: RewardsmithError): void {
    if (!this.folder && file.facts === null) throw error;
    file.done = true;
    if (file.facts === null) file.unknown = true;
    file.refusal = error.message;
    if (error.code !== "FormatUnknown")
      this.#addProblem(file, { line: 1, code: problemCode(error), message: error.message });
  }

  #take(file: SourceFile, event: IndexEvent): void {
    if (this.#closed.signal.aborted) return;
    switch (event.kind) {
      case "opened":
        file.facts = event.facts;
        this.#sayOpened();
        this.#say("info");
        return;
      case "batch":
        this.#append(file, event.batch);
        file.position = event.position;
        for (const problem of event.problems) this.#addProblem(file, problem);
        this.#say("rows");
        return;
      case "reached":
        file.reached = event.bytes;
        this.#say("rows");
    }
  }

  #append(file: SourceFile, found: SummaryBatch): void {
    const batch = placed(found, file);
    const { columns, groups, texts } = this.#facts;
    const names = columns.components.length + columns.metrics.length;
    const first = columns.append(batch, file.at);
    const { hashHigh, hashLow, flags, step, reward } = batch.columns;
    for (let at = 0; at < batch.n; at++) {
      const known = groups.groups;
      const key = {
        high: hashHigh?.[at] ?? 0,
        low: hashLow?.[at] ?? 0,
        given: ((flags?.[at] ?? 0) & GIVEN) !== 0,
        step: step?.[at] ?? Number.NaN,
        split: columns.splitOf(first + at),
        file: file.at,
        grouping: file.facts?.grouping ?? "prompt",
      };
      groups.add(first + at, key);
      const newGroup = groups.groups > known;
      this.#tally.add({ ...key, reward: reward?.[at] ?? Number.NaN, newGroup });
    }
    texts.append(batch.texts);
    file.grow(first, first + batch.n);
    if (columns.components.length + columns.metrics.length > names) this.#say("info");
  }

  get #pending(): TrajectoryProblem[] {
    return this.#files.flatMap((file) =>
      file.pending.map((problem) => ({ ...problem, file: file.at, message: problem.message.slice(0, 1000) })),
    );
  }

  #addProblem(file: SourceFile, problem: Omit<TrajectoryProblem, "file">): void {
    this.#problemCount++;
    if (this.#problems.length < MOST_PROBLEMS)
      this.#problems.push({ ...problem, file: file.at, message: problem.message.slice(0, 1000) });
  }

  #say(what: SourceChange): void {
    this.#seq++;
    if (what !== "rows") {
      this.#events.changed(what);
      return;
    }
    // Rows come often: the first at once, then at most ten times a second.
    if (this.#changed) return;
    this.#changed = true;
    this.#events.changed("rows");
    const seq = this.#seq;
    this.#ports.delay(CHANGED_MS, this.#closed.signal).then(
      () => {
        this.#changed = false;
        if (this.#seq !== seq) this.#say("rows");
      },
      () => undefined,
    );
  }
}

function problemCode(error: RewardsmithError): TrajectoryProblem["code"] {
  switch (error.code) {
    case "FileMissing":
      return "missing-file";
    case "TooLarge":
      return "too-large";
    default:
      return "unknown-form";
  }
}
