import type { Hunk } from "../../schema/lab";

/** A stretch of lines that differs: 0-based, `to` exclusive. */
export interface LineEdit {
  readonly before: { readonly from: number; readonly to: number };
  readonly now: { readonly from: number; readonly to: number };
}

/** Lines as Python counts them. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/u);
}

/** Joins the two edits that lie nearest to each other until at most `most` are left. Edits in order, apart by a line or more. */
export function mergeNearest(edits: readonly LineEdit[], most: number): LineEdit[] {
  const merged = [...edits];
  while (merged.length > Math.max(1, most)) {
    let nearest = 0;
    let distance = Number.POSITIVE_INFINITY;
    for (let i = 0; i + 1 < merged.length; i++) {
      const gap = (merged[i + 1]?.before.from ?? 0) - (merged[i]?.before.to ?? 0);
      if (gap < distance) {
        distance = gap;
        nearest = i;
      }
    }
    const [a, b] = merged.slice(nearest, nearest + 2);
    if (!a || !b) break;
    merged.splice(nearest, 2, {
      before: { from: a.before.from, to: b.before.to },
      now: { from: a.now.from, to: b.now.to },
    });
  }
  return merged;
}

export function toHunks(
  before: readonly string[],
  now: readonly string[],
  edits: readonly LineEdit[],
): Hunk[] {
  return edits.map((edit, id) => ({
    id,
    before: { from: edit.before.from + 1, to: edit.before.to + 1 },
    now: { from: edit.now.from + 1, to: edit.now.to + 1 },
    removed: before.slice(edit.before.from, edit.before.to),
    added: now.slice(edit.now.from, edit.now.to),
  }));
}

/** The earlier text with these hunks of it, and no others, applied. Hunks in order. */
export function applyHunks(before: readonly string[], hunks: readonly Hunk[]): string {
  const lines: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    lines.push(...before.slice(at, hunk.before.from - 1), ...hunk.added);
    at = hunk.before.to - 1;
  }
  lines.push(...before.slice(at));
  return lines.join("\n");
}
