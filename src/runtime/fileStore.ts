import { readFile, readdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { RewardsmithError } from "../base/errors";
import type { FileStore } from "../core/ports";
import { runCommand } from "./command";
import { errorCode, errorText } from "./systemErrors";

const MOST_BYTES_FROM_GIT = 64 * 1024 * 1024;

export const nodeFileStore: FileStore = {
  async read(path, signal) {
    try {
      // A pipe or a terminal would be waited for without end, and reading it can't be cancelled.
      if (!(await stat(path)).isFile())
        throw new RewardsmithError("FileUnreadable", `${path} isn't a regular file`, { path });
      return await readFile(path, signal ? { signal } : {});
    } catch (error) {
      if (signal?.aborted) throw new RewardsmithError("Cancelled", `reading ${path} was cancelled`, { path });
      if (error instanceof RewardsmithError) throw error;
      throw unreadable(path, error);
    }
  },

  async stat(path) {
    try {
      const found = await stat(path);
      return { bytes: found.size, mtimeMs: found.mtimeMs, directory: found.isDirectory() };
    } catch (error) {
      if (isMissing(error)) return null;
      throw unreadable(path, error);
    }
  },

  async list(path) {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return await Promise.all(
        entries.map(async (entry) => ({
          name: entry.name,
          directory: entry.isSymbolicLink()
            ? await leadsToDirectory(`${path}/${entry.name}`)
            : entry.isDirectory(),
        })),
      );
    } catch (error) {
      throw unreadable(path, error);
    }
  },

  async head(path) {
    try {
      // `cat-file`, not `show`: no text conversion, no filters, no program that the repository's settings name.
      const { code, stdout } = await runCommand("git", ["cat-file", "blob", `HEAD:./${basename(path)}`], {
        cwd: dirname(path),
        maxBytes: MOST_BYTES_FROM_GIT,
        env: { ...process.env, GIT_OPTIONAL_LOCKS: "0" },
      });
      return code === 0 ? new TextDecoder().decode(stdout) : null;
    } catch {
      return null;
    }
  },
};

async function leadsToDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function unreadable(path: string, error: unknown): RewardsmithError {
  return isMissing(error)
    ? new RewardsmithError("FileMissing", `there is no file ${path}`, { path })
    : new RewardsmithError("FileUnreadable", errorText(error), { path }, { cause: error });
}
