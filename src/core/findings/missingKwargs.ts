import { trlKeywords } from "../contracts/trl";
import { hasKwargs } from "../contracts/usage";
import { type Check, finding } from "./finding";
import { code, listed, trlName } from "./sentences";

/** TRL passes more keywords than the function takes (huggingface/trl#4939). */
export const missingKwargs: Check = {
  code: "trl-missing-kwargs",
  run({ functions, trainer }) {
    return functions.flatMap(({ fn }) => {
      if (fn.contract !== "trl" || hasKwargs(fn)) return [];
      const taken = new Set(fn.parameters.map(({ name }) => name));
      // In the order of the call, as Python names the first one it can't place.
      const [prompts = "", completions = "", ...rest] = trlKeywords(trainer.version);
      const ids = rest.includes("completion_ids") ? ["completion_ids"] : [];
      const own = rest.filter((name) => name !== "completion_ids");
      const columns = trainer.columns.filter((name) => !own.includes(name));
      const left = [prompts, completions, ...ids, ...columns, ...own].filter((name) => !taken.has(name));
      const [first] = left;
      if (first === undefined) return [];
      return [
        finding(this.code, {
          severity: "error",
          fn,
          message:
            `${code(fn.name)} can't be called by ${trlName(trainer.version)}: it passes ${listed(left.map(code))} too, ` +
            `and Python refuses with "${fn.name}() got an unexpected keyword argument '${first}'".`,
          cure: "Add **kwargs as the last parameter.",
        }),
      ];
    });
  },
};
