import { modelFile } from "../core/contracts/registry";
import type { FileStore } from "../core/ports";
import { readSampleFile } from "../formats/registry";
import { RewardsmithError } from "../base/errors";
import type { FileModel } from "../schema/reward";
import { baseName, resolvePath } from "./paths";
import { PROJECT_FILE } from "./project";
import { guessMapping } from "./sampleMapping";

export interface Scan {
  readonly rewards: readonly FileModel[];
  readonly samples: readonly { readonly path: string; readonly bytes: number }[];
  readonly projects: readonly string[];
  /** There was more than `limit` entries or the depth allowed. */
  readonly truncated: boolean;
}

/** Folders that hold others' code or a program's own data. */
const SKIPPED =
  /^(\..+|node_modules|__pycache__|site-packages|venv|env|dist|build|out|wandb|checkpoints?|checkpoint-\d+)$/;
const SAMPLES = /\.(jsonl|ndjson|json|csv|tsv|parquet)$/i;
/** Forms that are used for much else: only content tells. */
const AMBIGUOUS = /\.(json|csv|tsv)$/i;
const DEPTH = 6;
/** Reward files and sample files up to these sizes are looked into. */
const PYTHON_BYTES = 500_000;
const LOOKED_INTO_BYTES = 2_000_000;

/** Candidate reward and sample files below the folders, at most `limit` entries looked at. Runs nothing. */
export async function scanFolders(
  files: FileStore,
  folders: readonly string[],
  limit: number,
  signal?: AbortSignal,
): Promise<Scan> {
  const rewards: FileModel[] = [];
  const samples: { path: string; bytes: number }[] = [];
  const projects: string[] = [];
  const seen = new Set<string>();
  let truncated = false;
  let queue = folders.map((path) => ({ path, depth: 0 }));
  let looked = 0;
  while (queue.length > 0) {
    const next: typeof queue = [];
    for (const { path: folder, depth } of queue) {
      signal?.throwIfAborted();
      if (seen.has(folder)) continue;
      seen.add(folder);
      for (const entry of await listed(files, folder)) {
        if (++looked > limit) return { rewards, samples, projects, truncated: true };
        const path = resolvePath(folder, entry.name);
        if (entry.directory) {
          if (SKIPPED.test(entry.name)) continue;
          if (depth < DEPTH) next.push({ path, depth: depth + 1 });
          else truncated = true;
        } else if (entry.name === PROJECT_FILE) projects.push(path);
        else if (/\.py$/.test(entry.name)) {
          const model = await rewardFile(files, path, entry.name);
          if (model) rewards.push(model);
        } else if (SAMPLES.test(entry.name)) {
          const bytes = await sampleFile(files, path);
          if (bytes !== null) samples.push({ path, bytes });
        }
      }
    }
    queue = next;
  }
  return { rewards, samples, projects, truncated };
}

async function listed(
  files: FileStore,
  folder: string,
): Promise<readonly { readonly name: string; readonly directory: boolean }[]> {
  try {
    return [...(await files.list(folder))].sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (error instanceof RewardsmithError) return [];
    throw error;
  }
}

async function rewardFile(files: FileStore, path: string, name: string): Promise<FileModel | null> {
  if (/^(test_.*|.*_test|conftest|setup)\.py$/.test(name)) return null;
  const bytes = await readSmall(files, path, PYTHON_BYTES);
  if (!bytes) return null;
  const text = new TextDecoder().decode(bytes);
  // Parsing is dear; a reward names what it scores or calls itself one.
  if (!/completion|reward|score/i.test(text)) return null;
  const model = modelFile(path, -1, text);
  return model.functions.length > 0 ? model : null;
}

/** Size in bytes where the file holds samples, as far as that can be told without reading a large one. */
async function sampleFile(files: FileStore, path: string): Promise<number | null> {
  const found = await files.stat(path);
  if (!found || found.directory || found.bytes === 0) return null;
  if (found.bytes > LOOKED_INTO_BYTES) return AMBIGUOUS.test(path) ? null : found.bytes;
  try {
    const bytes = await readSmall(files, path, LOOKED_INTO_BYTES);
    if (!bytes) return null;
    const { rows } = await readSampleFile(bytes, baseName(path));
    return rows.length > 0 && guessMapping(rows.slice(0, 100)) ? found.bytes : null;
  } catch (error) {
    if (error instanceof RewardsmithError) return null;
    throw error;
  }
}

async function readSmall(files: FileStore, path: string, most: number): Promise<Uint8Array | null> {
  try {
    const found = await files.stat(path);
    return found && !found.directory && found.bytes <= most ? await files.read(path) : null;
  } catch (error) {
    if (error instanceof RewardsmithError) return null;
    throw error;
  }
}
