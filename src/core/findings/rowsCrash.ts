import { causesOf, lineRange, severityOf } from "./causes";
import { type Check, finding } from "./finding";
import { code, count, rowList } from "./sentences";

/** The process that ran the function ended: by a signal, by `exit`, or for want of memory. */
export const rowsCrash: Check = {
  code: "rows-crash",
  run({ functions, trainer }) {
    return functions.flatMap((evidence) => {
      const { fn } = evidence;
      return causesOf(evidence, "crashed").map(({ reason, rows }) => {
        const why = reason.text === undefined ? "" : ` (${reason.text.slice(0, 120)})`;
        const line = reason.line === undefined ? "" : `, in line ${reason.line}`;
        return finding(this.code, {
          severity: severityOf(evidence, "crashed", reason, trainer),
          fn,
          rows,
          range: lineRange(reason.line),
          message: `${code(fn.name)} ends its process${why} on ${count(rows.length, "row")} (${rowList(rows)})${line}: in a run it takes the trainer with it.`,
          cure: "Run what may end the process (generated code, native parsers) in a child process with limits of its own, and score by how that ended.",
        });
      });
    });
  },
};
