import type {
  FileAccess,
  FileLimits,
  FileProblem,
  FoundRecord,
  ScanBatch,
  ScanOptions,
  ScanPosition,
} from "../container";
import { joined, startsWith } from "./bytes";
import { type LineContent, readLine, readLongLine } from "./lineRecord";
import { Pace } from "./pace";

const CHUNK_BYTES = 1_000_000;
/** Longer lines are parsed in steps. */
const LONG_BYTES = 4_000_000;
const NEWLINE = 10;
const UTF8_MARK = [0xef, 0xbb, 0xbf];

/** How records lie: one a line, or printed over several lines each, beginning and ending in the first column. */
export type LineStyle = "lines" | "printed";

/** Bytes of lines that belong together, with their ends between them, none after the last. */
interface Piece {
  readonly at: number;
  /** 1-based line of its first. */
  readonly line: number;
  /** Null: longer than what is read. */
  readonly bytes: Uint8Array | null;
  readonly length: number;
}

/** Gathers bytes up to a limit and goes on counting behind it. */
class Gathered {
  #parts: Uint8Array[] = [];
  length = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.length += part.length;
    if (this.length > this.#limit) this.#parts = [];
    else this.#parts.push(part);
  }

  take(at: number, line: number): Piece {
    const bytes = this.length > this.#limit ? null : joined(this.#parts);
    const piece = { at, line, bytes, length: this.length };
    this.#parts = [];
    this.length = 0;
    return piece;
  }
}

/** Puts lines together to values that are printed over several lines: from `{` to `}` in the first column. */
class Assembler {
  readonly #gathered: Gathered;
  #begun: { at: number; line: number } | null = null;

  constructor(limit: number) {
    this.#gathered = new Gathered(limit);
  }

  get begun(): { readonly at: number; readonly line: number } | null {
    return this.#begun;
  }

  /** Pieces that are complete now: none, one, or (where one broke off) two. */
  push(line: Piece): readonly Piece[] {
    const first = line.bytes?.[0];
    const done: Piece[] = [];
    if (this.#begun && first === 0x7b) done.push(...this.finish());
    if (!this.#begun) {
      if (first !== 0x7b) return [...done, line];
      this.#begun = { at: line.at, line: line.line };
    } else this.#gathered.add(Uint8Array.of(NEWLINE));
    if (line.bytes) this.#gathered.add(line.bytes);
    else this.#gathered.length += line.length;
    if (first === 0x7d || isClosed(line.bytes)) done.push(...this.finish());
    return done;
  }

  finish(): readonly Piece[] {
    if (!this.#begun) return [];
    const { at, line } = this.#begun;
    this.#begun = null;
    return [this.#gathered.take(at, line)];
  }
}

/** `{…}` on one line among others that are printed. */
function isClosed(bytes: Uint8Array | null): boolean {
  if (bytes?.[0] !== 0x7b) return false;
  const last = bytes.at(-1) === 13 ? bytes.at(-2) : bytes.at(-1);
  return last === 0x7d;
}

/** Records and problems on their way to the next batch, and where the scan stands. */
class Outbox {
  #records: FoundRecord[] = [];
  #problems: FileProblem[] = [];
  #found: number;
  /** A record that broke off, and where the scan stood before it. */
  #cut: { readonly problem: FileProblem; readonly before: ScanPosition } | null = null;

  constructor(found: number) {
    this.#found = found;
  }

  accept(piece: Piece, content: LineContent): void {
    const { line } = piece;
    const nothing = content.records.length + content.problems.length === 0 && content.cut === null;
    if (nothing) return;
    this.#resolveCut();
    for (const { code, message } of content.problems) this.#problems.push({ line, code, message });
    for (const { value, at, length } of content.records)
      this.#records.push({ place: { at: piece.at + at, length }, line, value });
    if (content.cut !== null)
      this.#cut = {
        problem: { line, code: "unfinished", message: content.cut },
        before: { bytes: piece.at, lines: line - 1, records: this.#found + this.#records.length },
      };
  }

  #resolveCut(): void {
    if (!this.#cut) return;
    const { line, message } = this.#cut.problem;
    this.#problems.push({
      line,
      code: "torn",
      message: `${message} Other records follow, so it can't be completed.`,
    });
    this.#cut = null;
  }

  /** The file ends here for good: what broke off stays so. */
  end(): void {
    if (!this.#cut) return;
    const { problem } = this.#cut;
    this.#problems.push({
      ...problem,
      message: `${problem.message} It is read as soon as its writer completes it.`,
    });
    this.#cut = null;
  }

  get cut(): FileProblem | null {
    return this.#cut?.problem ?? null;
  }

