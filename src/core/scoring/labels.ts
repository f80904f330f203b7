import type { ScoreReport } from "../../schema/report";
import type { SampleTable } from "./table";

/** Words that people write for a verdict, in lower case. */
const WORDS: ReadonlyMap<string, number> = new Map([
  ...["good", "right", "correct", "true", "yes", "pass", "passed", "ok"].map((w) => [w, 1] as const),
  ...["bad", "wrong", "incorrect", "false", "no", "fail", "failed"].map((w) => [w, 0] as const),
]);

/** A label as a number: verdicts are 1 (good) and 0 (bad), numbers stay as they are; null where it says nothing. */
export function parseLabel(value: unknown): number | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  const text = value.trim().toLowerCase();
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const number = text === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Rows that carry a label that can be read. */
export function labelledRows(table: SampleTable): number[] {
  const rows: number[] = [];
  table.label?.forEach((value, row) => {
    if (parseLabel(value) !== null) rows.push(row);
  });
  return rows;
}

/**
 * Whether score and label agree, over rows that have both. A row counts as good by its label when that is above the
 * middle between the lowest and the highest label there (0.5 for verdicts), by its score likewise with the scores of the
 * set. Where all scores are equal, above 0 is good. Null: no labels.
 */
export function labelAgreement(table: SampleTable, scores: Float64Array): ScoreReport["labels"] {
  const labels = table.label?.map(parseLabel);
  if (labels === undefined || labels.every((label) => label === null)) return null;
  const values = labels.filter((label) => label !== null);
  const verdicts = values.every((label) => label === 0 || label === 1);
  const labelMiddle = verdicts ? 0.5 : (middle(values) ?? 0);
  const scoreMiddle = middle(scores) ?? 0;
  let n = 0;
  const disagreeRows: number[] = [];
  labels.forEach((label, row) => {
    const score = scores[row] ?? Number.NaN;
    if (label === null || !Number.isFinite(score)) return;
    n++;
    if (label > labelMiddle !== score > scoreMiddle) disagreeRows.push(row);
  });
  return { n, agree: n - disagreeRows.length, disagreeRows };
}

/** Middle of the range of finite values; null where they are all the same. */
function middle(values: Iterable<number>): number | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low < high ? low + (high - low) / 2 : null;
}
