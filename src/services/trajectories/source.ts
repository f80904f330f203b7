import type { Event } from "../../base/event";
import type { IDisposable } from "../../base/lifecycle";
import type {
  SourceProgress,
  Trajectory,
  TrajectoryPage,
  TrajectoryProblem,
  TrajectoryQuery,
  TrajectoryRow,
} from "../../schema/trajectory";
import type {
  GroupOrder,
  SearchAnswer,
  SearchAsk,
  SourceInfo,
  TrajectoryGroup,
} from "../../schema/trajectoryView";
import type { FilterProblem } from "../../schema/filter";
import type { LabelValue } from "../../schema/label";
import type { z } from "zod";

export type SourceChange = "rows" | "labels" | "scores" | "info" | "reset";

export interface GroupsAsk {
  readonly filter: string;
  readonly order: z.infer<typeof GroupOrder>;
  readonly descending: boolean;
  readonly from: number;
  readonly count: number;
}

/** What the open reward says of a trajectory now, by index. */
export interface NowScore {
  readonly value: number | null;
  readonly state: string;
}

/**
 * The trajectories of one file or folder, open. Rows are answered from summaries, a trajectory itself is read again from
 * its file each time. Positions (`index`) stay while the files only grow; a file that was rewritten is a "reset".
 */
export interface TrajectorySource extends IDisposable {
  readonly path: string;
  readonly onDidChange: Event<SourceChange>;
  info(): SourceInfo;
  progress(): SourceProgress;
  page(query: TrajectoryQuery, from: number, count: number): Promise<TrajectoryPage>;
  /** Position in the filtered order; null: not in it. */
  find(query: TrajectoryQuery, index: number): Promise<number | null>;
  failing(
    query: TrajectoryQuery,
    index: number | null,
    forward: boolean,
  ): Promise<{ index: number | null; at: number | null }>;
  row(index: number): Promise<TrajectoryRow>;
  rows(indexes: readonly number[]): Promise<TrajectoryRow[]>;
  /** Members of its group, in order. */
  groupOf(index: number): readonly number[];
  groups(
    ask: GroupsAsk,
  ): Promise<{ total: number; groups: TrajectoryGroup[]; problem: FilterProblem | null }>;
  /** Indexes that a filter lets through, in order of the source. */
  matching(filter: string): Promise<{ indexes: Uint32Array; problem: FilterProblem | null }>;
  get(index: number, signal?: AbortSignal): Promise<Trajectory>;
  /** The record as the file has it (of Parquet and databases: as JSON). */
  raw(index: number): Promise<string>;
  /** File, 1-based line, and the form's id. */
  place(index: number): { readonly file: string; readonly line: number; readonly form: string };
  search(ask: SearchAsk, signal?: AbortSignal): Promise<SearchAnswer>;
  problems(from: number, count: number): { total: number; problems: TrajectoryProblem[] };
  follow(on: boolean): SourceProgress;
  /** Resolves when all is read (or it was closed). */
  whenComplete(): Promise<void>;
  setLabels(labels: ReadonlyMap<string, LabelValue>): void;
  setNow(scores: ReadonlyMap<number, NowScore> | null): void;
}

/** Sources by path: opened when first asked for, closed when nobody holds them any more. */
export interface TrajectoryStore extends IDisposable {
  /** Rejects with FileMissing, FileUnreadable, FormatUnknown. Each `open` is paired with a `release`. */
  open(path: string): Promise<TrajectorySource>;
  release(path: string): void;
}
