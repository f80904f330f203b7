import { diffArrays } from "diff";
import { linesOf, mergeNearest, toHunks, type LineEdit } from "../../core/text/hunks";
import type { Hunk } from "../../schema/lab";

/** Milliseconds after which texts that have little in common count as one hunk. */
const TIMEOUT = 500;

/** The difference of two texts line by line, without lines in common, at most `most` hunks. */
export function hunksOf(before: string, now: string, most: number): Hunk[] {
  const old = linesOf(before);
  const lines = linesOf(now);
  const chunks = diffArrays(old, lines, { timeout: TIMEOUT });
  if (chunks === undefined) return toHunks(old, lines, [whole(old, lines)]);
  const edits: LineEdit[] = [];
  let from = { before: 0, now: 0 };
  let at = from;
  const close = (): void => {
    if (at !== from)
      edits.push({
        before: { from: from.before, to: at.before },
        now: { from: from.now, to: at.now },
      });
  };
  for (const { value, added, removed } of chunks) {
    if (added) at = { ...at, now: at.now + value.length };
    else if (removed) at = { ...at, before: at.before + value.length };
    else {
      close();
      from = at = { before: at.before + value.length, now: at.now + value.length };
    }
  }
  close();
  return toHunks(old, lines, mergeNearest(edits, most));
}

function whole(before: readonly string[], now: readonly string[]): LineEdit {
  return { before: { from: 0, to: before.length }, now: { from: 0, to: now.length } };
}
