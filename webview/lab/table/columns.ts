import type { LabState } from "../../../src/schema/lab";

export type ColumnKind =
  | "row"
  | "group"
  | "state"
  | "total"
  | "component"
  | "advantage"
  | "ifFixed"
  | "label"
  | "change"
  | "ms"
  | "text";

export interface Column {
  /** Also the key to sort by, but for the text, which is sorted by its length. */
  readonly key: string;
  readonly kind: ColumnKind;
  /** Of a component: the function's index and name. */
  readonly index: number;
  readonly name: string;
  readonly numeric: boolean;
  readonly width: number;
}

export interface PlacedColumn {
  readonly column: Column;
  readonly width: number;
  readonly left: number;
}

type Kept = LabState["columns"];
type Sort = LabState["sort"];

export const MIN_WIDTH = 36;
const MAX_WIDTH = 2000;
/** The last column takes what is left, at least this. */
const MIN_TEXT = 160;

/** Small numbers fit with their three digits: `0.00119`, with a sign where they have one. */
const FIXED: Readonly<Record<Exclude<ColumnKind, "component">, { width: number; numeric: boolean }>> = {
  row: { width: 58, numeric: true },
  group: { width: 76, numeric: false },
  state: { width: 100, numeric: false },
  total: { width: 68, numeric: true },
  advantage: { width: 80, numeric: true },
  ifFixed: { width: 80, numeric: true },
  label: { width: 74, numeric: false },
  change: { width: 76, numeric: true },
  ms: { width: 64, numeric: true },
  text: { width: 420, numeric: false },
};

/** All columns there are, in their order. */
export function columnsOf(functions: readonly string[]): Column[] {
  const fixed = (kind: Exclude<ColumnKind, "component">): Column => ({
    key: kind,
    kind,
    index: -1,
    name: "",
    ...FIXED[kind],
  });
  return [
    fixed("row"),
    fixed("group"),
    fixed("state"),
    fixed("total"),
    ...functions.map((name, index): Column => {
      // Names are wider than numbers; a long one is cut, with its whole in the title.
      const width = Math.min(140, Math.max(68, 24 + name.length * 7.2));
      return { key: `component:${name}`, kind: "component", index, name, numeric: true, width };
    }),
    fixed("advantage"),
    fixed("ifFixed"),
    fixed("label"),
    fixed("change"),
    fixed("ms"),
    fixed("text"),
  ];
}

export function isHidden(column: Column, kept: Kept, ifFixedDiffers: boolean): boolean {
  return kept[column.key]?.hidden ?? (column.kind === "ifFixed" && !ifFixedDiffers);
}

/** Shown columns with widths and places; the last takes the room that is left unless it was given a width. */
export function layoutOf(
  columns: readonly Column[],
  kept: Kept,
  ifFixedDiffers: boolean,
  room: number,
): PlacedColumn[] {
  const shown = columns.filter((column) => !isHidden(column, kept, ifFixedDiffers));
  const placed: PlacedColumn[] = [];
  let left = 0;
  for (const [at, column] of shown.entries()) {
    const own = kept[column.key]?.width;
    const stretches = at === shown.length - 1 && own === undefined;
    const width = stretches
      ? Math.max(column.kind === "text" ? MIN_TEXT : column.width, room - left)
      : (own ?? column.width);
    placed.push({ column, width, left });
    left += width;
  }
  return placed;
}

export function withWidth(kept: Kept, key: string, width: number): Kept {
  const clamped = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
  return { ...kept, [key]: { ...kept[key], width: clamped } };
}

/** Back to the width that the column has by itself. */
export function withoutWidth(kept: Kept, key: string): Kept {
  const { hidden } = kept[key] ?? {};
  const others = Object.fromEntries(Object.entries(kept).filter(([known]) => known !== key));
  return hidden === undefined ? others : { ...others, [key]: { hidden } };
}

export function withHidden(kept: Kept, key: string, hidden: boolean): Kept {
  return { ...kept, [key]: { ...kept[key], hidden } };
}

export function sortKeyOf(column: Column): string {
  return column.kind === "text" ? "length" : column.key;
}

/**
 * What a click on a head makes of the order: ascending, then descending, then as in the file. `add`: beside the keys
 * that are there (at most three), instead of in place of them.
 */
export function nextSort(sort: Sort, key: string, add: boolean): Sort {
  const at = sort.findIndex((one) => one.key === key);
  const known = sort[at];
  const next =
    known === undefined ? { key, descending: false } : known.descending ? null : { key, descending: true };
  if (!add) return next === null ? [] : [next];
  if (next === null) return sort.filter((one) => one.key !== key);
  return known === undefined ? [...sort, next].slice(-3) : sort.map((one) => (one.key === key ? next : one));
}
