import { useLayoutEffect, useRef } from "preact/hooks";

const STOPS =
  "[tabindex='0'], a[href], button:not([tabindex='-1']), input:not([tabindex='-1']), select, textarea, summary";

/**
 * A control that had the focus may be gone after its own act (Revert, Cancel) or be switched off by it (Clear): the
 * browser then leaves the keyboard nowhere. The focus goes to the next control that is near: in the closest box that is
 * still there.
 */
export function keepFocus(root: HTMLElement): { dispose(): void } {
  /** What had the focus last, then the boxes around it, and in each box what came after. */
  let trail: Element[] = [];
  const remember = (event: FocusEvent): void => {
    trail = [];
    for (
      let at = event.target instanceof Element ? event.target : null;
      at && at !== root;
      at = at.parentElement
    )
      trail.push(at);
    trail.push(root);
  };
  const mend = (): void => {
    const [last] = trail;
    if (!last) return;
    const { activeElement } = document;
    if (activeElement !== null && activeElement !== document.body && activeElement !== last) return;
    // Left by a click on nothing it is still there.
    if (usable(last)) return;
    for (const box of trail.slice(1)) {
      if (!box.isConnected) continue;
      const near = stopIn(box, last);
      if (!near) continue;
      near.focus();
      return;
    }
  };
  const observer = new MutationObserver(() => {
    const [last] = trail;
    if (
      last &&
      (document.activeElement === document.body || document.activeElement === last) &&
      !usable(last)
    )
      // After effects that put the focus somewhere themselves.
      setTimeout(mend);
  });
  /** A focus that went to the workbench (a dialog, the palette) is taken from its element, and comes back to none. */
  const back = (): void => {
    const [last] = trail;
    if (document.activeElement !== document.body || !last) return;
    if (last instanceof HTMLElement && usable(last)) last.focus();
    else mend();
  };
  root.addEventListener("focusin", remember);
  window.addEventListener("focus", back);
  observer.observe(root, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["disabled", "hidden"],
  });
  return {
    dispose: () => {
      root.removeEventListener("focusin", remember);
      window.removeEventListener("focus", back);
      observer.disconnect();
    },
  };
}

function usable(element: Element): boolean {
  return element.isConnected && !element.matches(":disabled") && element.getClientRects().length > 0;
}

/** The first stop after where the lost one was, else the first of the box. */
function stopIn(box: Element, lost: Element): HTMLElement | null {
  const stops = [...box.querySelectorAll<HTMLElement>(STOPS)].filter(usable);
  const after = lost.isConnected
    ? stops.find((stop) => (lost.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0)
    : undefined;
  return after ?? stops[0] ?? null;
}

/** While `open`, something else has the focus; afterwards it goes back to where it was, unless it went elsewhere. */
export function useReturnFocus(open: boolean): void {
  const from = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (!open) return;
    from.current = document.activeElement;
    return () => {
      const { activeElement } = document;
      const lost = activeElement === null || activeElement === document.body || !activeElement.isConnected;
      if (lost && from.current instanceof HTMLElement && usable(from.current)) from.current.focus();
    };
  }, [open]);
}

/**
 * A key that a control of the page has taken isn't also VS Code's: without this, Alt+Left on a column's head would make
 * it narrower and go back as well. Monaco's keys pass: what it leaves to VS Code (undo) it has taken too.
 */
export function keepHandledKeys(): { dispose(): void } {
  const stop = (event: KeyboardEvent): void => {
    if (!event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest(".monaco-editor")) return;
    event.stopPropagation();
  };
  document.addEventListener("keydown", stop);
  return { dispose: () => document.removeEventListener("keydown", stop) };
}

/**
 * Ctrl+A is carried out here at once and goes no further. VS Code would do it a second time, by a message that comes
 * late: what was typed by then would be selected, and the next key would replace it. Ctrl+S in Monaco is its own too.
 */
export function keepOwnKeys(): { dispose(): void } {
  const take = (event: KeyboardEvent): void => {
    const { target } = event;
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const key = event.key.toLowerCase();
    if (!(target instanceof Element)) return;
    if (target.closest(".monaco-editor") && event.defaultPrevented) {
      if (key === "a" || key === "s") event.stopPropagation();
    } else if (key === "a" && (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) {
      event.preventDefault();
      event.stopPropagation();
      target.select();
    }
  };
  document.addEventListener("keydown", take);
  return { dispose: () => document.removeEventListener("keydown", take) };
}
