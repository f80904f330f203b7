import { type Row, ProblemList, type ReadLimits, type ReadResult, type SampleReader } from "./reader";
import { decodeText } from "./text";

const DELIMITERS = [",", "\t", ";"];

interface CsvRecord {
  readonly cells: readonly string[];
  /** 1-based line on which it starts. */
  readonly line: number;
}

/**
 * Comma-, tab- or semicolon-separated text with a heading line. Cells become what pandas makes of them: a column of
 * whole numbers is integers, with a fraction floats, True / False bools, an empty cell null; else text. A column with
 * leading zeros stays text, so that nothing is lost; so do NA and null, which may be answers, unless every other cell
 * of the column is a number or a bool.
 */
export const csvReader: SampleReader = {
  id: "csv",
  read(bytes: Uint8Array, limits: ReadLimits): ReadResult {
    const problems = new ProblemList();
    const floats = new Set<string>();
    const empty: ReadResult = { reader: "csv", rows: [], lines: [], problems, floats };
    if (bytes.length > limits.lineBytes) {
      problems.add(1, "too-large", `The file is ${bytes.length} bytes; up to ${limits.lineBytes} are read.`);
      return empty;
    }
    const text = decodeText(bytes, problems);
    const records = parseRecords(text, problems);
    const head = records.shift();
    if (!head || head.cells.every((cell) => cell === "")) {
      problems.add(1, "empty", "The file has no heading line.");
      return empty;
    }
    const names = nameColumns(head.cells, problems);
    const kept: CsvRecord[] = [];
    for (const record of records) {
      if (record.cells.length !== names.length)
        problems.add(
          record.line,
          "bad-csv",
          `The row has ${record.cells.length} cells, the heading ${names.length}. ${
            record.cells.length > names.length
              ? "The further cells are left out."
              : "The missing cells are empty."
          }`,
        );
      kept.push(record);
    }
    const columns = names.map((name, i) => {
      const cells = kept.map((record) => record.cells[i] ?? "");
      const column = inferColumn(cells);
      if (column.float) floats.add(name);
      return {
        name,
        index: i,
        values: column.values,
        typed: column.values.some((v) => typeof v !== "string"),
      };
    });
    const rows: Row[] = kept.map((_, row) =>
      Object.fromEntries(names.map((name, i): [string, unknown] => [name, columns[i]?.values[row] ?? null])),
    );
    const typed = columns.filter((column) => column.typed);
    const texts: Row[] = kept.map(({ cells }) =>
      Object.fromEntries(
        typed
          .filter(({ index }) => (cells[index] ?? "") !== "")
          .map(({ name, index }): [string, unknown] => [name, cells[index]]),
      ),
    );
    if (rows.length === 0 && problems.count === 0) problems.add(1, "empty", "The file holds no rows.");
    return { reader: "csv", rows, lines: kept.map((record) => record.line), problems, floats, texts };
  },
};

/**
 * Names as pandas 2 gives them (`PythonParser._infer_columns`), but trimmed: the second `a` is `a.1`, one without a
 * name `Unnamed: 4` by its 0-based position. Given names come first: one that is written `a.1` keeps its name.
 */
function nameColumns(heads: readonly string[], problems: ProblemList): string[] {
  const names = heads.map((head, i) => head.trim() || `Unnamed: ${i}`);
  const given = heads.flatMap((head, i) => (head.trim() === "" ? [] : [i]));
  const unnamed = heads.flatMap((head, i) => (head.trim() === "" ? [i] : []));
  const taken = new Set(names);
  const seen = new Set<string>();
  const renamed: string[] = [];
  for (const i of [...given, ...unnamed]) {
    const name = names[i] ?? "";
    if (!seen.has(name)) {
      seen.add(name);
      continue;
    }
    let n = 1;
    while (taken.has(`${name}.${n}`)) n++;
    const free = `${name}.${n}`;
    taken.add(free);
    names[i] = free;
    renamed.push(`column ${i + 1} repeats the heading "${name}" and is called "${free}"`);
  }
  if (renamed.length > 0) problems.add(1, "bad-csv", `Headings stand more than once: ${renamed.join("; ")}.`);
  return names;
}

