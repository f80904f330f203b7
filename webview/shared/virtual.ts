/** Browsers cut elements off somewhere above this height; what is taller is scrolled in scaled coordinates. */
export const MAX_PIXELS = 16_000_000;

export interface VirtualShape {
  readonly count: number;
  /** Pixels, the same for every row. */
  readonly rowHeight: number;
  /** Pixels that the rows have on screen. */
  readonly viewport: number;
  /** Tallest content that isn't scaled; `MAX_PIXELS` where left out. */
  readonly maxPixels?: number;
}

export interface VirtualWindow {
  /** Of the scrolled content, in pixels. */
  readonly height: number;
  /** Rows to draw, `last` exclusive. */
  readonly first: number;
  readonly last: number;
  /** The row at the upper edge, with the part of it that is scrolled away. */
  readonly position: number;
  /** Where row `index` stands in the content, in pixels. */
  readonly top: (index: number) => number;
}

/** Content pixels that one pixel of scrolling stands for; 1 unless the content is taller than a browser can. */
export function scaleOf({ count, rowHeight, viewport, maxPixels = MAX_PIXELS }: VirtualShape): number {
  const full = count * rowHeight;
  return full <= maxPixels ? 1 : (full - viewport) / (maxPixels - viewport);
}

/** Which rows stand on screen at a scroll position, and where. `overscan`: rows beyond either edge. */
export function windowAt(shape: VirtualShape, scrollTop: number, overscan: number): VirtualWindow {
  const { count, rowHeight, viewport, maxPixels = MAX_PIXELS } = shape;
  const height = Math.min(count * rowHeight, maxPixels);
  const at = Math.min(Math.max(0, scrollTop), Math.max(0, height - viewport));
  const offset = at * scaleOf(shape);
  const last = Math.min(count, Math.ceil((offset + viewport) / rowHeight) + overscan);
  return {
    height,
    first: Math.min(last, Math.max(0, Math.floor(offset / rowHeight) - overscan)),
    last,
    position: offset / rowHeight,
    top: (index) => index * rowHeight - offset + at,
  };
}

/** The scroll position at which a row (or a part of one: 3.5) stands at the upper edge. */
export function scrollTo(shape: VirtualShape, position: number): number {
  const full = shape.count * shape.rowHeight;
  const offset = Math.min(Math.max(0, position * shape.rowHeight), Math.max(0, full - shape.viewport));
  return offset / scaleOf(shape);
}

/** The scroll position nearest to the present one at which the whole row is on screen. */
export function scrollToShow(shape: VirtualShape, scrollTop: number, index: number): number {
  const { rowHeight, viewport } = shape;
  const scale = scaleOf(shape);
  const offset = scrollTop * scale;
  const top = index * rowHeight;
  if (top < offset) return top / scale;
  if (top + rowHeight > offset + viewport) return Math.max(0, top + rowHeight - viewport) / scale;
  return scrollTop;
}
