import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFilter } from "../../../src/core/query/parse";
import type { LabGroup } from "../../../src/schema/lab";
import { SCORE_STATES } from "../../../src/schema/score";
import { place, ticks } from "../../../webview/shared/axis";
import { listWindow, MAX_PIXELS, rowAfterKey, scrollToShow } from "../../../webview/lab/groups/listWindow";
import { Pages } from "../../../webview/lab/groups/pages";
import { roveTo } from "../../../webview/shared/roving";
import { layoutStrip, type Member, shapeOf, tallies } from "../../../webview/shared/stripLayout";
import {
  crumbInWords,
  flagsOf,
  groupFilter,
  memberInWords,
  membersInWords,
} from "../../../webview/lab/groups/words";
import { speechOf } from "../../../webview/shared/speech";

const speech = speechOf({}, "en");
const member = (row: number, total: Member["total"], state: Member["state"] = "scored"): Member => ({
  row,
  total,
  advantage: null,
  state,
});

describe("ticks", () => {
  it("are round, in the range and no more than asked for", () => {
    expect(ticks(0, 1.3, 7)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1, 1.2]);
    expect(ticks(-0.95, 1, 4)).toEqual([-0.5, 0, 0.5, 1]);
    expect(ticks(2, 2, 5)).toEqual([2]);
    expect(ticks(0, Infinity, 5)).toEqual([]);
  });
  it("never leave the range, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        fc.integer({ min: 1, max: 20 }),
        (low, span, most) => {
          const found = ticks(low, low + span, most);
          expect(found.length).toBeLessThanOrEqual(most + 1);
          for (const value of found) {
            expect(value).toBeGreaterThanOrEqual(low - span * 1e-6 - Math.abs(low) * 1e-9);
            expect(value).toBeLessThanOrEqual(low + span * (1 + 1e-6) + Math.abs(low) * 1e-9);
          }
          expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
        },
      ),
    );
  });
  it("place values on the axis, those outside at its ends", () => {
    const axis = { low: 0, high: 2, from: 10, to: 110 };
    expect(place(axis, 1)).toBe(60);
    expect(place(axis, 9)).toBe(110);
    expect(place({ ...axis, high: 0 }, 0)).toBe(60);
  });
});

describe("a strip", () => {
  const box = { axis: { low: 0, high: 1, from: 30, to: 230 }, gutter: 12, height: 48, radius: 4 };

  it("stacks equal totals and keeps every dot at its own value", () => {
    const { dots, counts } = layoutStrip([member(3, 1), member(1, 1), member(2, 0)], box);
    expect(dots.map(({ member: { row }, x }) => [row, x])).toEqual([
      [2, 30],
      [1, 230],
      [3, 230],
    ]);
    expect(dots[0]?.y).toBe(dots[1]?.y);
    expect(dots[1]!.y - dots[2]!.y).toBe(8);
    expect(counts).toEqual([]);
  });
  it("puts rows without a total in the column at the left, never at 0", () => {
    const { dots } = layoutStrip(
      [member(0, null, "raised"), member(1, { nonFinite: "nan" }), member(2, 0)],
      box,
    );
    expect(dots.map(({ member: { row }, x }) => [row, x])).toEqual([
      [0, 12],
      [1, 12],
      [2, 30],
    ]);
  });
  it("writes how many lie over one another where there is no room for all", () => {
    const { dots, counts } = layoutStrip(
      Array.from({ length: 64 }, (_, row) => member(row, 0.5)),
      box,
    );
    expect(counts).toEqual([{ x: 130, y: Math.min(...dots.map(({ y }) => y)), n: 64 }]);
  });
  it("keeps dots inside the strip and apart while there is room", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 64 }), (totals) => {
        const { dots, counts } = layoutStrip(
          totals.map((total, row) => member(row, total)),
          box,
        );
        expect(dots.length).toBe(totals.length);
        for (const { y } of dots) {
          expect(y).toBeGreaterThanOrEqual(4);
          expect(y).toBeLessThanOrEqual(44);
        }
        const roomy = new Set(dots.map(({ y }) => y)).size <= 5;
        if (!roomy || counts.length > 0) return;
        for (const a of dots)
          for (const b of dots)
            if (a !== b) expect(Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y))).toBeGreaterThan(7.9);
      }),
    );
  });
  it("gives every state a mark, and a row without a total never that of a scored one", () => {
    expect(shapeOf({ total: 0, state: "scored" })).toBe("scored");
    expect(shapeOf({ total: 0.3, state: "raised" })).toBe("partly");
    expect(shapeOf({ total: null, state: null })).toBe("absent");
    for (const state of SCORE_STATES)
      expect(["scored", "partly"]).not.toContain(shapeOf({ total: null, state }));
  });
  it("is said as tallies", () => {
    const members = [
      member(0, 1),
      member(1, 0),
      member(2, 1),
      member(3, null, "raised"),
      member(4, null, null),
    ];
    expect(tallies(members).totals).toEqual([
      { total: 1, n: 2 },
      { total: 0, n: 1 },
    ]);
    expect(membersInWords(members, speech)).toBe("1.0 ×2, 0.0 ×1, 1 raised, 1 not in this pass");
    expect(memberInWords({ row: 16, total: null, advantage: null, state: "raised" }, speech)).toBe(
      "Row 17 · total – · advantage – · raised",
    );
    // The kept words are of the numbers, not of the row.
    expect(memberInWords({ row: 17, total: null, advantage: null, state: "raised" }, speech)).toMatch(
      /^Row 18 /u,
    );
  });
});

