import { RewardsmithError } from "../base/errors";
import type { FileStore, Hasher } from "../core/ports";
import type { SampleTable } from "../core/scoring/table";
import { ProblemList, type ReadResult, type Row } from "../formats/reader";
import { readSampleFile } from "../formats/registry";
import { toTagged } from "../schema/number";
import type { SampleMapping, SampleRow } from "../schema/sample";
import { baseName } from "./paths";
import { columnNames, guessMapping } from "./sampleMapping";
import { unifyFiles } from "./sampleParts";
import { type SourceRow, buildTable, textOf } from "./sampleTable";
import { TRAJECTORY_PARTS, readAsSamples } from "./trajectories/asSamples";

/** Sets kept in memory; the ones used longest ago are dropped first. */
const KEPT_SETS = 8;
const KEPT_FILES = 16;

export interface OpenOptions {
  /** Parts of a mapping that a project file fixes; the rest is guessed. */
  readonly hints?: Partial<SampleMapping>;
  readonly signal?: AbortSignal;
}

export interface ValueCounts {
  readonly present: number;
  readonly distinct: number;
  readonly values: { text: string; count: number }[];
}

interface Parsed {
  readonly hash: string;
  readonly result: ReadResult;
}

/** Sample files as tables, by content: opening an unchanged file again gives the same table and handle. */
export class SampleSets {
  readonly #files: FileStore;
  readonly #hasher: Hasher;
  readonly #tables = new Map<string, SampleTable>();
  readonly #parsed = new Map<string, Parsed>();

  constructor(files: FileStore, hasher: Hasher) {
    this.#files = files;
    this.#hasher = hasher;
  }

