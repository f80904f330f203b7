import type { TaggedNumber } from "../schema/number";

/** A number as it is; a missing one is empty, never 0. */
export function exactNumber(value: TaggedNumber | null): string {
  if (value === null) return "";
  return typeof value === "number" ? String(value) : value.nonFinite;
}

/** Three significant digits, whole numbers whole. */
export function shortNumber(value: TaggedNumber | null): string {
  if (value === null) return "–";
  if (typeof value !== "number") return value.nonFinite;
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(3)));
}

/**
 * A cell of CSV, quoted where it must be. Also what begins like a formula, or with a space: readers that trim or guess
 * then leave it a text.
 */
export function csvCell(cell: string): string {
  const text = /^[\s=+\-@]|\s$/.test(cell) && Number.isNaN(Number(cell));
  return text || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A cell of a Markdown table: one line, nothing in it ends the cell or starts markup. */
export function markdownCell(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\|`*_<[\]]/g, (char) => `\\${char}`)
    .trim();
}

export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(markdownCell).join(" | ")} |\n`;
  return `${line(head)}|${head.map(() => " --- |").join("")}\n${rows.map(line).join("")}`;
}
