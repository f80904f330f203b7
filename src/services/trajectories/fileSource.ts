import { RewardsmithError } from "../../base/errors";
import { Emitter } from "../../base/event";
import type { LabelValue } from "../../schema/label";
import type {
  SourceProgress,
  Trajectory,
  TrajectoryPage,
  TrajectoryProblem,
  TrajectoryQuery,
  TrajectoryRow,
} from "../../schema/trajectory";
import type { SearchAnswer, SearchAsk, SourceInfo, TrajectoryGroup } from "../../schema/trajectoryView";
import type { FilterProblem } from "../../schema/filter";
import { Arranged } from "./arranged";
import { groupsPage } from "./groupsView";
import { Pace } from "./order";
import type { StorePorts } from "./ports";
import { RecordPool, type RecordPlace } from "./recordPool";
import { searchSource } from "./search";
import { SourceReader } from "./sourceReader";
import type { SourceFile } from "./sourceFile";
import type { GroupsAsk, NowScore, SourceChange, TrajectorySource } from "./source";

const MOST_LISTED = 1000;
const MOST_NAMES = 200;
const MOST_FORMS = 50;
const RULES = new Map([["trl", "trl"]]);

/** A file or folder of trajectories, open: see `TrajectorySource`. */
export class FileSource implements TrajectorySource {
  readonly path: string;
  readonly #ports: StorePorts;
  readonly #changes = new Emitter<SourceChange>();
  readonly #reader: SourceReader;
  readonly #pool: RecordPool;
  readonly #arranged: Arranged;
  #version = 0;

  readonly onDidChange = this.#changes.event;

