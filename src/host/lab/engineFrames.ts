import * as z from "zod";
import { toRewardsmithError, type RewardsmithError } from "../../base/errors";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import type { EngineClient, EngineLink } from "../process/link";

/** As much of a frame as says who waits for an answer. */
const Head = z.object({ c: z.string(), v: z.number(), k: z.string(), id: z.number() });
type Head = z.infer<typeof Head>;

export interface FramesOptions {
  readonly engine: Pick<EngineLink, "running" | "client" | "onFrame" | "onDidStart" | "onDidEnd">;
  readonly view: string;
  readonly path: string;
  /** What the engine's half is; a Lab where left out. */
  readonly kind?: "lab" | "trajectories";
  readonly post: (message: unknown) => void;
  readonly report: (problem: string) => void;
}

/**
 * A view's frames to the engine and back. Of what passes only who asks is looked at: when the engine ends, or takes no
 * frame, each question that is open ends with an error instead of waiting for somebody who is gone.
 */
export class EngineFrames implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #options: FramesOptions;
  /** Questions without an answer, by number. */
  readonly #open = new Map<number, Head>();
  /** The engine that knows the view, and when it does. */
  #at: { readonly client: EngineClient; readonly opened: Promise<unknown> } | null = null;
  #disposed = false;

  constructor(options: FramesOptions) {
    this.#options = options;
    const { engine, view, post } = options;
    this.#store.add(
      engine.onFrame(({ view: to, message }) => {
        if (to !== view) return;
        const head = Head.safeParse(message);
        if (head.success && (head.data.k === "res" || head.data.k === "err")) this.#open.delete(head.data.id);
        post(message);
      }),
    );
    // A new engine knows nothing of this view.
    this.#store.add(engine.onDidStart((client) => void this.#openIn(client).catch(() => undefined)));
    this.#store.add(
      engine.onDidEnd((error) => {
        this.#at = null;
        for (const head of [...this.#open.values()]) this.#fail(head, error);
      }),
    );
  }

  /** The view's other half starts anew, where there is an engine: what a page that is gone asked is nobody's. */
  async restart(): Promise<void> {
    this.#open.clear();
    this.#at = null;
    const { running } = this.#options.engine;
    if (running) await this.#openIn(running);
  }

  async send(message: unknown): Promise<void> {
    const parsed = Head.safeParse(message);
    const head = parsed.success ? parsed.data : null;
    if (head?.k === "req") this.#open.set(head.id, head);
    else if (head?.k === "cancel") this.#open.delete(head.id);
    try {
      const client = this.#options.engine.running ?? (await this.#options.engine.client());
      await this.#openIn(client);
      // Given up, or ended by the engine's end, while it started.
      if (head?.k === "req" && !this.#open.has(head.id)) return;
      await client.frame({ view: this.#options.view, message });
    } catch (error) {
      this.#options.report(`frame: ${String(error)}`);
      if (head) this.#fail(head, toRewardsmithError(error));
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#open.clear();
    this.#store.dispose();
    const { engine, view } = this.#options;
    void engine.running?.closeView({ view }).catch(() => undefined);
  }

  /** Once an engine: opened again, a view forgets what it was asked. */
  #openIn(client: EngineClient): Promise<unknown> {
    if (this.#at?.client !== client) {
      const { view, path, kind = "lab" } = this.#options;
      this.#at = { client, opened: client.openView({ view, kind, path }) };
      this.#at.opened.catch(() => {
        if (this.#at?.client === client) this.#at = null;
      });
    }
    return this.#at.opened;
  }

  #fail({ c, v, id }: Head, { code, message, detail }: RewardsmithError): void {
    if (!this.#open.delete(id) || this.#disposed) return;
    this.#options.post({ c, v, k: "err", id, code, message, detail });
  }
}
