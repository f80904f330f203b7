import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFilter } from "../../../src/core/query/parse";
import { barBoxes, barFilter, barsOf } from "../../../webview/lab/pictures/bars";
import { lengthBands, nearest, scatterColumns } from "../../../webview/lab/pictures/scatterData";

describe("bars", () => {
  const bars = barsOf({ edges: [0, 0.1, 0.30000000000000004, 1], counts: [3, 0, 1000] });
  it("filter their rows by whole edges; only the last holds its upper one", () => {
    expect(bars.map((bar) => barFilter(null, bar))).toEqual([
      "total>=0 total<0.1",
      "total>=0.1 total<0.30000000000000004",
      "total>=0.30000000000000004 total<=1",
    ]);
  });
  it("filter by the function also where it is called like a field of the Lab", () => {
    for (const name of ["correct", "length", "total", "größe", "with space", 'a"b']) {
      const filter = barFilter(name, { from: -1e-7, to: 2, count: 1, last: false });
      const { node, problem } = parseFilter(filter, { functions: [name], columns: [] });
      expect(problem).toBeNull();
      expect(JSON.stringify(node)).toContain('"by":"function"');
      expect(JSON.stringify(node)).not.toContain('"by":"own"');
    }
  });
  it("stay visible where few rows are beside many, and have no height where none is", () => {
    const [few, none, many] = barBoxes(bars, { left: 0, right: 100, base: 90, tall: 80 });
    expect(few).toMatchObject({ height: 2, y: 88 });
    expect(none!.height).toBe(0);
    expect(many).toMatchObject({ height: 80, y: 10 });
    // Bars as wide as their share of the range.
    expect(many!.width / few!.width).toBeGreaterThan(6);
  });
  it("of one value alone stand in the middle", () => {
    const [only] = barBoxes(barsOf({ edges: [1, 1], counts: [5] }), {
      left: 0,
      right: 100,
      base: 90,
      tall: 80,
    });
    expect(only!.x + only!.width / 2).toBeCloseTo(50, 0);
  });
});

describe("the scatter's numbers", () => {
  const points = fc.array(
    fc.record({
      row: fc.nat(9999),
      length: fc.integer({ min: -50, max: 50 }),
      total: fc.integer({ min: -3, max: 3 }),
    }),
    { minLength: 1, maxLength: 200 },
  );
  it("are ascending in length, each row with its own values", () => {
    fc.assert(
      fc.property(points, (given) => {
        const { x, y, rows } = scatterColumns(given);
        expect(x).toEqual([...x].sort((a, b) => a - b));
        const triples = rows.map((row, i) => [row, x[i], y[i]].join(" ")).sort();
        expect(triples).toEqual(given.map(({ row, length, total }) => [row, length, total].join(" ")).sort());
      }),
    );
  });
  it("fall into bands that hold every row once and don't overlap", () => {
    fc.assert(
      fc.property(points, fc.integer({ min: 1, max: 12 }), (given, most) => {
        const bands = lengthBands(given, most);
        expect(bands.length).toBeLessThanOrEqual(most);
        expect(bands.reduce((n, band) => n + band.n, 0)).toBe(given.length);
        bands.slice(1).forEach((band, i) => expect(band.from).toBeGreaterThan(bands[i]!.to));
        const sum = bands.reduce((total, band) => total + band.mean * band.n, 0);
        expect(sum).toBeCloseTo(
          given.reduce((total, point) => total + point.total, 0),
          6,
        );
      }),
    );
  });
  it("are found under the pointer, the nearest within reach", () => {
    expect(nearest([0, 10, 12], [0, 0, 0], { x: 11.5, y: 1 }, 5)).toBe(2);
    expect(nearest([0, 10], [0, 0], { x: 30, y: 0 }, 5)).toBe(-1);
    expect(nearest([], [], { x: 0, y: 0 }, 5)).toBe(-1);
  });
});
