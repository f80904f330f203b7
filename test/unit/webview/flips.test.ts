import { describe, expect, it } from "vitest";
import type { LabFlip, LabFlips, LabHunks } from "../../../src/schema/lab";
import { diffLines, HunkIndex } from "../../../webview/lab/flips/hunkIndex";
import {
  directionInWords,
  furtherInWords,
  nothingToShow,
  sideInWords,
} from "../../../webview/lab/flips/words";
import { speechOf } from "../../../webview/shared/speech";

const speech = speechOf({}, "en");
const hunk = {
  before: { from: 4, to: 6 },
  now: { from: 5, to: 6 },
  removed: ["a", "b"],
  added: ["c"],
};
const answer: LabHunks = {
  hunks: [
    { id: 7, ...hunk },
    { id: 9, ...hunk },
  ],
  causes: [
    { row: 1, function: "f", hunks: [7] },
    { row: 2, function: "f", hunks: [7, 9] },
    { row: 3, function: "f", hunks: [] },
  ],
  failed: [{ id: 9, message: "SyntaxError" }],
  otherFiles: [],
};

describe("hunks and flips", () => {
  const index = new HunkIndex(answer);
  it("are found by row and function", () => {
    expect(index.of({ row: 2, function: "f" })).toEqual([7, 9]);
    expect(index.of({ row: 3, function: "f" })).toEqual([]);
    expect(index.of({ row: 1, function: "g" })).toBeNull();
    expect([...index.counts]).toEqual([
      [7, 2],
      [9, 1],
    ]);
    expect(index.together).toBe(1);
  });
  it("filter: a flip that was not tried is in no choice but all", () => {
    const lets = (row: number, choice: number | "together" | null, name = "f"): boolean =>
      index.lets(choice, { row, function: name });
    expect([1, 2, 3].filter((row) => lets(row, 9))).toEqual([2]);
    expect([1, 2, 3].filter((row) => lets(row, "together"))).toEqual([3]);
    expect([lets(1, null, "g"), lets(1, "together", "g"), lets(1, 7, "g")]).toEqual([true, false, false]);
  });
  it("are lines of either text", () => {
    expect(diffLines({ id: 0, ...hunk })).toEqual([
      { kind: "removed", line: 4, text: "a" },
      { kind: "removed", line: 5, text: "b" },
      { kind: "added", line: 5, text: "c" },
    ]);
  });
});

describe("a flip in words", () => {
  const flip: LabFlip = {
    row: 0,
    group: "g",
    function: "f",
    before: { state: "scored", value: 1, rank: 1 },
    now: { state: "scored", value: 1, rank: 3 },
    direction: 0,
    rank: true,
    sign: true,
    text: "",
  };
  it("says a missing score by its state, not as 0", () => {
    expect(sideInWords({ state: "raised", value: null }, speech)).toBe("– raised");
    expect(sideInWords({ state: "scored", value: 0 }, speech)).toBe("0.0");
    expect(sideInWords({ state: "non-finite", value: { nonFinite: "nan" } }, speech)).toBe("nan non-finite");
  });
  it("says which way, and where the score is the same what else moved", () => {
    expect(directionInWords({ ...flip, direction: -1 }, speech).text).toBe("down");
    expect(directionInWords(flip, speech).text).toBe("other place");
    expect(directionInWords({ ...flip, rank: false }, speech).text).toBe("other sign");
    expect(directionInWords({ ...flip, now: { ...flip.now, state: "held" } }, speech).text).toBe(
      "other state",
    );
    expect(furtherInWords(flip, speech)).toBe("place 1 → 3 · sign of the advantage");
    expect(furtherInWords({ ...flip, now: { ...flip.now, rank: null }, sign: false }, speech)).toBe("place");
  });
});

describe("nothing to compare", () => {
  const head: LabFlips = {
    seq: 1,
    docVersion: 1,
    status: "fresh",
    baseline: { kind: "head", hash: "h" },
    total: 0,
    from: 0,
    flips: [],
    summary: [],
  };
  it("says why: nothing scored, no baseline, the baseline itself, or no row differs", () => {
    const said = [
      nothingToShow({ ...head, status: "none", baseline: null }, null, speech),
      nothingToShow({ ...head, baseline: null }, "h", speech),
      nothingToShow(head, "h", speech),
      nothingToShow(head, "i", speech),
    ];
    expect(new Set(said).size).toBe(4);
    expect(said[2]).toContain("the last git commit");
    expect(nothingToShow({ ...head, total: 1 }, "h", speech)).toBeNull();
  });
});
