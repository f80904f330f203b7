import { type Check, finding } from "./finding";
import { code } from "./sentences";

/** A second definition of the same name hides the first, however the first is edited. */
export const definedTwice: Check = {
  code: "defined-twice",
  run({ functions, source }) {
    return functions.flatMap(({ fn }) => {
      const all = source.functions.filter((one) => one.name === fn.name);
      const first = all[0];
      // Definitions in the branches of an `if` or `try` are alternatives; those stand at one level, unindented, aren't.
      const hidden = all.filter((one) => one.range.start.character === 0);
      if (!first || hidden.length < 2) return [];
      return [
        finding(this.code, {
          severity: "warning",
          fn,
          range: hidden[0]?.nameRange,
          message: `${code(fn.name)} is defined again in line ${fn.line + 1}; Python keeps the last, so this one is never called.`,
          cure: "Rename or remove one of them.",
        }),
      ];
    });
  },
};
