import type { Place } from "../../formats/trajectories/container";
import { openTrajectories, type TrajectoryFile } from "../../formats/trajectories/open";
import type { Trajectory } from "../../schema/trajectory";
import { RewardsmithError } from "../../base/errors";
import type { OpenedAccess, TrajectoryFiles } from "./ports";

/** Files that stay open: a folder may have thousands. */
const OPEN_FILES = 6;

export interface RecordPlace extends Place {
  /** 1-based line; position among the file's records; position among the record's trajectories. */
  readonly line: number;
  readonly record: number;
  readonly nth: number;
}

interface Pooled {
  readonly opened: Promise<{ readonly access: OpenedAccess; readonly file: TrajectoryFile }>;
  users: number;
  dropped: boolean;
}

/** Reads single records again, from files that are kept open for a while. */
export class RecordPool {
  readonly #files: TrajectoryFiles;
  readonly #pool = new Map<string, Pooled>();

  constructor(files: TrajectoryFiles) {
    this.#files = files;
  }

  /** Works with the opened file; it stays open meanwhile. */
  async with<T>(
    path: string,
    work: (opened: { readonly access: OpenedAccess; readonly file: TrajectoryFile }) => Promise<T>,
  ): Promise<T> {
    const pooled = this.#pool.get(path) ?? this.#open(path);
    this.#pool.delete(path);
    this.#pool.set(path, pooled);
    pooled.users++;
    this.#trim();
    try {
      return await work(await pooled.opened);
    } catch (error) {
      // What was opened may be another file by now: the next one who asks opens it anew.
      this.drop(path);
      throw error;
    } finally {
      pooled.users--;
      if (pooled.dropped && pooled.users === 0) void close(pooled);
    }
  }

  /** The file changed or is gone. */
  drop(path: string): void {
    const pooled = this.#pool.get(path);
    if (!pooled) return;
    this.#pool.delete(path);
    pooled.dropped = true;
    if (pooled.users === 0) void close(pooled);
  }

  dispose(): void {
    for (const path of [...this.#pool.keys()]) this.drop(path);
  }

  /** Rejects with FileUnreadable where there is no such record any more. */
  trajectory(path: string, place: RecordPlace, signal?: AbortSignal): Promise<Trajectory> {
    return this.with(path, async ({ file }) => {
      signal?.throwIfAborted();
      const value = await file.records.at(place);
      signal?.throwIfAborted();
      const found = file.read({ place, line: place.line, value }, place.record, () => undefined);
      const trajectory = found[place.nth];
      if (!trajectory)
        throw new RewardsmithError("FileUnreadable", `${path}:${place.line} isn't what it was`, {
          path,
          line: place.line,
        });
      return trajectory;
    });
  }

  /** The record as the file has it; where that is no text, as JSON. */
  raw(path: string, place: Place): Promise<string> {
    return this.with(path, async ({ access, file }) => {
      if (file.records.resumes === true)
        return new TextDecoder().decode(await access.read(place.at, place.length));
      return jsonText(await file.records.at(place));
    });
  }

  #open(path: string): Pooled {
    const opened = (async () => {
      const access = await this.#files.open(path);
      try {
        return { access, file: await openTrajectories(access) };
      } catch (error) {
        await access.close();
        throw error;
      }
    })();
    opened.catch(() => undefined);
    return { opened, users: 0, dropped: false };
  }

  #trim(): void {
    for (const [path, pooled] of this.#pool) {
      if (this.#pool.size <= OPEN_FILES) return;
      if (pooled.users === 0) this.drop(path);
    }
  }
}

async function close({ opened }: Pooled): Promise<void> {
  try {
    const { access, file } = await opened;
    file.records.close();
    await access.close();
  } catch {
    // It could not be opened.
  }
}

/** With two spaces; what JSON can't carry as text. */
export function jsonText(value: unknown): string {
  const text: unknown = JSON.stringify(
    value,
    (_key, item: unknown) => {
      if (typeof item === "bigint") return String(item);
      if (typeof item === "number" && !Number.isFinite(item)) return String(item);
      if (item instanceof Uint8Array) return `(${item.length} bytes)`;
      return item;
    },
    2,
  );
  return typeof text === "string" ? text : "null";
}
