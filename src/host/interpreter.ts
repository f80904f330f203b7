import { toRewardsmithError } from "../base/errors";
import { Emitter } from "../base/event";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { EngineClient, EngineLink } from "./process/link";

export type Interpreter = Awaited<ReturnType<EngineClient["interpreter"]>>;

/** Which Python scores, asked for once something is scored: asking starts it. */
export class InterpreterStatus implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<void>());
  readonly #engine: EngineLink;
  #current: Interpreter | undefined;
  #asking: Promise<void> | undefined;

  readonly onDidChange = this.#onChange.event;

  constructor(engine: EngineLink) {
    this.#engine = engine;
    this.#store.add(
      engine.onChanged((what) => {
        if (what === "interpreter") void this.refresh();
      }),
    );
  }

  get current(): Interpreter | undefined {
    return this.#current;
  }

  refresh(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #ask(): Promise<void> {
    try {
      this.#current = await (await this.#engine.client()).interpreter({});
    } catch (error) {
      const message = toRewardsmithError(error).message;
      this.#current = { python: null, version: null, trl: null, mode: "none", error: message };
    }
    this.#onChange.fire();
  }
}
