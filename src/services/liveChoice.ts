import { liveRows } from "../core/scoring/live";
import { allRows } from "../core/scoring/plan";
import type { SampleTable } from "../core/scoring/table";

/** Rows of a live pass: all where they are few, else the ones that matter first and an even choice of the rest. */
export function liveChoice(
  table: SampleTable,
  wish: {
    readonly limit: number;
    readonly pinned: number | null;
    readonly visible: readonly number[];
    /** Asked only where a choice has to be made. */
    readonly flipped: () => readonly number[];
  },
): number[] {
  const { limit, pinned, visible } = wish;
  if (table.n <= limit) return allRows(table);
  const labelled = allRows(table).filter((row) => (table.label?.[row] ?? null) !== null);
  return liveRows(table, {
    limit,
    pinned,
    // A set that is labelled throughout needs no preference, and one would crowd out the even choice.
    labelled: labelled.length <= limit / 2 ? labelled : [],
    flipped: wish.flipped(),
    visible,
  });
}
