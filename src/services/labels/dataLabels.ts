import { parseLabel } from "../../core/scoring/labels";
import type { SampleTable } from "../../core/scoring/table";
import type { SampleLabel } from "../../schema/label";

const known = new WeakMap<SampleTable, readonly (SampleLabel | null)[]>();

/**
 * Labels in a column of the data itself. A column in which all that can be read is 0 or 1 (or true, "good", "wrong" …)
 * holds verdicts; any other holds numbers on the labeller's own scale.
 */
export function dataLabels(table: SampleTable): readonly (SampleLabel | null)[] {
  let labels = known.get(table);
  if (labels === undefined) {
    labels = readLabels(table);
    known.set(table, labels);
  }
  return labels;
}

function readLabels(table: SampleTable): (SampleLabel | null)[] {
  const numbers = table.label?.map(parseLabel) ?? [];
  const verdicts = numbers.every((number) => number === null || number === 0 || number === 1);
  return numbers.map((number) => {
    if (number === null) return null;
    const value = !verdicts ? number : number === 1 ? "good" : "bad";
    return { value, source: "data", stream: null, by: "" };
  });
}
