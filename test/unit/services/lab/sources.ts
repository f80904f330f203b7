import type { AdvantageRule } from "../../../../src/core/advantages/rule";
import { advantageRule } from "../../../../src/core/advantages/registry";
import type { SampleTable } from "../../../../src/core/scoring/table";
import type { SampleLabel } from "../../../../src/schema/label";
import { Baseline } from "../../../../src/services/baseline";
import type { Composition } from "../../../../src/services/composition";
import type { RowLabels } from "../../../../src/services/lab/arrangement";
import { labSource, type LabSource } from "../../../../src/services/lab/source";
import type { Scored } from "../../../../src/services/scored";
import type { PassFunction } from "../../../../src/services/scoreRunner";
import { fates, outcome, type Cell } from "../../core/scoring/tables";

export interface Function {
  name: string;
  cells: readonly Cell[];
  weight?: number;
  before?: readonly Cell[];
  again?: ReadonlyMap<number, number | null>;
  recovered?: readonly number[];
}

export interface Options {
  advantages?: "group" | "batch" | "none";
  batch?: number;
  partial?: boolean;
  pinned?: number | null;
}

export function scoredOf(table: SampleTable, functions: readonly Function[], options: Options = {}): Scored {
  const advantages = options.advantages ?? "group";
  const rule: AdvantageRule = advantageRule({ advantages, aggregation: "sum_then_normalize" });
  const composition = {
    functions: functions.map(({ name, weight }, i) => ({
      fn: { name, contract: "trl", line: 10 * i },
      fate: fates({ advantages }),
      weight: weight ?? 1,
    })),
    rule,
    trainer: {
      framework: "trl",
      version: "1.16.0",
      checked: true,
      advantages,
      aggregation: "sum_then_normalize",
      batch: options.batch ?? 32,
    },
  } as unknown as Composition;
  const outcomes = functions.map(({ name, cells, again, recovered = [] }): PassFunction => {
    const rows = outcome(cells, name).rows.map((row, i) =>
      row ? { ...row, recovered: recovered.includes(i) } : row,
    );
    return {
      name,
      rows,
      failures: [],
      changed: new Set(),
      again: new Map(again ?? []),
      calledTwice: 0,
      lines: new Map(),
      steps: null,
    };
  });
  return { table, composition, outcomes, version: 7, twice: false } as unknown as Scored;
}

export function sourceOf(
  table: SampleTable,
  functions: readonly Function[] | null,
  options: Options = {},
): LabSource {
  const baseline = new Baseline("head");
  if (functions?.some(({ before }) => before)) {
    baseline.set(
      {
        kind: "head",
        hash: "before",
        ids: table.ids,
        files: [],
        functions: new Map(
          functions.flatMap(({ name, before }) =>
            before ? [[name, outcome(before, name).rows] as const] : [],
          ),
        ),
      },
      false,
    );
  }
  const scored = functions && scoredOf(table, functions, options);
  return labSource(
    "/w/reward.py",
    table,
    options.partial ? null : scored,
    options.partial ? scored : null,
    true,
    baseline,
    options.pinned ?? null,
  );
}

export function labelsOf(
  values: Readonly<Record<number, SampleLabel["value"]>> = {},
  revision = 0,
): RowLabels {
  return {
    revision,
    of: (row) => {
      const value = values[row];
      return value === undefined ? null : { value, source: "sidecar", stream: "random", by: "" };
    },
  };
}
