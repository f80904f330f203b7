import { Buffer, isAscii } from "node:buffer";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RewardsmithError } from "../base/errors";
import type { FileAccess } from "../formats/trajectories/container";
import { errorText } from "./systemErrors";

const FOLDERS = 4;

export interface OpenedFile extends FileAccess {
  close(): Promise<void>;
}

/** A file on disk as the readers of trajectories take it: ranges on request. `bytes` is its size when it was opened. */
export async function openFileAccess(path: string): Promise<OpenedFile> {
  const handle = await openRegular(path);
  const { size } = await handle.stat();
  return {
    name: basename(path),
    folders: dirname(path).split(/[\\/]/).filter(Boolean).slice(-FOLDERS),
    bytes: size,
    async read(from, length) {
      // Never longer than the file can be: a length may come from what a file claims.
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - from)));
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    async beside(relative, atMost) {
      const other = join(dirname(path), relative);
      try {
        const found = await stat(other);
        return found.isFile() && found.size <= atMost ? await readFile(other) : null;
      } catch {
        return null;
      }
    },
    ascii: (bytes) => (isAscii(bytes) ? bufferOf(bytes).toString("latin1") : null),
    close: () => handle.close(),
  };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function openRegular(path: string): Promise<FileHandle> {
  try {
    // A pipe would be waited for without end.
    if (!(await stat(path)).isFile())
      throw new RewardsmithError("FileUnreadable", `${path} isn't a regular file`, { path });
    return await open(path, "r");
  } catch (error) {
    if (error instanceof RewardsmithError) throw error;
    throw new RewardsmithError("FileMissing", errorText(error), { path }, { cause: error });
  }
}
