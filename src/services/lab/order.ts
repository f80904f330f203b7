import { shownName } from "../../core/text/shownName";
import { columnNumber, type FilterRows, type RowTest } from "../../core/query/evaluate";
import type { SampleTable } from "../../core/scoring/table";
import type { LabQuery } from "../../schema/lab";
import { completionText } from "../functionScores";
import { textOf } from "../sampleTable";
import type { RowLabels } from "./arrangement";
import type { Change } from "./changes";
import { lengthsOf } from "./rowTexts";
import { badnessOf } from "./scoredFacts";
import type { Weighed } from "./weighed";

/** What filter and sort ask of one moment. */
export interface Moment {
  readonly weighed: Weighed;
  readonly labels: RowLabels;
  readonly pinned: number | null;
  /** Of the totals against the baseline, worked out when first asked for. */
  readonly changes: () => ReadonlyMap<number, Change>;
}

export function filterRows({ weighed, labels, pinned, changes }: Moment): FilterRows {
  const { facts, totals, advantages, ifFixed, groups } = weighed;
  const { table } = facts;
  const groupAt = (row: number) => groups[table.groupOf[row] ?? -1];
  const lowerPrompt = lowered((row) => table.prompt?.[row] ?? "");
  const lowerCompletion = lowered((row) => table.completion[row]);
  return {
    number: (field, row) => {
      switch (field) {
        case "total":
          return totals[row] ?? Number.NaN;
        case "advantage":
          return advantages[row] ?? Number.NaN;
        case "ifFixed":
          return ifFixed[row] ?? Number.NaN;
        case "change":
          return changedBy(changes().get(row));
        case "ms":
          return facts.ms[row] ?? Number.NaN;
        case "length":
          return lengthsOf(table)[row] ?? Number.NaN;
        default:
          return Number.NaN;
      }
    },
    component: (index, row) => facts.functions[index]?.outcome.rows[row]?.value ?? Number.NaN,
    state: (row) => facts.states[row] ?? null,
    componentState: (index, row) => facts.functions[index]?.outcome.rows[row]?.state ?? null,
    label: (row) => labels.of(row),
    direction: (row) => changes().get(row)?.direction ?? null,
    flag: (flag, row) => {
      switch (flag) {
        case "tied":
          return groupAt(row)?.tied ?? false;
        case "filtered":
          return groupAt(row)?.filtered ?? false;
        case "nogradient":
          return groupAt(row)?.noGradient ?? false;
        case "crumb":
          return (weighed.crumbs()[table.groupOf[row] ?? -1] ?? null) !== null;
        case "pinned":
          return row === pinned;
        case "recovered":
          return facts.recovered[row] === 1;
        case "unscored":
          return facts.states[row] === null;
        default:
          return false;
      }
    },
    text: (field, row) => {
      switch (field) {
        case "group":
          return shownName(table.groups[table.groupOf[row] ?? -1]?.id ?? "");
        case "id":
          return shownName(table.ids[row] ?? "");
        case "prompt":
          return lowerPrompt(row);
        case "completion":
          return lowerCompletion(row);
        case "reason":
          return facts.functions
            .flatMap(({ outcome }) => {
              const reason = outcome.rows[row]?.reason;
              return reason ? [`${reason.type ?? ""} ${reason.text ?? ""} ${reason.code}`] : [];
            })
            .join("\n")
            .toLowerCase();
        default:
          return "";
      }
    },
    column: (name, row) => table.columns.get(name)?.[row],
    valueText: (value) => textOf(value).toLowerCase(),
  };
}

/** Text in lower case; rows of a group share their prompt, so the last one is kept. */
function lowered(value: (row: number) => unknown): (row: number) => string {
  let last: unknown;
  let text = "";
  return (row) => {
    const own = value(row);
    if (own !== last) {
      last = own;
      text = completionText(own).toLowerCase();
    }
    return text;
  };
}

function changedBy(change: Change | undefined): number {
  return typeof change?.by === "number" ? change.by : Number.NaN;
}

