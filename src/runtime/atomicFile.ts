import { randomBytes } from "node:crypto";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "./systemErrors";

/**
 * Writes a file so that a reader sees the old content or the new, never a part: a temporary file beside it, flushed
 * to the disk, then renamed over it. Keeps the permissions of the file that was there. Rejects with the system's error.
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const target = await behindLinks(path);
  const temporary = join(dirname(target), `.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", await modeOf(target));
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameOver(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** A link stays a link: what it points to is replaced. */
async function behindLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}

async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch {
    return 0o666;
  }
}

/** On Windows a virus scanner or an editor may hold the target for a moment; the rename is then tried again. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const code = errorCode(error);
      if (attempt >= 5 || (code !== "EPERM" && code !== "EACCES" && code !== "EBUSY")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * 2 ** attempt));
    }
  }
}
