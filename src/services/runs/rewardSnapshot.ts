import { RewardsmithError } from "../../base/errors";
import type { FileStore, Hasher } from "../../core/ports";
import { isNotebookPath } from "../../core/python/cells";
import { importCandidates } from "../../core/python/imports";
import { parseSource } from "../../core/python/source";
import type { Documents } from "../documents";
import { baseName, dirName, resolvePath } from "../paths";
import { isBelow, relativePath } from "./relative";

/** A run trains on rewards, not on a library: what holds more files than this isn't the user's few helpers. */
const MOST_FILES = 200;

export interface RewardSnapshot {
  /** The reward file, relative to the snapshot. */
  readonly file: string;
  /** Texts as the editor has them now; a notebook's cells as a module. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Over paths and texts. */
  readonly hash: string;
}

/**
 * A reward file and the local modules that it imports, directly or through one another: what a job needs to call it as it
 * is now. Found from the text alone, nothing is run; packages of the interpreter stay where they are. Rejects with
 * `FileMissing`, or `TooLarge` where it imports more than 200 local files.
 */
export async function rewardSnapshot(
  path: string,
  documents: Documents,
  files: FileStore,
  hasher: Hasher,
): Promise<RewardSnapshot> {
  const root = await importRoot(path, files);
  const found = new Map<string, string>();
  const waiting = [path];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const read = await documents.text(file);
    if (!read) {
      if (file === path)
        throw new RewardsmithError("FileMissing", `There is no reward file ${path}.`, { path });
      continue;
    }
    if (found.size >= MOST_FILES)
      throw new RewardsmithError(
        "TooLarge",
        `${path} imports more than ${MOST_FILES} local files. Install what it imports as a package in the training environment.`,
        { path },
      );
    found.set(file, read.text);
    waiting.push(...(await localModules(file, read.text, root, files)));
  }
  const texts = [...found]
    .map(([file, text]) => ({ path: moduleFile(relativePath(root, file)), text }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    file: moduleFile(relativePath(root, path)),
    files: texts,
    hash: hasher.hash(texts.flatMap(({ path: file, text }) => [file, text])),
  };
}

/** The first folder upward that is no package, as Python's own import of the file would have it. */
async function importRoot(path: string, files: FileStore): Promise<string> {
  let folder = dirName(path);
  if (isNotebookPath(path)) return folder;
  while (dirName(folder) !== folder && (await isFile(resolvePath(folder, "__init__.py"), files)))
    folder = dirName(folder);
  return folder;
}

async function localModules(file: string, text: string, root: string, files: FileStore): Promise<string[]> {
  const modules: string[] = [];
  for (const { level, segments } of importCandidates(parseSource(text).imports)) {
    let from = level === 0 ? root : dirName(file);
    for (let above = 1; above < level; above++) from = dirName(from);
    // A relative import that leads out of the root can't work in Python either.
    if (from !== root && !isBelow(root, from)) continue;
    const stem = resolvePath(from, segments.join("/"));
    for (const candidate of [`${stem}.py`, resolvePath(stem, "__init__.py")])
      if (await isFile(candidate, files)) modules.push(candidate);
  }
  // A module of a package loads the packages above it.
  for (let folder = dirName(file); isBelow(root, folder); folder = dirName(folder)) {
    const init = resolvePath(folder, "__init__.py");
    if (await isFile(init, files)) modules.push(init);
  }
  return modules;
}

async function isFile(path: string, files: FileStore): Promise<boolean> {
  const found = await files.stat(path).catch(() => null);
  return found !== null && !found.directory;
}

function moduleFile(path: string): string {
  return isNotebookPath(path) ? `${baseName(path).replace(/\.ipynb$/i, "")}.py` : path;
}
