import type { FunctionOutcome, RowOutcome } from "../../../../src/core/scoring/outcome";
import type { SampleTable } from "../../../../src/core/scoring/table";
import type { FateOf } from "../../../../src/core/scoring/totals";
import { trl } from "../../../../src/core/contracts/trl";
import type { ReasonCode, ScoreState } from "../../../../src/schema/score";

/** A table with groups of the given row numbers; completions are all different unless given. */
export function table(
  groups: readonly (readonly number[])[],
  more: { ids?: readonly string[]; completion?: readonly unknown[]; label?: readonly unknown[] } = {},
): SampleTable {
  const n = groups.flat().length;
  const groupOf = new Array<number>(n).fill(0);
  groups.forEach((rows, g) => rows.forEach((row) => (groupOf[row] = g)));
  return {
    info: {
      set: "set",
      files: ["samples.jsonl"],
      reader: "jsonl",
      rows: n,
      groups: groups.length,
      shape: "text",
      mapping: {
        prompt: "prompt",
        completion: "completion",
        id: null,
        group: { by: "prompt" },
        completionIds: null,
        label: null,
        columns: {},
      },
      mappingSource: "guessed",
      columns: [],
      problems: [],
      problemCount: 0,
      hash: "hash",
    },
    n,
    ids: more.ids ?? Array.from({ length: n }, (_, row) => `id${row}`),
    lines: Array.from({ length: n }, (_, row) => row + 1),
    groups: groups.map((rows, g) => ({ id: `g${g}`, rows })),
    groupOf,
    prompt: null,
    completion: more.completion ?? Array.from({ length: n }, (_, row) => `completion ${row}`),
    completionIds: null,
    columns: new Map(),
    label: more.label ?? null,
    floats: new Set(),
  };
}

/** Groups of `size` rows in a row. */
export function grouped(n: number, size: number): number[][] {
  const groups: number[][] = [];
  for (let row = 0; row < n; row += size)
    groups.push(Array.from({ length: Math.min(size, n - row) }, (_, i) => row + i));
  return groups;
}

/** A number is scored (or non-finite), null is not applicable, undefined isn't in the pass, a name is that state. */
export type Cell = number | null | undefined | ScoreState;

const REASONS: Partial<Record<ScoreState, ReasonCode>> = {
  "invalid-return": "wrong-type",
  raised: "exception",
  "timed-out": "row-timeout",
  crashed: "exit",
  cancelled: "user-cancelled",
  held: "side-effect",
};

export function outcome(cells: readonly Cell[], name = "reward"): FunctionOutcome {
  return { name, rows: cells.map((cell) => (cell === undefined ? undefined : row(cell))) };
}

function row(cell: number | null | ScoreState): RowOutcome {
  const rest = { recovered: false, output: null, ms: 1 };
  if (typeof cell === "number") {
    if (Number.isFinite(cell)) return { state: "scored", value: cell, reason: null, ...rest };
    const code = Number.isNaN(cell) ? "nan" : "infinite";
    return { state: "non-finite", value: cell, reason: { code }, ...rest };
  }
  if (cell === null) return { state: "not-applicable", value: null, reason: { code: "none" }, ...rest };
  const code = REASONS[cell];
  return { state: cell, value: null, reason: code === undefined ? null : { code }, ...rest };
}

/** TRL's fates, as its contract states them. */
export function fates(
  settings: { advantages?: "group" | "batch" | "none"; version?: string | null } = {},
): FateOf {
  return (state, othersScored, reason) =>
    trl.fate(state, {
      version: "1.16.0",
      advantages: "group",
      aggregation: "sum_then_normalize",
      shape: "text",
      columns: [],
      hasTokens: true,
      othersScored,
      reason,
      ...settings,
    });
}
