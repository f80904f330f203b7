import { RewardsmithError } from "../../../base/errors";
import type {
  Container,
  FileAccess,
  FileLimits,
  FileProblem,
  FoundRecord,
  RecordFile,
  ScanBatch,
  ScanOptions,
} from "../container";
import { movedBytes } from "../floats";
import { isTooDeep, parseInSteps, parseValue } from "../jsonValue";
import { decodeSlowly, startsWith } from "./bytes";
import { crc32 } from "./crc32";
import { Pace } from "./pace";
import { UnpackedTooLarge, unpack } from "./unpack";
import { type ZipEntry, dataOffset, readDirectory } from "./zipDirectory";

const LOCAL_HEADER = [0x50, 0x4b, 0x03, 0x04];
const EMPTY_ARCHIVE = [0x50, 0x4b, 0x05, 0x06];
/** Parsed at once. */
const SHORT_TEXT = 2_000_000;

/** Entries of a ZIP archive that are JSON, one record each. */
export const zipContainer: Container = {
  id: "zip",
  sniff: (first) => startsWith(first, LOCAL_HEADER) || startsWith(first, EMPTY_ARCHIVE),
  async head(file) {
    return {
      container: "zip",
      name: file.name,
      folders: file.folders,
      records: [],
      names: (await directoryOf(file)).map(({ name }) => name),
      metadata: {},
    };
  },
  async open(file, form, limits): Promise<RecordFile> {
    const directory = await directoryOf(file);
    const archive = new Archive(file, directory, limits);
    const chosen = form.entries?.(directory.map(({ name }) => name)) ?? {
      shared: [],
      records: directory.map(({ name }) => name),
    };
    const problems: FileProblem[] = [];
    const shared: [string, unknown][] = [];
    for (const name of chosen.shared)
      try {
        shared.push([name, await archive.json(name, new Pace())]);
      } catch (error) {
        problems.push(archive.problem(name, error));
      }
    const records = chosen.records.filter((name) => archive.has(name));
    return {
      container: "zip",
      bytes: archive.sizeOf(records),
      shared: Object.fromEntries(shared),
      resumes: false,
      scan: (options) => scan(archive, records, problems, options),
      async at({ at }) {
        const name = directory[at]?.name;
        if (name === undefined)
          throw new RewardsmithError("FileUnreadable", `${file.name} has changed: it has no such entry`);
        return archive.json(name, new Pace());
      },
      close: () => undefined,
    };
  },
};

async function directoryOf(file: FileAccess): Promise<readonly ZipEntry[]> {
  try {
    return await readDirectory(file);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RewardsmithError(
      "FormatUnknown",
      `${file.name} can't be read as a ZIP archive: ${message}`,
      { path: file.name, problem: "bad-zip" },
      { cause: error },
    );
  }
}

async function* scan(
  archive: Archive,
  names: readonly string[],
  before: readonly FileProblem[],
  { from, signal }: ScanOptions,
): AsyncGenerator<ScanBatch, void, undefined> {
  const pace = new Pace(signal);
  // Entries gone through: those that couldn't be read are no records.
  let bytes = archive.sizeOf(names.slice(0, from.lines));
  let index = from.lines;
  let found = from.records;
  let told = from.lines === 0 ? before : [];
  for (const name of names.slice(index)) {
    const records: FoundRecord[] = [];
    const problems: FileProblem[] = [...told];
    told = [];
    const stand = { bytes, lines: index, records: found };
    if (bytes + archive.sizeOf([name]) > archive.most) {
      const message = `The archive holds more than ${archive.most} bytes once decompressed; entries from ${name.slice(0, 300)} on aren't read.`;
      problems.push({ line: archive.indexOf(name) + 1, code: "too-large", message });
      const all = { bytes: archive.sizeOf(names), lines: names.length, records: found };
      yield { records, problems, position: all };
      return;
    }
    const reading = archive.read(name, pace);
    try {
      let step = await reading.next();
      for (; step.done !== true; step = await reading.next())
        yield { records: [], problems: [], position: stand, reached: bytes + step.value };
      const at = archive.indexOf(name);
      records.push({ place: { at, length: 0 }, line: at + 1, value: step.value });
    } catch (error) {
      signal?.throwIfAborted();
      problems.push(archive.problem(name, error));
    }
    bytes += archive.sizeOf([name]);
    index++;
    found += records.length;
    yield { records, problems, position: { bytes, lines: index, records: found } };
    await pace.turn();
  }
  if (names.length === 0) yield { records: [], problems: before, position: { bytes, lines: 0, records: 0 } };
}

class TooLargeEntry extends Error {}
class TooDeepEntry extends Error {}

class Archive {
  readonly #file: FileAccess;
  readonly #limits: FileLimits;
  readonly #entries = new Map<string, { readonly entry: ZipEntry; readonly index: number }>();
  readonly #overlapping: ReadonlySet<ZipEntry>;

