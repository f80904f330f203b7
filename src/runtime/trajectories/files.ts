import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { openFileAccess } from "../fileAccess";

/** Folders that hold no trajectories, and may hold very many files. */
const SKIPPED =
  /^(?:node_modules|\.git|\.hg|\.svn|\.venv|venv|__pycache__|site-packages|checkpoints?|checkpoint-\d+|global_step_\d+|ckpts?|weights|\.cache|\.?wandb-cache|tensorboard|tb_logs)$/i;
/** By their names no trajectories: weights, pictures, archives of tensors, source text, logs. */
const OTHERS =
  /\.(?:safetensors|bin|pt|pth|ckpt|pkl|pickle|npy|npz|onnx|gguf|h5|png|jpe?g|gif|webp|svg|mp4|pdf|py|pyc|md|txt|log|out|err|toml|cfg|ini|sh|lock|tar|gz|tgz|zst|whl|so|html|css|js|ts|csv|tsv|tmp|swp|db-wal|db-shm)$|^events\.out\.tfevents|^\./i;
const DEPTH = 12;
/** Files of one folder that are looked at together: a folder may have thousands. */
const AT_ONCE = 64;

export interface ListedFile {
  readonly name: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly inode: number | null;
}

/** Files, folders and their listings for trajectories; links to folders aren't followed. */
export const trajectoryFiles = {
  open: openFileAccess,
  join,
  async stat(path: string) {
    try {
      const found = await stat(path);
      return {
        bytes: found.size,
        mtimeMs: found.mtimeMs,
        directory: found.isDirectory(),
        inode: inodeOf(found),
      };
    } catch {
      return null;
    }
  },
  async list(folder: string, atMost: number, signal: AbortSignal) {
    const files: ListedFile[] = [];
    let whole = true;
    const visit = async (relative: string, depth: number): Promise<void> => {
      signal.throwIfAborted();
      let entries;
      try {
        entries = await readdir(join(folder, relative), { withFileTypes: true });
      } catch {
        return;
      }
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      const waiting: string[] = [];
      const look = async (): Promise<void> => {
        const found = await Promise.all(waiting.splice(0).map((name) => listed(folder, name)));
        files.push(...found.filter((file) => file !== null));
      };
      for (const entry of entries) {
        if (waiting.length >= AT_ONCE || files.length + waiting.length >= atMost) await look();
        if (files.length >= atMost) {
          whole = false;
          return;
        }
        const name = relative === "" ? entry.name : `${relative}/${entry.name}`;
        if (entry.isDirectory()) {
          await look();
          if (!SKIPPED.test(entry.name) && depth < DEPTH) await visit(name, depth + 1);
          continue;
        }
        if (!OTHERS.test(entry.name)) waiting.push(name);
      }
      await look();
    };
    await visit("", 0);
    return { files, whole };
  },
};

async function listed(folder: string, name: string): Promise<ListedFile | null> {
  const found = await stat(join(folder, name)).catch(() => null);
  return found?.isFile() === true
    ? { name, bytes: found.size, mtimeMs: found.mtimeMs, inode: inodeOf(found) }
    : null;
}

function inodeOf({ ino }: { readonly ino: number }): number | null {
  return ino === 0 ? null : ino;
}
