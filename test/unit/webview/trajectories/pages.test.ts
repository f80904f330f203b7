import { describe, expect, it } from "vitest";
import { Pages } from "../../../../webview/trajectories/pages";

const page = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `r${from + i}`);

describe("Pages", () => {
  it("asks for each page once, and again when the contents are newer", () => {
    const pages = new Pages<string>(10, 5);
    pages.ask("a", 1);
    expect(pages.need(5, 25)).toEqual([0, 1, 2]);
    expect(pages.need(5, 25)).toEqual([]);
    expect(pages.take(0, "a", 1, page(0, 10), 100)).toBe(true);
    expect(pages.row(7)).toEqual({ row: "r7", stale: false });
    pages.ask("a", 2);
    expect(pages.need(0, 10)).toEqual([0]);
  });

  it("what is shown stays, told as old, until another list is there", () => {
    const pages = new Pages<string>(10, 5);
    pages.ask("a", 1);
    pages.need(0, 10);
    pages.take(0, "a", 1, page(0, 10), 30);
    pages.ask("b", 1);
    expect(pages.row(0)).toEqual({ row: "r0", stale: true });
    expect(pages.stale).toBe(true);
    expect(pages.take(0, "a", 1, page(0, 10), 30)).toBe(false);
    expect(pages.take(0, "b", 1, ["x"], 1)).toBe(true);
    expect(pages.row(0)).toEqual({ row: "x", stale: false });
    expect(pages.total).toBe(1);
  });

  it("an older answer doesn't replace a newer one", () => {
    const pages = new Pages<string>(10, 5);
    pages.ask("a", 2);
    pages.take(0, "a", 2, ["new"], 1);
    expect(pages.take(0, "a", 1, ["old"], 1)).toBe(false);
    expect(pages.row(0)?.row).toBe("new");
  });

  it("keeps so many pages, those looked at last", () => {
    const pages = new Pages<string>(10, 3);
    pages.ask("a", 1);
    for (const index of [0, 1, 2]) pages.take(index, "a", 1, page(index * 10, 10), 100);
    pages.need(0, 10);
    pages.take(3, "a", 1, page(30, 10), 100);
    expect(pages.pages).toBe(3);
    expect(pages.row(0)).not.toBeNull();
    expect(pages.row(10)).toBeNull();
  });

  it("nothing is asked for beyond the end, and what failed only after a retry", () => {
    const pages = new Pages<string>(10, 5);
    pages.ask("a", 1);
    pages.take(0, "a", 1, page(0, 5), 5);
    expect(pages.need(0, 60)).toEqual([]);
    pages.ask("b", 1);
    expect(pages.need(0, 10)).toEqual([0]);
    pages.fail(0, "b");
    expect(pages.need(0, 10)).toEqual([]);
    pages.retry();
    expect(pages.need(0, 10)).toEqual([0]);
  });
});
