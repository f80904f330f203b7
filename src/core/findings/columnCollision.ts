import { trlKeywords } from "../contracts/trl";
import { type Check, finding } from "./finding";
import { code, trlName } from "./sentences";

/** A data column that is called like a keyword of the trainer's own. */
export const columnCollision: Check = {
  code: "column-collision",
  run({ functions, trainer, table }) {
    if (!table || !functions.some(({ fn }) => fn.contract === "trl")) return [];
    const own = trlKeywords(trainer.version).filter((name) => name !== "completion_ids");
    return own
      .filter((name) => trainer.columns.includes(name))
      .map((name) => {
        const twice = name === "prompts" || name === "completions";
        const then = twice
          ? `the call fails with "got multiple values for keyword argument '${name}'"`
          : "the trainer's own value takes its place";
        return finding(this.code, {
          severity: "warning",
          message: `The samples have a column ${code(name)}, which ${trlName(trainer.version)} passes itself: with such a column in the training data ${then}.`,
          cure: "Rename the column.",
        });
      });
  },
};
