import { type Check, finding, modelOfFunction } from "./finding";
import { code } from "./sentences";

/** Columns of the completions table that TRL writes itself. */
const TABLE_COLUMNS = new Set(["step", "prompt", "completion", "advantage"]);

/** Rewards are logged by name: one that is taken overwrites what is there, two of one name overwrite each other. */
export const nameCollision: Check = {
  code: "name-collision",
  run({ functions, source }) {
    const seen = new Map<string, string>();
    return functions.flatMap(({ fn }) => {
      if (fn.contract !== "trl") return [];
      const name = modelOfFunction(source, fn.name)?.metricName ?? fn.name;
      const other = seen.get(name);
      seen.set(name, fn.name);
      if (TABLE_COLUMNS.has(name)) {
        const message = `A reward called ${code(name)} overwrites the column ${code(name)} of TRL's completions table.`;
        return [finding(this.code, { severity: "warning", fn, message, cure: "Give it another name." })];
      }
      if (other === undefined) return [];
      const same =
        other === fn.name ? `Two rewards are called ${code(name)}` : bothLogged(other, fn.name, name);
      return [
        finding(this.code, {
          severity: "warning",
          fn,
          message: `${same}: they share one metric (the mean of both) and one column of TRL's completions table (the second's values).`,
          cure: "Give each a name of its own.",
        }),
      ];
    });
  },
};

function bothLogged(first: string, second: string, name: string): string {
  return `TRL logs both ${code(first)} and ${code(second)} as ${code(name)}`;
}
