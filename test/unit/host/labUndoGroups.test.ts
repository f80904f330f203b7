import { describe, expect, test } from "vitest";
import { UndoGroups } from "../../../src/host/lab/undoGroups";

function typed(...words: number[]): UndoGroups {
  const groups = new UndoGroups();
  for (const word of words) groups.applied(word);
  return groups;
}
/** One undo or redo of ours; gives the editor steps it took. */
function move(groups: UndoGroups, redo: boolean): number {
  const steps = groups.steps(redo);
  for (let i = 0; i < steps; i++) groups.moved(redo);
  return steps;
}

describe("one undo takes back a word", () => {
  test("and the next undo the word before, and redo brings each back", () => {
    const groups = typed(1, 1, 1, 2, 3, 3);
    expect([move(groups, false), move(groups, false)]).toEqual([2, 1]);
    expect([move(groups, true), move(groups, true)]).toEqual([1, 2]);
    expect([move(groups, false), move(groups, false), move(groups, false)]).toEqual([2, 1, 3]);
  });

  test("below what is known it goes step by step", () => {
    const groups = typed(1, 1);
    move(groups, false);
    expect(groups.steps(false)).toBe(1);
    expect(new UndoGroups().steps(true)).toBe(1);
  });

  test("a single step of the menu leaves the rest of the word in one; redo brings back what was undone", () => {
    const groups = typed(1, 1, 1);
    groups.moved(false);
    expect([groups.steps(false), groups.steps(true)]).toEqual([2, 1]);
    move(groups, false);
    expect(groups.steps(true)).toBe(3);
  });

  test("keys after an undo are a word of their own, and nothing is left to redo", () => {
    const groups = typed(1, 1);
    groups.moved(false);
    groups.applied(1);
    expect(groups.steps(false)).toBe(1);
    expect(groups.steps(true)).toBe(1);
    expect([move(groups, false), move(groups, false)]).toEqual([1, 1]);
  });

  test("somebody else's change in between: nothing is known any more", () => {
    const groups = typed(1, 1);
    groups.foreign();
    groups.applied(1);
    expect([move(groups, false), groups.steps(false)]).toEqual([1, 1]);
  });
});
