import { contractOf } from "../contracts/registry";
import { type Check, type FindingContext, type FunctionEvidence, finding } from "./finding";
import { code, count, rowList } from "./sentences";

/** None for some completions of a prompt and a number for others: the missing part moves the comparison. */
export const noneInGroup: Check = {
  code: "none-in-group",
  run(context) {
    const { table } = context;
    if (!table) return [];
    return context.functions.flatMap((evidence) => {
      const { fn, outcome } = evidence;
      const groups = table.groups.filter(({ rows }) => {
        const states = rows.map((row) => outcome?.rows[row]);
        return states.some(isNone) && states.some((row) => row?.state === "scored");
      });
      const rows = groups.flatMap((group) => group.rows.filter((row) => isNone(outcome?.rows[row])));
      if (rows.length === 0) return [];
      return [
        finding(this.code, {
          severity: "warning",
          fn,
          rows,
          message: `${code(fn.name)} gives None for ${rowList(rows)} and a score for others of the same prompt, in ${count(groups.length, "group")}. ${consequence(rows, evidence, context)}`,
          cure: "Give None for all completions of a prompt or for none: let it depend on the prompt or a column, not on the completion.",
        }),
      ];
    });
  },
};

function isNone(
  row: { readonly state: string; readonly reason: { readonly code: string } | null } | undefined,
) {
  return row?.state === "not-applicable" && row.reason?.code !== "no-tokens";
}

/** What the trainer makes of it, in the first of the rows. */
function consequence(rows: readonly number[], { fn }: FunctionEvidence, context: FindingContext): string {
  const [row = 0] = rows;
  const othersScored = context.functions.some(
    (other) => other.fn.name !== fn.name && other.outcome?.rows[row]?.state === "scored",
  );
  const fate = contractOf(fn.contract).fate("not-applicable", {
    ...context.trainer,
    othersScored,
    reason: "none",
  });
  switch (fate.word) {
    case "zero":
      return "There the missing part counts as 0 in the total.";
    case "stops":
      return "This version of the trainer fails on a None.";
    default:
      return "Those rows are left out of the group's mean and learn nothing.";
  }
}
