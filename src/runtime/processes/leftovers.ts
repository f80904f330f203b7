import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Logger } from "../../core/ports";
import { errorText } from "../systemErrors";
import { belonging, sweep, type ProcessIdentity, type ProcessPlatform } from "./platform";

const Identity = z.object({ pid: z.int().positive(), start: z.string() });

const Session = z.object({
  version: z.literal(1),
  /** Marks every process of the session in its environment. */
  marker: z.string().min(8),
  engine: Identity,
  processes: z.array(Identity),
});

const recordFolder = (tmp: string): string => join(tmp, "sessions");
const workFolder = (tmp: string, marker: string): string => join(tmp, `session-${marker}`);

/** What a session leaves on disk so that the next one can find its processes: who ran it, and which it started. */
export class SessionRecord {
  readonly #tmp: string;
  readonly #marker: string;
  readonly #platform: ProcessPlatform;
  readonly #logger: Logger;
  readonly #processes = new Map<number, string>();
  #writing: Promise<void> = Promise.resolve();
  #queued = false;
  #closed = false;

  constructor(tmp: string, marker: string, platform: ProcessPlatform, logger: Logger) {
    this.#tmp = tmp;
    this.#marker = marker;
    this.#platform = platform;
    this.#logger = logger;
  }

  /** Folder for the session's temporary files, removed with it. */
  async open(): Promise<string> {
    const folder = workFolder(this.#tmp, this.#marker);
    await mkdir(folder, { recursive: true });
    await mkdir(recordFolder(this.#tmp), { recursive: true });
    return folder;
  }

  add({ pid, start }: ProcessIdentity): void {
    this.#processes.set(pid, start);
    this.#save();
  }

  remove(pid: number): void {
    if (this.#processes.delete(pid)) this.#save();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
    await rm(this.#file(), { force: true });
    await rm(workFolder(this.#tmp, this.#marker), { recursive: true, force: true });
  }

  #file(): string {
    return join(recordFolder(this.#tmp), `${this.#marker}.json`);
  }

  /** Changes that come while a write is under way go into one further write. */
  #save(): void {
    if (this.#queued || this.#closed) return;
    this.#queued = true;
    this.#writing = this.#writing.then(async () => {
      this.#queued = false;
      if (this.#closed) return;
      try {
        const start = await this.#platform.startOf(process.pid);
        const session: z.infer<typeof Session> = {
          version: 1,
          marker: this.#marker,
          engine: { pid: process.pid, start: start ?? "" },
          processes: [...this.#processes].map(([pid, since]) => ({ pid, start: since })),
        };
        const temporary = `${this.#file()}.tmp`;
        await writeFile(temporary, JSON.stringify(session));
        await rename(temporary, this.#file());
      } catch (error) {
        this.#logger.warn(`the record of Python processes could not be written: ${errorText(error)}`);
      }
    });
  }
}

/** Processes of an earlier session whose engine is gone. */
export interface Leftover {
  readonly marker: string;
  readonly processes: readonly ProcessIdentity[];
  /** Ends them and forgets the session; returns how many there were. */
  end(): Promise<number>;
}

/**
 * Looks through the sessions recorded in `tmp`. Those of engines that are alive are left alone; those that left
 * nothing running are forgotten (record and temporary files); the others are returned.
 */
export async function findLeftovers(tmp: string, platform: ProcessPlatform): Promise<Leftover[]> {
  const sessions: { file: string; session: z.infer<typeof Session> }[] = [];
  for (const name of await namesIn(recordFolder(tmp))) {
    if (!name.endsWith(".json")) continue;
    const file = join(recordFolder(tmp), name);
    const session = await readSession(file);
    if (session) sessions.push({ file, session });
    else await rm(file, { force: true });
  }
  if (sessions.length === 0) return [];

  const table = await platform.list();
  const starts = new Map(table.map(({ pid, start }) => [pid, start]));
  const leftovers: Leftover[] = [];
  for (const { file, session } of sessions) {
    const { engine, marker } = session;
    if (starts.get(engine.pid) === engine.start) continue;
    const forget = async (): Promise<void> => {
      await rm(file, { force: true });
      await rm(workFolder(tmp, marker), { recursive: true, force: true });
    };
    const processes = belonging(table, marker, session.processes).map(({ pid, start }) => ({ pid, start }));
    if (processes.length === 0) {
      await forget();
      continue;
    }
    leftovers.push({
      marker,
      processes,
      async end() {
        const ended = await sweep(platform, marker, session.processes);
        await forget();
        return ended.size;
      },
    });
  }
  return leftovers;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function readSession(file: string): Promise<z.infer<typeof Session> | null> {
  try {
    return Session.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null;
  }
}
