import { type Check, finding, rowsWhere } from "./finding";
import { code, rowList } from "./sentences";

/** Items of the list that aren't numbers: TRL hands them to `torch.tensor`, which refuses. */
export const wrongType: Check = {
  code: "wrong-type",
  run({ functions }) {
    return functions.flatMap((evidence) => {
      const { fn } = evidence;
      const rows = rowsWhere(evidence, (row) => row.reason?.code === "wrong-type");
      const [first] = rows;
      if (first === undefined) return [];
      const text = evidence.outcome?.rows[first]?.reason?.text;
      return [
        finding(this.code, {
          severity: "error",
          fn,
          rows,
          message:
            `${code(fn.name)} gave something that isn't a number for ${rowList(rows)}` +
            `${text === undefined ? "" : ` (${text.slice(0, 120)})`}: the run stops.`,
          cure: "Give a float, an int, a bool or None for each completion.",
        }),
      ];
    });
  },
};
