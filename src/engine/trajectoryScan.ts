import { dirname, join, posix } from "node:path";
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
/** Files of one form in a folder from which on the folder is listed in their place. */
const MANY = 8;
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
    for (const { root, framework, members } of runs) {
      for (const { path } of members) taken.add(path);
      sources.push({
        path: root === "" ? folder : join(folder, root),
        folder: true,
        title: framework,
        bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
        files: members.length,
      });
    }
    const loose: TrajectorySources["sources"] = [];
    let cut = false;
    for (const { path, bytes } of listed) {
      signal.throwIfAborted();
      if (taken.has(path) || LABELS_NAME.test(path) || bytes === 0) continue;
      if (sniffed >= MOST_SNIFFED) {
        cut = true;
        break;
      }
      if (/\.json$/i.test(path) && bytes > MOST_WHOLE_BYTES) continue;
      sniffed++;
      const title = await titleOf(join(folder, path));
      if (title !== null) loose.push({ path: join(folder, path), folder: false, title, bytes, files: 1 });
    }
    sources.push(...gathered(loose));
    if (cut) truncated = true;
  }
  return { sources: sources.slice(0, limit), truncated: truncated || sources.length > limit };
}

interface FoundRun {
  readonly root: string;
  readonly framework: string;
  readonly members: readonly Listed[];
  /** Files of metrics and settings: the folder that has them is the run's own. */
  readonly others: number;
  /** Rollouts by step, or several of them: a run of its own, not one trial of a job. */
  readonly whole: boolean;
}

/** Folders within one run, never a run each. */
const PARTS =
  /^(?:rollouts?|completions|trajectories|traces|validation|train|val|eval|test|all|effective|step_?\d+|\d+)$/i;
const DEPTH = 12;

/** Folders that are a run each: two runs in one folder stay two, one run's folders stay one. */
function runsIn(files: readonly Listed[]): FoundRun[] {
  const find = (root: string, below: readonly Listed[], depth: number): FoundRun[] => {
    const run = runOf(below.map(({ path, bytes }) => ({ path: relative(root, path), bytes })));
    const { framework } = run;
    if (framework === null) return [];
    const rollouts = new Set(run.rolloutFiles.map(({ path }) => posix.join(root, path)));
    const own: FoundRun = {
      root,
      framework,
      members: below.filter(({ path }) => rollouts.has(path)),
      others: run.metricsFiles.length + run.configFiles.length,
      whole: run.rolloutFiles.length > 1 || run.rolloutFiles.some(({ step }) => step !== null),
    };
    const deeper =
      depth > DEPTH
        ? []
        : [...childrenOf(root, below)].flatMap(([name, within]) =>
            find(posix.join(root, name), within, depth + 1),
          );
    return isOne(own, deeper) ? [own] : deeper;
  };
  return find("", files, 0);
}

/** Whether a folder is one run, given what its folders would be by themselves. */
function isOne(own: FoundRun, deeper: readonly FoundRun[]): boolean {
  const covered = deeper.reduce((n, { members }) => n + members.length, 0);
  // More is found further down than here: several frameworks lie side by side.
  if (covered > own.members.length) return false;
  if (covered < own.members.length) return true;
  if (deeper.some(({ framework, whole }) => framework !== own.framework || !whole)) return true;
  const [only] = deeper;
  if (only && deeper.length === 1) return own.others > only.others;
  return deeper.some(({ root }) =>
    relative(own.root, root)
      .split("/")
      .some((name) => PARTS.test(name)),
  );
}

function childrenOf(root: string, files: readonly Listed[]): Map<string, Listed[]> {
  const children = new Map<string, Listed[]>();
  for (const file of files) {
    const [first, ...rest] = relative(root, file.path).split("/");
    if (first === undefined || rest.length === 0) continue;
    const list = children.get(first);
    if (list) list.push(file);
    else children.set(first, [file]);
  }
  return children;
}

/** Many files of one form in one folder are one source: the folder. */
function gathered(loose: TrajectorySources["sources"]): TrajectorySources["sources"] {
  const folders = new Map<string, TrajectorySources["sources"]>();
  for (const source of loose) {
    const key = JSON.stringify([dirname(source.path), source.title]);
    const list = folders.get(key);
    if (list) list.push(source);
    else folders.set(key, [source]);
  }
  return [...folders.values()].flatMap((list) => {
    const [first] = list;
    if (!first || list.length < MANY) return list;
    const bytes = list.reduce((sum, source) => sum + source.bytes, 0);
    return [{ path: dirname(first.path), folder: true, title: first.title, bytes, files: list.length }];
  });
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
