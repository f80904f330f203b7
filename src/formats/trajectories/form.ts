import type { Credit, Trajectory } from "../../schema/trajectory";
import type { Fields } from "./build";

/** How records lie in a file; each has a reader in `containers/`. */
export type ContainerId = "lines" | "document" | "parquet" | "zip" | "sqlite";

/** What recognition looks at: little, and at once. */
export interface FormHead {
  readonly container: ContainerId;
  /** File name with extension. */
  readonly name: string;
  /** Folders above it, nearest last; at most four. */
  readonly folders: readonly string[];
  /** First records: parsed lines, the document's one value, rows; of a zip or database none. */
  readonly records: readonly unknown[];
  /** Parquet: columns. Zip: names of its entries. SQLite: `table.column`. */
  readonly names: readonly string[];
  /** Parquet: key-value metadata of the footer. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A record of a file that is read whole, and where it stands there. */
export interface PlacedRecord {
  readonly value: unknown;
  /** 1-based line, row or entry. */
  readonly line: number;
}

export interface RecordContext {
  readonly name: string;
  readonly folders: readonly string[];
  readonly line: number;
  /** Position of the record among the file's records. */
  readonly index: number;
  /** What `split` or the container found that belongs to all records. */
  readonly shared: unknown;
  /** What the form's `learn` gave; null without one. */
  readonly learnt: unknown;
  /** Parsed content of files beside it, by the name that `beside` gave; a missing one isn't in it. */
  readonly beside: ReadonlyMap<string, unknown>;
  /** Says what is odd about this record; it is read all the same. */
  readonly problem: (message: string) => void;
}

export interface SplitResult {
  readonly shared: unknown;
  readonly records: readonly PlacedRecord[];
}

export interface ZipEntries {
  /** Entries whose JSON all records need, by name. */
  readonly shared: readonly string[];
  /** Entries that are one record each, in order. */
  readonly records: readonly string[];
}

export interface SqliteTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface SqliteRecords {
  /** Table whose rows are the records, in order of rowid. */
  readonly table: string;
  /** Columns that hold JSON text: parsed before `read` sees the row. */
  readonly json: readonly string[];
}

/**
 * One form that a framework writes. A new one is a file in `forms/`, a line in `registry.ts`, a test. Forms throw
 * nothing for what a file holds: what is odd is said by `context.problem`, and what can be read is read.
 */
export interface TrajectoryForm {
  /** Short and stable: it is in `read --json` and on disk. */
  readonly id: string;
  /** As people call it: "verl rollout dump". */
  readonly title: string;
  /** Framework whose advantage rule and reward contract go with it; null: none. */
  readonly framework: string | null;
  readonly containers: readonly ContainerId[];
  /**
   * Groups where a trajectory has no id of its own for them: equal prompts (within a step and split), or runs of rows
   * with equal prompts. `given`: without an id each trajectory is alone.
   */
  readonly grouping: "given" | "prompt" | "runs";
  readonly credit: Credit | null;
  recognise(head: FormHead): boolean;
  /** Lines that `recognise` doesn't know alone, but that belong to its others: entries of a session, control records. */
  readonly owns?: (record: Fields) => boolean;
  /** Relative names of files that it needs besides ("../result.json"); JSON only. */
  readonly beside?: (name: string, folders: readonly string[]) => readonly string[];
  /**
   * What the first records tell of all (at most `LEARNT` of them, 20,000): becomes `RecordContext.learnt`. For what a
   * framework writes nowhere, but implies.
   */
  readonly learn?: (
    records: readonly unknown[],
    context: Omit<RecordContext, "line" | "index" | "problem" | "learnt">,
  ) => unknown;
  /** Lines: the whole file is needed to make trajectories (spans, recordings): `split` gets all its records. */
  readonly whole?: boolean;
  /** Of a document (its one value) or of a `whole` file (all records): the records, and what they share. */
  readonly split?: (records: readonly PlacedRecord[]) => SplitResult;
  readonly entries?: (names: readonly string[]) => ZipEntries;
  readonly tables?: (tables: readonly SqliteTable[]) => SqliteRecords;
  /** Trajectories of one record: none (a heading, a failure row without content), one, or a group of them. */
  read(record: unknown, context: RecordContext): readonly Trajectory[];
}
