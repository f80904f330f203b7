import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { modelFile } from "../core/contracts/registry";
import { pythonText } from "../core/python/cellModule";
import { isNotebookPath } from "../core/python/cells";
import { sniff } from "../formats/sniff";
import type { FileModel } from "../schema/reward";
import { PROJECT_FILE } from "../services/project";

export interface ScanResult {
  readonly rewards: FileModel[];
  readonly samples: { path: string; bytes: number }[];
  readonly projects: string[];
  readonly truncated: boolean;
}

/** Folders that hold other people's code, or what tools made. */
const SKIPPED = new Set([
  "node_modules",
  "site-packages",
  "dist-packages",
  "__pycache__",
  "unsloth_compiled_cache",
  "wandb",
  "build",
  "dist",
]);
const MOST_ENTRIES = 50_000;
const MOST_DEPTH = 12;
const MOST_PYTHON_BYTES = 1_000_000;
const MOST_NOTEBOOK_BYTES = 4_000_000;
const SAMPLE_NAMES = /\.(jsonl|ndjson|json|csv|tsv|parquet)$/i;
/** Sidecars of ours: verdicts on samples, not samples. */
const LABELS_NAME = /\.labels\.jsonl$/i;
/** A reward is defined or bound at the left margin, or is told by one of these words. */
const MAYBE_REWARD = /completion|reward|response|generation|prediction|model_output/;

/** Reward files, sample files and project files below some folders. Reads, runs nothing, stops at the limits. */
export async function scanFolders(
  folders: readonly string[],
  limit: number,
  openText: (path: string) => string | null,
  signal?: AbortSignal,
): Promise<ScanResult> {
  const result: ScanResult & { truncated: boolean } = {
    rewards: [],
    samples: [],
    projects: [],
    truncated: false,
  };
  let entries = 0;
  const queue = folders.map((path) => ({ path, depth: 0 }));
  for (let folder = queue.shift(); folder; folder = queue.shift()) {
    if (signal?.aborted) break;
    const found = await readdir(folder.path, { withFileTypes: true }).catch(() => []);
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
    // A virtual environment is known by what lies in it, whatever its name.
    if (folder.depth > 0 && found.some(({ name }) => name === "pyvenv.cfg")) continue;
    for (const entry of found) {
      entries += 1;
      if (entries > MOST_ENTRIES || result.rewards.length + result.samples.length >= limit) {
        return { ...result, truncated: true };
      }
      const path = join(folder.path, entry.name);
      if (entry.isDirectory()) {
        if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) continue;
        if (folder.depth < MOST_DEPTH) queue.push({ path, depth: folder.depth + 1 });
        else result.truncated = true;
      } else if (entry.isFile()) await look(path, entry.name, result, openText);
    }
  }
  return result;
}

async function look(
  path: string,
  name: string,
  result: ScanResult,
  openText: (path: string) => string | null,
): Promise<void> {
  if (name === PROJECT_FILE) result.projects.push(path);
  else if (name.endsWith(".py") || isNotebookPath(name)) {
    const text = openText(path) ?? (await pythonOnDisk(path));
    if (text === null || !MAYBE_REWARD.test(text)) return;
    const model = modelFile(path, -1, text);
    if (model.functions.length > 0) result.rewards.push(model);
  } else if (SAMPLE_NAMES.test(name) && !LABELS_NAME.test(name)) {
    const start = await head(path, 1024);
    if (start && isSamples(start.raw, name, start.text)) result.samples.push({ path, bytes: start.bytes });
  }
}

/** Start of a Python file; of a notebook all cells, where it isn't full of pictures. */
async function pythonOnDisk(path: string): Promise<string | null> {
  const notebook = isNotebookPath(path);
  const start = await head(path, notebook ? MOST_NOTEBOOK_BYTES : MOST_PYTHON_BYTES);
  if (!start || !notebook) return start?.text ?? null;
  return start.bytes > MOST_NOTEBOOK_BYTES || !MAYBE_REWARD.test(start.text)
    ? null
    : pythonText(path, start.text);
}

/** By the first kilobyte: rows with a column that may be a completion. Settings files and lock files are JSON too. */
function isSamples(raw: Uint8Array, name: string, text: string): boolean {
  const { reader } = sniff(raw, name);
  if (reader === null) return false;
  if (reader === "parquet") return true;
  return /completion|response|output|answer|generat|prediction|messages|text/i.test(text);
}

async function head(
  path: string,
  most: number,
): Promise<{ text: string; raw: Uint8Array; bytes: number } | null> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const raw = new Uint8Array(Math.min(size, most));
      await file.read(raw, 0, raw.length, 0);
      return { text: new TextDecoder().decode(raw), raw, bytes: size };
    } finally {
      await file.close();
    }
  } catch {
    // Gone or unreadable meanwhile: it isn't offered.
    return null;
  }
}
