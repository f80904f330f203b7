import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LabPage, LabRow } from "../../../src/schema/lab";
import { PageStore } from "../../../webview/lab/table/pages";

const rowOf = (row: number, text: string): LabRow => ({
  row,
  id: `s${row}`,
  group: "p",
  groupAt: 0,
  state: "scored",
  cells: [],
  total: 1,
  advantage: 0,
  ifFixed: 0,
  label: null,
  change: null,
  ms: 1,
  length: 1,
  text,
  reason: null,
});

function answer(seq: number, from: number, count: number, matched: number, text = `seq ${seq}`): LabPage {
  return {
    seq,
    docVersion: 1,
    status: "fresh",
    functions: [],
    rows: 1000,
    scored: 1000,
    matched,
    from,
    page: Array.from({ length: Math.max(0, Math.min(count, matched - from)) }, (_, i) =>
      rowOf(from + i, text),
    ),
    filterError: null,
    columns: [],
  };
}

function filled(): PageStore {
  const store = new PageStore(10, 5);
  store.ask("q", 1);
  for (const index of store.need(0, 20)) store.take(index, "q", answer(1, index * 10, 10, 100));
  return store;
}

describe("pages of rows", () => {
  it("are asked for once, as far as they are on screen", () => {
    const store = new PageStore(10);
    store.ask("q", 1);
    expect(store.need(5, 25)).toEqual([0, 1, 2]);
    expect(store.need(5, 35)).toEqual([3]);
    store.take(0, "q", answer(1, 0, 10, 100));
    expect(store.need(0, 10)).toEqual([]);
  });

  it("keep their old rows, marked, until those of the newer scores are there", () => {
    const store = filled();
    store.ask("q", 2);
    expect(store.row(3)).toMatchObject({ stale: true, row: { text: "seq 1" } });
    expect(store.need(0, 20)).toEqual([0, 1]);
    store.take(0, "q", answer(2, 0, 10, 100));
    expect(store.row(3)).toMatchObject({ stale: false, row: { text: "seq 2" } });
    expect(store.row(13)).toMatchObject({ stale: true });
  });

  it("drop an answer that is older than what is here, or of another query", () => {
    const store = filled();
    store.ask("q", 3);
    store.need(0, 10);
    store.take(0, "q", answer(3, 0, 10, 100));
    expect(store.take(0, "q", answer(2, 0, 10, 100))).toBe(false);
    expect(store.row(0)?.row.text).toBe("seq 3");
    store.ask("other", 3);
    expect(store.take(0, "q", answer(3, 0, 10, 7))).toBe(false);
    expect(store.facts?.matched).toBe(100);
  });

  it("take an answer that is newer than what is here though not the newest, and ask again", () => {
    const store = filled();
    store.ask("q", 2);
    expect(store.need(0, 10)).toEqual([0]);
    store.ask("q", 3);
    // One request at a time for a page, however fast the scores come.
    expect(store.need(0, 10)).toEqual([]);
    expect(store.take(0, "q", answer(2, 0, 10, 100))).toBe(true);
    expect(store.row(0)).toMatchObject({ stale: true, row: { text: "seq 2" } });
    expect(store.need(0, 10)).toEqual([0]);
  });

  it("of another query are asked for at once, and shorten the list when fewer match", () => {
    const store = filled();
    store.ask("narrow", 1);
    expect(store.row(12)).toMatchObject({ stale: true });
    expect(store.need(0, 20)).toEqual([0, 1]);
    store.take(0, "narrow", answer(1, 0, 10, 4, "narrow"));
    expect(store.facts?.matched).toBe(4);
    expect(store.row(12)).toBeNull();
    expect(store.row(4)).toBeNull();
    expect(store.row(3)?.row.text).toBe("narrow");
  });

  it("stay while the filter is wrong for the moment", () => {
    const store = filled();
    store.ask("total<", 1);
    const [index = -1] = store.need(0, 10);
    const error = { code: "no-value" as const, subject: "<", near: null, from: 5, to: 6, message: "" };
    store.take(index, "total<", { ...answer(1, 0, 10, 0), filterError: error });
    expect(store.filterError?.from).toBe(5);
    expect(store.row(3)).toMatchObject({ stale: false, row: { text: "seq 1" } });
    expect(store.need(0, 10)).toEqual([]);
    store.ask("q", 1);
    expect(store.filterError).toBeNull();
  });

  it("of an engine that began anew are newer than all that is here", () => {
    const store = filled();
    store.ask("q", 9);
    store.need(0, 10);
    store.take(0, "q", answer(9, 0, 10, 100));
    store.ask("q", 0);
    expect(store.row(0)?.stale).toBe(true);
    expect(store.need(0, 10)).toEqual([0]);
    expect(store.take(0, "q", answer(0, 0, 10, 100))).toBe(true);
    expect(store.row(0)).toMatchObject({ stale: false, row: { text: "seq 0" } });
  });

  it("that failed are asked for again only when something else is wanted, or on demand", () => {
    const store = new PageStore(10);
    store.ask("q", 1);
    store.need(0, 10);
    store.fail(0, "q");
    expect(store.need(0, 10)).toEqual([]);
    store.retry();
    expect(store.need(0, 10)).toEqual([0]);
    store.fail(0, "q");
    store.ask("q", 2);
    expect(store.need(0, 10)).toEqual([0]);
  });

  it("are kept up to a number, those on screen last to go", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 60 }), (places) => {
        const store = new PageStore(10, 5);
        store.ask("q", 1);
        for (const place of places) {
          for (const index of store.need(place, place + 10))
            store.take(index, "q", answer(1, index * 10, 10, 100));
          expect(store.row(place)?.row.row).toBe(place);
          expect([...store.loaded()].length).toBeLessThanOrEqual(50);
        }
      }),
    );
  });
});
