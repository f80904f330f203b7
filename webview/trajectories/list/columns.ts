import type { TrajectorySort } from "../../../src/schema/trajectory";

export type ColumnKind =
  | "index"
  | "step"
  | "group"
  | "reward"
  | "component"
  | "advantage"
  | "outcome"
  | "turns"
  | "calls"
  | "toolErrors"
  | "tokens"
  | "now"
  | "label"
  | "title";

export interface Column {
  readonly key: string;
  readonly kind: ColumnKind;
  /** Of a component: its name. */
  readonly name: string;
  readonly numeric: boolean;
  readonly width: number;
  /** What the list can be sorted by; null: not by this. */
  readonly sort: TrajectorySort | null;
}

export interface PlacedColumn {
  readonly column: Column;
  readonly width: number;
  readonly left: number;
}

/** Pixels by column as the state keeps them; 0: hidden. */
export type KeptColumns = Readonly<Record<string, number>>;

export const MIN_WIDTH = 36;
const MAX_WIDTH = 2000;
/** The last column takes what is left, at least this. */
const MIN_TITLE = 160;

type Fixed = Exclude<ColumnKind, "component">;
const FIXED: Readonly<Record<Fixed, Pick<Column, "width" | "numeric" | "sort">>> = {
  index: { width: 46, numeric: true, sort: "index" },
  step: { width: 46, numeric: true, sort: "step" },
  group: { width: 56, numeric: false, sort: "group" },
  reward: { width: 60, numeric: true, sort: "reward" },
  advantage: { width: 78, numeric: true, sort: "advantage" },
  outcome: { width: 84, numeric: false, sort: null },
  turns: { width: 54, numeric: true, sort: "turns" },
  calls: { width: 52, numeric: true, sort: "calls" },
  toolErrors: { width: 62, numeric: true, sort: "toolErrors" },
  tokens: { width: 70, numeric: true, sort: "tokens" },
  now: { width: 68, numeric: true, sort: "now" },
  label: { width: 66, numeric: false, sort: null },
  title: { width: 320, numeric: false, sort: null },
};

/** What of a list decides which columns are worth their room. */
export interface Present {
  readonly components: readonly string[];
  readonly steps: boolean;
  readonly advantages: boolean;
  readonly now: boolean;
  readonly labels: boolean;
  readonly tokens: boolean;
  /** Characters of the longest number, group and outcome seen: columns are as wide as what is in them. */
  readonly longest: Readonly<Record<"index" | "group" | "outcome", number>>;
}

const CHARACTER = 7;
const FITTED: Readonly<
  Record<"index" | "group" | "outcome", { readonly extra: number; readonly most: number }>
> = {
  // Room for the sign of a marked one.
  index: { extra: 28, most: 110 },
  group: { extra: 16, most: 132 },
  outcome: { extra: 34, most: 190 },
};

/** All columns there are, in their order. */
export function columnsOf({ components, longest }: Pick<Present, "components" | "longest">): Column[] {
  const fixed = (kind: Fixed): Column => ({ key: kind, kind, name: "", ...FIXED[kind] });
  const fitted = (kind: keyof typeof FITTED): Column => {
    const { extra, most } = FITTED[kind];
    const width = Math.min(most, extra + CHARACTER * longest[kind]);
    return { ...fixed(kind), width: Math.max(FIXED[kind].width, width) };
  };
  return [
    fitted("index"),
    fixed("step"),
    fitted("group"),
    fixed("reward"),
    ...components.slice(0, 40).map((name): Column => ({
      key: `component:${name}`,
      kind: "component",
      name,
      numeric: true,
      // Names are wider than numbers; a long one is cut, with its whole in the title.
      width: Math.min(130, Math.max(60, 20 + name.length * 7)),
      sort: null,
    })),
    fixed("advantage"),
    fitted("outcome"),
    fixed("now"),
    fixed("label"),
    fixed("turns"),
    fixed("calls"),
    fixed("toolErrors"),
    fixed("tokens"),
    fixed("title"),
  ];
}

/** Hidden by the user, or with nothing in it as far as is seen and not asked for. */
export function isHidden({ key, kind }: Column, kept: KeptColumns, present: Present): boolean {
  const width = kept[key];
  if (width !== undefined) return width === 0;
  if (kind === "step") return !present.steps;
  if (kind === "advantage") return !present.advantages;
  if (kind === "now") return !present.now;
  if (kind === "label") return !present.labels;
  if (kind === "tokens") return !present.tokens;
  return false;
}

/** Shown columns with widths and places; the last takes the room that is left unless it was given a width. */
export function layoutOf(
  columns: readonly Column[],
  kept: KeptColumns,
  present: Present,
  room: number,
): PlacedColumn[] {
  const shown = columns.filter((column) => !isHidden(column, kept, present));
  const placed: PlacedColumn[] = [];
  let left = 0;
  for (const [at, column] of shown.entries()) {
    const own = kept[column.key];
    const stretches = at === shown.length - 1 && own === undefined;
    const width = stretches
      ? Math.max(column.kind === "title" ? MIN_TITLE : column.width, room - left)
      : (own ?? column.width);
    placed.push({ column, width, left });
    left += width;
  }
  return placed;
}

export function withWidth(kept: KeptColumns, key: string, width: number): Record<string, number> {
  return { ...kept, [key]: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))) };
}

/** Back to the width that the column has by itself. */
export function withoutWidth(kept: KeptColumns, key: string): Record<string, number> {
  return Object.fromEntries(Object.entries(kept).filter(([known]) => known !== key));
}

export function withHidden(kept: KeptColumns, column: Column, hidden: boolean): Record<string, number> {
  return { ...kept, [column.key]: hidden ? 0 : column.width };
}

export interface Order {
  readonly sort: TrajectorySort;
  readonly descending: boolean;
}

/** What a click on a head makes of the order: ascending, then descending, then as in the file. */
export function nextOrder(now: Order, sort: TrajectorySort): Order {
  if (now.sort !== sort) return { sort, descending: false };
  if (!now.descending) return { sort, descending: true };
  return { sort: "index", descending: false };
}
