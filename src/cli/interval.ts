import { estimateMean } from "../core/scoring/estimate";
import type { MeanEstimate } from "../schema/live";
import { type TaggedNumber, fromTagged } from "../schema/number";

/** Mean and 95 % half width from a report's own rows, clustered by group. Rows without a finite value don't count. */
export function clusteredMean(
  values: readonly { readonly group: string; readonly value: TaggedNumber | null }[],
): MeanEstimate | null {
  const index = new Map<string, number>();
  const groupOf = values.map(({ group }) => {
    const known = index.get(group);
    if (known !== undefined) return known;
    index.set(group, index.size);
    return index.size - 1;
  });
  const groups = [...index.keys()].map((id) => ({ id, rows: [] }));
  const rows = values.map(({ value }) => {
    const plain = value === null ? Number.NaN : fromTagged(value);
    return Number.isFinite(plain)
      ? ({ state: "scored", value: plain, recovered: false, reason: null, output: null, ms: 0 } as const)
      : undefined;
  });
  return estimateMean({ n: values.length, groups, groupOf }, { name: "", rows });
}
