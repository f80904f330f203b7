import { describe, expect, it } from "vitest";
import { formatScore } from "../../../src/words/format";
import { signed } from "../../../webview/lab/table/words";
import {
  columnsOf,
  layoutOf,
  MIN_WIDTH,
  nextSort,
  sortKeyOf,
  withHidden,
  withoutWidth,
  withWidth,
} from "../../../webview/lab/table/columns";

const ALL = columnsOf(["correctness", "format"]);
const shown = (kept: Parameters<typeof layoutOf>[1], differs = false, room = 1200) =>
  layoutOf(ALL, kept, differs, room);
const keys = (placed: ReturnType<typeof layoutOf>) => placed.map(({ column }) => column.key);

describe("columns of the table", () => {
  it("have one for each function between total and advantage, and no if-fixed where it says the same", () => {
    expect(keys(shown({}))).toEqual([
      "row",
      "group",
      "state",
      "total",
      "component:correctness",
      "component:format",
      "advantage",
      "label",
      "change",
      "ms",
      "text",
    ]);
    expect(keys(shown({}, true))).toContain("ifFixed");
    expect(keys(shown(withHidden({}, "ifFixed", false)))).toContain("ifFixed");
    expect(keys(shown(withHidden({}, "ifFixed", true), true))).not.toContain("ifFixed");
  });

  it("stand side by side, the text taking what is left", () => {
    const placed = shown({});
    for (const [at, { left }] of placed.entries()) {
      const before = placed[at - 1];
      expect(left).toBe(before ? before.left + before.width : 0);
    }
    const last = placed.at(-1);
    expect((last?.left ?? 0) + (last?.width ?? 0)).toBe(1200);
    expect(shown({}, false, 300).at(-1)?.width).toBeGreaterThan(100);
  });

  it("are wide enough for small numbers: what a tied group leaves of rounding is read whole", () => {
    // Widths of VS Code's interface font at 13 px, and the cell's padding.
    const pixels = (text: string): number =>
      12 +
      Array.from(text).reduce(
        (sum, one) => sum + (/[.,]/u.test(one) ? 4.3 : /[-−+]/u.test(one) ? 10.9 : 8.3),
        0,
      );
    for (const column of columnsOf(["f"])) {
      const text = {
        total: formatScore(0.00119, "en"),
        component: formatScore(0.00119, "en"),
        advantage: signed(0.00119, "en"),
        ifFixed: signed(-0.00119, "en"),
        change: `↓${formatScore(0.00119, "en")}`,
      }[column.kind as string];
      if (text !== undefined) expect(column.width, column.key).toBeGreaterThanOrEqual(pixels(text));
    }
  });

  it("keep a width that was given, and take their own back", () => {
    const kept = withWidth({}, "total", 123.4);
    expect(shown(kept).find(({ column }) => column.key === "total")?.width).toBe(123);
    expect(withWidth({}, "total", 1)["total"]?.width).toBe(MIN_WIDTH);
    expect(withoutWidth(withHidden(kept, "total", false), "total")).toEqual({ total: { hidden: false } });
    expect(withoutWidth(kept, "total")).toEqual({});
  });
});

describe("sorting by a head", () => {
  it("goes ascending, descending, as in the file", () => {
    const up = nextSort([], "total", false);
    const down = nextSort(up, "total", false);
    expect(up).toEqual([{ key: "total", descending: false }]);
    expect(down).toEqual([{ key: "total", descending: true }]);
    expect(nextSort(down, "total", false)).toEqual([]);
    expect(nextSort(down, "ms", false)).toEqual([{ key: "ms", descending: false }]);
  });

  it("adds, turns and drops a second key in its place, at most three", () => {
    const two = nextSort([{ key: "group", descending: false }], "total", true);
    expect(two.map(({ key }) => key)).toEqual(["group", "total"]);
    const turned = nextSort(two, "group", true);
    expect(turned).toEqual([
      { key: "group", descending: true },
      { key: "total", descending: false },
    ]);
    expect(nextSort(turned, "group", true)).toEqual([{ key: "total", descending: false }]);
    const four = ["a", "b", "c", "d"].reduce<ReturnType<typeof nextSort>>(
      (sort, key) => nextSort(sort, key, true),
      [],
    );
    expect(four.map(({ key }) => key)).toEqual(["b", "c", "d"]);
  });

  it("sorts the text by its length", () => {
    expect(ALL.filter(({ kind }) => kind === "text").map(sortKeyOf)).toEqual(["length"]);
  });
});
