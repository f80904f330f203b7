import type { LabCell, LabFunction, LabRow } from "../../schema/lab";
import type { Reason } from "../../schema/score";
import { csvText, exactNumber as exact, markdownTable, shortNumber as short } from "../tableText";

/** Rows as a Markdown table (numbers to three digits, long texts cut) or CSV (numbers and texts whole). */
export interface CopiedRow {
  readonly row: LabRow;
  /** The sample's and its group's names, whole. */
  readonly id: string;
  readonly group: string;
  /** The whole completion. */
  readonly completion: string;
}

/**
 * A score that isn't there is an empty cell in CSV and the state's word in Markdown, never a number. CSV keeps the data
 * as it is: a cell that begins like a formula is only quoted, which a spreadsheet may still run.
 */
export function copyText(
  functions: readonly LabFunction[],
  rows: readonly CopiedRow[],
  form: "markdown" | "csv",
): string {
  return form === "csv" ? csv(functions, rows) : markdown(functions, rows);
}

const NOT_IN_PASS = "not in this pass";

function csv(functions: readonly LabFunction[], rows: readonly CopiedRow[]): string {
  const head = [
    "row",
    "id",
    "group",
    "state",
    "total",
    ...functions.flatMap(({ name }) => [name, `${name} state`]),
    "advantage",
    "label",
    "change",
    "ms",
    "length",
    "reason",
    "completion",
  ];
  const lines = rows.map(({ row, id, group, completion }) => [
    String(row.row + 1),
    id,
    group,
    row.state ?? NOT_IN_PASS,
    exact(row.total),
    ...functions.flatMap((_, i) => {
      const cell = row.cells[i] ?? null;
      return cell ? [exact(cell.value), stateOf(cell)] : ["", NOT_IN_PASS];
    }),
    exact(row.advantage),
    row.label === null ? "" : String(row.label.value),
    exact(row.change?.by ?? null),
    row.ms === null ? "" : String(row.ms),
    String(row.length),
    reasonText(row.reason),
    completion,
  ]);
  return csvText([head, ...lines]);
}

const SHOWN = 120;

function markdown(functions: readonly LabFunction[], rows: readonly CopiedRow[]): string {
  const names = functions.map(({ name }) => name);
  const head = ["row", "group", "state", "total", ...names, "advantage", "label", "completion"];
  const lines = rows.map(({ row }) => [
    String(row.row + 1),
    row.group,
    [row.state ?? NOT_IN_PASS, reasonText(row.reason)].filter((text) => text !== "").join(": "),
    short(row.total),
    ...functions.map((_, i) => {
      const cell = row.cells[i] ?? null;
      if (!cell) return NOT_IN_PASS;
      if (cell.value === null) return stateOf(cell);
      return `${short(cell.value)}${cell.recovered ? " (recovered)" : ""}`;
    }),
    short(row.advantage),
    row.label === null ? "" : String(row.label.value),
    row.text.length > SHOWN ? `${row.text.slice(0, SHOWN)}…` : row.text,
  ]);
  return markdownTable(head, lines);
}

function stateOf(cell: LabCell): string {
  return cell.recovered ? `${cell.state} (recovered)` : cell.state;
}

function reasonText(reason: Pick<Reason, "code" | "type" | "line"> | null): string {
  if (!reason) return "";
  return `${reason.type ?? reason.code}${reason.line === undefined ? "" : ` line ${reason.line}`}`;
}
