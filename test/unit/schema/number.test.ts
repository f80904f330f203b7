import fc from "fast-check";
import { expect, it } from "vitest";
import { fromTagged, TaggedNumber, toTagged } from "../../../src/schema/number";

it("every double survives JSON as a tagged number", () => {
  fc.assert(
    fc.property(fc.double(), (value) => {
      const wire: unknown = JSON.parse(JSON.stringify(toTagged(value)));
      const back = fromTagged(TaggedNumber.parse(wire));
      // JSON has no negative zero; nothing of ours tells it from zero.
      expect(Object.is(back, value) || (back === 0 && value === 0)).toBe(true);
    }),
  );
});

it("refuses a bare NaN, so that none can slip through untagged", () => {
  expect(TaggedNumber.safeParse(Number.NaN).success).toBe(false);
  expect(TaggedNumber.safeParse(Number.POSITIVE_INFINITY).success).toBe(false);
});
