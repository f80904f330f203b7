import { type Check, finding, modelOfFunction } from "./finding";
import { code } from "./sentences";

/** `completion[0]` is the first message of a chat, and one character of a text: no error, and a wrong score. */
export const firstItemOfText: Check = {
  code: "first-item-of-text",
  run({ functions, source, table, trainer }) {
    if (!table || trainer.shape !== "text") return [];
    return functions.flatMap(({ fn }) => {
      const access = modelOfFunction(source, fn.name)?.access;
      const [range] = access?.firstItem ?? [];
      if (!access || !range || access.asksType) return [];
      return [
        finding(this.code, {
          severity: "warning",
          fn,
          range,
          message: `The rows are text, so this reads one character of the completion; on chat rows it would be a message, and ${code(fn.name)} would score the same content differently.`,
          cure: `Use the completion itself; for chat rows, completion[0]["content"].`,
        }),
      ];
    });
  },
};
