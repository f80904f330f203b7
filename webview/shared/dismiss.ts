import { type RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Closes what is open on Escape, and when a person presses or goes somewhere else: outside of the elements it belongs
 * to. `close` hears whether the focus should come back, which it does after Escape.
 */
export function useDismiss(
  open: boolean,
  inside: readonly RefObject<HTMLElement | null>[],
  close: (byKey: boolean) => void,
): void {
  // Before it is painted: whoever sees it can close it.
  useLayoutEffect(() => {
    if (!open) return;
    const outside = (event: Event): void => {
      const { target } = event;
      if (target instanceof Node && !inside.some(({ current }) => current?.contains(target))) close(false);
    };
    const key = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation();
      close(true);
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("focusin", outside, true);
    document.addEventListener("keydown", key, true);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("focusin", outside, true);
      document.removeEventListener("keydown", key, true);
    };
  }, [open]);
}
