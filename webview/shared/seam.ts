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
  /** What `keep` was last given under a name, also before a reload; unchecked. */
  kept(name: string): unknown;
  keep(name: string, value: unknown): void;
}

export function openSeam(): Seam {
  const api = acquireVsCodeApi();
  const all = (): Record<string, unknown> => {
    const state = api.getState();
    return typeof state === "object" && state !== null ? { ...state } : {};
  };
  const messages = new Emitter<unknown>();
  // Monaco and VS Code post to this window as well: what names no contract isn't for us.
  window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (typeof data === "object" && data !== null && "c" in data) messages.fire(data);
  });
  return {
    channel: {
      post: (message) => api.postMessage(message),
      onMessage: messages.event,
      // The page ends with its channel.
      onClose: () => ({ dispose: () => undefined }),
    },
    kept: (name) => all()[name],
    keep: (name, value) => api.setState({ ...all(), [name]: value }),
  };
}
