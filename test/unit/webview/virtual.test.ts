import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_PIXELS,
  scaleOf,
  scrollTo,
  scrollToShow,
  type VirtualShape,
  windowAt,
} from "../../../webview/shared/virtual";

const shapes = fc.record({
  count: fc.integer({ min: 1, max: 3_000_000 }),
  rowHeight: fc.constantFrom(20, 24, 64),
  viewport: fc.integer({ min: 64, max: 2000 }),
});
const most = (shape: VirtualShape): number => Math.max(0, windowAt(shape, 0, 0).height - shape.viewport);

describe("rows of a virtual list", () => {
  it("fill the screen at every scroll position, also in scaled coordinates", () => {
    fc.assert(
      fc.property(shapes, fc.double({ min: 0, max: 1, noNaN: true }), (shape, part) => {
        const top = part * most(shape);
        const { first, last, top: topOf } = windowAt(shape, top, 0);
        // Seen from the upper edge of the screen, the first row begins at or above it …
        expect(topOf(first) - top).toBeLessThanOrEqual(1e-3);
        expect(topOf(first) - top).toBeGreaterThan(-shape.rowHeight - 1e-3);
        // … and the last ends at or below the lower edge, unless the list is shorter.
        const end = topOf(last - 1) + shape.rowHeight - top;
        if (shape.count * shape.rowHeight >= shape.viewport)
          expect(end).toBeGreaterThanOrEqual(shape.viewport - 1e-3);
        expect(last).toBeLessThanOrEqual(shape.count);
      }),
    );
  });

  it("reach the last row at the end of the scroll bar of a list taller than a browser can", () => {
    const shape = { count: 2_000_000, rowHeight: 24, viewport: 600 };
    expect(scaleOf(shape)).toBeGreaterThan(2.9);
    const { height, last } = windowAt(shape, MAX_PIXELS, 0);
    expect(height).toBe(MAX_PIXELS);
    expect(last).toBe(2_000_000);
  });

  it("come fully on screen when asked for, and stay where they are when they already are", () => {
    fc.assert(
      fc.property(
        shapes,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (shape, from, which) => {
          const index = Math.floor(which * shape.count);
          const top = scrollToShow(shape, from * most(shape), index);
          const at = windowAt(shape, top, 0).top(index) - top;
          expect(at).toBeGreaterThanOrEqual(-1e-3);
          expect(at + shape.rowHeight).toBeLessThanOrEqual(Math.max(shape.viewport, shape.rowHeight) + 1e-3);
          expect(scrollToShow(shape, top, index)).toBeCloseTo(top, 3);
        },
      ),
    );
  });

  it("are found again by their position", () => {
    fc.assert(
      fc.property(shapes, fc.double({ min: 0, max: 1, noNaN: true }), (shape, part) => {
        const top = part * most(shape);
        expect(scrollTo(shape, windowAt(shape, top, 0).position)).toBeCloseTo(top, 3);
      }),
    );
  });
});
