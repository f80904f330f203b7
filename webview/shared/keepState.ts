import { effect, type ReadonlySignal } from "@preact/signals";
import type { Seam } from "./seam";

const KEEP_MS = 100;

/**
 * Keeps a page's state from its next change on, with the time it was so. A reload may come at any time: VS Code's own
 * store gets it at once, though a browser VS Code may not have written it when the page goes; the host's (`save`), which
 * is written soon, gets it at once too unless it just did.
 */
export function keepState<S extends object>(
  state: ReadonlySignal<S>,
  seam: Seam,
  save: (state: S & { readonly at: number }) => Promise<unknown>,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let known: S | null = state.value;
  effect(() => {
    const now = state.value;
    // What the host has just told is kept already.
    if (now === known) return;
    known = null;
    const dated = { ...now, at: Date.now() };
    seam.keep("page", dated);
    const send = (): void => {
      last = Date.now();
      void save(dated).catch(() => undefined);
    };
    clearTimeout(timer);
    if (Date.now() - last >= KEEP_MS) send();
    else timer = setTimeout(send, KEEP_MS);
  });
}
