import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContractContext } from "../../../../src/core/contracts/contract";
import { modelOf } from "../../../../src/core/contracts/registry";
import { findAll } from "../../../../src/core/findings/registry";
import type { FindingContext, FunctionEvidence } from "../../../../src/core/findings/finding";
import { parseSource } from "../../../../src/core/python/source";
import type { RowOutcome } from "../../../../src/core/scoring/outcome";
import type { SampleGroup, SampleTable } from "../../../../src/core/scoring/table";
import type { Finding } from "../../../../src/schema/reward";
import type { SampleMapping } from "../../../../src/schema/sample";
import type { Reason, ScoreState } from "../../../../src/schema/score";

export const readCase = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../../fixtures/cases", name), "utf8");

export type Row = Readonly<Record<string, unknown>>;

export const rowsOf = (name: string): Row[] =>
  readCase(name)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

/** Rows as a table: groups by `group`, else by equal prompt. */
export function tableOf(rows: readonly Row[], by: SampleMapping["group"] = { by: "prompt" }): SampleTable {
  const byKey = new Map<string, number[]>();
  rows.forEach((row, i) => {
    const key =
      by.by === "size" ? String(Math.floor(i / by.size)) : JSON.stringify(row["group"] ?? row["prompt"]);
    byKey.set(key, [...(byKey.get(key) ?? []), i]);
  });
  const groups: SampleGroup[] = [...byKey].map(([id, members]) => ({ id, rows: members }));
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const columns = new Map(
    [...names]
      .filter((name) => !["prompt", "completion", "label", "group"].includes(name))
      .map((name) => [name, rows.map((row) => row[name] ?? null)]),
  );
  const groupOf = rows.map((_, i) => groups.findIndex((group) => group.rows.includes(i)));
  const shape = typeof rows[0]?.["completion"] === "string" ? ("text" as const) : ("chat" as const);
  return {
    info: {
      set: "s",
      files: ["samples.jsonl"],
      reader: "jsonl",
      rows: rows.length,
      groups: groups.length,
      shape,
      mapping: {
        prompt: "prompt",
        completion: "completion",
        id: null,
        group: by,
        completionIds: null,
        label: null,
        columns: {},
      },
      mappingSource: "guessed",
      columns: [],
      problems: [],
      problemCount: 0,
      hash: "h",
    },
    n: rows.length,
    ids: rows.map((_, i) => String(i)),
    lines: rows.map((_, i) => i + 1),
    groups,
    groupOf,
    prompt: rows.map((row) => row["prompt"]),
    completion: rows.map((row) => row["completion"]),
    completionIds: null,
    columns,
    label: names.has("label") ? rows.map((row) => row["label"] ?? null) : null,
    floats: new Set(),
  };
}

export type Cell = number | null | { readonly state: ScoreState; readonly reason: Reason };

/** A number is a score (or not finite), null is a None. */
export function outcomeRow(cell: Cell): RowOutcome {
  const base = { recovered: false, output: null, ms: 1 };
  if (cell === null) return { ...base, state: "not-applicable", value: null, reason: { code: "none" } };
  if (typeof cell === "object") return { ...base, state: cell.state, value: null, reason: cell.reason };
  if (Number.isFinite(cell)) return { ...base, state: "scored", value: cell, reason: null };
  return {
    ...base,
    state: "non-finite",
    value: cell,
    reason: { code: Number.isNaN(cell) ? "nan" : "infinite" },
  };
}

export interface Given {
  readonly source: string;
  readonly rows?: readonly Row[];
  readonly groupBy?: SampleMapping["group"];
  /** Function → what came of each row; a function that isn't here was not run. */
  readonly cells?: Readonly<Record<string, readonly Cell[]>>;
  readonly evidence?: Readonly<Record<string, Partial<FunctionEvidence>>>;
  readonly trainer?: Partial<ContractContext>;
  readonly context?: Partial<FindingContext>;
  readonly only?: readonly string[];
}

export function contextOf(given: Given): FindingContext {
  const source = parseSource(given.source);
  const table = given.rows ? tableOf(given.rows, given.groupBy) : null;
  const functions = modelOf("/w/reward.py", 1, source)
    .functions.filter((fn) => given.only?.includes(fn.name) ?? true)
    .map((fn): FunctionEvidence => {
      const cells = given.cells?.[fn.name];
      return {
        fn,
        outcome: cells ? { name: fn.name, rows: cells.map(outcomeRow) } : null,
        failures: [],
        changed: new Set(),
        again: new Map(),
        bindError: null,
        ...given.evidence?.[fn.name],
      };
    });
  return {
    source,
    text: given.source,
    functions,
    trainer: {
      version: "1.16.0",
      advantages: "group",
      shape: table?.info.shape ?? "text",
      columns: [...(table?.columns.keys() ?? [])],
      hasTokens: false,
      ...given.trainer,
    },
    groupSize: null,
    table,
    totals: null,
    loadFailure: null,
    interpreter: null,
    ...given.context,
  };
}

export const find = (given: Given): Finding[] => findAll(contextOf(given));

/** "code severity function" of each, so that a test says all that is found. */
export const brief = (given: Given): string[] =>
  find(given).map((f) => `${f.severity} ${f.code}${f.function === null ? "" : ` ${f.function}`}`);

export const state = (state: ScoreState, reason: Reason): Cell => ({ state, reason });
