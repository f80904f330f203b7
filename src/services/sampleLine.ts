import { RewardsmithError } from "../base/errors";
import { encodeValue } from "../core/scoring/encode";
import { ITEM, below } from "../core/scoring/paths";
import type { SampleTable } from "../core/scoring/table";
import type { SampleSetInfo } from "../schema/sample";
import { isMessages } from "./sampleMapping";
import { textOf } from "./sampleTable";

export interface SampleLine {
  readonly json: string;
  readonly file: string;
  readonly format: SampleSetInfo["reader"];
}

/**
 * A sample with another completion, as a line of JSON in the form of its own file: the file's names for its columns, all
 * digits of its numbers. An id is made a new one; token ids and a label are left out, since they are the old
 * completion's.
 * @throws BadArguments where there is no such row
 */
export function sampleLine(table: SampleTable, row: number, completion: unknown): SampleLine {
  const { file } = samplePlace(table, row);
  const { mapping, reader, columns: described } = table.info;
  const known = table.sources?.[table.fileOf?.[row] ?? 0]?.renamed ?? new Map<string, string>();
  const names = described.map(({ name }) => name);
  // Names of a set whose columns aren't described.
  for (const name of [mapping.prompt, mapping.completion, ...ownColumns(table).keys()])
    if (name !== null && !names.includes(name)) names.push(name);
  const full = new Set(described.filter(({ present }) => present === table.n).map(({ name }) => name));
  const own = ownColumns(table);
  const fields: string[] = [];
  const written = new Set<string>();
  const write = (name: string, value: unknown): void => {
    const theirs = known.get(name) ?? name;
    if (written.has(theirs)) return;
    written.add(theirs);
    fields.push(`${JSON.stringify(theirs)}: ${exact(value, name, table.floats)}`);
  };
  for (const name of names) {
    if (name === mapping.completion) write(name, completionOf(table, row, completion));
    else if (name === mapping.prompt) write(name, table.prompt?.[row] ?? null);
    else if (name === mapping.completionIds || name === mapping.label) continue;
    else if (name === mapping.id) {
      const id = newId(own.get(name) ?? [], row, table.ids);
      if (id !== null) write(name, id);
    } else {
      const value = own.get(name)?.[row] ?? null;
      // A missing cell and null are one to a reward; a column that every row has stays.
      if (value !== null || full.has(name)) write(name, value);
    }
  }
  return { json: `{${fields.join(", ")}}`, file, format: reader };
}

/**
 * File and 1-based line (row of a Parquet file or a JSON array) of a sample.
 * @throws BadArguments where there is no such row
 */
export function samplePlace(table: SampleTable, row: number): { file: string; line: number } {
  const line = table.lines[row];
  const file = table.sources?.[table.fileOf?.[row] ?? 0]?.path ?? table.info.files[0];
  if (line === undefined || file === undefined)
    throw new RewardsmithError("BadArguments", `There is no row ${row + 1}.`, { row });
  return { file, line };
}

/** As `encodeValue`, but integers that no double holds keep their digits, also where the column's numbers are floats. */
function exact(value: unknown, place: string, floats: ReadonlySet<string>): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value))
    return `[${value.map((item) => exact(item, below(place, ITEM), floats)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return encodeValue(value, place, floats);
  const items = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${exact(item, below(place, key), floats)}`,
  );
  return `{${items.join(", ")}}`;
}

/** One conversation may hold both: then the prompt's messages come before the completion's. */
function completionOf(table: SampleTable, row: number, completion: unknown): unknown {
  const { prompt, completion: column } = table.info.mapping;
  if (prompt !== column) return completion;
  const before: unknown = table.prompt?.[row] ?? [];
  const reply = isMessages(completion) ? completion : [{ role: "assistant", content: textOf(completion) }];
  return [...(isMessages(before) ? before : []), ...reply];
}

/** Further columns by the file's names: what the mapping renamed for a parameter goes by its own name again. */
function ownColumns(table: SampleTable): Map<string, readonly unknown[]> {
  const { columns } = table.info.mapping;
  const own = new Map<string, readonly unknown[]>();
  for (const [name, values] of table.columns) if (!Object.hasOwn(columns, name)) own.set(name, values);
  for (const [parameter, name] of Object.entries(columns)) {
    const values = table.columns.get(parameter);
    if (values) own.set(name, values);
  }
  return own;
}

/**
 * The id with `-2`, `-3` … behind it, the first that no sample has; where ids are numbers the next one. Null where the
 * sample has none: it is known by its content.
 */
function newId(cells: readonly unknown[], row: number, ids: readonly string[]): unknown {
  const old = cells[row] ?? null;
  if (old === null) return null;
  const numbers = cells.flatMap((cell) =>
    typeof cell === "bigint" ? [cell] : Number.isSafeInteger(cell) ? [BigInt(Number(cell))] : [],
  );
  if (numbers.length === cells.length) return numbers.reduce((most, n) => (n > most ? n : most), 0n) + 1n;
  const taken = new Set([...ids, ...cells.map(textOf)]);
  let n = 2;
  while (taken.has(`${textOf(old)}-${n}`)) n++;
  return `${textOf(old)}-${n}`;
}
