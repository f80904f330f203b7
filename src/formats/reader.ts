import type { ReadProblem, SampleSetInfo } from "../schema/sample";

export type ReaderId = SampleSetInfo["reader"];
/** Readers of rows; trajectories are read by the forms in `trajectories/`. */
export type RowReaderId = Exclude<ReaderId, "trajectories">;

/** A row as the file has it: bigint beyond 2^53, NaN and infinities as numbers. */
export type Row = Readonly<Record<string, unknown>>;

export interface ReadResult {
  readonly reader: ReaderId;
  readonly rows: readonly Row[];
  /** 1-based line of each row (row number for Parquet and JSON arrays). */
  readonly lines: readonly number[];
  readonly problems: ProblemList;
  /** Places (`core/scoring/paths`) whose numbers are floats in Python. */
  readonly floats: ReadonlySet<string>;
  /** CSV: cells as written, of the columns that became something else than text. One a row. */
  readonly texts?: readonly Row[];
}

export interface ReadLimits {
  /** Longest text that is decoded at once: V8's strings end near 512 Mi characters. */
  readonly lineBytes: number;
  /** Rows that a Parquet file may declare. */
  readonly rows: number;
  /** Bytes that a Parquet file may declare to hold once decompressed. */
  readonly decompressedBytes: number;
}

export const DEFAULT_LIMITS: ReadLimits = {
  lineBytes: 400_000_000,
  rows: 5_000_000,
  decompressedBytes: 1_000_000_000,
};

export interface SampleReader {
  readonly id: RowReaderId;
  /** Never throws for what a file holds: what can't be read is in `problems`. */
  read(bytes: Uint8Array, limits: ReadLimits, signal?: AbortSignal): ReadResult | Promise<ReadResult>;
}

/** Keeps the first problems and counts the rest, so that a wholly broken file stays bounded. */
export class ProblemList {
  static readonly kept = 1000;
  readonly items: ReadProblem[] = [];
  count = 0;

  add(line: number, code: ReadProblem["code"], message: string): void {
    this.count++;
    if (this.items.length < ProblemList.kept)
      this.items.push({ line, code, message: message.slice(0, 1000) });
  }
}
