import { Emitter } from "../base/event";
import { RewardsmithError } from "../base/errors";
import { pythonText } from "../core/python/cellModule";
import { isNotebookPath } from "../core/python/cells";
import type { FileStore } from "../core/ports";

export interface OpenDocument {
  readonly version: number;
  readonly text: string;
  /** The disk holds the same text. */
  readonly saved: boolean;
}

/** The editor's text of open Python files, laid over the disk. */
export class Documents {
  readonly #open = new Map<string, OpenDocument>();
  readonly #files: FileStore;
  readonly #changed = new Emitter<{ readonly path: string; readonly saved: boolean }>();
  readonly onDidChange = this.#changed.event;

  constructor(files: FileStore) {
    this.#files = files;
  }

  /** Null = closed: the disk counts again. */
  set(path: string, document: OpenDocument | null): void {
    const before = this.#open.get(path);
    if (document) this.#open.set(path, document);
    else if (!this.#open.delete(path)) return;
    // Closing a saved document, or saving an unchanged one, changes nothing that a pass could see.
    if (before?.text === document?.text && before?.saved === document?.saved) return;
    this.#changed.fire({ path, saved: document?.saved ?? true });
  }

  get(path: string): OpenDocument | null {
    return this.#open.get(path) ?? null;
  }

  /** Version and text that count now; null where the file is neither open nor on disk. -1 = from disk. */
  async text(path: string): Promise<{ readonly version: number; readonly text: string } | null> {
    const open = this.#open.get(path);
    if (open) return open;
    const text = await this.disk(path);
    return text === null ? null : { version: -1, text };
  }

  /**
   * Text on disk; null where there is no such file. Python's default encoding, with or without a byte order mark. Of a
   * notebook its cells as a module; rejects with FileUnreadable where it isn't one.
   */
  async disk(path: string): Promise<string | null> {
    try {
      const read = new TextDecoder("utf-8").decode(await this.#files.read(path));
      const text = pythonText(path, read);
      if (text === null) throw new RewardsmithError("FileUnreadable", `${path} isn't a notebook`, { path });
      return text;
    } catch (error) {
      if (error instanceof RewardsmithError && error.code === "FileMissing") return null;
      throw error;
    }
  }

  /** Text at the last commit; null where it has none that can be read. */
  async head(path: string): Promise<string | null> {
    const text = await this.#files.head(path);
    return text === null ? null : pythonText(path, text);
  }

  /** What to lay over the disk for a pass on `main`: its own open text, and every other Python document that isn't saved. */
  overlays(main: string): Record<string, string> {
    const overlays: Record<string, string> = {};
    for (const [path, { text, saved }] of this.#open)
      if (path === main || (!saved && /\.pyw?$/.test(path))) overlays[path] = text;
    return overlays;
  }

  /** As `overlays` made them, and for a notebook its Python in any case: what lies on disk is no Python. */
  async withNotebook(
    main: string,
    overlays: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> {
    if (!isNotebookPath(main) || overlays[main] !== undefined) return overlays;
    const text = await this.disk(main);
    return text === null ? overlays : { ...overlays, [main]: text };
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
