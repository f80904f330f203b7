import { type TextDocumentContentProvider, Uri, workspace } from "vscode";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";

const SCHEME = "rewardsmith-text";
/** Texts kept for open diff editors. */
const MOST = 50;

/** Texts of ours that a native editor shows read-only: a baseline's version, a completion. */
export class Texts implements TextDocumentContentProvider, IDisposable {
  readonly #store = new DisposableStore();
  readonly #texts = new Map<string, string>();
  #next = 1;

  constructor() {
    this.#store.add(workspace.registerTextDocumentContentProvider(SCHEME, this));
  }

  /** `name` decides the language and what the tab says. */
  add(name: string, text: string): Uri {
    const uri = Uri.from({ scheme: SCHEME, path: `/${this.#next++}/${name}` });
    this.#texts.set(uri.toString(), text);
    if (this.#texts.size > MOST) {
      const [oldest] = this.#texts.keys();
      if (oldest !== undefined) this.#texts.delete(oldest);
    }
    return uri;
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.#store.dispose();
  }
}
