import { hitsIn } from "../../core/trajectories/hits";
import type { SearchAnswer, SearchAsk, SearchHit } from "../../schema/trajectoryView";
import { Pace } from "./order";
import type { StorePorts } from "./ports";
import type { RecordPool } from "./recordPool";
import type { SourceReader } from "./sourceReader";
import type { SourceFile } from "./sourceFile";

const SLICE = 2_000_000;
/** An answer comes after so long; sooner where it has a hit to show. */
const ANSWER_MS = 300;
const FIRST_HIT_MS = 60;
/** While more is being read, an answer at the end of what is known takes a moment: who asks again doesn't spin. */
const WAIT_MS = 200;
/** A text's longest spelling in JSON: two escapes a code point, with backslashes of strings within strings. */
const LONGEST_SPELLING = 24;

interface Stretch {
  readonly file: SourceFile;
  readonly from: number;
  readonly to: number;
}

export interface SearchParts {
  readonly reader: SourceReader;
  readonly pool: RecordPool;
  readonly ports: StorePorts;
}

/** Searches on from the ask's cursor: `row.skip`, the row to go on with and how many of its hits were told. */
export async function searchSource(
  parts: SearchParts,
  ask: SearchAsk,
  signal: AbortSignal | undefined,
): Promise<SearchAnswer> {
  const run = new SearchRun(parts, ask, signal);
  const cursor = await run.go();
  const { reader, ports } = parts;
  const { bytes } = reader.progress();
  if (cursor === null) return { hits: run.hits, cursor, bytesDone: bytes, bytes };
  if (cursor.row >= reader.facts.columns.n && run.hits.length === 0) await ports.delay(WAIT_MS, signal);
  return {
    hits: run.hits,
    cursor: `${cursor.row}.${cursor.skip}`,
    bytesDone: bytesBefore(reader, cursor.row),
    bytes,
  };
}

class SearchRun {
  readonly hits: SearchHit[] = [];
  readonly #parts: SearchParts;
  readonly #ask: SearchAsk;
  readonly #signal: AbortSignal | undefined;
  readonly #began: number;
  readonly #pace: Pace;
  readonly #needle: { find(bytes: Uint8Array, from: number): number };

  constructor(parts: SearchParts, ask: SearchAsk, signal: AbortSignal | undefined) {
    this.#parts = parts;
    this.#ask = ask;
    this.#signal = signal;
    this.#began = parts.ports.now();
    this.#pace = new Pace(parts.ports.now, parts.ports.turn, signal);
    this.#needle = parts.ports.search.compile(ask.text, ask.matchCase);
  }

  /** Where to go on; null: all is searched. */
  async go(): Promise<{ row: number; skip: number } | null> {
    const { reader } = this.#parts;
    const [, row = "0", skip = "0"] = /^(\d{1,10})\.(\d{1,6})$/.exec(this.#ask.cursor ?? "") ?? [];
    let at = { row: Number(row), skip: Number(skip) };
    for (const stretch of stretches(reader)) {
      if (stretch.to <= at.row) continue;
      if (at.row < stretch.from) at = { row: stretch.from, skip: 0 };
      const stopped = await this.#stretch(stretch, at);
      if (stopped) return stopped;
      at = { row: stretch.to, skip: 0 };
      if (this.#full) return at;
    }
    return reader.complete && at.row >= reader.facts.columns.n ? null : at;
  }

  get #full(): boolean {
    const took = this.#parts.ports.now() - this.#began;
    return this.hits.length >= this.#ask.limit || took >= (this.hits.length > 0 ? FIRST_HIT_MS : ANSWER_MS);
  }

  async #stretch(
    stretch: Stretch,
    from: { row: number; skip: number },
  ): Promise<{ row: number; skip: number } | null> {
    const { pool, reader } = this.#parts;
    if (stretch.file.facts?.resumes !== true) return this.#rows(stretch, from);
    const column = (name: "at" | "length", row: number): number => reader.facts.columns.column(name).get(row);
    const end = column("at", stretch.to - 1) + column("length", stretch.to - 1);
    const overlap = Math.min(SLICE / 2, this.#ask.text.length * LONGEST_SPELLING);
    let row = from.row;
    let skip = from.skip;
    let at = column("at", row);
    while (at < end) {
      const bytes = await pool.with(stretch.file.path, ({ access }) =>
        access.read(at, Math.min(SLICE, end - at)),
      );
      if (bytes.length === 0) break;
      await this.#pace.rest();
      for (let place = this.#needle.find(bytes, 0); place >= 0;) {
        row = this.#rowAt(at + place, stretch, row);
        const stopped = await this.#row(stretch.file, row, skip);
        if (stopped) return stopped;
        skip = 0;
        const next = column("at", row) + column("length", row);
        row++;
        if (this.#full) return { row, skip: 0 };
        if (row >= stretch.to) return null;
        // Further trajectories of the same record are looked at, too.
        const same = column("at", row) < next;
        place = same
          ? place
          : next - at < bytes.length
            ? this.#needle.find(bytes, Math.max(0, next - at))
            : -1;
      }
      at = Math.max(at + 1, bytes.length < SLICE ? end : at + bytes.length - overlap);
      // The row that is behind the last hit may begin later.
      at = Math.max(at, column("at", row));
      if (this.#full) return { row: this.#rowAt(at, stretch, row), skip: 0 };
    }
    return null;
  }

  /** Without bytes to look at: every row is read. */
  async #rows(
    stretch: Stretch,
    from: { row: number; skip: number },
  ): Promise<{ row: number; skip: number } | null> {
    for (let row = from.row; row < stretch.to; row++) {
      const stopped = await this.#row(stretch.file, row, row === from.row ? from.skip : 0);
      if (stopped) return stopped;
      if (this.#full && row + 1 < stretch.to) return { row: row + 1, skip: 0 };
    }
    return null;
  }

  async #row(file: SourceFile, row: number, skip: number): Promise<{ row: number; skip: number } | null> {
    const { pool, reader } = this.#parts;
    if (this.#pace.due) await this.#pace.rest();
    const trajectory = await pool.trajectory(file.path, reader.placeOf(row), this.#signal);
    let nth = 0;
    for (const hit of hitsIn(trajectory, this.#ask.text, this.#ask.matchCase)) {
      if (nth++ < skip) continue;
      if (this.hits.length >= this.#ask.limit) return { row, skip: nth - 1 };
      this.hits.push({ index: row, ...hit });
    }
    return null;
  }

  /** The first row of the record that holds this byte, at or after `from`. */
  #rowAt(byte: number, { to }: Stretch, from: number): number {
    const { columns } = this.#parts.reader.facts;
    const at = columns.column("at");
    const length = columns.column("length");
    let low = from;
    let high = to - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at.get(middle) + length.get(middle) <= byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Rows of one file that follow one another, in order of the source. */
function stretches(reader: SourceReader): Stretch[] {
  return reader.files
    .flatMap((file) => file.ranges.map(([from, to]): Stretch => ({ file, from, to })))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
}

function bytesBefore(reader: SourceReader, row: number): number {
  const at = reader.facts.columns.column("at");
  return stretches(reader).reduce((sum, { file, from, to }) => {
    if (row >= to) return sum + (file.facts?.resumes === true ? at.get(to - 1) - at.get(from) : 0);
    return row > from && file.facts?.resumes === true ? sum + at.get(row) - at.get(from) : sum;
  }, 0);
}