  take(bytes: number, lines: number, reached: number, pending: FileProblem | null = null): ScanBatch {
    const records = this.#records;
    const problems = this.#problems;
    this.#records = [];
    this.#problems = [];
    this.#found += records.length;
    const position = this.#cut?.before ?? { bytes, lines, records: this.#found };
    return { records, problems, position, reached, ...(pending && { pending }) };
  }
}

/** Offset of the first line: behind a byte order mark. */
export async function firstLine(file: FileAccess): Promise<number> {
  return startsWith(await file.read(0, 3), UTF8_MARK) ? 3 : 0;
}

/**
 * The records of a file of lines, in constant memory (but for the longest line): batches of a few milliseconds each.
 * Throws only the signal's reason, and what reading the file throws.
 */
export async function* scanLines(
  file: FileAccess,
  limits: FileLimits,
  style: LineStyle,
  { from, signal, last }: ScanOptions,
): AsyncGenerator<ScanBatch, void, undefined> {
  const pace = new Pace(signal);
  const outbox = new Outbox(from.records);
  const assembler = style === "printed" ? new Assembler(limits.valueBytes) : null;
  const rest = new Gathered(limits.valueBytes);
  let offset = from.bytes === 0 ? await firstLine(file) : from.bytes;
  /** Where the line that is being gathered begins, and how many lines are before it. */
  let begin = offset;
  let { lines } = from;
  const stand = (reached: number, pending: FileProblem | null = null): ScanBatch => {
    const begun = assembler?.begun;
    return begun
      ? outbox.take(begun.at, begun.line - 1, reached, pending)
      : outbox.take(begin, lines, reached, pending);
  };
  const accept = async function* (piece: Piece): AsyncGenerator<ScanBatch, void, undefined> {
    for (const whole of assembler ? assembler.push(piece) : [piece]) yield* read(whole);
  };
  const read = async function* (piece: Piece): AsyncGenerator<ScanBatch, void, undefined> {
    if (piece.bytes === null || piece.bytes.length <= LONG_BYTES) {
      outbox.accept(piece, contentOf(piece, limits, file));
      return;
    }
    const steps = readLongLine(piece.bytes, limits, pace);
    for (;;) {
      const step = await steps.next();
      if (step.done === true) {
        outbox.accept(piece, step.value);
        return;
      }
      const before = gatheredShare(piece.length);
      const reached = Math.floor(piece.at + before + (piece.length - before) * step.value);
      yield outbox.take(piece.at, piece.line - 1, reached);
    }
  };
  while (offset < file.bytes) {
    signal?.throwIfAborted();
    const chunk = await file.read(offset, Math.min(CHUNK_BYTES, file.bytes - offset));
    if (chunk.length === 0) break;
    let at = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, at);
      if (newline < 0) break;
      rest.add(chunk.subarray(at, newline));
      const piece = rest.take(begin, lines + 1);
      begin = offset + newline + 1;
      at = newline + 1;
      if (!assembler && piece.length <= LONG_BYTES) outbox.accept(piece, contentOf(piece, limits, file));
      else yield* accept(piece);
      lines++;
      if (pace.due) {
        yield stand(begin);
        await pace.turn();
      }
    }
    rest.add(chunk.subarray(at));
    offset += chunk.length;
    yield stand(begin + gatheredShare(rest.length));
    await pace.turn();
  }
  if (!last) {
    const line = assembler?.begun?.line ?? lines + 1;
    const pending: FileProblem | null =
      outbox.cut ??
      (rest.length > 0 || assembler?.begun
        ? { line, code: "unfinished", message: "The record isn't whole yet." }
        : null);
    if (pending) yield stand(offset, pending);
    return;
  }
  if (rest.length > 0) {
    const piece = rest.take(begin, lines + 1);
    begin = offset;
    yield* accept(piece);
    // A line without its end isn't counted: the end may still come, and is no line of its own then.
  }
  for (const piece of assembler?.finish() ?? []) yield* read(piece);
  outbox.end();
  yield stand(offset);
}

/** Bytes of a line that its gathering counts for: half of a long one, the other half is for its parsing. */
function gatheredShare(length: number): number {
  return length <= LONG_BYTES ? length : Math.floor((LONG_BYTES + length) / 2);
}

function contentOf({ bytes, length }: Piece, limits: FileLimits, file: FileAccess): LineContent {
  if (bytes) return readLine(bytes, limits, file.ascii);
  const message = `The line is ${length} bytes long; lines of up to ${limits.valueBytes} bytes are read.`;
  return { records: [], problems: [{ code: "too-large", message }], cut: null };
}
