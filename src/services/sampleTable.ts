import { own } from "../base/own";
import { MAX_DEPTH, deeperThan, encodeValue } from "../core/scoring/encode";
import { columnOf, underColumn } from "../core/scoring/paths";
import type { Hasher } from "../core/ports";
import type { SampleGroup, SampleTable, TableFile } from "../core/scoring/table";
import type { ProblemList, Row } from "../formats/reader";
import type { ColumnInfo, SampleMapping, SampleSetInfo, SampleShape } from "../schema/sample";
import { columnNames, isMessages, taskColumns } from "./sampleMapping";

export interface SourceRow {
  readonly values: Row;
  readonly line: number;
  /** Index in `TableSource.files`. */
  readonly at: number;
  /** Prefix of problems where a set has several files. */
  readonly file: string;
  /** Cells as written, where the reader made something else of them (CSV). */
  readonly texts: Row | null;
  /** Parquet keeps one shape for all messages: keys that a message never had come back as null. */
  readonly padded: boolean;
}

export interface TableSource {
  readonly rows: readonly SourceRow[];
  readonly files: readonly TableFile[];
  readonly floats: ReadonlySet<string>;
  readonly problems: ProblemList;
}

/** Columns from rows. Rows without a completion are problems; the rest is the set. */
export function buildTable(
  source: TableSource,
  mapping: SampleMapping,
  info: Pick<SampleSetInfo, "set" | "files" | "reader" | "mappingSource" | "hash">,
  hasher: Hasher,
): SampleTable {
  const { problems } = source;
  const names = columnNames(source.rows.map((row) => row.values));
  const parts = new Set([mapping.prompt, mapping.completion, mapping.completionIds]);
  const renamed = new Set(Object.values(mapping.columns));
  const others = names.filter((name) => !parts.has(name));
  const kept: SourceRow[] = [];
  const prompt: unknown[] = [];
  const completion: unknown[] = [];
  const readable = source.rows.filter((row) => {
    if (!deeperThan(row.values, MAX_DEPTH)) return true;
    problems.add(
      row.line,
      "too-large",
      `${row.file}The record is nested more than ${MAX_DEPTH} deep, which Python's json can't read; it is left out.`,
    );
    return false;
  });
  for (const row of readable) {
    const parsed = promptAndCompletion(row, mapping);
    if (typeof parsed === "string") problems.add(row.line, "missing-completion", row.file + parsed);
    else {
      kept.push(row);
      prompt.push(parsed.prompt);
      completion.push(parsed.completion);
    }
  }
  noteEncodedNumbers(kept, others, problems);
  const cell = (name: string): unknown[] => kept.map((row) => own(row.values, name) ?? null);
  const columns = new Map<string, readonly unknown[]>();
  for (const name of others)
    if (!renamed.has(name) || Object.hasOwn(mapping.columns, name)) columns.set(name, cell(name));
  for (const [parameter, column] of Object.entries(mapping.columns)) columns.set(parameter, cell(column));
  const ids = makeIds(kept, mapping, prompt, completion, others, hasher, problems);
  const { groups, groupOf } = makeGroups(kept, mapping, prompt);
  return {
    info: {
      ...info,
      rows: kept.length,
      leftOut: source.rows.length - kept.length,
      groups: groups.length,
      shape: shapeOf(completion),
      mapping,
      columns: describeColumns(readable, names),
      problems: problems.items,
      problemCount: problems.count,
    },
    n: kept.length,
    ids,
    lines: kept.map((row) => row.line),
    fileOf: kept.map((row) => row.at),
    sources: source.files,
    groups,
    groupOf,
    prompt: mapping.prompt === null ? null : prompt,
    completion,
    completionIds: mapping.completionIds === null ? null : cell(mapping.completionIds),
    columns,
    label: mapping.label === null ? null : cell(mapping.label),
    floats: renameFloats(source.floats, mapping),
  };
}