describe("what is said of a group", () => {
  const group: LabGroup = {
    index: 0,
    id: "p03",
    size: 8,
    n: 8,
    mean: 1,
    std: 0,
    tied: true,
    filtered: false,
    noGradient: true,
    cause: "all-right",
    members: [],
    separatedBy: [{ function: "length", share: 0.98 }],
    crumb: { function: "length", spread: 0.01, advantage: 2.41 },
    prompt: "",
  };
  it("keeps the flags apart and says the cause once", () => {
    expect(flagsOf(group, speech).map(({ text }) => text)).toEqual(["tied", "no gradient: all right"]);
    expect(flagsOf({ ...group, noGradient: false }, speech).map(({ text }) => text)).toEqual([
      "tied: all right",
    ]);
    expect(flagsOf({ ...group, tied: false, noGradient: false, cause: null }, speech)).toEqual([]);
  });
  it("names the crumb with its share", () => {
    expect(crumbInWords(group, speech)).toBe("separated by: length crumb 98%");
  });
  it("leads to its rows by a filter that reads back as the id", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (id) => {
        const { node, problem } = parseFilter(groupFilter(id), { functions: [], columns: [] });
        expect(problem).toBeNull();
        expect(node).toMatchObject({ kind: "name", field: { by: "own", name: "group" } });
        expect(node?.kind === "name" ? [...node.names] : null).toEqual([id]);
      }),
    );
  });
});

describe("the window of a list", () => {
  const shape = { count: 1000, rowHeight: 64, viewport: 640, overscan: 2 };
  it("draws what is on screen and a little more", () => {
    expect(listWindow(shape, 6400)).toMatchObject({ height: 64_000, first: 98, last: 112 });
    expect(listWindow({ ...shape, count: 0 }, 0)).toMatchObject({ height: 0, first: 0, last: 0 });
  });
  it("reaches every row of a list that is longer than a browser can scroll", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3_000_000 }),
        fc.nat(),
        fc.nat(MAX_PIXELS),
        (count, seed, start) => {
          const long = { ...shape, count };
          const index = seed % count;
          const { height } = listWindow(long, 0);
          expect(height).toBeLessThanOrEqual(MAX_PIXELS);
          const from = Math.min(start, Math.max(0, height - 640));
          const to = scrollToShow(long, from, index);
          const shown = listWindow(long, to);
          expect(shown.first).toBeLessThanOrEqual(index);
          expect(shown.last).toBeGreaterThan(index);
          expect(shown.top(index)).toBeGreaterThanOrEqual(to - 1);
          expect(shown.top(index) + 64).toBeLessThanOrEqual(Math.max(to + 640, 64 * count) + 1);
        },
      ),
    );
  });
  it("doesn't scroll for a row that is on screen", () => {
    expect(scrollToShow(shape, 100, 5)).toBe(100);
    expect(scrollToShow(shape, 100, 1)).toBe(64);
    expect(scrollToShow(shape, 100, 11)).toBe(128);
  });
  it("moves by keys and stays in the list", () => {
    expect(rowAfterKey("ArrowUp", 0, 10, 4)).toBe(0);
    expect(rowAfterKey("PageDown", 8, 10, 4)).toBe(9);
    expect(rowAfterKey("End", 0, 10, 4)).toBe(9);
    expect(rowAfterKey("ArrowDown", 0, 0, 4)).toBe(0);
    expect(rowAfterKey("x", 0, 10, 4)).toBeNull();
    expect(roveTo("ArrowRight", 2, 3)).toBe(2);
    expect(roveTo("Home", 2, 3)).toBe(0);
    expect(roveTo("Enter", 2, 3)).toBeNull();
  });
});

