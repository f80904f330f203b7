import { open, readFile, stat } from "node:fs/promises";
import type { TelemetryReader, TelemetryReading } from "../../core/runs/telemetry";
import type { MetricRow } from "../../schema/run";
import { errorCode } from "../systemErrors";

export type Row = Omit<MetricRow, "from">;

/** Where a follower stands, for the one that may have to go on after it. */
export interface Place {
  readonly reader: string;
  readonly path: string;
  /** Number of the file on its disk: another one of the same name starts anew. */
  readonly file: number;
  /** Lines: offset of the first line that wasn't read to its end. Documents: size. */
  readonly offset: number;
  /** Documents: time of change. */
  readonly changed: number;
}

export interface Step {
  readonly rows: readonly Row[];
  /** More is there to be read at once. */
  readonly more: boolean;
  /** False: what was read was there before anybody followed; when it came isn't known. */
  readonly live: boolean;
}

export interface FileFollower {
  readonly place: Place;
  /** Reads a piece of what is new. Rejects with the system's error. */
  step(): Promise<Step>;
  end(): readonly Row[];
}

const PIECE = 1024 * 1024;
const MOST_DOCUMENT = 64 * 1024 * 1024;
const NOTHING: Step = { rows: [], more: false, live: true };

export class TooLarge extends Error {}

/** A file that grows at its end, read in pieces by offset: never whole, whatever its size. */
export class LinesFollower implements FileFollower {
  readonly #path: string;
  readonly #relative: string;
  readonly #reader: TelemetryReader;
  readonly #buffer = Buffer.allocUnsafe(PIECE);
  #reading: TelemetryReading;
  #decoder = new TextDecoder();
  #file: number;
  #offset: number;
  #lineStart: number;
  #live: boolean;

  /** `from`: where an earlier follower stood. `live`: the file is new, it is read as it grows. */
  constructor(path: string, relative: string, reader: TelemetryReader, from: Place | null, live: boolean) {
    this.#path = path;
    this.#relative = relative;
    this.#reader = reader;
    this.#reading = reader.open();
    this.#file = from?.file ?? 0;
    this.#offset = from?.offset ?? 0;
    this.#lineStart = this.#offset;
    this.#live = live;
  }

  get place(): Place {
    return {
      reader: this.#reader.id,
      path: this.#relative,
      file: this.#file,
      offset: this.#lineStart,
      changed: 0,
    };
  }

  async step(): Promise<Step> {
    const handle = await opened(this.#path);
    if (!handle) return NOTHING;
    try {
      const { size, ino } = await handle.stat();
      if (ino !== this.#file || size < this.#offset) this.#anew(ino);
      if (size === this.#offset) {
        this.#live = true;
        return NOTHING;
      }
      const { bytesRead } = await handle.read(this.#buffer, 0, PIECE, this.#offset);
      const piece = this.#buffer.subarray(0, bytesRead);
      const lastEnd = piece.lastIndexOf(10);
      if (lastEnd >= 0) this.#lineStart = this.#offset + lastEnd + 1;
      this.#offset += bytesRead;
      const rows = this.#reading.push(this.#decoder.decode(piece, { stream: true }));
      return { rows, more: this.#offset < size, live: this.#live };
    } finally {
      await handle.close();
    }
  }

  end(): readonly Row[] {
    return [...this.#reading.push(this.#decoder.decode()), ...this.#reading.end()];
  }

  #anew(file: number): void {
    if (this.#offset > 0) {
      this.#reading = this.#reader.open();
      this.#decoder = new TextDecoder();
    }
    this.#file = file;
    this.#offset = 0;
    this.#lineStart = 0;
  }
}

/** A file that is written anew as a whole, read when it has changed. Rows that were given before are left out. */
export class DocumentFollower implements FileFollower {
  readonly #path: string;
  readonly #relative: string;
  readonly #reader: TelemetryReader;
  readonly #reading: TelemetryReading;
  readonly #known: Set<string>;
  #file: number;
  #size: number;
  #changed: number;

  /** `known`: shared by the documents of one pattern, as each checkpoint's holds the history of all before it. */
  constructor(
    path: string,
    relative: string,
    reader: TelemetryReader,
    from: Place | null,
    known: Set<string>,
  ) {
    this.#path = path;
    this.#relative = relative;
    this.#reader = reader;
    this.#reading = reader.open();
    this.#known = known;
    this.#file = from?.file ?? 0;
    this.#size = from?.offset ?? -1;
    this.#changed = from?.changed ?? 0;
  }

  get place(): Place {
    return {
      reader: this.#reader.id,
      path: this.#relative,
      file: this.#file,
      offset: Math.max(0, this.#size),
      changed: this.#changed,
    };
  }

  async step(): Promise<Step> {
    let found;
    try {
      found = await stat(this.#path);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return NOTHING;
      throw error;
    }
    if (found.size === this.#size && found.mtimeMs === this.#changed && found.ino === this.#file)
      return NOTHING;
    if (found.size > MOST_DOCUMENT) throw new TooLarge(`${this.#relative}: ${found.size} bytes`);
    const text = await readFile(this.#path, "utf8");
    [this.#size, this.#changed, this.#file] = [found.size, found.mtimeMs, found.ino];
    return { rows: this.#fresh(this.#reading.push(text)), more: false, live: false };
  }

  end(): readonly Row[] {
    return this.#fresh(this.#reading.end());
  }

  #fresh(rows: readonly Row[]): readonly Row[] {
    return rows.filter((row) => {
      const key = `${row.step} ${JSON.stringify(row.values)}`;
      if (this.#known.has(key)) return false;
      this.#known.add(key);
      return true;
    });
  }
}

async function opened(path: string) {
  try {
    return await open(path, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}
