import { shownName } from "../text/shownName";
import type { SampleLabel } from "../../schema/label";
import type { ScoreState } from "../../schema/score";
import { sameScore } from "../scoring/groups";
import type { Field } from "./fields";
import type { Comparator, FilterNode } from "./parse";

/** What a filter asks of the rows. Row numbers are 0-based. */
export interface FilterRows {
  /** NaN where the row has none: `total`, `advantage`, `ifFixed`, `change`, `ms`, `length`. */
  number(field: string, row: number): number;
  /** A function's value, NaN where it has none. */
  component(index: number, row: number): number;
  /** Of the row, or of one function; null = not scored in this pass. */
  state(row: number): ScoreState | null;
  componentState(index: number, row: number): ScoreState | null;
  label(row: number): SampleLabel | null;
  /** The total's direction against the baseline, null where the row didn't change. */
  direction(row: number): 1 | 0 | -1 | null;
  flag(flag: string, row: number): boolean;
  /** `group` and `id` as `shownName` has them; of `prompt`, `completion` and `reason` the text, in lower case. */
  text(field: string, row: number): string;
  /** Text fields that a word by itself is looked for in; where it isn't said, the completion and the prompt. */
  readonly searched?: readonly string[];
  column(name: string, row: number): unknown;
  /** A value of a column as text, in lower case. */
  valueText(value: unknown): string;
}

export type RowTest = (row: number) => boolean;

/**
 * The filter as a test of rows.
 *
 * A value that is missing or not finite satisfies no comparison, equality and range included, so `not total<0.2` lets
 * rows without a total through and `total>=0.2` doesn't. Scores are the same within the tolerance of ties
 * (`sameScore`): what is shown as 0.3 is `:0.3`, `<=0.3` and not `<0.3`. Other numbers are compared exactly.
 */
export function compileFilter(node: FilterNode, rows: FilterRows): RowTest {
  switch (node.kind) {
    case "all":
      return () => true;
    case "and": {
      const tests = node.of.map((part) => compileFilter(part, rows));
      return (row) => tests.every((test) => test(row));
    }
    case "or": {
      const tests = node.of.map((part) => compileFilter(part, rows));
      return (row) => tests.some((test) => test(row));
    }
    case "not": {
      const test = compileFilter(node.of, rows);
      return (row) => !test(row);
    }
    case "search": {
      const text = node.text.toLowerCase();
      const fields = rows.searched ?? ["completion", "prompt"];
      return (row) => fields.some((field) => rows.text(field, row).includes(text));
    }
    case "flag": {
      const { flag } = node;
      return flag === "flip" ? (row) => rows.direction(row) !== null : (row) => rows.flag(flag, row);
    }
    case "compare": {
      const { read, score } = numberOf(node.field, rows);
      const test = COMPARE[node.is];
      return (row) => {
        const value = read(row);
        return Number.isFinite(value) && test(value, node.value, score);
      };
    }
    case "range": {
      const { read, score } = numberOf(node.field, rows);
      return (row) => {
        const value = read(row);
        return (
          Number.isFinite(value) &&
          COMPARE[">="](value, node.from, score) &&
          COMPARE["<="](value, node.to, score)
        );
      };
    }
    case "missing": {
      if (node.field.by === "column") {
        const { name } = node.field;
        return (row) => (rows.column(name, row) ?? null) === null;
      }
      const { read } = numberOf(node.field, rows);
      return (row) => Number.isNaN(read(row));
    }
    case "rows":
      return (row) => node.ranges.some(([from, to]) => row >= from && row <= to);
    case "state": {
      const { field, states } = node;
      return field.by === "function"
        ? (row) => states.has(rows.componentState(field.index, row))
        : (row) => states.has(rows.state(row));
    }
    case "label":
      return (row) => labelIs(rows.label(row), node.words);
    case "flip":
      return (row) => {
        const direction = rows.direction(row);
        return direction !== null && direction !== 0 && node.directions.has(direction);
      };
    case "name": {
      const field = ownName(node.field);
      const names = new Set([...node.names].map(shownName));
      return (row) => names.has(rows.text(field, row));
    }
    case "contains": {
      const text = node.text.toLowerCase();
      if (node.field.by === "column") {
        const { name } = node.field;
        return (row) => valueIs(rows, rows.column(name, row) ?? null, text);
      }
      const field = ownName(node.field);
      return (row) => rows.text(field, row).includes(text);
    }
  }
}

/** Numbers and bools are compared whole (4 isn't in 14), texts and anything else by a part of them. */
function valueIs(rows: FilterRows, value: unknown, text: string): boolean {
  if (value === null) return false;
  const own = rows.valueText(value);
  switch (typeof value) {
    case "number":
      return own === text || (text !== "" && Number(text) === value);
    case "bigint":
    case "boolean":
      return own === text;
    default:
      return own.includes(text);
  }
}

const COMPARE: Readonly<Record<Comparator, (a: number, b: number, score: boolean) => boolean>> = {
  "=": (a, b, score) => (score ? sameScore(a, b) : a === b),
  "!=": (a, b, score) => !(score ? sameScore(a, b) : a === b),
  "<": (a, b, score) => a < b && !(score && sameNumber(a, b)),
  "<=": (a, b, score) => a <= b || (score && sameNumber(a, b)),
  ">": (a, b, score) => a > b && !(score && sameNumber(a, b)),
  ">=": (a, b, score) => a >= b || (score && sameNumber(a, b)),
};

/** The open end of a range is infinite, and no tolerance reaches there. */
function sameNumber(a: number, b: number): boolean {
  return Number.isFinite(b) && sameScore(a, b);
}

function numberOf(field: Field, rows: FilterRows): { read: (row: number) => number; score: boolean } {
  switch (field.by) {
    case "function":
      return { read: (row) => rows.component(field.index, row), score: true };
    case "column":
      return { read: (row) => columnNumber(rows.column(field.name, row)), score: false };
    case "own":
      if (field.kind === "row") return { read: (row) => row, score: false };
      if (field.kind === "label")
        return {
          read: (row) => {
            const value = rows.label(row)?.value;
            return typeof value === "number" ? value : Number.NaN;
          },
          score: false,
        };
      return {
        read: (row) => rows.number(field.name, row),
        score: field.score,
      };
  }
}

/** Numerals in a text are numbers here: answers often are. */
export function columnNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string" || value.length > 40 || value.trim() === "") return Number.NaN;
  return Number(value);
}

function labelIs(label: SampleLabel | null, words: ReadonlySet<string>): boolean {
  if (label === null) return words.has("none");
  return words.has("any") || (typeof label.value === "string" && words.has(label.value));
}

function ownName(field: Field): string {
  return field.by === "own" ? field.name : "completion";
}
