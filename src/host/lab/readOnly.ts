import { languages, RelativePattern, type TextDocument, workspace } from "vscode";
import { stat } from "node:fs/promises";
import * as z from "zod";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";

const Globs = z.record(z.string(), z.boolean()).catch({});
/** Permission of the owner to write. */
const OWNER_WRITES = 0o200;

/**
 * Whether VS Code's settings keep a document from being changed. A native editor refuses keys then; an edit by an
 * extension would go through, to a text that can't be saved. What is read-only for a session alone VS Code doesn't tell.
 */
export class ReadOnly implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #document: TextDocument;
  readonly #onChange = this.#store.add(new Emitter<boolean>());
  readonly onDidChange = this.#onChange.event;
  #now = false;

  constructor(document: TextDocument) {
    this.#document = document;
    this.#store.add(
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("files", document)) void this.look();
      }),
    );
  }

  /** As last looked at. */
  get now(): boolean {
    return this.#now;
  }

  async look(): Promise<boolean> {
    const is = await isReadOnly(this.#document);
    if (is !== this.#now) {
      this.#now = is;
      this.#onChange.fire(is);
    }
    return is;
  }

  dispose(): void {
    this.#store.dispose();
  }
}

async function isReadOnly(document: TextDocument): Promise<boolean> {
  const files = workspace.getConfiguration("files", document);
  const fits = (key: string): boolean =>
    Object.entries(Globs.parse(files.get(key))).some(([glob, on]) => on && matches(document, glob));
  if (fits("readonlyExclude")) return false;
  if (fits("readonlyInclude")) return true;
  if (!files.get<boolean>("readonlyFromPermissions", false)) return false;
  try {
    return ((await stat(document.uri.fsPath)).mode & OWNER_WRITES) === 0;
  } catch {
    return false;
  }
}

/** As VS Code reads these settings: relative to the folder, or the whole path. */
function matches(document: TextDocument, glob: string): boolean {
  const folder = workspace.getWorkspaceFolder(document.uri);
  const pattern = folder ? new RelativePattern(folder, glob) : glob;
  return languages.match({ pattern }, document) > 0 || languages.match({ pattern: glob }, document) > 0;
}
