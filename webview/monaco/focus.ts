/** Where Escape goes, best first: the samples, else the row of tabs, else whatever comes after the editor. */
const PLACES = [
  '[role="grid"][tabindex="0"], [role="grid"] [tabindex="0"], [role="treegrid"][tabindex="0"], [role="treegrid"] [tabindex="0"]',
  '[role="tab"][tabindex="0"], [role="tab"][aria-selected="true"]',
  'button:not([disabled]), input:not([disabled]), [tabindex="0"]',
];

/** Moves the focus out of the editor. */
export function leave(room: HTMLElement): void {
  for (const place of PLACES)
    for (const element of document.querySelectorAll<HTMLElement>(place))
      if (!room.contains(element) && element.offsetParent !== null) {
        element.focus();
        if (document.activeElement === element) return;
      }
}

/**
 * Text fields of the page keep their own undo: a key that gets as far as VS Code is taken from the field and undoes in the
 * document.
 */
export function keepFieldUndo(): { dispose(): void } {
  const keep = (event: KeyboardEvent): void => {
    const { target } = event;
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (!isField || !(event.ctrlKey || event.metaKey)) return;
    if (["z", "y"].includes(event.key.toLowerCase())) event.stopPropagation();
  };
  document.addEventListener("keydown", keep);
  return { dispose: () => document.removeEventListener("keydown", keep) };
}
