/** Browsers cut elements off at 16 to 33 million pixels; above this a list's scroll positions are scaled. */
export const MAX_PIXELS = 8_000_000;

export interface ListWindow {
  /** Height of the scrolled content. */
  readonly height: number;
  /** Rows to draw, `last` exclusive. */
  readonly first: number;
  readonly last: number;
  /** Where row `index` stands in the content, in pixels. */
  readonly top: (index: number) => number;
}

export interface ListShape {
  readonly count: number;
  readonly rowHeight: number;
  readonly viewport: number;
  /** Rows drawn beyond either edge. */
  readonly overscan: number;
}

/** Which rows of equal height are on screen at a scroll position. */
export function listWindow(shape: ListShape, scrollTop: number): ListWindow {
  const { count, rowHeight, viewport, overscan } = shape;
  const full = count * rowHeight;
  const height = Math.min(full, MAX_PIXELS);
  const at = Math.min(Math.max(0, scrollTop), Math.max(0, height - viewport));
  const offset = at * scale(shape);
  const first = Math.max(0, Math.floor(offset / rowHeight) - overscan);
  const last = Math.min(count, Math.ceil((offset + viewport) / rowHeight) + overscan);
  return { height, first: Math.min(first, last), last, top: (index) => index * rowHeight - offset + at };
}

/** The scroll position nearest to the present one at which the whole row is on screen. */
export function scrollToShow(shape: ListShape, scrollTop: number, index: number): number {
  const { rowHeight, viewport } = shape;
  const ratio = scale(shape);
  const offset = scrollTop * ratio;
  const top = index * rowHeight;
  if (top < offset) return top / ratio;
  if (top + rowHeight > offset + viewport) return Math.max(0, top + rowHeight - viewport) / ratio;
  return scrollTop;
}

function scale({ count, rowHeight, viewport }: ListShape): number {
  const full = count * rowHeight;
  return full <= MAX_PIXELS ? 1 : (full - viewport) / (MAX_PIXELS - viewport);
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
