import { type Check, finding, rowsWhere } from "./finding";
import { code } from "./sentences";

/** The reward reads token ids, and the samples have none. */
export const noTokenIds: Check = {
  code: "no-token-ids",
  run({ functions }) {
    return functions.flatMap((evidence) => {
      const { fn } = evidence;
      const rows = rowsWhere(evidence, (row) => row.reason?.code === "no-tokens");
      if (rows.length === 0) return [];
      return [
        finding(this.code, {
          severity: "info",
          fn,
          rows,
          range: fn.parameters.find(({ name }) => name === "completion_ids")?.range,
          message: `${code(fn.name)} reads token ids, and the samples have none: these rows can't be scored here, though they would be in a run.`,
          cure: `Add a column with the token ids of each completion and map it as completion_ids.`,
        }),
      ];
    });
  },
};
