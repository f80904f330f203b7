import { RelativePattern, Uri, workspace } from "vscode";
import { basename, dirname } from "node:path";
import { DisposableStore, type IDisposable, toDisposable } from "../base/lifecycle";
import type { LiveFiles } from "./live";

/** A file that is written anew may be gone for a moment. */
const SETTLE_MS = 100;

/** Tells of the files that are scored whether they are on disk: an editor keeps the text of one that isn't. */
export function watchMissing(live: LiveFiles): IDisposable {
  const store = new DisposableStore();
  const watched = new Map<string, IDisposable>();
  const follow = (): void => {
    const now = new Set(live.paths());
    for (const [path, watcher] of watched)
      if (!now.has(path)) {
        watcher.dispose();
        watched.delete(path);
      }
    for (const path of now) if (!watched.has(path)) watched.set(path, watchOne(path, live));
  };
  follow();
  store.add(live.onDidChange(follow));
  store.add(
    toDisposable(() => {
      for (const watcher of watched.values()) watcher.dispose();
    }),
  );
  return store;
}

/** The file and the folders around it, as far as the workspace's: a folder that is moved is told as one. */
function watchOne(path: string, live: LiveFiles): IDisposable {
  const store = new DisposableStore();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      workspace.fs.stat(Uri.file(path)).then(
        () => live.setMissing(path, false),
        () => live.setMissing(path, true),
      );
    }, SETTLE_MS);
  };
  store.add(toDisposable(() => clearTimeout(timer)));
  const folder = workspace.getWorkspaceFolder(Uri.file(path))?.uri.fsPath;
  for (let at = path; at !== folder && at !== dirname(at); at = dirname(at)) {
    const name = escaped(basename(at));
    // In the workspace by name: a watcher relative to a folder there, not recursive, is told nothing.
    const pattern = folder === undefined ? new RelativePattern(Uri.file(dirname(at)), name) : `**/${name}`;
    const watcher = store.add(workspace.createFileSystemWatcher(pattern, false, true, false));
    const take = ({ fsPath }: Uri): void => {
      if (fsPath === at) look();
    };
    store.add(watcher.onDidCreate(take));
    store.add(watcher.onDidDelete(take));
    // Outside of the workspace its own folder is enough: each further one would be watched for this alone.
    if (folder === undefined) break;
  }
  return store;
}

/** A name as a glob that means this name alone. */
function escaped(name: string): string {
  return name.replace(/[*?[\]{}]/gu, "[$&]");
}
