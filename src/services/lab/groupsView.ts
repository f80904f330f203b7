import { shownName } from "../../core/text/shownName";
import { separation } from "../../core/scoring/separate";
import type { LabGroup, LabGroups } from "../../schema/lab";
import { oneLine } from "../functionScores";
import { orNull, type Weighed } from "./weighed";

type Member = LabGroup["members"][number];

/** Rows of a group that a strip shows. */
export const MEMBERS = 64;
const PROMPT = 160;

export type GroupOrder = Pick<GroupsAsk, "sort" | "descending">;
export interface GroupsAsk {
  readonly sort: "file" | "mean" | "std" | "size";
  readonly descending: boolean;
  readonly from: number;
  readonly count: number;
}

/** Everything but the snapshot's head. `passes`: by row, the filter lets it through; a group with such a row is shown. */
export function groupsView(
  weighed: Weighed,
  passes: Uint8Array | null,
  ask: GroupsAsk,
): Pick<
  LabGroups,
  "functions" | "total" | "counts" | "range" | "formula" | "hypothetical" | "from" | "groups"
> {
  const order = orderGroups(weighed, passes, ask);
  return {
    functions: [...weighed.functions],
    total: order.length,
    counts: countGroups(weighed),
    range: rangeOf(weighed.totals),
    formula: weighed.formula,
    hypothetical: weighed.matrix.stops,
    from: ask.from,
    groups: order.slice(ask.from, ask.from + ask.count).map((index) => labGroup(weighed, index)),
  };
}

/** Indices of groups; ties and groups without the value (which come last) keep the file's order. */
function orderGroups(
  { facts: { table }, groups }: Weighed,
  passes: Uint8Array | null,
  ask: GroupOrder,
): number[] {
  const order: number[] = [];
  table.groups.forEach(({ rows }, index) => {
    if (!passes || rows.some((row) => passes[row] === 1)) order.push(index);
  });
  const sign = ask.descending ? -1 : 1;
  if (ask.sort === "file") return ask.descending ? order.reverse() : order;
  const { sort } = ask;
  const values = table.groups.map(({ rows }, index) =>
    sort === "size" ? rows.length : (groups[index]?.[sort] ?? Number.NaN),
  );
  return order.sort((a, b) => {
    const [x, y] = [values[a] ?? Number.NaN, values[b] ?? Number.NaN];
    if (x < y) return -sign;
    if (x > y) return sign;
    const [noX, noY] = [Number.isNaN(x), Number.isNaN(y)];
    return noX === noY ? a - b : noX ? 1 : -1;
  });
}

/** Of complete groups: the spread of a part isn't the trainer's. */
function countGroups({ groups, crumbs }: Weighed): LabGroups["counts"] {
  const counts = { n: 0, tied: 0, filtered: 0, noGradient: 0, crumbs: 0 };
  for (const state of groups) {
    if (!state || state.rows.length < state.group.rows.length) continue;
    counts.n++;
    if (state.tied) counts.tied++;
    if (state.filtered) counts.filtered++;
    if (state.noGradient) counts.noGradient++;
  }
  for (const crumb of crumbs()) if (crumb) counts.crumbs++;
  return counts;
}

function rangeOf(totals: Float64Array): [number, number] | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const total of totals) {
    if (!Number.isFinite(total)) continue;
    if (total < low) low = total;
    if (total > high) high = total;
  }
  return low <= high ? [low, high] : null;
}

function labGroup(weighed: Weighed, index: number): LabGroup {
  const { facts, groups, matrix, functions } = weighed;
  const group = facts.table.groups[index] ?? { id: "", rows: [] };
  const state = groups[index];
  const crumb = weighed.crumbs()[index] ?? null;
  return {
    index,
    id: shownName(group.id),
    size: group.rows.length,
    n: state?.rows.length ?? 0,
    mean: orNull(state?.mean),
    std: orNull(state?.std),
    tied: state?.tied ?? false,
    filtered: state?.filtered ?? false,
    noGradient: state?.noGradient ?? false,
    cause: state?.cause ?? null,
    members: group.rows.slice(0, MEMBERS).map((row) => member(weighed, row)),
    separatedBy: state
      ? separation(matrix, state.rows).map(({ column, share }) => ({
          function: functions[column]?.name ?? "",
          share,
        }))
      : [],
    crumb: crumb && {
      function: functions[crumb.column]?.name ?? "",
      spread: crumb.spread,
      advantage: crumb.advantage,
    },
    prompt: oneLine(facts.table.prompt?.[group.rows[0] ?? -1] ?? "", PROMPT),
  };
}

export function member({ facts, totals, advantages }: Weighed, row: number): Member {
  return {
    row,
    total: orNull(totals[row]),
    advantage: orNull(advantages[row]),
    state: facts.states[row] ?? null,
  };
}

/** The rows best first, those without a total last, equal ones in file order; `row` is among them. */
export function bestFirst({ totals }: Weighed, rows: readonly number[], row: number): number[] {
  const sorted = [...rows].sort((a, b) => {
    const [x, y] = [totals[a] ?? Number.NaN, totals[b] ?? Number.NaN];
    if (x > y) return -1;
    if (x < y) return 1;
    const [noX, noY] = [Number.isNaN(x), Number.isNaN(y)];
    return noX === noY ? a - b : noX ? 1 : -1;
  });
  const shown = sorted.slice(0, MEMBERS);
  return shown.includes(row) || !rows.includes(row) ? shown : [...shown.slice(0, MEMBERS - 1), row];
}
