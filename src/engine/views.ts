import { Emitter } from "../base/event";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { Channel } from "../protocol/rpc";

/** The engine's half of one view. */
export type ViewServer = (channel: Channel) => IDisposable;

interface View {
  readonly messages: Emitter<unknown>;
  readonly store: DisposableStore;
}

/** Views that the host has open: each is a channel of its own, carried in frames over the host's one. */
export class Views implements IDisposable {
  readonly #views = new Map<string, View>();
  readonly #post: (view: string, message: unknown) => void;

  constructor(post: (view: string, message: unknown) => void) {
    this.#post = post;
  }

  open(id: string, serve: ViewServer): void {
    this.close(id);
    const store = new DisposableStore();
    const messages = store.add(new Emitter<unknown>());
    const closed = new Emitter<void>();
    // Closed first, so that what is running for the view ends before its server goes.
    store.add({ dispose: () => closed.fire() });
    store.add(
      serve({
        post: (message) => {
          if (this.#views.get(id)?.store === store) this.#post(id, message);
        },
        onMessage: messages.event,
        onClose: closed.event,
      }),
    );
    this.#views.set(id, { messages, store });
  }

  /** A frame for a view that has gone meanwhile is dropped. */
  take(id: string, message: unknown): void {
    this.#views.get(id)?.messages.fire(message);
  }

  close(id: string): void {
    const view = this.#views.get(id);
    this.#views.delete(id);
    view?.store.dispose();
  }

  dispose(): void {
    for (const id of [...this.#views.keys()]) this.close(id);
  }
}
