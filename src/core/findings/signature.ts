import { type Check, finding, withReason } from "./finding";
import { missingColumn } from "./missingColumn";
import { missingKwargs } from "./missingKwargs";
import { code, rowList } from "./sentences";

/** The call doesn't fit the signature, for a reason that no other finding names. */
export const signature: Check = {
  code: "signature",
  run(context) {
    const explained = new Set(
      [...missingKwargs.run(context), ...missingColumn.run(context)].map((found) => found.function),
    );
    return context.functions.flatMap((evidence) => {
      const { fn, bindError } = evidence;
      const failed = withReason(evidence, "signature");
      const text = bindError ?? failed?.reason.text;
      if (text === undefined || explained.has(fn.name)) return [];
      const where = failed && failed.rows.length > 0 ? ` (${rowList(failed.rows)})` : "";
      return [
        finding(this.code, {
          severity: "error",
          fn,
          rows: failed?.rows ?? [],
          message: `${code(fn.name)} can't be called${where}: ${text}.`,
          cure: "Make its parameters fit what the trainer passes, by keyword.",
        }),
      ];
    });
  },
};
