import { type Check, finding } from "./finding";
import { isEmptyColumn } from "./missingColumn";
import { code, count, rowList } from "./sentences";

/** A column that the function needs and that is empty in some rows, which it scores all the same. */
export const sparseColumn: Check = {
  code: "sparse-column",
  run({ functions, table }) {
    if (!table) return [];
    return functions.flatMap(({ fn, outcome }) =>
      fn.columns.flatMap(({ name, required }) => {
        const cells = table.columns.get(name);
        // Empty throughout is as good as missing, and told as that.
        if (!cells || !required || isEmptyColumn(table, name)) return [];
        const empty = cells.flatMap((cell, row) => (cell === null || cell === undefined ? [row] : []));
        if (empty.length === 0) return [];
        const range = fn.parameters.find((parameter) => parameter.name === name)?.range;
        const share = `${code(name)} is empty in ${count(empty.length, "row")} of ${table.n}`;
        if (!outcome) {
          if (empty.length * 2 <= table.n) return [];
          const message = `${share}: ${code(fn.name)} is called with None there.`;
          return [finding(this.code, { severity: "info", fn, rows: empty, range, message })];
        }
        // A function that answers None there (or that failed, which is told elsewhere) has seen to it.
        const scored = empty.filter((row) => outcome.rows[row]?.state === "scored");
        if (scored.length === 0) return [];
        return [
          finding(this.code, {
            severity: "warning",
            fn,
            rows: scored,
            range,
            message: `${share}, and ${code(fn.name)} gave a score all the same (${rowList(scored)}).`,
            cure: "Return None for rows without it, so that they count as not applicable and not as wrong.",
          }),
        ];
      }),
    );
  },
};
