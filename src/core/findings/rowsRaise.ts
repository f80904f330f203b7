import type { Finding } from "../../schema/reward";
import { causesOf, lineRange, severityOf, type Cause } from "./causes";
import { type Check, type FindingContext, finding } from "./finding";
import { missingColumn } from "./missingColumn";
import { shapeMismatch } from "./shapeMismatch";
import { code, count, rowList } from "./sentences";

/** Causes told of one function; the others are in the table of rows. */
const TOLD = 3;

/** The function raises, for a reason that no other finding names. */
export const rowsRaise: Check = {
  code: "rows-raise",
  run(context) {
    const told = [...missingColumn.run(context), ...shapeMismatch.run(context)];
    return context.functions.flatMap((evidence) => {
      const { fn } = evidence;
      const causes = causesOf(evidence, "raised").filter(
        // What doesn't fit the signature has findings of its own.
        (cause) => cause.reason.code !== "signature" && !told.some((other) => names(other, fn.name, cause)),
      );
      return causes.slice(0, TOLD).map((cause) =>
        finding(this.code, {
          severity: severityOf(evidence, "raised", cause.reason, context.trainer),
          fn,
          rows: cause.rows,
          range: lineRange(cause.reason.line),
          message: `${code(fn.name)} raises ${what(cause)} on ${where(cause.rows, context)}: the run stops.`,
          cure: "Catch it where a completion can cause it and give that row a score (or None); see the traceback of one row for the rest.",
        }),
      );
    });
  },
};

function names({ function: name, rows }: Finding, fn: string, cause: Cause): boolean {
  const [first] = cause.rows;
  return name === fn && first !== undefined && rows.includes(first);
}

function what({ reason }: Cause): string {
  const { type, text = "", line } = reason;
  const message =
    type !== undefined && text.startsWith(type) ? text : [type, text].filter(Boolean).join(": ");
  const shown = message.length > 200 ? `${message.slice(0, 200)}…` : message;
  return `${shown === "" ? "an exception" : code(shown)}${line === undefined ? "" : ` in line ${line}`}`;
}

function where(rows: readonly number[], { table }: FindingContext): string {
  return table && rows.length === table.n && table.n > 1
    ? `every row (${count(table.n, "row")})`
    : `${count(rows.length, "row")} (${rowList(rows)})`;
}
