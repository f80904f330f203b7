import { RewardsmithError, toRewardsmithError } from "../../base/errors";
import { MARK, type SummaryBatch } from "../../core/trajectories/batch";
import type { IndexEvent } from "../../formats/trajectories/indexing";
import type { LabelValue } from "../../schema/label";
import type { SourceProgress, TrajectoryProblem } from "../../schema/trajectory";
import { RowColumns } from "./columns";
import { RowFacts } from "./facts";
import { GroupIndex } from "./groupIndex";
import type { StorePorts } from "./ports";
import type { RecordPlace } from "./recordPool";
import type { SourceChange } from "./source";
import { SourceFile, naturalOrder } from "./sourceFile";
import { RowTexts } from "./texts";

/** Files of a folder that are looked at. */
const MOST_FILES = 20_000;
/** Files that are read at the same time; the rows of the later ones wait for those of the earlier. */
const AT_ONCE = 2;
const MOST_PROBLEMS = 10_000;
const CHANGED_MS = 100;
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
  readonly #finished: Promise<void>;
  #sayOpened: () => void = () => undefined;
  #files: SourceFile[] = [];
  #facts: RowFacts;

  #seq = 0;
  #changed = false;
  folder = false;
  complete = false;
  #following = false;
  #problems: TrajectoryProblem[] = [];
  #problemCount = 0;

  constructor(path: string, ports: StorePorts, events: ReaderEvents) {
    this.#path = path;
    this.#ports = ports;
    this.#events = events;
    this.#facts = this.#noFacts();
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
      problems: this.#problemCount,
    };
  }

  problems(from: number, count: number): { total: number; problems: TrajectoryProblem[] } {
    return { total: this.#problemCount, problems: this.#problems.slice(from, from + count) };
  }

  setLabels(labels: ReadonlyMap<string, LabelValue>): void {
    this.#facts.setLabels(labels);
  }

  follow(on: boolean): void {
    this.#following = on;
  }

  dispose(): void {
    this.#closed.abort(new RewardsmithError("Disposed", "the source was closed"));
    void this.#facts.texts.close();
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
    if (!this.#files.some((file) => file.facts !== null && !file.unknown))
      throw new RewardsmithError("FormatUnknown", `${this.name}: no known form of trajectories`, {
        path: this.#path,
      });
    this.complete = true;
    this.#say("rows");
    this.#say("info");
  }

  async #listFiles(): Promise<void> {
    const found = await this.#ports.files.stat(this.#path);
    if (!found) throw new RewardsmithError("FileMissing", `${this.#path} isn't there`, { path: this.#path });
    this.folder = found.directory;
    if (!found.directory) {
      this.#files = [new SourceFile(this.#path, this.name, 0, found.bytes, found.mtimeMs)];
      return;
    }
    const { files } = await this.#ports.files.list(this.#path, MOST_FILES, this.#closed.signal);
    this.#files = [...files]
      .sort((a, b) => naturalOrder(a.name, b.name))
      .map(
        ({ name, bytes, mtimeMs }, at) =>
          new SourceFile(this.#ports.files.join(this.#path, name), name, at, bytes, mtimeMs),
      );
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
        for (const event of queues.get(following) ?? []) this.#take(following, event);
        queues.delete(following);
      }
    };
    const one = async (): Promise<void> => {
      for (let file = files[next++]; file; file = files[next++]) {
        const current = file;
        await this.#readFile(current, (event) => {
          if (files[head] === current) this.#take(current, event);
          else queues.set(current, [...(queues.get(current) ?? []), event]);
        });
        done.add(current);
        advance();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, () => one()));
  }

  async #readFile(file: SourceFile, onEvent: (event: IndexEvent) => void): Promise<void> {
    const { signal } = this.#closed;
    try {
      await this.#ports.indexer.index(
        { path: file.path, name: file.name, from: null, last: true },
        onEvent,
        signal,
      );
      file.done = true;
    } catch (error) {
      signal.throwIfAborted();
      this.#failed(file, toRewardsmithError(error));
    }
  }

  /** A file alone that can't be read can't be opened; one of many that isn't known is none of ours. */
  #failed(file: SourceFile, error: RewardsmithError): void {
    if (!this.folder && file.facts === null) throw error;
    file.done = true;
    if (file.facts === null) file.unknown = true;
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
    }
  }

  #append(file: SourceFile, batch: SummaryBatch): void {
    const { columns, groups, texts } = this.#facts;
    const names = columns.components.length + columns.metrics.length;
    const first = columns.append(batch, file.at);
    const { hashHigh, hashLow, flags, step } = batch.columns;
    for (let at = 0; at < batch.n; at++) {
      groups.add(first + at, {
        high: hashHigh?.[at] ?? 0,
        low: hashLow?.[at] ?? 0,
        given: ((flags?.[at] ?? 0) & GIVEN) !== 0,
        step: step?.[at] ?? Number.NaN,
        split: columns.splitOf(first + at),
        file: file.at,
        grouping: file.facts?.grouping ?? "prompt",
      });
    }
    texts.append(batch.texts);
    file.grow(first, first + batch.n);
    if (columns.components.length + columns.metrics.length > names) this.#say("info");
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