/** The two, or a sentence saying what is wrong. */
function promptAndCompletion(
  row: SourceRow,
  mapping: SampleMapping,
): { prompt: unknown; completion: unknown } | string {
  const read = (name: string): unknown => {
    const value = (row.texts && own(row.texts, name)) ?? own(row.values, name) ?? null;
    return row.padded && isMessages(value) ? value.map(unpad) : value;
  };
  const value = read(mapping.completion);
  if (value === null)
    return `The row has no ${mapping.completion}, so there is nothing to score; it is left out.`;
  if (typeof value !== "string" && !Array.isArray(value))
    return `The ${mapping.completion} is neither text nor a list of messages; the row is left out.`;
  if (mapping.prompt !== mapping.completion)
    return { prompt: mapping.prompt === null ? null : read(mapping.prompt), completion: value };
  // One conversation for both: the completion is what follows the last user message, as in TRL's tool loop.
  if (!isMessages(value)) return `The ${mapping.completion} isn't a conversation; the row is left out.`;
  const user = value.findLastIndex((message) => message["role"] === "user");
  const reply = value.slice(user + 1);
  if (reply.length === 0)
    return "The conversation ends with the user: there is no completion; the row is left out.";
  return { prompt: value.slice(0, user + 1), completion: reply };
}

/** Drops keys that Arrow's common shape added: null everywhere but in `content`. A real null can't be told from them. */
function unpad(message: Record<string, unknown>): unknown {
  return withoutNulls(message, true);
}

function withoutNulls(value: unknown, message: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, false));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => item !== null || (message && key === "content"))
      .map(([key, item]): [string, unknown] => [key, withoutNulls(item, false)]),
  );
}

function makeIds(
  rows: readonly SourceRow[],
  mapping: SampleMapping,
  prompt: readonly unknown[],
  completion: readonly unknown[],
  others: readonly string[],
  hasher: Hasher,
  problems: ProblemList,
): string[] {
  const seen = new Map<string, number>();
  const sorted = [...others].sort();
  return rows.map((row, i) => {
    const own = mapping.id === null ? null : (row.values[mapping.id] ?? null);
    const id = own === null ? hashId(row.values, prompt[i], completion[i], sorted, hasher) : textOf(own);
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    if (before === 0) return id;
    // Equal completions of one prompt are everyday in a group; only an id that the file gives twice is a fault.
    if (own !== null)
      problems.add(
        row.line,
        "duplicate-id",
        `${row.file}The id ${JSON.stringify(id)} stands in an earlier row too; this one is called ${id}#${before + 1}.`,
      );
    return `${id}#${before + 1}`;
  });
}

/** Missing cells don't count, so that a column added later leaves earlier rows their identity. */
function hashId(
  values: Row,
  prompt: unknown,
  completion: unknown,
  others: readonly string[],
  hasher: Hasher,
): string {
  const parts = [encodeValue(prompt), encodeValue(completion)];
  for (const name of others) {
    const value = own(values, name) ?? null;
    if (value !== null) parts.push(name, encodeValue(value));
  }
  return hasher.hash(parts).slice(0, 12);
}

function makeGroups(
  rows: readonly SourceRow[],
  mapping: SampleMapping,
  prompt: readonly unknown[],
): { groups: SampleGroup[]; groupOf: number[] } {
  const { group } = mapping;
  /** Rows of equal key are a group; its name is made once. */
  let keys: string[];
  let name: (row: number, key: string) => string;
  if (group.by === "size") {
    keys = rows.map((_, row) => String(Math.floor(row / group.size) + 1));
    name = (_, key) => key;
  } else if (group.by === "column") {
    const cell = (row: number): unknown => rows[row]?.values[group.column] ?? null;
    keys = rows.map((_, row) => encodeValue(cell(row)));
    name = (row) => (cell(row) === null ? "(none)" : textOf(cell(row)));
  } else {
    keys = promptKeys(rows, mapping, prompt);
    const taken = new Map<string, number>();
    name = (row) => {
      const words = firstWords(prompt[row]);
      let n = (taken.get(words) ?? 0) + 1;
      // A prompt may itself end in "#2".
      while (n > 1 && taken.has(`${words} #${n}`)) n++;
      taken.set(words, n);
      if (n === 1) return words;
      taken.set(`${words} #${n}`, 1);
      return `${words} #${n}`;
    };
  }
  const byKey = new Map<string, { group: SampleGroup; rows: number[]; index: number }>();
  const groupOf = keys.map((key, row) => {
    let found = byKey.get(key);
    if (!found) {
      const own: number[] = [];
      found = { group: { id: name(row, key), rows: own }, rows: own, index: byKey.size };
      byKey.set(key, found);
    }
    found.rows.push(row);
    return found.index;
  });
  return { groups: [...byKey.values()].map((found) => found.group), groupOf };
}