  constructor(file: FileAccess, directory: readonly ZipEntry[], limits: FileLimits) {
    this.#file = file;
    this.#limits = limits;
    // A name that comes twice was written twice: the later one counts, as for other readers.
    for (const [index, entry] of directory.entries()) this.#entries.set(entry.name, { entry, index });
    this.#overlapping = overlaps(directory);
  }

  /** Bytes that are decompressed in one scan. */
  get most(): number {
    return this.#limits.decompressedBytes;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  indexOf(name: string): number {
    return this.#entries.get(name)?.index ?? 0;
  }

  sizeOf(names: readonly string[]): number {
    // What a directory claims may be anything: never more than is read of an entry.
    return names.reduce(
      (n, name) => n + Math.min(this.#entries.get(name)?.entry.size ?? 0, this.#limits.valueBytes),
      0,
    );
  }

  problem(name: string, error: unknown): FileProblem {
    const line = this.indexOf(name) + 1;
    const message = error instanceof Error ? error.message : String(error);
    const code =
      error instanceof UnpackedTooLarge || error instanceof TooLargeEntry
        ? "too-large"
        : error instanceof TooDeepEntry
          ? "too-deep"
          : "bad-zip";
    return { line, code, message: `Entry ${name.slice(0, 300)} can't be read: ${message}.` };
  }

  async json(name: string, pace: Pace): Promise<unknown> {
    const reading = this.read(name, pace);
    for (;;) {
      const step = await reading.next();
      if (step.done === true) return step.value;
    }
  }

  /** Gives bytes done of the entry; throws an Error saying why it can't be read. */
  async *read(name: string, pace: Pace): AsyncGenerator<number, unknown, undefined> {
    const entry = this.#entries.get(name)?.entry;
    if (!entry) throw new Error("there is no such entry");
    const bytes = await this.#unpacked(entry, pace);
    yield bytes.length / 2;
    const moved = this.#file.floatsMoved === true;
    const { text, bad } = await decodeSlowly(moved ? movedBytes(bytes) : bytes, pace);
    if (bad) throw new Error("it holds bytes that aren't UTF-8");
    if (isTooDeep(text, this.#limits.depth))
      throw new TooDeepEntry(`it is nested deeper than ${this.#limits.depth} levels`);
    if (text.length < SHORT_TEXT) {
      const parsed = parseValue(text);
      if (parsed.ok) return parsed.value;
      throw new Error(`it isn't JSON: ${parsed.message} at character ${parsed.at + 1}`);
    }
    const parsing = parseInSteps(text);
    for (;;) {
      const step = parsing.next();
      if (step.done === true) {
        if (step.value.ok) return step.value.value;
        throw new Error(`it isn't JSON: ${step.value.message} at character ${step.value.at + 1}`);
      }
      if (!pace.due) continue;
      await pace.turn();
      yield bytes.length / 2 + (bytes.length * step.value) / text.length / 2;
    }
  }

  async #unpacked(entry: ZipEntry, pace: Pace): Promise<Uint8Array> {
    const { method, size, compressed } = entry;
    if (entry.encrypted) throw new Error("it is encrypted");
    if (this.#overlapping.has(entry)) throw new Error("it overlaps another entry");
    const most = this.#limits.valueBytes;
    if (size > most || compressed > most)
      throw new TooLargeEntry(`it has ${Math.max(size, compressed)} bytes; up to ${most} are read`);
    const from = await dataOffset(this.#file, entry);
    if (from + compressed > this.#file.bytes) throw new Error("it lies outside the file");
    const raw = await this.#file.read(from, compressed);
    await pace.turn();
    const bytes = await decompressed(raw, method, size, pace);
    if (bytes.length !== size) throw new Error(`it has ${bytes.length} bytes, not ${size} as it says`);
    if (crc32(bytes) !== entry.crc) throw new Error("its checksum is wrong: it is damaged");
    await pace.turn();
    return bytes;
  }
}

async function decompressed(raw: Uint8Array, method: number, size: number, pace: Pace): Promise<Uint8Array> {
  switch (method) {
    case 0:
      return raw;
    case 8:
      return unpack(raw, "deflate", size, pace);
    case 93:
      return unpack(raw, "zstd", size, pace);
    default:
      throw new Error(`it is compressed by a method (${method}) that isn't read`);
  }
}

/** Entries whose data others claim too: how a small archive is made to look like an endless one. */
function overlaps(directory: readonly ZipEntry[]): ReadonlySet<ZipEntry> {
  const found = new Set<ZipEntry>();
  let end = 0;
  for (const entry of [...directory].sort((a, b) => a.offset - b.offset)) {
    if (entry.offset < end) found.add(entry);
    // A local header has at least 30 bytes and the name.
    end = Math.max(end, entry.offset + 30 + entry.compressed);
  }
  return found;
}
