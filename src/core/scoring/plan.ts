import type { SampleTable } from "./table";

/**
 * Batches of rows for calls of a reward: groups in the table's order, whole groups packed in sequence up to `batch`
 * rows; a group larger than that is a batch of its own. Of each group only the given rows. Every given row is in exactly
 * one batch; equal arguments give equal batches.
 */
export function planBatches(table: SampleTable, rows: readonly number[], batch: number): number[][] {
  const wanted = new Uint8Array(table.n);
  for (const row of rows) wanted[row] = 1;
  const batches: number[][] = [];
  let open: number[] = [];
  for (const group of table.groups) {
    const members = group.rows.filter((row) => wanted[row] === 1);
    if (open.length > 0 && open.length + members.length > batch) {
      batches.push(open);
      open = [];
    }
    open.push(...members);
  }
  if (open.length > 0) batches.push(open);
  return batches;
}

/** All rows of a table. */
export function allRows(table: SampleTable): number[] {
  return Array.from({ length: table.n }, (_, row) => row);
}