  /**
   * Reads the files as one set, in the order given. Without a mapping the columns' parts are guessed. Rejects with
   * FileMissing, FileUnreadable, FormatUnknown, ColumnMissing (no column can be the completion, or the mapping names
   * one that isn't there) and NoSamples.
   */
  async open(
    files: readonly string[],
    mapping: SampleMapping | null,
    options: OpenOptions = {},
  ): Promise<SampleTable> {
    const given = mapping ?? options.hints ?? null;
    const read: { path: string; hash: string; result: ReadResult }[] = [];
    for (const [at, path] of files.entries())
      read.push({ path, ...(await this.#read(path, at, given ?? {}, options.signal)) });
    const first = read[0];
    if (!first) throw new RewardsmithError("NoSamples", "No sample file was given.");
    const hash = read.length === 1 ? first.hash : this.#hasher.hash(read.map((r) => r.hash));
    const set = `set-${this.#hasher.hash([hash, JSON.stringify([files, mapping, options.hints ?? null])]).slice(0, 16)}`;
    const known = this.#tables.get(set);
    if (known) {
      touch(this.#tables, set, known, KEPT_SETS);
      return known;
    }
    const unified =
      mapping === null
        ? unifyFiles(
            read.map(({ result }) => result),
            read.every(({ result }) => result.reader === "trajectories")
              ? { ...TRAJECTORY_PARTS, ...options.hints }
              : (options.hints ?? {}),
          )
        : null;
    const results = read.map(({ path, result }, i) => ({ path, result: unified?.results[i] ?? result }));
    const problems = new ProblemList();
    const floats = new Set<string>();
    const rows: SourceRow[] = [];
    for (const [at, { path, result }] of results.entries()) {
      const file = results.length > 1 ? `${baseName(path)}: ` : "";
      for (const problem of result.problems.items)
        problems.add(problem.line, problem.code, file + problem.message);
      problems.count += result.problems.count - result.problems.items.length;
      for (const place of result.floats) floats.add(place);
      result.rows.forEach((values, i) =>
        rows.push({
          values,
          line: result.lines[i] ?? i + 1,
          at,
          file,
          texts: result.texts?.[i] ?? null,
          padded: result.reader === "parquet",
        }),
      );
    }
    const chosen = this.#mapping(rows, files, mapping, unified?.hints, problems);
    const sources = read.map(({ path }, i) => ({ path, renamed: unified?.renamed[i] ?? new Map() }));
    const table = buildTable(
      { rows, files: sources, floats, problems },
      chosen,
      {
        set,
        files: [...files],
        reader: first.result.reader,
        mappingSource: given === null ? "guessed" : mapping === null ? "project" : "user",
        hash,
      },
      this.#hasher,
    );
    touch(this.#tables, set, table, KEPT_SETS);
    return table;
  }

  get(set: string): SampleTable | undefined {
    return this.#tables.get(set);
  }

  /** Like `get`; rejects with NoSamples where the set isn't open (any more). */
  require(set: string): SampleTable {
    const table = this.#tables.get(set);
    if (!table) throw new RewardsmithError("NoSamples", `The sample set ${set} isn't open.`, { set });
    return table;
  }

  /** Rows for display: bigint as its digits, non-finite numbers as tagged objects, long texts cut to `maxText`. */
  rows(set: string, from: number, count: number, maxText: number): { rows: SampleRow[]; total: number } {
    const table = this.require(set);
    const rows: SampleRow[] = [];
    for (let row = from; row < Math.min(table.n, from + count); row++)
      rows.push(sampleRow(table, row, maxText));
    return { rows, total: table.n };
  }

  /** How often each value of a column (or of `prompt`, `completion`) occurs, most frequent first. */
  columnValues(set: string, column: string, limit: number): ValueCounts {
    const table = this.require(set);
    const values =
      column === "prompt"
        ? table.prompt
        : column === "completion"
          ? table.completion
          : table.columns.get(column);
    if (!values) throw new RewardsmithError("ColumnMissing", `There is no column ${column}.`, { column });
    const counts = new Map<string, number>();
    let present = 0;
    for (const value of values) {
      if (value === null) continue;
      present++;
      const text = textOf(value);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const sorted = [...counts].sort((a, b) => b[1] - a[1]).slice(0, limit);
    return { present, distinct: counts.size, values: sorted.map(([text, count]) => ({ text, count })) };
  }

  /**
   * Rows of a file: by its own columns where one of them can be the completion, else one a trajectory where it is a
   * framework's file of trajectories.
   */
  async #read(
    path: string,
    at: number,
    parts: Partial<SampleMapping>,
    signal?: AbortSignal,
  ): Promise<Parsed> {
    const bytes = await this.#files.read(path, signal);
    const hash = this.#hasher.hash([bytes]);
    let unknown: unknown = null;
    const rows = await this.#parse(path, hash, () =>
      readSampleFile(bytes, baseName(path), undefined, signal),
    ).catch((error: unknown) => {
      if (!(error instanceof RewardsmithError) || error.code !== "FormatUnknown") throw error;
      unknown = error;
      return null;
    });
    if (rows && hasCompletions(rows.result, parts)) return rows;
    const trajectories = await this.#parse(`${at}:${path}`, hash, () =>
      readAsSamples(bytes, path, this.#files, { at, signal }),
    );
    if (trajectories?.result.rows.some((row) => row["completion"] !== null)) return trajectories;
    if (rows) return rows;
    throw unknown;
  }

  async #parse(key: string, hash: string, read: () => Promise<ReadResult | null>): Promise<Parsed | null> {
    const known = this.#parsed.get(key);
    if (known?.hash === hash) return known;
    const result = await read();
    if (!result) return null;
    const entry = { hash, result };
    touch(this.#parsed, key, entry, KEPT_FILES);
    return entry;
  }

  #mapping(
    rows: readonly SourceRow[],
    files: readonly string[],
    given: SampleMapping | null,
    hints: Partial<SampleMapping> | undefined,
    problems: ProblemList,
  ): SampleMapping {
    const values = rows.map((row) => row.values);
    const names = columnNames(values);
    const where = files.map(baseName).join(", ");
    if (rows.length === 0) {
      if (problems.items.some((p) => p.code === "empty") || problems.count === 0)
        throw new RewardsmithError("NoSamples", `${where}: the file holds no samples.`, { path: where });
      const [problem] = problems.items;
      throw new RewardsmithError(
        "NoSamples",
        `${where}: no row can be read. ${problem ? `Line ${problem.line}: ${problem.message}` : ""}`,
        { path: where, line: problem?.line ?? null },
      );
    }
    const mapping =
      given ??
      guessMapping(
        values,
        hints,
        rows.map((row) => (row.texts ? { ...row.values, ...row.texts } : row.values)),
      );
    if (!mapping)
      throw new RewardsmithError(
        "ColumnMissing",
        `${where}: no column looks like the completion. Columns: ${names.join(", ")}. Say which one it is, e.g. "columns": {"completion": "${names[0] ?? ""}"} in rewardsmith.json.`,
        { path: where, column: "completion", columns: names.join(", ") },
      );
    const needed = [
      mapping.completion,
      mapping.prompt,
      mapping.id,
      mapping.label,
      mapping.completionIds,
      mapping.group.by === "column" ? mapping.group.column : null,
      ...Object.values(mapping.columns),
    ];
    const missing = needed.find((name) => name !== null && !names.includes(name));
    if (missing !== undefined && missing !== null)
      throw new RewardsmithError(
        "ColumnMissing",
        `${where}: there is no column ${missing}. Columns: ${names.join(", ")}.`,
        { path: where, column: missing, columns: names.join(", ") },
      );
    return mapping;
  }
}

/** Rows that are looked at first: a part that many have needs no look at all. */
const LOOKED_AT = 200;

function hasCompletions({ rows, texts }: ReadResult, parts: Partial<SampleMapping>): boolean {
  // What is wrong with a file without rows is among its problems.
  if (rows.length === 0) return true;
  const fits = (some: readonly Row[]): boolean => {
    const names = columnNames(some);
    if (parts.completion !== undefined) return names.includes(parts.completion);
    const guess = guessMapping(some, parts, texts ? some.map((row, i) => ({ ...row, ...texts[i] })) : some);
    // A list of messages isn't a list of completions.
    return guess !== null && !(guess.completion === "content" && names.includes("role"));
  };
  return fits(rows.slice(0, LOOKED_AT)) || (rows.length > LOOKED_AT && fits(rows));
}

function sampleRow(table: SampleTable, row: number, maxText: number): SampleRow {
  const show = (value: unknown): unknown => display(value, maxText);
  return {
    row,
    id: table.ids[row] ?? "",
    group: table.groups[table.groupOf[row] ?? -1]?.id ?? "",
    line: table.lines[row] ?? 1,
    prompt: show(table.prompt?.[row] ?? null),
    completion: show(table.completion[row]),
    columns: Object.fromEntries(
      [...table.columns].map(([name, values]): [string, unknown] => [name, show(values[row])]),
    ),
    label: show(table.label?.[row] ?? null),
  };
}

function display(value: unknown, maxText: number): unknown {
  if (typeof value === "string") return value.length > maxText ? `${value.slice(0, maxText)}…` : value;
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return toTagged(value);
  if (Array.isArray(value)) return value.map((item) => display(item, maxText));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]): [string, unknown] => [key, display(item, maxText)]),
    );
  return value ?? null;
}

function touch<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
