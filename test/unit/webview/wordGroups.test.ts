import { describe, expect, test } from "vitest";
import { WordGroups } from "../../../webview/monaco/wordGroups";

/** Types texts one behind the other, `ms` apart; gives how many keys each word has. */
function words(texts: Iterable<string>, ms = 100): number[] {
  const groups = new WordGroups(0);
  let at = 0;
  const counts = new Map<number, number>();
  Array.from(texts).forEach((text, i) => {
    const word = groups.next([{ offset: at, length: 0, text }], i * ms);
    counts.set(word, (counts.get(word) ?? 0) + 1);
    at += text.length;
  });
  return [...counts.values()];
}

describe("what one undo takes back", () => {
  test("a word, with the space or sign before it", () => {
    expect(words("score = max")).toEqual([5, 6]);
    expect(words("a.bc")).toEqual([1, 3]);
  });

  test("a pause of more than a second ends it", () => {
    expect(words("abc", 1001)).toEqual([1, 1, 1]);
    expect(words("abc", 1000)).toEqual([3]);
  });

  test("what was pasted is one of its own", () => {
    expect(words(["a", "pasted", "b"])).toEqual([1, 1, 1]);
  });

  test("a jump, and deleting after typing; deleting goes on in both directions", () => {
    const groups = new WordGroups(0);
    const at = (offset: number, length: number, text: string): number =>
      groups.next([{ offset, length, text }], 0);
    const typed = at(5, 0, "a");
    expect(at(6, 0, "b")).toBe(typed);
    const jumped = at(2, 0, "c");
    expect(jumped).not.toBe(typed);
    const deleted = at(2, 1, "");
    expect(deleted).not.toBe(jumped);
    expect(at(1, 1, "")).toBe(deleted);
    expect(at(1, 1, "")).toBe(deleted);
    expect(at(1, 0, "d")).not.toBe(deleted);
  });

  test("a bracket that closes itself goes on inside", () => {
    const groups = new WordGroups(0);
    const open = groups.next([{ offset: 0, length: 0, text: "()" }], 0);
    expect(groups.next([{ offset: 1, length: 0, text: "x" }], 10)).toBe(open);
  });

  test("an end that the caret brings", () => {
    const groups = new WordGroups(0);
    const first = groups.next([{ offset: 0, length: 0, text: "a" }], 0);
    groups.end();
    expect(groups.next([{ offset: 1, length: 0, text: "b" }], 10)).not.toBe(first);
  });
});
