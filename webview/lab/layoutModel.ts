import { type Signal, signal } from "@preact/signals";
import type { Lab } from "./lab";

/** Panes of the Lab; in a narrow one they take turns. */
export type Pane = "editor" | "evidence" | "detail";

const panes = new WeakMap<Lab, Signal<Pane>>();

/** The pane that a narrow Lab shows. */
export function paneOf(lab: Lab): Signal<Pane> {
  const known = panes.get(lab) ?? signal<Pane>("evidence");
  panes.set(lab, known);
  return known;
}

/** Brings a pane on screen where panes take turns, and puts the focus in it if asked to. */
export function showPane(lab: Lab, pane: Pane, focus: boolean): void {
  paneOf(lab).value = pane;
  if (!focus) return;
  // After the pane is drawn.
  requestAnimationFrame(() => {
    const element = document.getElementById(`pane-${pane}`);
    if (element && !focusInside(element)) focusWhenThere(element);
  });
}

function focusInside(element: HTMLElement): boolean {
  const inside = element.querySelector<HTMLElement>(
    "[tabindex='0'], button:not([disabled], [tabindex='-1']), input, textarea",
  );
  inside?.focus();
  return inside !== null;
}

/** What the pane shows is still on its way: the pane has the focus meanwhile, and hands it on unless it went elsewhere. */
function focusWhenThere(element: HTMLElement): void {
  element.focus();
  const end = (): void => {
    observer.disconnect();
    element.removeEventListener("blur", end);
  };
  const observer = new MutationObserver(() => {
    if (focusInside(element)) end();
  });
  observer.observe(element, { childList: true, subtree: true });
  element.addEventListener("blur", end);
}