  constructor(path: string, ports: StorePorts) {
    this.path = path;
    this.#ports = ports;
    this.#pool = new RecordPool(ports.files);
    this.#reader = new SourceReader(path, ports, {
      changed: (what) => {
        if (what === "reset") this.#version++;
        this.#changes.fire(what);
      },
      fileChanged: (file) => this.#pool.drop(file.path),
    });
    this.#arranged = new Arranged({
      facts: () => this.#reader.facts,
      version: () => this.#version,
      complete: () => this.#reader.complete,
      now: ports.now,
      turn: ports.turn,
    });
  }

  /** Resolves as soon as its form is known; rejects where it can't be read. */
  opened(): Promise<void> {
    return this.#reader.opened();
  }

  info(): SourceInfo {
    const { files, facts, folder, runFramework } = this.#reader;
    const known = files.filter((file) => file.facts !== null && !file.unknown);
    const counts = new Map<string, number>();
    for (const { facts: own } of known)
      if (own) counts.set(own.formTitle, (counts.get(own.formTitle) ?? 0) + 1);
    const frameworks = new Set(known.map((file) => file.facts?.framework ?? null));
    const [only = null] = frameworks;
    const framework = runFramework ?? (frameworks.size === 1 ? only : null);
    const forms = [...counts]
      .sort((a, b) => b[1] - a[1])
      .map(([title]) => title)
      .slice(0, MOST_FORMS);
    return {
      name: this.#reader.name,
      folder,
      forms,
      framework,
      files: known.slice(0, MOST_LISTED).map((file) => file.name),
      fileCount: known.length,
      components: facts.columns.components.slice(0, MOST_NAMES),
      metrics: facts.columns.metrics.slice(0, MOST_NAMES),
      run: this.#run(framework ?? forms[0] ?? null),
      rule: framework === null ? null : (RULES.get(framework) ?? null),
    };
  }

  /** A folder of a framework's run, or rows of more than one step. */
  #run(name: string | null): SourceInfo["run"] {
    const steps = this.#reader.tally.steps();
    const several = steps.some(({ step }) => step !== steps[0]?.step);
    if (name === null || (this.#reader.runFramework === null && !several)) return null;
    return { framework: name, steps };
  }

  progress(): SourceProgress {
    return this.#reader.progress();
  }

  async page(query: TrajectoryQuery, from: number, count: number): Promise<TrajectoryPage> {
    const { rows, problem } = await this.#arranged.order(query);
    const total = rows?.length ?? this.#reader.total;
    const n = Math.max(0, Math.min(count, total - from));
    const wanted =
      rows === null ? Array.from({ length: n }, (_, at) => from + at) : [...rows.subarray(from, from + n)];
    return { progress: this.progress(), total, rows: await this.rows(wanted), problem };
  }

  async find(query: TrajectoryQuery, index: number): Promise<number | null> {
    const { rows } = await this.#arranged.order(query);
    if (rows === null) return index < this.#reader.total ? index : null;
    const at = rows.indexOf(index);
    return at < 0 ? null : at;
  }

  async failing(
    query: TrajectoryQuery,
    index: number | null,
    forward: boolean,
  ): Promise<{ index: number | null; at: number | null }> {
    const { rows } = await this.#arranged.order(query);
    const { facts } = this.#reader;
    const n = rows?.length ?? facts.columns.n;
    const step = forward ? 1 : -1;
    const here = index === null ? -1 : rows === null ? index : rows.indexOf(index);
    const pace = new Pace(this.#ports.now, this.#ports.turn);
    for (let at = here < 0 ? (forward ? 0 : n - 1) : here + step; at >= 0 && at < n; at += step) {
      const row = rows === null ? at : (rows[at] ?? 0);
      if (facts.failing(row)) return { index: row, at };
      if ((at & 1023) === 0 && pace.due) await pace.rest();
    }
    return { index: null, at: null };
  }

  async row(index: number): Promise<TrajectoryRow> {
    const [row] = await this.rows([index]);
    if (!row) throw this.#none(index);
    return row;
  }

  async rows(indexes: readonly number[]): Promise<TrajectoryRow[]> {
    const rows: TrajectoryRow[] = [];
    for (const index of indexes) {
      const { facts } = this.#reader;
      if (index >= facts.columns.n) throw this.#none(index);
      rows.push(facts.row(index, await facts.texts.reader(index)));
    }
    return rows;
  }

  groupOf(index: number): readonly number[] {
    const { facts } = this.#reader;
    if (index >= facts.columns.n) return [index];
    return facts.groups.members(facts.groups.groupOf.get(index));
  }

  async groups(
    ask: GroupsAsk,
  ): Promise<{ total: number; groups: TrajectoryGroup[]; problem: FilterProblem | null }> {
    const { rows, problem } = await this.#arranged.order(plain(ask.filter));
    const pace = new Pace(this.#ports.now, this.#ports.turn);
    return { ...(await groupsPage(this.#reader.facts, rows, ask, pace)), problem };
  }

  async matching(filter: string): Promise<{ indexes: Uint32Array; problem: FilterProblem | null }> {
    const { rows, problem } = await this.#arranged.order(plain(filter));
    const { n } = this.#reader.facts.columns;
    return { indexes: rows ?? Uint32Array.from({ length: n }, (_, row) => row), problem };
  }

  async get(index: number, signal?: AbortSignal): Promise<Trajectory> {
    const { file, place } = this.#placeOf(index);
    const trajectory = await this.#pool.trajectory(file.path, place, signal);
    const { step, split } = file;
    return { ...trajectory, step: trajectory.step ?? step, split: trajectory.split ?? split };
  }

  async raw(index: number): Promise<string> {
    const { file, place } = this.#placeOf(index);
    return this.#pool.raw(file.path, place);
  }

  place(index: number): { readonly file: string; readonly line: number; readonly form: string } {
    const { file, place } = this.#placeOf(index);
    return { file: file.path, line: place.line, form: file.facts?.form ?? "" };
  }

  search(ask: SearchAsk, signal?: AbortSignal): Promise<SearchAnswer> {
    return searchSource({ reader: this.#reader, pool: this.#pool, ports: this.#ports }, ask, signal);
  }

  problems(from: number, count: number): { total: number; problems: TrajectoryProblem[] } {
    return this.#reader.problems(from, count);
  }

  follow(on: boolean): SourceProgress {
    this.#reader.follow(on);
    return this.progress();
  }

  whenComplete(): Promise<void> {
    return this.#reader.whenComplete();
  }

  setLabels(labels: ReadonlyMap<string, LabelValue>): void {
    this.#reader.setLabels(labels);
    this.#version++;
    this.#changes.fire("labels");
  }

  setNow(scores: ReadonlyMap<number, NowScore> | null): void {
    this.#reader.facts.now = scores;
    this.#version++;
    this.#changes.fire("scores");
  }

  dispose(): void {
    this.#reader.dispose();
    this.#pool.dispose();
    this.#arranged.clear();
    this.#changes.dispose();
  }

  #placeOf(index: number): { readonly file: SourceFile; readonly place: RecordPlace } {
    const { facts, files } = this.#reader;
    const { columns } = facts;
    const file = files[columns.column("file").get(index)];
    if (index >= columns.n || !file) throw this.#none(index);
    return { file, place: this.#reader.placeOf(index) };
  }

  #none(index: number): RewardsmithError {
    return new RewardsmithError("FileUnreadable", `there is no trajectory ${index + 1} in ${this.path}`, {
      path: this.path,
      line: index + 1,
    });
  }
}

function plain(filter: string): TrajectoryQuery {
  return { filter, sort: "index", descending: false };
}
