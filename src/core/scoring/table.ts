import type { SampleSetInfo } from "../../schema/sample";

/** A sample set in memory, in columns. Row numbers are positions in these arrays. */
export interface SampleTable {
  readonly info: SampleSetInfo;
  readonly n: number;
  /** Stable identity of each sample: id column, else hash of prompt + completion + used columns. */
  readonly ids: readonly string[];
  /** 1-based line (or row) in the file it came from. */
  readonly lines: readonly number[];
  /** Row → index in `sources`; absent: all are from the first file. */
  readonly fileOf?: readonly number[];
  /** The files that the rows come from, in the order of `info.files`. */
  readonly sources?: readonly TableFile[];
  readonly groups: readonly SampleGroup[];
  /** Row → index in `groups`. */
  readonly groupOf: readonly number[];
  readonly prompt: readonly unknown[] | null;
  readonly completion: readonly unknown[];
  readonly completionIds: readonly unknown[] | null;
  /**
   * Every further column, under the name that the reward knows it by; missing cells are null. Integers beyond
   * 2^53 are bigint; NaN and infinities are numbers.
   */
  readonly columns: ReadonlyMap<string, readonly unknown[]>;
  readonly label: readonly unknown[] | null;
  /** Columns whose numbers are floats in Python even where they look whole (written 4.0, or mixed): sent as 4.0. */
  readonly floats: ReadonlySet<string>;
}

export interface TableFile {
  readonly path: string;
  /** Columns that go by another name here, because files call them differently: our name → the file's own. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Completions of one task that the trainer compares. */
export interface SampleGroup {
  readonly id: string;
  readonly rows: readonly number[];
}
