import { Emitter } from "../base/event";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { FileModel } from "../schema/reward";
import type { EngineLink } from "./process/link";

/** What is in each reward file, as the engine reads it (nothing runs). One request a file at a time, the newest text wins. */
export class Models implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<string>());
  readonly #models = new Map<string, FileModel>();
  readonly #busy = new Map<string, Promise<FileModel | undefined>>();
  readonly #again = new Set<string>();
  readonly #engine: EngineLink;
  readonly #onProblem: (text: string) => void;
  #latest: string | null = null;

  readonly onDidChange = this.#onChange.event;

  constructor(engine: EngineLink, onProblem: (text: string) => void) {
    this.#engine = engine;
    this.#onProblem = onProblem;
  }

  get(path: string): FileModel | undefined {
    return this.#models.get(path);
  }

  /** The reward file that was read last and is still known. */
  get latest(): string | null {
    return this.#latest;
  }

  forget(path: string): void {
    if (this.#latest === path) this.#latest = null;
    this.#models.delete(path);
  }

  /** Reads it anew; while a request is out, asks once more after it. */
  refresh(path: string): Promise<FileModel | undefined> {
    const busy = this.#busy.get(path);
    if (busy) {
      this.#again.add(path);
      return busy;
    }
    const work = this.#read(path).finally(() => this.#busy.delete(path));
    this.#busy.set(path, work);
    return work;
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #read(path: string): Promise<FileModel | undefined> {
    do {
      this.#again.delete(path);
      try {
        const client = await this.#engine.client();
        const model = await client.model({ path });
        const before = this.#models.get(path);
        this.#models.set(path, model);
        if (model.functions.length > 0) this.#latest = path;
        if (JSON.stringify(before?.functions) !== JSON.stringify(model.functions)) this.#onChange.fire(path);
      } catch (error) {
        this.#onProblem(`model ${path}: ${String(error)}`);
      }
    } while (this.#again.has(path));
    return this.#models.get(path);
  }
}
