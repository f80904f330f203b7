import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessHeight, Heights } from "../../../../webview/trajectories/one/heights";

const heights = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 200 });

describe("Heights", () => {
  it("begins every thing where the sum of those before it ends", () => {
    fc.assert(
      fc.property(heights, (all) => {
        const made = new Heights(all);
        let sum = 0;
        for (const [at, height] of all.entries()) {
          expect(made.top(at)).toBe(sum);
          sum += height;
        }
        expect(made.total).toBe(sum);
      }),
    );
  });

  it("finds the thing that stands at a place, also after heights were measured", () => {
    fc.assert(
      fc.property(
        heights,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 900 }))),
        fc.nat(),
        (all, found, at) => {
          const made = new Heights(all);
          for (const [index, height] of found) made.measured(index % all.length, height);
          const place = at % made.total;
          const index = made.at(place);
          expect(made.top(index)).toBeLessThanOrEqual(place);
          expect(made.top(index) + made.height(index)).toBeGreaterThan(place);
        },
      ),
    );
  });

  it("a place below the end is the last thing's", () => {
    expect(new Heights([10, 20]).at(1000)).toBe(1);
    expect(new Heights([]).at(5)).toBe(0);
  });

  it("better guesses change what nobody has measured, and nothing else", () => {
    const made = new Heights([10, 10]);
    expect(made.measured(0, 55)).toBe(45);
    made.guess([7, 7, 7]);
    expect([made.height(0), made.height(1), made.height(2)]).toEqual([55, 7, 7]);
    made.forget();
    made.guess([1, 1, 1]);
    expect(made.total).toBe(3);
  });

  it("a text is guessed by what is drawn of it", () => {
    const short = guessHeight(100, 0, 6000, 700);
    expect(guessHeight(1_000_000, 0, 6000, 700)).toBe(guessHeight(6000, 0, 6000, 700));
    expect(guessHeight(6000, 0, 6000, 700)).toBeGreaterThan(short);
    expect(guessHeight(100, 2, 6000, 700)).toBeGreaterThan(short);
  });
});