describe("pages", () => {
  interface Ask {
    readonly seq: number;
  }
  const make = () => {
    const calls: { ask: Ask; from: number; answer: (ok?: boolean) => Promise<void> }[] = [];
    const pages = new Pages<Ask, { total: number; items: string[] }, string>({
      size: 10,
      keep: 3,
      items: ({ items }) => items,
      fetch: (ask, from, count) =>
        new Promise((resolve, reject) => {
          calls.push({
            ask,
            from,
            answer: async (ok = true) => {
              const items = Array.from({ length: count }, (_, i) => `${ask.seq}:${from + i}`);
              if (ok) resolve({ total: 100, items });
              else reject(new Error("gone"));
              await new Promise((next) => setTimeout(next, 0));
            },
          });
        }),
    });
    return { calls, pages };
  };

  it("asks for what is looked at, one page at a time", async () => {
    const { calls, pages } = make();
    pages.want({ seq: 1 }, 5, 15);
    expect(calls.map(({ from }) => from)).toEqual([0]);
    await calls[0]!.answer();
    expect(calls.map(({ from }) => from)).toEqual([0, 10]);
    expect(pages.item(5)).toEqual({ item: "1:5", stale: false });
    expect(pages.item(12)).toBeNull();
    await calls[1]!.answer();
    pages.want({ seq: 1 }, 0, 20);
    expect(calls.length).toBe(2);
  });
  it("keeps old items, marked, until the new ones are there", async () => {
    const { calls, pages } = make();
    pages.want({ seq: 1 }, 0, 10);
    await calls[0]!.answer();
    pages.want({ seq: 2 }, 0, 10);
    expect(pages.stale).toBe(true);
    expect(pages.item(3)).toEqual({ item: "1:3", stale: true });
    await calls[1]!.answer();
    expect(pages.stale).toBe(false);
    expect(pages.item(3)).toEqual({ item: "2:3", stale: false });
  });
  it("skips questions that were overtaken and shows each answer that came", async () => {
    const { calls, pages } = make();
    for (let seq = 1; seq <= 20; seq++) pages.want({ seq }, 0, 10);
    expect(calls.length).toBe(1);
    await calls[0]!.answer();
    expect(pages.item(0)).toEqual({ item: "1:0", stale: true });
    expect(calls.map(({ ask }) => ask.seq)).toEqual([1, 20]);
  });
  it("says a failure once, doesn't ask on and on, and asks again when told to", async () => {
    const { calls, pages } = make();
    pages.want({ seq: 1 }, 0, 10);
    await calls[0]!.answer(false);
    expect(pages.error).toBe("gone");
    pages.want({ seq: 1 }, 0, 10);
    expect(calls.length).toBe(1);
    pages.retry();
    expect(pages.error).toBeNull();
    await calls[1]!.answer();
    expect(pages.item(0)?.item).toBe("1:0");
    pages.want({ seq: 2 }, 0, 10);
    expect(pages.error).toBeNull();
  });
  it("forgets the pages that were fetched longest ago", async () => {
    const { calls, pages } = make();
    for (let page = 0; page < 4; page++) {
      pages.want({ seq: 1 }, page * 10, page * 10 + 10);
      await calls[page]!.answer();
    }
    expect(pages.item(0)).toBeNull();
    expect(pages.item(30)?.item).toBe("1:30");
  });
});
