import type { ByteSource } from "../../core/ports";
import type { TrajectoryProblemCode } from "../../schema/trajectory";
import type { ContainerId, FormHead, RecordContext, TrajectoryForm } from "./form";

/** A file as containers see it: bytes on request, and the files beside it by relative name. */
export interface FileAccess extends ByteSource {
  readonly name: string;
  /** Folders above it, nearest last; at most four. */
  readonly folders: readonly string[];
  /** Whole floats are to be read moved by a half (`floats.ts`): asked for of containers that aren't text. */
  readonly floatsMoved?: boolean;
  /** The bytes as text where all of them are ASCII, faster than a decoder gives it; null where they aren't. */
  readonly ascii?: (bytes: Uint8Array) => string | null;
  /** Null where there is none, or it is larger than `atMost` bytes. */
  beside(relative: string, atMost: number): Promise<Uint8Array | null>;
}

export interface FileLimits {
  /** Longest line, and largest document, that is parsed at once: V8's strings end near 512 Mi characters. */
  readonly valueBytes: number;
  /** Bytes that an archive or a Parquet file may hold once decompressed. */
  readonly decompressedBytes: number;
  readonly rows: number;
  readonly depth: number;
}

export const FILE_LIMITS: FileLimits = {
  valueBytes: 200_000_000,
  decompressedBytes: 2_000_000_000,
  rows: 20_000_000,
  depth: 2000,
};

/** Where a record lies, as its container counts: offset and length, row, entry. Both are safe integers. */
export interface Place {
  readonly at: number;
  readonly length: number;
}

export interface FoundRecord {
  readonly place: Place;
  /** 1-based line, row or entry. */
  readonly line: number;
  readonly value: unknown;
}

export interface FileProblem {
  readonly line: number;
  readonly code: TrajectoryProblemCode;
  readonly message: string;
}

/** Where a scan stands, so that a later one can go on: only the lines container goes on in a file that grew. */
export interface ScanPosition {
  readonly bytes: number;
  /** Lines, rows or entries before it. */
  readonly lines: number;
  readonly records: number;
}

export const START: ScanPosition = { bytes: 0, lines: 0, records: 0 };

export interface ScanBatch {
  readonly records: readonly FoundRecord[];
  readonly problems: readonly FileProblem[];
  /** After this batch. A half last line isn't passed: it is read again when it is whole. */
  readonly position: ScanPosition;
  /** Bytes gone through, for showing progress: ahead of `position` inside a long line. */
  readonly reached?: number;
  /** What stands at `position` and isn't whole yet, where the file may grow: told again until it is. */
  readonly pending?: FileProblem;
}

export interface OffsetOptions {
  readonly from: ScanPosition;
  readonly signal?: AbortSignal;
}

/** A part of a file whose lines were counted but not parsed. */
export interface OffsetBatch {
  /** Byte offsets of the lines `n × OFFSETS_EVERY` (0-based) that begin in this part, in order. */
  readonly starts: readonly number[];
  /** `bytes` and `lines` (ends seen so far) after it; `records` stays as it was. */
  readonly position: ScanPosition;
}

/** Every so many lines an offset is kept, so that any line is found by reading little. */
export const OFFSETS_EVERY = 256;

export interface ScanOptions {
  readonly from: ScanPosition;
  readonly signal?: AbortSignal;
  /** The file won't grow: a last line without its end is a record or a problem now. */
  readonly last: boolean;
}

/** The records of one file. Nothing is thrown for what the file holds; what can't be read is a problem. */
export interface RecordFile {
  readonly container: ContainerId;
  /** Bytes that a scan goes through: more than the file's own where it is compressed. */
  readonly bytes: number;
  /** What all records share, for `RecordContext.shared`. */
  readonly shared: unknown;
  /** A later scan of the grown file may go on from where an earlier one stopped. Not so: it begins again. */
  readonly resumes?: boolean;
  /** In order, in batches that take a few milliseconds each, with a turn of the event loop between them. */
  scan(options: ScanOptions): AsyncIterable<ScanBatch>;
  /** One record again. Rejects where the file has changed so that there is none. */
  at(place: Place): Promise<unknown>;
  /** Lines without parsing them, at the speed of memory; only where records are lines of the file itself. */
  offsets?(options: OffsetOptions): AsyncIterable<OffsetBatch>;
  close(): void;
}

export interface Container {
  readonly id: ContainerId;
  /** By its first bytes and name. */
  sniff(first: Uint8Array, name: string): boolean;
  /** What recognition looks at. May throw `RewardsmithError` where the file is no such container after all. */
  head(file: FileAccess, limits: FileLimits, signal?: AbortSignal): Promise<FormHead>;
  open(file: FileAccess, form: TrajectoryForm, limits: FileLimits): Promise<RecordFile>;
}

export type Beside = RecordContext["beside"];
