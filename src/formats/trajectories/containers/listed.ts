import { RewardsmithError } from "../../../base/errors";
import {
  type FileAccess,
  type FileLimits,
  type FileProblem,
  type RecordFile,
  START,
  type ScanBatch,
  type ScanOptions,
  type ScanPosition,
} from "../container";
import type { ContainerId, PlacedRecord, SplitResult, TrajectoryForm } from "../form";
import { ownLines } from "../lineForms";
import { Pace } from "./pace";

const BATCH_RECORDS = 64;

export interface Loaded extends SplitResult {
  readonly problems: readonly FileProblem[];
}

export interface ListedFile {
  readonly container: ContainerId;
  readonly bytes: number;
  readonly shared?: unknown;
  /** Reads the file, giving the bytes gone through now and then. */
  load(options: Omit<ScanOptions, "from">): AsyncGenerator<number, Loaded, undefined>;
}

/** Records that are in memory together, because only the whole file tells them. Read when first asked for. */
export function listedRecords(file: ListedFile): RecordFile {
  let loaded: Loaded | null = null;
  let whole = false;
  const load = async function* (
    options: Omit<ScanOptions, "from">,
  ): AsyncGenerator<number, Loaded, undefined> {
    if (loaded && (whole || !options.last)) return loaded;
    loaded = yield* file.load(options);
    whole = options.last;
    return loaded;
  };
  return {
    container: file.container,
    bytes: file.bytes,
    get shared() {
      return loaded ? loaded.shared : (file.shared ?? null);
    },
    resumes: false,
    async *scan({ from, signal, last }) {
      const loading = load({ last, ...(signal && { signal }) });
      let step = await loading.next();
      for (; step.done !== true; step = await loading.next())
        yield { records: [], problems: [], position: from, reached: step.value };
      yield* inBatches(step.value, from, file.bytes, signal);
    },
    async at({ at }) {
      const loading = load({ last: true });
      let step = await loading.next();
      while (step.done !== true) step = await loading.next();
      const record = step.value.records[at];
      if (record) return record.value;
      throw new RewardsmithError("FileUnreadable", "The file has changed: the record isn't there any more");
    },
    close: () => {
      loaded = null;
    },
  };
}

/** The whole file at once, for a form whose trajectories are spread over its records. */
export function gathered(
  file: FileAccess,
  inner: RecordFile,
  form: TrajectoryForm,
  limits: FileLimits,
): RecordFile {
  if (inner.bytes > limits.valueBytes)
    throw new RewardsmithError(
      "TooLarge",
      `${file.name} is needed whole to make trajectories of it: it has ${inner.bytes} bytes, and up to ${limits.valueBytes} are read so`,
      { path: file.name },
    );
  const records = listedRecords({
    container: inner.container,
    bytes: inner.bytes,
    async *load(options) {
      const placed: PlacedRecord[] = [];
      const problems: FileProblem[] = [];
      for await (const batch of inner.scan({ ...options, from: START })) {
        for (const { value, line } of batch.records) placed.push({ value, line });
        problems.push(...batch.problems);
        yield batch.reached ?? batch.position.bytes;
      }
      const own =
        inner.container === "lines" ? ownLines(form, file, placed) : { records: placed, problems: [] };
      const split = form.split?.(own.records) ?? { shared: null, records: own.records };
      return { ...split, problems: [...problems, ...own.problems] };
    },
  });
  return {
    ...records,
    get shared() {
      return records.shared;
    },
    close: () => {
      records.close();
      inner.close();
    },
  };
}

/** All of them when the scan begins at the start, else those behind it: the file doesn't go on, it is another. */
async function* inBatches(
  { records, problems }: Loaded,
  from: ScanPosition,
  bytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ScanBatch, void, undefined> {
  const pace = new Pace(signal);
  let at = from.records;
  let told = from.records > 0 ? [] : problems;
  do {
    const part = records.slice(at, at + BATCH_RECORDS);
    const found = part.map((record, i) => ({ ...record, place: { at: at + i, length: 0 } }));
    at += part.length;
    const done = at >= records.length;
    yield {
      records: found,
      problems: told,
      position: {
        // Not all bytes before the last record is out: who stops in between must not take it for read.
        bytes: done ? bytes : Math.floor((bytes * at) / records.length),
        lines: lineOf(part) ?? from.lines,
        records: at,
      },
    };
    told = [];
    await pace.turn();
  } while (at < records.length);
}

function lineOf(records: readonly PlacedRecord[]): number | null {
  return records.at(-1)?.line ?? null;
}
