import { labelAgreement, parseLabel } from "../scoring/labels";
import { scoreOf } from "../scoring/states";
import { dotAllCause } from "./dotAll";
import { type Check, type FindingContext, finding } from "./finding";
import { code, count, rowList } from "./sentences";

/** Rows whose score says good and whose label says bad, or the other way round. */
export const labelDisagreement: Check = {
  code: "label-disagreement",
  run(context) {
    const { table } = context;
    const scored = scoresOf(context);
    if (!table?.label || !scored) return [];
    const labels = labelAgreement(table, scored.scores);
    if (!labels || labels.disagreeRows.length === 0) return [];
    const rows = labels.disagreeRows;
    const strict = rows.filter((row) => (parseLabel(table.label?.[row]) ?? 0) > 0);
    const lax = rows.filter((row) => !strict.includes(row));
    const sides = [
      ...(strict.length > 0 ? [`${rowList(strict)} labelled good and scored low`] : []),
      ...(lax.length > 0 ? [`${rowList(lax)} labelled bad and scored high`] : []),
    ].join(", ");
    const cause = dotAllCause(context, strict);
    // A score of two values is a verdict; a graded one may be right to disagree.
    const verdict = new Set(scored.scores.filter((value) => Number.isFinite(value))).size <= 2;
    return [
      finding(this.code, {
        severity: verdict ? "error" : "warning",
        fn: scored.only,
        rows,
        range: cause?.range,
        message:
          `${scored.only ? code(scored.only.name) : "The total"} and the labels disagree in ${count(rows.length, "row")} of ${labels.n}: ${sides}.` +
          (cause ? ` Likely cause: ${cause.message}` : ""),
        cure: cause?.cure ?? "Look at these rows: either the reward or the label is wrong.",
      }),
    ];
  },
};

/** What the labels speak of: the one function's scores, or the total of several. */
function scoresOf({ functions, table, totals }: FindingContext) {
  const [first, ...others] = functions;
  if (!first || !table) return null;
  if (others.length > 0) return totals && { scores: totals, only: null };
  if (!first.outcome) return null;
  const { rows } = first.outcome;
  return { scores: Float64Array.from({ length: table.n }, (_, row) => scoreOf(rows[row])), only: first.fn };
}