/** Rows that pass, in the order asked for; ties and rows without the value (which come last) keep the file's order. */
export function orderRows(
  moment: Moment,
  test: RowTest,
  query: Pick<LabQuery, "sort" | "grouped">,
): Int32Array {
  const { table } = moment.weighed.facts;
  const rows = new Int32Array(table.n);
  let n = 0;
  for (let row = 0; row < table.n; row++) if (test(row)) rows[n++] = row;
  const order = rows.subarray(0, n);
  const keys = query.sort.flatMap(({ key, descending }) => {
    const values = sortValues(moment, key);
    return values ? [{ values, sign: descending ? -1 : 1 }] : [];
  });
  if (keys.length > 0) {
    order.sort((a, b) => {
      for (const { values, sign } of keys) {
        const [x, y] = [values[a] ?? Number.NaN, values[b] ?? Number.NaN];
        if (x === y) continue;
        if (x < y) return -sign;
        if (x > y) return sign;
        const [noX, noY] = [Number.isNaN(x), Number.isNaN(y)];
        if (noX !== noY) return noX ? 1 : -1;
      }
      return a - b;
    });
  }
  return query.grouped ? grouped(table, order) : order;
}

/** Groups in the order of their first row, the rows of each as they were. */
function grouped(table: SampleTable, order: Int32Array): Int32Array {
  const byGroup = new Map<number, number[]>();
  for (const row of order) {
    const group = table.groupOf[row] ?? -1;
    const rows = byGroup.get(group);
    if (rows) rows.push(row);
    else byGroup.set(group, [row]);
  }
  const out = new Int32Array(order.length);
  let at = 0;
  for (const rows of byGroup.values()) {
    out.set(rows, at);
    at += rows.length;
  }
  return out;
}

/** By row, ascending; NaN = none. Null: there is no such key (any more). */
function sortValues(moment: Moment, key: string): ArrayLike<number> | null {
  const { weighed, labels, changes } = moment;
  const { facts, totals, advantages, ifFixed } = weighed;
  const { table } = facts;
  const each = (value: (row: number) => number): Float64Array =>
    Float64Array.from({ length: table.n }, (_, row) => value(row));
  switch (key) {
    case "row":
      return each((row) => row);
    case "group": {
      const places = textPlaces(table.groups.map(({ id }) => id));
      return each((row) => places[table.groupOf[row] ?? -1] ?? Number.NaN);
    }
    case "state":
      return each((row) => badnessOf(facts.states[row]) || Number.NaN);
    case "total":
      return totals;
    case "advantage":
      return advantages;
    case "ifFixed":
      return ifFixed;
    case "label":
      return each((row) => {
        const value = labels.of(row)?.value;
        return typeof value === "number" ? value : value === "good" ? 1 : value === "bad" ? 0 : Number.NaN;
      });
    case "change":
      return each((row) => changePlace(changes().get(row)));
    case "ms":
      return facts.ms;
    case "length":
      return lengthsOf(table);
  }
  if (key.startsWith("component:")) {
    const name = key.slice("component:".length);
    const found = facts.functions.find(({ fn }) => fn.name === name);
    return found ? each((row) => found.outcome.rows[row]?.value ?? Number.NaN) : null;
  }
  if (key.startsWith("column:")) {
    const values = table.columns.get(key.slice("column:".length));
    return values ? columnPlaces(values) : null;
  }
  return null;
}

/** A score that was lost or won has no size: it lies beyond all that have one. */
function changePlace(change: Change | undefined): number {
  if (!change) return Number.NaN;
  const by = changedBy(change);
  if (!Number.isNaN(by)) return by;
  return change.direction === 0 ? 0 : change.direction * Number.POSITIVE_INFINITY;
}

/** A column of numbers or numerals by size, any other by its texts. */
function columnPlaces(values: readonly unknown[]): Float64Array {
  const numbers = Float64Array.from(values, columnNumber);
  if (values.every((value, i) => (value ?? null) === null || !Number.isNaN(numbers[i] ?? Number.NaN)))
    return numbers;
  return textPlaces(values.map((value) => ((value ?? null) === null ? null : textOf(value))));
}

/** Of each text its place among the others; a number at the end counts by its size (p2 before p10). */
function textPlaces(texts: readonly (string | null)[]): Float64Array {
  const distinct = [...new Set(texts.filter((text) => text !== null))].map((text) => {
    let digits = 0;
    while (digits < 15 && isDigit(text.charCodeAt(text.length - 1 - digits))) digits++;
    const head = text.slice(0, text.length - digits);
    return { text, head, number: digits === 0 ? -1 : Number(text.slice(head.length)) };
  });
  distinct.sort((a, b) => compare(a.head, b.head) || a.number - b.number || compare(a.text, b.text));
  const places = new Map(distinct.map(({ text }, i) => [text, i]));
  return Float64Array.from(texts, (text) => (text === null ? Number.NaN : (places.get(text) ?? Number.NaN)));
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
