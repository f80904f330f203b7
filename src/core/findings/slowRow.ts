import { type Check, type FindingContext, finding, rowsWhere } from "./finding";
import { code, rowList } from "./sentences";

/** Rows that were still running at the limit, with the line where they stood. */
export const slowRow: Check = {
  code: "slow-row",
  run(context) {
    return context.functions.flatMap((evidence) => {
      const { fn } = evidence;
      const rows = rowsWhere(evidence, (row) => row.reason?.code === "row-timeout");
      const [first] = rows;
      if (first === undefined) return [];
      const reason = evidence.outcome?.rows[first]?.reason;
      const line = reason?.line;
      const pattern = line === undefined ? null : patternAt(context, line - 1);
      const seconds = reason?.expected === undefined ? "the limit" : `${reason.expected} s`;
      const where = line === undefined ? "" : `, in line ${line}${pattern ? ` at ${pattern}` : ""}`;
      const trainer =
        fn.contract === "trl" ? "TRL has no limit of its own: the run would stand still" : "It may never end";
      return [
        finding(this.code, {
          severity: "error",
          fn,
          rows,
          range: line === undefined ? undefined : lineRange(line - 1),
          message: `${code(fn.name)} was still running after ${seconds} on ${rowList(rows)}${where}. ${trainer}.`,
          cure: pattern
            ? "A repeat inside a repeat can try exponentially many ways before it gives up: make the inner one unambiguous, or look for the end tag first."
            : "Give whatever it waits for a time limit, and return None or a low score when that is up.",
        }),
      ];
    });
  },
};

function lineRange(line: number) {
  return { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
}

/** The pattern that is applied in a line, as a person would name it. */
function patternAt({ source }: FindingContext, line: number): string | null {
  const use = source.patternUses.find((one) => one.line === line);
  const pattern = use && source.patterns[use.pattern];
  if (!pattern) return null;
  const literal = pattern.literal.length > 80 ? `${pattern.literal.slice(0, 80)}…` : pattern.literal;
  return pattern.boundTo === null
    ? code(literal)
    : `${code(`${pattern.boundTo}.${use.method}`)} (${code(literal)})`;
}