/**
 * Cells as Python's `csv.reader` (3.13, dialect excel, not strict) splits them: what follows a closing quote belongs to
 * the cell (`"a"b` is `ab`), a quote within an unquoted cell is text, blank lines are no rows.
 */
function parseRecords(text: string, problems: ProblemList): CsvRecord[] {
  const delimiter = findDelimiter(text);
  const unquoted = new RegExp(`[^${delimiter}\\r\\n]*`, "y");
  const records: CsvRecord[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const first = line;
    const cells: string[] = [];
    const blank = text[at] === "\r" || text[at] === "\n";
    for (;;) {
      let cell = "";
      if (text[at] === '"') {
        const quoted = readQuoted(text, at + 1);
        if (!quoted) {
          problems.add(first, "bad-csv", "A quote opens here and never closes. The row isn't read.");
          return records;
        }
        cell = quoted.cell;
        at = quoted.end;
        line += cell.match(/\r\n?|\n/g)?.length ?? 0;
      }
      unquoted.lastIndex = at;
      const rest = unquoted.exec(text)?.[0] ?? "";
      at += rest.length;
      cells.push(cell + rest);
      if (text[at] !== delimiter) break;
      at++;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line++;
    if (!blank) records.push({ cells, line: first });
  }
  return records;
}

function findDelimiter(text: string): string {
  const end = text.search(/[\r\n]/);
  const firstLine = end < 0 ? text : text.slice(0, end);
  return DELIMITERS.map((d) => ({ d, n: firstLine.split(d).length })).sort((a, b) => b.n - a.n)[0]?.d ?? ",";
}

/** The quoted part that starts at `at`, and where it ends; null where no quote closes it. */
function readQuoted(text: string, at: number): { cell: string; end: number } | null {
  let cell = "";
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return null;
    cell += text.slice(at, close);
    if (text[close + 1] !== '"') return { cell, end: close + 1 };
    cell += '"';
    at = close + 2;
  }
}

const INTEGER = /^[-+]?(0|[1-9]\d*)$/;
const FLOAT = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;
const ZEROS = /^[-+]?0\d/;
const SPECIAL = new Map([
  ["nan", Number.NaN],
  ["inf", Number.POSITIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["-infinity", Number.NEGATIVE_INFINITY],
]);

/** Among numbers or bools these mean a missing value, as in pandas; in a column of text they may be an answer. */
const MISSING = new Set(["NA", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "None"]);

function inferColumn(cells: readonly string[]): { values: readonly unknown[]; float: boolean } {
  const filled = cells.filter((cell) => cell !== "" && !MISSING.has(cell));
  const typed = (value: (cell: string) => unknown, float: boolean): ReturnType<typeof inferColumn> => ({
    values: cells.map((cell) => (cell === "" || MISSING.has(cell) ? null : value(cell))),
    float,
  });
  const text = { values: cells.map((cell) => (cell === "" ? null : cell)), float: false };
  if (filled.length === 0) return text;
  if (filled.every((cell) => /^(true|false)$/i.test(cell)))
    return typed((cell) => cell.toLowerCase() === "true", false);
  if (filled.some((cell) => ZEROS.test(cell))) return text;
  if (filled.every((cell) => INTEGER.test(cell))) return typed(integer, false);
  if (filled.every((cell) => FLOAT.test(cell) || SPECIAL.has(cell.toLowerCase())))
    return typed((cell) => SPECIAL.get(cell.toLowerCase()) ?? Number(cell), true);
  return text;
}

function integer(cell: string): number | bigint {
  const value = Number(cell);
  return Number.isSafeInteger(value) ? value : BigInt(cell);
}
