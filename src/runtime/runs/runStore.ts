import {
  cp,
  lstat,
  mkdir,
  open,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { RewardsmithError } from "../../base/errors";
import type { RunStorePort } from "../../core/ports";
import { RunId } from "../../schema/run";
import { writeFileAtomically } from "../atomicFile";
import { errorCode, errorText } from "../systemErrors";
import { newToken } from "./marks";

/** Of a project's folder. */
export const RUNS_FOLDER = join(".rewardsmith", "runs");
const STAMPED = ["run.json", "status.json", "metrics.jsonl", "events.jsonl", "console.log"] as const;

/** Runs are large and belong to one machine: they aren't versioned. Labels, suites and evidence beside them are. */
const GITIGNORE = "# Runs aren't versioned.\n*\n";

export function nodeRunStore(project: string): RunStorePort {
  const folder = join(resolve(project), RUNS_FOLDER);
  const of = (id: string): string => join(folder, RunId.parse(id));
  const inside = (id: string, path: string): string => {
    const run = of(id);
    const file = resolve(run, path);
    if (!file.startsWith(run + sep))
      throw new RewardsmithError("BadArguments", `${path} leads out of the run's folder`, { path });
    return file;
  };
  return {
    folder,

    async ids() {
      try {
        const entries = await readdir(folder, { withFileTypes: true });
        return entries.flatMap((entry) =>
          entry.isDirectory() && RunId.safeParse(entry.name).success ? [entry.name] : [],
        );
      } catch (error) {
        if (isMissing(error)) return [];
        throw unreadable(folder, error);
      }
    },

    async claim(id) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, ".gitignore"), GITIGNORE, { flag: "wx" }).catch(ignoreExisting);
      try {
        await mkdir(of(id));
        return true;
      } catch (error) {
        if (errorCode(error) === "EEXIST") return false;
        throw error;
      }
    },

    async read(id, path, atMost) {
      const file = inside(id, path);
      try {
        const found = await stat(file);
        // A pipe or a device would be waited for without end.
        if (!found.isFile() || found.size > atMost) return null;
        return await readFile(file, "utf8");
      } catch (error) {
        if (isMissing(error)) return null;
        throw unreadable(file, error);
      }
    },

    async write(id, path, text) {
      const file = inside(id, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFileAtomically(file, text);
    },

    async copy(from, to, path) {
      await cp(inside(from, path), inside(to, path), {
        recursive: true,
        filter: async (file) => {
          const found = await lstat(file);
          return found.isFile() || found.isDirectory();
        },
      }).catch((error: unknown) => {
        if (!isMissing(error)) throw unreadable(path, error);
      });
    },

    async slice(id, path, from, length) {
      const file = inside(id, path);
      try {
        if (!(await stat(file)).isFile()) return null;
        const handle = await open(file, "r");
        try {
          const { size: total } = await handle.stat();
          const start = Math.min(from ?? Math.max(0, total - length), total);
          const bytes = Buffer.alloc(Math.min(length, total - start));
          let filled = 0;
          while (filled < bytes.length) {
            const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
            if (bytesRead === 0) break;
            filled += bytesRead;
          }
          return { bytes: bytes.subarray(0, filled), from: start, total };
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (isMissing(error)) return null;
        throw unreadable(file, error);
      }
    },

    async stamp(id) {
      const run = of(id);
      const parts = await Promise.all(
        STAMPED.map(async (name) => {
          try {
            const { size, mtimeMs, ino } = await stat(join(run, name));
            return `${size}.${mtimeMs}.${ino}`;
          } catch {
            return "";
          }
        }),
      );
      return parts.join(" ");
    },

    async remove(id) {
      const run = of(id);
      const found = await lstat(run).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw unreadable(run, error);
      });
      if (found === null) return;
      if (!found.isDirectory() || (await realpath(run)) !== join(await realpath(folder), id))
        throw new RewardsmithError("BadArguments", `${run} isn't a folder of this project's own`, {
          path: run,
        });
      // Gone for everybody at once, also where removing takes its time or stops half way.
      const away = join(folder, `.deleted-${newToken().slice(0, 12)}`);
      await rename(run, away);
      await rm(away, { recursive: true, force: true });
    },
  };
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== "EEXIST") throw error;
}

function unreadable(path: string, error: unknown): RewardsmithError {
  return new RewardsmithError("FileUnreadable", errorText(error), { path }, { cause: error });
}
