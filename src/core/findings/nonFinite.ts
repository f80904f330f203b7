import { contractOf } from "../contracts/registry";
import { type Check, finding, rowsWhere } from "./finding";
import { code, rowList } from "./sentences";

/** NaN and infinite rewards. */
export const nonFinite: Check = {
  code: "non-finite",
  run({ functions, trainer }) {
    return functions.flatMap((evidence) => {
      const { fn } = evidence;
      const nan = rowsWhere(evidence, (row) => row.state === "non-finite" && Number.isNaN(row.value));
      const infinite = rowsWhere(evidence, (row) => row.state === "non-finite" && !Number.isNaN(row.value));
      const found = [];
      if (infinite.length > 0) {
        const fate = contractOf(fn.contract).fate("non-finite", {
          ...trainer,
          othersScored: false,
          reason: "infinite",
        });
        found.push(
          finding(this.code, {
            severity: "error",
            fn,
            rows: infinite,
            message: `${code(fn.name)} is infinite for ${rowList(infinite)}. ${POISONS[fate.scope]}`,
            cure: "Bound it, e.g. max(-1.0, min(1.0, value)); look for a division by zero or an overflow.",
          }),
        );
      }
      if (nan.length > 0) {
        const reads =
          fn.contract === "trl" ? "TRL takes a NaN for a None" : "Every mean that it is part of becomes NaN";
        found.push(
          finding(this.code, {
            severity: "warning",
            fn,
            rows: nan,
            message: `${code(fn.name)} is NaN for ${rowList(nan)}. ${reads}, so what went wrong stays hidden.`,
            cure: "Return None where it doesn't apply, and a number elsewhere.",
          }),
        );
      }
      return found;
    });
  },
};

const POISONS = {
  row: "It spoils its own row.",
  group: "One such value makes every advantage of its group useless.",
  batch: "With scaling by batch one such value makes every advantage of the batch 0.",
  run: "One such value ruins the update, and the model with it.",
} as const;
