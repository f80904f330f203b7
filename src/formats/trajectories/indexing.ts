import type { IDisposable } from "../../base/lifecycle";
import { BatchBuilder, type SummaryBatch } from "../../core/trajectories/batch";
import type { TrajectoryForm } from "./form";
import { FILE_LIMITS, START, type FileAccess, type FileProblem, type ScanPosition } from "./container";
import { openTrajectories } from "./open";

/** A batch goes out when it has so many rows, so much was read for it, or so long was worked on it. */
const BATCH_ROWS = 2000;
const BATCH_BYTES = 8_000_000;
const BATCH_MS = 150;
/** Inside a long line it is told this often how far it is. */
const REACHED_MS = 200;
/** Problems of one file that are kept; the rest is counted. */
const MOST_PROBLEMS = 10_000;

export interface IndexJob {
  readonly path: string;
  /** Relative name in its source: part of what names trajectories without an id. */
  readonly name: string;
  /** Where an earlier job of the same file stopped; null: from the start. */
  readonly from: ScanPosition | null;
  /** Nobody writes to it any more: a last line without its end counts now. */
  readonly last: boolean;
}

export interface FileFacts {
  readonly form: string;
  readonly formTitle: string;
  readonly framework: string | null;
  readonly grouping: TrajectoryForm["grouping"];
  readonly container: string;
  /** Its records are stretches of the file's own bytes, and what was read stays where it was while the file grows. */
  readonly resumes: boolean;
  /** Bytes that are gone through: more than the file's own where it is compressed. */
  readonly bytes: number;
  /** Relative names of the files beside it that its trajectories depend on. */
  readonly beside: readonly string[];
}

export type IndexEvent =
  | { readonly kind: "opened"; readonly facts: FileFacts }
  | {
      readonly kind: "batch";
      readonly batch: SummaryBatch;
      readonly position: ScanPosition;
      readonly problems: readonly FileProblem[];
    }
  /** Bytes gone through, inside a line that takes long. */
  | { readonly kind: "reached"; readonly bytes: number };

/** Goes through files and says what is in them; on threads of its own or in this one. */
export interface Indexer extends IDisposable {
  /**
   * Events in order, then resolves with where it stopped. Rejects with FormatUnknown, FileMissing, FileUnreadable,
   * Cancelled (at once), WorkerCrashed.
   */
  index(job: IndexJob, onEvent: (event: IndexEvent) => void, signal: AbortSignal): Promise<ScanPosition>;
}

/** The trajectories of one file as batches of summaries. Nothing is thrown for what the file holds. */
export async function indexFile(
  file: FileAccess,
  job: IndexJob,
  onEvent: (event: IndexEvent) => void,
  signal: AbortSignal,
): Promise<ScanPosition> {
  const opened = await openTrajectories(file, FILE_LIMITS, signal);
  const { form, records } = opened;
  try {
    onEvent({
      kind: "opened",
      facts: {
        form: form.id,
        formTitle: form.title,
        framework: form.framework,
        grouping: form.grouping,
        container: records.container,
        resumes: records.resumes === true,
        bytes: records.bytes,
        beside: form.beside?.(file.name, file.folders) ?? [],
      },
    });
    const builder = new BatchBuilder();
    let position = job.from ?? START;
    let sent = position;
    let began = performance.now();
    let told = 0;
    let toldAt = began;
    let problems: FileProblem[] = [];
    let problemCount = 0;
    const say = (problem: FileProblem): void => {
      if (problemCount++ < MOST_PROBLEMS) problems.push(problem);
    };
    const send = (): void => {
      if (builder.size === 0 && problems.length === 0 && sent.bytes === position.bytes) return;
      onEvent({ kind: "batch", batch: builder.take(), position, problems });
      problems = [];
      sent = position;
      began = performance.now();
    };
    for await (const batch of records.scan({ from: position, signal, last: job.last })) {
      signal.throwIfAborted();
      for (const problem of batch.problems) say(problem);
      let index = batch.position.records - batch.records.length;
      for (const record of batch.records) {
        const at = index++;
        const found = opened.read(record, at, (message, code = "odd-record") =>
          say({ line: record.line, code, message }),
        );
        const { place, line } = record;
        const { name } = job;
        for (const [nth, trajectory] of found.entries())
          builder.add(trajectory, { at: place.at, length: place.length, name, line, nth, record: at });
      }
      const first = sent === (job.from ?? START) && builder.size > 0;
      position = batch.position;
      if (
        first ||
        builder.size >= BATCH_ROWS ||
        position.bytes - sent.bytes >= BATCH_BYTES ||
        performance.now() - began >= BATCH_MS
      )
        send();
      const reached = batch.reached ?? position.bytes;
      if (reached > Math.max(position.bytes, told) && performance.now() - toldAt >= REACHED_MS) {
        onEvent({ kind: "reached", bytes: reached });
        told = reached;
        toldAt = performance.now();
      }
    }
    send();
    return position;
  } finally {
    records.close();
  }
}

export { FILE_LIMITS };
