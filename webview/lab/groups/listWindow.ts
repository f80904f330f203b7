import * as virtual from "../../shared/virtual";

/** A list's scroll positions are scaled above this height. */
export const MAX_PIXELS = 8_000_000;

export interface ListShape {
  readonly count: number;
  readonly rowHeight: number;
  readonly viewport: number;
  /** Rows drawn beyond either edge. */
  readonly overscan: number;
}

/** Which rows of equal height are on screen at a scroll position. */
export function listWindow(shape: ListShape, scrollTop: number): virtual.VirtualWindow {
  return virtual.windowAt({ ...shape, maxPixels: MAX_PIXELS }, scrollTop, shape.overscan);
}

/** The scroll position nearest to the present one at which the whole row is on screen. */
export function scrollToShow(shape: ListShape, scrollTop: number, index: number): number {
  return virtual.scrollToShow({ ...shape, maxPixels: MAX_PIXELS }, scrollTop, index);
}

/** Row that a key leads to; null: not a key that moves. `page`: rows that fit on screen. */
export function rowAfterKey(key: string, active: number, count: number, page: number): number | null {
  const to = (index: number): number => Math.min(Math.max(0, index), Math.max(0, count - 1));
  switch (key) {
    case "ArrowDown":
      return to(active + 1);
    case "ArrowUp":
      return to(active - 1);
    case "PageDown":
      return to(active + Math.max(1, page));
    case "PageUp":
      return to(active - Math.max(1, page));
    case "Home":
      return to(0);
    case "End":
      return to(count - 1);
    default:
      return null;
  }
}
