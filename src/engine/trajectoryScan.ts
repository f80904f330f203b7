import { join, posix } from "node:path";
import { runOf } from "../core/trajectories/runs";
import { recogniseFile } from "../formats/trajectories/recognise";
import { openFileAccess } from "../runtime/fileAccess";
import { trajectoryFiles } from "../runtime/trajectories/files";

export interface TrajectorySources {
  readonly sources: { path: string; folder: boolean; title: string; bytes: number; files: number }[];
  readonly truncated: boolean;
}

const MOST_LISTED = 20_000;
/** Files that aren't a run's are opened to tell what they are: this many at most. */
const MOST_SNIFFED = 300;
/** Larger ones of one value would have to be read whole to be recognised. */
const MOST_WHOLE_BYTES = 20_000_000;
const LABELS_NAME = /\.labels\.jsonl$/i;

interface Listed {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Runs and files with trajectories below some folders: what is a framework's run is told by names, of other files the
 * starts are read. Rows of prompts and completions alone are samples and aren't listed here.
 */
export async function scanTrajectories(
  folders: readonly string[],
  limit: number,
  signal: AbortSignal,
): Promise<TrajectorySources> {
  const sources: TrajectorySources["sources"] = [];
  let truncated = false;
  let sniffed = 0;
  for (const folder of folders) {
    const { files, whole } = await trajectoryFiles.list(folder, MOST_LISTED, signal);
    if (!whole) truncated = true;
    const listed = files.map(({ name, bytes }) => ({ path: name, bytes }));
    const runs = runsIn(listed);
    const taken = new Set<string>();
    for (const { root, title, members } of runs) {
      for (const { path } of members) taken.add(path);
      sources.push({
        path: root === "" ? folder : join(folder, root),
        folder: true,
        title,
        bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
        files: members.length,
      });
    }
    for (const { path, bytes } of listed) {
      signal.throwIfAborted();
      if (taken.has(path) || LABELS_NAME.test(path) || bytes === 0) continue;
      if (sources.length >= limit || sniffed >= MOST_SNIFFED) return { sources, truncated: true };
      if (/\.json$/i.test(path) && bytes > MOST_WHOLE_BYTES) continue;
      sniffed++;
      const title = await titleOf(join(folder, path));
      if (title !== null) sources.push({ path: join(folder, path), folder: false, title, bytes, files: 1 });
    }
  }
  return { sources: sources.slice(0, limit), truncated: truncated || sources.length > limit };
}

interface FoundRun {
  readonly root: string;
  readonly title: string;
  readonly members: readonly Listed[];
}

/** The deepest folders that are a run each: two runs in one folder stay two. */
function runsIn(files: readonly Listed[]): FoundRun[] {
  const find = (root: string, below: readonly Listed[], depth: number): FoundRun[] => {
    const run = runOf(below.map(({ path, bytes }) => ({ path: relative(root, path), bytes })));
    if (run.framework === null) return [];
    const children = new Map<string, Listed[]>();
    for (const file of below) {
      const [first, ...rest] = relative(root, file.path).split("/");
      if (first === undefined || rest.length === 0) continue;
      const list = children.get(first);
      if (list) list.push(file);
      else children.set(first, [file]);
    }
    const deeper =
      depth > 12 ? [] : [...children].flatMap(([name, own]) => find(posix.join(root, name), own, depth + 1));
    if (deeper.length > 0) return deeper;
    const rollouts = new Set(run.rolloutFiles.map(({ path }) => posix.join(root, path)));
    return [{ root, title: run.framework, members: below.filter(({ path }) => rollouts.has(path)) }];
  };
  return find("", files, 0);
}

function relative(root: string, path: string): string {
  return root === "" ? path : path.slice(root.length + 1);
}

async function titleOf(path: string): Promise<string | null> {
  try {
    const access = await openFileAccess(path);
    try {
      const form = await recogniseFile(access);
      return form === null || form.id.startsWith("generic") ? null : form.title;
    } finally {
      await access.close();
    }
  } catch {
    // Not a file of trajectories, or gone meanwhile.
    return null;
  }
}
