import { parse } from "csv-parse/browser/esm/sync";
import * as z from "zod";
import { type Row, ProblemList, type ReadLimits, type ReadResult, type SampleReader } from "./reader";
import { decodeText } from "./text";

const DELIMITERS = [",", "\t", ";"];

const Record_ = z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) });

/**
 * Comma-, tab- or semicolon-separated text with a heading line. Cells become what pandas makes of them: a column of
 * whole numbers is integers, with a fraction floats, True / False bools, an empty cell null; else text. A column with
 * leading zeros stays text, so that nothing is lost.
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
    const names = head.cells.map((name, i) => (name.trim() === "" ? `column_${i + 1}` : name.trim()));
    const kept: { cells: readonly string[]; line: number }[] = [];
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

function parseRecords(text: string, problems: ProblemList): { cells: readonly string[]; line: number }[] {
  const firstLine = text.slice(0, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n"));
  const delimiter =
    DELIMITERS.map((d) => ({ d, n: firstLine.split(d).length })).sort((a, b) => b.n - a.n)[0]?.d ?? ",";
  const raw: unknown = parse(text, {
    delimiter,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error) {
        const lines: unknown = Object.entries(error).find(([key]) => key === "lines")?.[1];
        problems.add(
          typeof lines === "number" ? lines : 1,
          "bad-csv",
          `${error.message} The row isn't read.`,
        );
      }
      return undefined;
    },
  });
  return z
    .array(Record_)
    .parse(raw)
    .map(({ record, info }) => {
      const breaks = record.reduce((n, cell) => n + (cell.match(/\n/g)?.length ?? 0), 0);
      return { cells: record, line: Math.max(1, info.lines - breaks) };
    });
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

function inferColumn(cells: readonly string[]): { values: readonly unknown[]; float: boolean } {
  const filled = cells.filter((cell) => cell !== "");
  const asText = (): { values: readonly unknown[]; float: boolean } => ({
    values: cells.map((cell) => (cell === "" ? null : cell)),
    float: false,
  });
  if (filled.length === 0) return asText();
  if (filled.every((cell) => /^(true|false)$/i.test(cell)))
    return {
      values: cells.map((cell) => (cell === "" ? null : cell.toLowerCase() === "true")),
      float: false,
    };
  if (filled.some((cell) => ZEROS.test(cell))) return asText();
  if (filled.every((cell) => INTEGER.test(cell)))
    return {
      values: cells.map((cell) => {
        if (cell === "") return null;
        const value = Number(cell);
        return Number.isSafeInteger(value) ? value : BigInt(cell);
      }),
      float: false,
    };
  if (filled.every((cell) => FLOAT.test(cell) || SPECIAL.has(cell.toLowerCase())))
    return {
      values: cells.map((cell) => (cell === "" ? null : (SPECIAL.get(cell.toLowerCase()) ?? Number(cell)))),
      float: true,
    };
  return asText();
}
