import type { SummaryBatch } from "../../core/trajectories/batch";
import type { FileFacts } from "../../formats/trajectories/indexing";
import { START, type FileProblem, type ScanPosition } from "../../formats/trajectories/container";

/** A batch's splits are told by a byte. */
const MOST_SPLITS = 255;

/** What is known of one file of a source. */
export class SourceFile {
  readonly path: string;
  /** Relative to the source. */
  readonly name: string;
  /** Position in the source's list. */
  readonly at: number;
  /** What its path in a run says: of its trajectories that don't say it themselves. */
  step: number | null = null;
  split: string | null = null;
  bytes: number;
  mtimeMs: number;
  /** Of the file that is being read under this name; null: not known. */
  inode: number | null = null;
  facts: FileFacts | null = null;
  position: ScanPosition = START;
  /** Bytes gone through: ahead of `position` inside a long line. */
  reached = 0;
  /** All that was there has been read. */
  done = false;
  /** Looked at, and no form knows it; or it can't be read. */
  unknown = false;
  /** Why nothing is read of it. */
  refusal: string | null = null;
  gone = false;
  /** Rows of it, as [from, to) in the source; more than one where others grew meanwhile. */
  readonly ranges: [from: number, to: number][] = [];
  /** Beginning of the file and what stood before `position`: whether it grew, or is another. */
  marks: { readonly head: string; readonly tail: string } | null = null;
  /** What is wrong with a last line that isn't whole yet. */
  pending: readonly FileProblem[] = [];

  constructor(path: string, name: string, at: number, bytes: number, mtimeMs: number) {
    this.path = path;
    this.name = name;
    this.at = at;
    this.bytes = bytes;
    this.mtimeMs = mtimeMs;
  }

  get rows(): number {
    return this.ranges.reduce((sum, [from, to]) => sum + to - from, 0);
  }

  /** Bytes to go through. */
  get toRead(): number {
    if (this.unknown) return 0;
    const facts = this.facts;
    return facts === null || facts.container === "lines" ? this.bytes : facts.bytes;
  }

  get read(): number {
    if (this.unknown) return 0;
    return this.done ? this.toRead : Math.min(Math.max(this.position.bytes, this.reached), this.toRead);
  }

  grow(from: number, to: number): void {
    const last = this.ranges.at(-1);
    if (last?.[1] === from) last[1] = to;
    else this.ranges.push([from, to]);
  }
}

/** The batch with the file's step and split where its trajectories have none. */
export function placed(batch: SummaryBatch, { step, split }: SourceFile): SummaryBatch {
  if ((step === null && split === null) || batch.n === 0) return batch;
  const columns = { ...batch.columns };
  if (step !== null) {
    const own = columns.step;
    columns.step = Float64Array.from({ length: batch.n }, (_, at) => {
      const value = own?.[at] ?? Number.NaN;
      return Number.isNaN(value) ? step : value;
    });
  }
  if (split === null || batch.splits.length >= MOST_SPLITS) return { ...batch, columns };
  const splits = [...batch.splits, split];
  const own = columns.split;
  columns.split = Uint8Array.from({ length: batch.n }, (_, at) => {
    const value = own?.[at] ?? 0;
    return value === 0 ? splits.length : value;
  });
  return { ...batch, columns, splits };
}

/** Numbers in names by their value: `step_9` before `step_10`. */
export function naturalOrder(a: string, b: string): number {
  const [x, y] = [padded(a), padded(b)];
  return x < y ? -1 : x > y ? 1 : a < b ? -1 : a > b ? 1 : 0;
}

function padded(name: string): string {
  return name.replace(/\d{1,15}/g, (digits) => digits.padStart(15, "0"));
}
