import { own } from "../../src/base/own";
import type { LabFunction } from "../../src/schema/lab";

export type WeightMap = Readonly<Record<string, number>>;

export interface WeightRow {
  readonly name: string;
  readonly value: number;
  /** The suite's. */
  readonly own: number;
  /** Of the sum of all weights' sizes, 0 to 1; 0 where all are 0. */
  readonly share: number;
  readonly slider: { readonly min: number; readonly max: number; readonly step: number };
}

/** One row a function; weights of functions that are gone are left out. */
export function weightRows(
  functions: readonly Pick<LabFunction, "name" | "weight">[],
  chosen: WeightMap | null,
): WeightRow[] {
  const values = functions.map(({ name, weight }) => ({
    name,
    own: weight,
    value: (chosen && own(chosen, name)) ?? weight,
  }));
  const sum = values.reduce((total, { value }) => total + Math.abs(value), 0);
  return values.map((row) => ({
    ...row,
    share: sum === 0 ? 0 : Math.abs(row.value) / sum,
    slider: sliderOf(row.own, row.value),
  }));
}

/** From 0 to twice the suite's weight or 2; on the other side of 0 as well where a weight is negative. */
function sliderOf(own: number, value: number): WeightRow["slider"] {
  const reach = Math.max(2, 2 * Math.abs(own), Math.abs(value));
  const min = own < 0 || value < 0 ? -reach : 0;
  return { min, max: reach, step: 10 ** Math.floor(Math.log10(reach / 100)) };
}

/** What is kept after one weight moved: all of them, or null where they are the suite's again. */
export function withWeight(
  functions: readonly Pick<LabFunction, "name" | "weight">[],
  chosen: WeightMap | null,
  name: string,
  value: number,
): Record<string, number> | null {
  const next = Object.fromEntries(
    functions.map((fn) => [
      fn.name,
      fn.name === name ? value : ((chosen && own(chosen, fn.name)) ?? fn.weight),
    ]),
  );
  return functions.every((fn) => own(next, fn.name) === fn.weight) ? null : next;
}

export function weightsAsJson(rows: readonly WeightRow[]): string {
  return JSON.stringify(Object.fromEntries(rows.map(({ name, value }) => [name, value])), null, 2);
}
