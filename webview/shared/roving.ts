import { useState } from "preact/hooks";

/** One tab stop for several things in a row: arrows, Home and End move between those marked `data-rove`. */
export function useRoving(): {
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** For thing `index` of the row. */
  readonly stop: (index: number) => { "data-rove": number; tabindex: number; onFocus: () => void };
} {
  const [active, setActive] = useState(0);
  return {
    onKeyDown: (event) => {
      const { currentTarget } = event;
      if (!(currentTarget instanceof Element)) return;
      const things = [...currentTarget.querySelectorAll<HTMLElement | SVGElement>("[data-rove]")];
      const at = things.findIndex((thing) => thing === document.activeElement);
      const to = roveTo(event.key, at, things.length);
      if (to === null || at === -1) return;
      event.preventDefault();
      things[to]?.focus();
    },
    stop: (index) => ({
      "data-rove": index,
      // In SVG the attribute's name has no capital.
      tabindex: index === active ? 0 : -1,
      onFocus: () => setActive(index),
    }),
  };
}

/** Where a key leads from thing `at` of `count`; null: not a key that moves. */
export function roveTo(key: string, at: number, count: number): number | null {
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return Math.min(count - 1, at + 1);
    case "ArrowLeft":
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
