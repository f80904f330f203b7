import { type TaggedNumber, fromTagged } from "../schema/number";

export interface Column {
  readonly head: string;
  /** `number`: the decimal points stand below each other. */
  readonly align?: "left" | "right" | "number";
}

/** Lines of a table: heads, then rows; two spaces between columns. Cells hold no line breaks. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cells = columns.map((column, i) => {
    const own = rows.map((row) => row[i] ?? "");
    return column.align === "number" ? alignPoints(own) : own;
  });
  const widths = columns.map((column, i) => Math.max(widthOf(column.head), ...(cells[i] ?? []).map(widthOf)));
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => {
        const padding = " ".repeat(Math.max(0, (widths[i] ?? 0) - widthOf(text)));
        return (columns[i]?.align ?? "left") === "left" ? text + padding : padding + text;
      })
      .join("  ")
      .trimEnd();
  return [
    line(columns.map((column) => column.head)),
    ...rows.map((_, row) => line(cells.map((column) => column[row] ?? ""))),
  ];
}

function alignPoints(cells: readonly string[]): string[] {
  const after = (text: string): number => (/^[-+±]?\d+\./.test(text) ? text.length - text.indexOf(".") : 0);
  const most = Math.max(0, ...cells.map(after));
  return cells.map((text) => (/^[-+±]?\d/.test(text) ? text + " ".repeat(most - after(text)) : text));
}

/** Three significant digits, no exponent for everyday sizes; NaN and infinities by their Python names. */
export function number(value: TaggedNumber | number | null): string {
  if (value === null) return "–";
  const plain = fromTagged(value);
  if (Number.isNaN(plain)) return "nan";
  if (!Number.isFinite(plain)) return plain > 0 ? "inf" : "-inf";
  const size = Math.abs(plain);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return plain.toExponential(2);
  return size >= 100 ? String(Math.round(plain)) : String(Number(plain.toPrecision(3)));
}

/** "1 row", "2 rows". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

// eslint-disable-next-line no-control-regex -- they are what must not reach a terminal
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;

/**
 * Foreign text on one line of at most `most` columns. Control characters become visible marks: a completion can hold
 * escape sequences that would recolour, retitle or rewrite the terminal, and marks that reverse the text.
 */
export function oneLine(text: string, most: number): string {
  // Enough to fill the line whatever is in it; a completion may have megabytes.
  const start = text.slice(0, most * 4);
  const safe = start.replace(/\r?\n/g, "⏎").replace(UNSAFE, visible);
  let width = 0;
  let out = "";
  for (const { segment } of SEGMENTS.segment(safe)) {
    const own = widthOf(segment);
    if (
      width + own > most - 1 &&
      (width + own > most || out.length + segment.length < safe.length || text.length > start.length)
    )
      return `${out}…`;
    out += segment;
    width += own;
  }
  return text.length > start.length ? `${out}…` : out;
}

/** Foreign text of many lines for a terminal: lines, tabs and colours stay, what would move or retitle doesn't. */
export function foreign(text: string): string {
  return text.replace(COLOURS_ELSE_UNSAFE, (found) => {
    if (found.length > 1 || found === "\n" || found === "\t") return found;
    // A progress bar writes its line again and again.
    return found === "\r" ? "\n" : visible(found);
  });
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : "\ufffd";
}

const COLOURS_ELSE_UNSAFE =
  // eslint-disable-next-line no-control-regex -- they are what must not reach a terminal
  /\r\n|\u001b\[[\d;]*m|[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;
const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
// eslint-disable-next-line no-control-regex -- our own colours take no room
const COLOURS = /\u001b\[\d+m/g;

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  const bare = text.replace(COLOURS, "");
  if (/^[\u0020-\u007e]*$/.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of SEGMENTS.segment(bare)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
