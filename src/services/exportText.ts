import { assertNever } from "../base/assert";
import type { TaggedNumber } from "../schema/number";
import type { ScoreReport } from "../schema/report";
import type { Reason, RowScore, ScoreState } from "../schema/score";

export type ExportForm = "json" | "csv" | "markdown";

/**
 * A report as text. Rows without a score have an empty value and their state as a word: nothing that wasn't scored is
 * written as a number. JSON is the form of `score --json`.
 */
export function exportText(report: ScoreReport, form: ExportForm): string {
  switch (form) {
    case "json":
      return `${JSON.stringify(report, null, 2)}\n`;
    case "csv":
      return csv(report);
    case "markdown":
      return markdown(report);
    default:
      return assertNever(form);
  }
}

export function stateWord(state: ScoreState): string {
  return state.replace("-", " ");
}

/** One line a row of the sample set, two columns a function (value, state), then the total. `row` counts from 1. */
function csv(report: ScoreReport): string {
  const head = [
    "row",
    "id",
    "group",
    ...report.functions.flatMap(({ name }) => [name, `${name} state`, `${name} reason`]),
    "total",
    "advantage",
  ];
  const advantages = advantagesOf(report);
  const lines = rowsOf(report).map(({ row, id, group, cells }) => [
    String(row + 1),
    id,
    group,
    ...report.functions.flatMap((_, index) => {
      const cell = cells[index];
      if (!cell) return ["", "not in this pass", ""];
      return [exact(cell.value), word(cell), reasonText(cell.reason)];
    }),
    exact(report.totals[row] ?? null),
    exact(advantages.get(row) ?? null),
  ]);
  return [head, ...lines].map((cells) => cells.map(quote).join(",")).join("\r\n") + "\r\n";
}

function markdown(report: ScoreReport): string {
  const { functions, samples, trainer } = report;
  const advantages = advantagesOf(report);
  const parts = [
    `${samples.files.map((file) => code(file)).join(", ")} · ${samples.rows} rows · ${trainer.formula}`,
    table(
      ["function", "contract", "mean", "n", "not scored"],
      functions.map(({ name, contract, mean, n, states }) => [
        code(name),
        contract,
        short(mean),
        `${n} of ${samples.rows}`,
        Object.entries(states)
          .filter(([state]) => state !== "scored")
          .map(([state, count]) => `${count} ${state.replace("-", " ")}`)
          .join(", "),
      ]),
    ),
    table(
      ["row", "group", ...functions.map(({ name }) => code(name)), "total", "advantage"],
      rowsOf(report).map(({ row, group, cells }) => [
        String(row + 1),
        group,
        ...functions.map((_, index) => {
          const cell = cells[index];
          if (!cell) return "not in this pass";
          return cell.value === null ? word(cell) : `${short(cell.value)}${marks(cell)}`;
        }),
        short(report.totals[row] ?? null),
        short(advantages.get(row) ?? null),
      ]),
    ),
  ];
  if (report.hypothetical) parts.push("The trainer would have stopped: advantages are hypothetical.");
  if (report.error) parts.push(`Not scored: ${report.error.message}`);
  if (report.findings.length > 0)
    parts.push(report.findings.map(({ severity, message }) => `- ${severity}: ${message}`).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

interface ReportRow {
  readonly row: number;
  readonly id: string;
  readonly group: string;
  /** One a function; undefined where this pass left the row out. */
  readonly cells: readonly (RowScore | undefined)[];
}

function rowsOf(report: ScoreReport): ReportRow[] {
  const byRow = report.functions.map(({ rows }) => new Map(rows.map((cell) => [cell.row, cell])));
  return report.totals.flatMap((_, row) => {
    const cells = byRow.map((rows) => rows.get(row));
    const known = cells.find((cell) => cell !== undefined);
    return known ? [{ row, id: known.id, group: known.group, cells }] : [];
  });
}

/** As trained; rows that the trainer never sees have none. */
function advantagesOf(report: ScoreReport): Map<number, TaggedNumber | null> {
  return new Map(
    report.groups.flatMap(({ rows, advantages }) =>
      rows.map((row, i) => [row, advantages[i] ?? null] as const),
    ),
  );
}

function word(cell: RowScore): string {
  return cell.recovered ? `${stateWord(cell.state)} (recovered)` : stateWord(cell.state);
}

function marks(cell: RowScore): string {
  return cell.recovered ? " (recovered)" : "";
}

function reasonText(reason: Reason | null): string {
  if (!reason) return "";
  const where = reason.line === undefined ? "" : ` (line ${reason.line})`;
  // The text of an exception begins with its type.
  return `${reason.text ?? reason.target ?? reason.code}${where}`;
}

function exact(value: TaggedNumber | null): string {
  if (value === null) return "";
  return typeof value === "number" ? String(value) : value.nonFinite;
}

/** Three significant digits. */
function short(value: TaggedNumber | null): string {
  if (value === null) return "–";
  if (typeof value !== "number") return value.nonFinite;
  return String(Number(value.toPrecision(3)));
}

/** Spreadsheets run cells that begin like a formula; a leading apostrophe keeps them text. */
function quote(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}
