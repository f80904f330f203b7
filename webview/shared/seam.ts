import * as z from "zod";
import { Emitter } from "../../src/base/event";
import type { Channel } from "../../src/protocol/rpc";

// zod compiles checks with `new Function`, which a page without 'unsafe-eval' reports as a violation.
z.config({ jitless: true });

interface VSCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VSCodeApi;

/** The page's one way out: messages to the host, and what VS Code keeps for the page over a reload. */
export interface Seam {
  readonly channel: Channel;
  /** What `keep` was last given, also before a reload; unchecked. */
  kept(): unknown;
  keep(state: unknown): void;
}

export function openSeam(): Seam {
  const api = acquireVsCodeApi();
  const messages = new Emitter<unknown>();
  window.addEventListener("message", (event: MessageEvent<unknown>) => messages.fire(event.data));
  return {
    channel: {
      post: (message) => api.postMessage(message),
      onMessage: messages.event,
      // The page ends with its channel.
      onClose: () => ({ dispose: () => undefined }),
    },
    kept: () => api.getState(),
    keep: (state) => api.setState(state),
  };
}
