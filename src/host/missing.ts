import { Uri, workspace } from "vscode";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { LiveFiles } from "./live";

/** A file that is written anew may be gone for a moment. */
const SETTLE_MS = 100;

/** Tells of the files that are scored whether they are on disk: an editor keeps the text of one that isn't. */
export function watchMissing(live: LiveFiles): IDisposable {
  const store = new DisposableStore();
  // No pattern by name: a folder that is moved is told as one.
  const watcher = store.add(workspace.createFileSystemWatcher("**/*", false, true, false));
  const look = ({ fsPath }: Uri): void => {
    const concerned = live
      .paths()
      .filter((path) => path === fsPath || path.startsWith(`${fsPath}/`) || path.startsWith(`${fsPath}\\`));
    if (concerned.length === 0) return;
    setTimeout(() => {
      for (const path of concerned)
        workspace.fs.stat(Uri.file(path)).then(
          () => live.setMissing(path, false),
          () => live.setMissing(path, true),
        );
    }, SETTLE_MS);
  };
  store.add(watcher.onDidCreate(look));
  store.add(watcher.onDidDelete(look));
  return store;
}