const NAME_LENGTH = 24;

/** What a prompt begins with, at whole words, of a conversation its last message: a name that a person knows it by. */
function firstWords(prompt: unknown): string {
  const last: unknown = Array.isArray(prompt) ? prompt.at(-1) : prompt;
  const said: unknown = typeof last === "object" && last !== null && "content" in last ? last.content : last;
  const text = textOf(said ?? null)
    .slice(0, 500)
    .replace(/\s+/g, " ")
    .trim();
  if (text === "") return "(empty prompt)";
  if (text.length <= NAME_LENGTH) return text;
  const cut = text.slice(0, NAME_LENGTH - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > NAME_LENGTH / 3 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, "")}…`;
}

function promptKeys(
  rows: readonly SourceRow[],
  mapping: SampleMapping,
  prompt: readonly unknown[],
): string[] {
  const prompts = prompt.map((value) => encodeValue(value));
  const values = rows.map((row) => row.values);
  const columns = taskColumns(values, mapping).filter((name) => {
    // A value of its own in every row of equal prompt is the completion's (an extracted answer), not the task's.
    const both = new Set(values.map((row, i) => (prompts[i] ?? "") + encodeValue(own(row, name) ?? null)));
    return both.size < rows.length || new Set(prompts).size === rows.length;
  });
  return values.map((row, i) =>
    [prompts[i] ?? "", ...columns.map((name) => encodeValue(own(row, name) ?? null))].join("\u0000"),
  );
}

function shapeOf(completion: readonly unknown[]): SampleShape {
  const chats = completion.filter((value) => typeof value !== "string").length;
  return chats === 0 ? "text" : chats === completion.length ? "chat" : "mixed";
}

/** Places under the names that the table uses: parts by their part, renamed columns by the parameter. */
function renameFloats(floats: ReadonlySet<string>, mapping: SampleMapping): Set<string> {
  const out = new Set<string>();
  for (const place of floats) {
    const column = columnOf(place);
    out.add(place);
    if (column === mapping.prompt) out.add(underColumn(place, column, "prompt"));
    if (column === mapping.completion) out.add(underColumn(place, column, "completion"));
    for (const [parameter, from] of Object.entries(mapping.columns))
      if (from === column) out.add(underColumn(place, column, parameter));
  }
  return out;
}

const NUMERAL = /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/;
const ENCODED_LISTED = 20;

/** Numbers in some rows and numerals in quotes in others: some writer turned them into text. */
function noteEncodedNumbers(
  rows: readonly SourceRow[],
  names: readonly string[],
  problems: ProblemList,
): void {
  for (const name of names) {
    let numbers = 0;
    const encoded: SourceRow[] = [];
    for (const row of rows) {
      const value = own(row.values, name);
      if (typeof value === "number") numbers++;
      else if (typeof value === "string" && NUMERAL.test(value)) encoded.push(row);
    }
    if (numbers === 0) continue;
    for (const row of encoded.slice(0, ENCODED_LISTED))
      problems.add(
        row.line,
        "encoded-number",
        `${row.file}${name} is the text ${JSON.stringify(own(row.values, name))} here and a number in other rows; the reward gets the text.`,
      );
  }
}

function describeColumns(rows: readonly SourceRow[], names: readonly string[]): ColumnInfo[] {
  return names.map((name) => {
    const kinds = new Set<ColumnInfo["kinds"][number]>();
    const examples = new Set<string>();
    let count = 0;
    for (const { values } of rows) {
      const value = own(values, name);
      if (value === undefined) continue;
      count++;
      kinds.add(kindOf(value));
      if (examples.size < 5 && value !== null) examples.add(textOf(value).slice(0, 200));
    }
    return { name, kinds: [...kinds], present: count, examples: [...examples] };
  });
}

function kindOf(value: unknown): ColumnInfo["kinds"][number] {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return "number";
    default:
      return "object";
  }
}

/** A value as one line of text for people. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : encodeValue(value);
}
