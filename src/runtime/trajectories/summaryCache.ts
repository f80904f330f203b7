import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import type { ScanPosition } from "../../formats/trajectories/container";
import type { IndexEvent } from "../../formats/trajectories/indexing";
import { frameOf, readEvents, readExactly, readTrailer, trailerOf } from "./summaryFile";

/** Smaller files are read as soon as what is kept of them is. */
const FEWEST_BYTES = 8_000_000;
const MOST_BYTES = 512_000_000;
/** Of one file's summaries. */
const MOST_OF_ONE = 256_000_000;
/** What is left of a write that was broken off. */
const OLD_TEMPORARY_MS = 86_400_000;
const ENDING = ".summaries";

const Beside = z.object({ name: z.string(), bytes: z.number().nullable(), mtimeMs: z.number().nullable() });
type Beside = z.infer<typeof Beside>;

const Trailer = z.object({
  version: z.string(),
  path: z.string(),
  name: z.string(),
  /** Of the file, when it was read. */
  size: z.number(),
  mtimeMs: z.number(),
  /** The events tell of so many bytes; samples of them all over. */
  bytes: z.number(),
  samples: z.string(),
  beside: z.array(Beside),
});

const SAMPLE_BYTES = 4096;
const EDGE_BYTES = 65_536;
const SAMPLES = 64;

/** SHA-256 of the first `bytes` of a file: its beginning, its end, and samples in between. Null: it is shorter. */
async function samplesOf(path: string, bytes: number): Promise<string | null> {
  const file = await open(path, "r");
  try {
    const hash = createHash("sha256").update(String(bytes));
    const edge = Math.min(EDGE_BYTES, bytes);
    const places: [at: number, length: number][] = [[0, edge]];
    for (let nth = 1; nth < SAMPLES; nth++)
      places.push([Math.floor(((bytes - edge) / SAMPLES) * nth), Math.min(SAMPLE_BYTES, bytes)]);
    places.push([bytes - edge, edge]);
    for (const [at, length] of places) {
      const part = await readExactly(file, at, length);
      if (!part) return null;
      hash.update(part);
    }
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}

async function besideOf(path: string, names: readonly string[]): Promise<Beside[]> {
  return Promise.all(
    names.map(async (name) => {
      const found = await stat(resolve(dirname(path), name)).catch(() => null);
      return { name, bytes: found?.size ?? null, mtimeMs: found?.mtimeMs ?? null };
    }),
  );
}

/**
 * Summaries in files of a folder, the least used of them removed when they are too many. `version` tells programs apart
 * that would summarise differently. Nothing here ever rejects: what can't be read or written isn't kept.
 */
export function summaryCache(folder: string, version: string, fewestBytes = FEWEST_BYTES) {
  const placeOf = (path: string, name: string): string => {
    const key = createHash("sha256")
      .update(JSON.stringify([path, name]))
      .digest("hex")
      .slice(0, 32);
    return join(folder, `${key}${ENDING}`);
  };
  return {
    async find(path: string, name: string) {
      const place = placeOf(path, name);
      try {
        const file = await open(place, "r");
        try {
          const trailer = await readTrailer(file);
          const kept = Trailer.safeParse(trailer?.value);
          if (!trailer || !kept.success || !(await isOf(kept.data, { version, path, name }))) return null;
          const { bytes } = kept.data;
          const now = new Date();
          await utimes(place, now, now);
          return { bytes, events: () => eventsOf(place, trailer.at) };
        } finally {
          await file.close();
        }
      } catch {
        return null;
      }
    },

    begin(path: string, name: string, { bytes, mtimeMs }: { bytes: number; mtimeMs: number }) {
      if (bytes < fewestBytes) return null;
      return keeper(folder, placeOf(path, name), path, async (position, beside) => {
        const found = await stat(path);
        const samples = await samplesOf(path, position.bytes);
        if (found.size !== bytes || found.mtimeMs !== mtimeMs || samples === null) return null;
        return { version, path, name, size: bytes, mtimeMs, bytes: position.bytes, samples, beside };
      });
    },
  };
}

/** Whether what is kept tells of the file as it is now. */
async function isOf(
  kept: z.infer<typeof Trailer>,
  { version, path, name }: { version: string; path: string; name: string },
): Promise<boolean> {
  if (kept.version !== version || kept.path !== path || kept.name !== name) return false;
  const found = await stat(path);
  // Of the same size it is untouched; a longer one has grown where its beginning is the same.
  if (found.size < kept.size || (found.size === kept.size && found.mtimeMs !== kept.mtimeMs)) return false;
  const names = kept.beside.map((one) => one.name);
  if (JSON.stringify(await besideOf(path, names)) !== JSON.stringify(kept.beside)) return false;
  return (await samplesOf(path, kept.bytes)) === kept.samples;
}

async function* eventsOf(place: string, end: number): AsyncGenerator<IndexEvent, void, undefined> {
  const file = await open(place, "r").catch(() => null);
  if (!file) return;
  try {
    yield* readEvents(file, end);
  } catch {
    // The file itself is read from where they end.
  } finally {
    await file.close();
  }
}

/** Writes events as they come, beside the file that they become when all are there. */
function keeper(
  folder: string,
  place: string,
  path: string,
  trailer: (position: ScanPosition, beside: Beside[]) => Promise<z.infer<typeof Trailer> | null>,
) {
  const temporary = `${place}.${randomBytes(6).toString("hex")}.tmp`;
  let beside: Promise<Beside[]> = Promise.resolve([]);
  let resumes = false;
  let length = 0;
  let ended = false;
  const file = mkdir(folder, { recursive: true }).then(() => open(temporary, "wx", 0o600));
  let written: Promise<unknown> = file;
  const write = (bytes: Uint8Array): void => {
    length += bytes.length;
    written = written.then(async () => (await file).appendFile(bytes));
    written.catch(() => undefined);
  };
  const drop = async (): Promise<void> => {
    await written.catch(() => undefined);
    await file.then((one) => one.close()).catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
  };
  const end = (): void => {
    if (ended) return;
    ended = true;
    void drop();
  };
  return {
    add(event: IndexEvent): void {
      if (ended || event.kind === "reached") return;
      if (event.kind === "opened") {
        ({ resumes } = event.facts);
        beside = besideOf(path, event.facts.beside);
      }
      write(frameOf(event));
      // What isn't a stretch of the file's own bytes can't be gone on with.
      if (length > MOST_OF_ONE || !resumes) end();
    },
    async keep(position: ScanPosition): Promise<void> {
      if (ended) return;
      ended = true;
      try {
        const last = await trailer(position, await beside);
        if (last === null) {
          await drop();
          return;
        }
        write(trailerOf(last));
        await written;
        const opened = await file;
        await opened.sync();
        await opened.close();
        await rename(temporary, place);
        await trim(folder);
      } catch {
        await drop();
      }
    },
    end,
  };
}

/** Removes what was used least recently until the rest is small enough. */
async function trim(folder: string): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => null);
      return { path: join(folder, name), bytes: found?.size ?? 0, mtimeMs: found?.mtimeMs ?? 0 };
    }),
  );
  let sum = 0;
  for (const { path, bytes, mtimeMs } of files.toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
    const broken = path.endsWith(".tmp");
    if (!broken) sum += bytes;
    if (broken ? Date.now() - mtimeMs > OLD_TEMPORARY_MS : sum > MOST_BYTES) await rm(path, { force: true });
  }
}
