import { describe, expect, it } from "vitest";
import { clampShare, shareAfterKey } from "../../../webview/shared/splitMath";

const LIMITS = { length: 1000, min: 200, minOther: 300 };
const press = (key: string, shiftKey = false) => ({ key, shiftKey });

describe("two panes with a sash", () => {
  it("keep their least sizes", () => {
    expect(clampShare(0.05, LIMITS)).toBeCloseTo(0.2);
    expect(clampShare(0.95, LIMITS)).toBeCloseTo(0.7);
    expect(clampShare(0.5, LIMITS)).toBe(0.5);
  });

  it("share what there is where both can't have their least", () => {
    expect(clampShare(0.9, { length: 250, min: 200, minOther: 300 })).toBeCloseTo(0.4);
    expect(clampShare(0.9, { length: 0, min: 200, minOther: 300 })).toBe(0.5);
  });

  it("move the way the arrow points, whichever pane is the sized one", () => {
    expect(shareAfterKey(press("ArrowRight"), 0.5, true, "before", LIMITS)).toBeGreaterThan(0.5);
    expect(shareAfterKey(press("ArrowUp"), 0.5, false, "after", LIMITS)).toBeGreaterThan(0.5);
    expect(shareAfterKey(press("ArrowDown"), 0.5, false, "after", LIMITS)).toBeLessThan(0.5);
    expect(shareAfterKey(press("ArrowUp"), 0.5, true, "before", LIMITS)).toBeNull();
    expect(shareAfterKey(press("End"), 0.5, true, "before", LIMITS)).toBeCloseTo(0.7);
    const [small, large] = [false, true].map(
      (shift) => shareAfterKey(press("ArrowLeft", shift), 0.5, true, "before", LIMITS) ?? 0,
    );
    expect(large).toBeLessThan(small ?? 0);
  });
});
