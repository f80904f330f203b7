import type { Memento } from "vscode";
import type { z } from "zod";

/** What a page keeps; `at`: when it was so, in milliseconds since the epoch. */
interface Dated {
  readonly at?: number | undefined;
}

/** A page's state over reload and restart: in the workspace's storage, beside what VS Code keeps with the page itself. */
export class PageState<S extends Dated> {
  readonly #memento: Memento;
  readonly #key: string;
  readonly #schema: z.ZodType<S>;
  now: S | null = null;

  constructor(memento: Memento, key: string, schema: z.ZodType<S>) {
    this.#memento = memento;
    this.#key = key;
    this.#schema = schema;
  }

  /** The newer of what the page itself brought along (null: nothing that is its own) and what is stored. */
  restore(own: S | null): S | null {
    const stored = this.#schema.safeParse(this.#memento.get(this.#key));
    const kept = stored.success ? stored.data : null;
    this.now = (own?.at ?? 0) >= (kept?.at ?? 0) ? (own ?? kept) : kept;
    return this.now;
  }

  keep(state: S): void {
    this.now = state;
    void this.store();
  }

  async store(): Promise<void> {
    if (this.now) await this.#memento.update(this.#key, this.now);
  }
}
