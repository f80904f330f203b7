import { TRL_SINCE } from "../contracts/trl";
import { atLeast } from "../contracts/version";
import { type Check, finding, withReason } from "./finding";
import { code, count, trlName } from "./sentences";

/** Not one reward per completion (huggingface/trl#6533). */
export const wrongCount: Check = {
  code: "wrong-count",
  run({ functions, trainer }) {
    return functions.flatMap((evidence) => {
      const failed = withReason(evidence, "wrong-count");
      if (!failed) return [];
      const { fn } = evidence;
      const { got = 0, expected = 0 } = failed.reason;
      const spread = got === 1 && !atLeast(trainer.version, TRL_SINCE.countCheck);
      const then = spread
        ? `${trlName(trainer.version)} spreads the one value over the whole batch without a word, and trains on it`
        : "the run stops";
      return [
        finding(this.code, {
          severity: "error",
          fn,
          rows: failed.rows,
          message: `${code(fn.name)} returned ${count(got, "reward")} for ${count(expected, "completion")}: ${then}.`,
          cure: "Return one number (or None) for each completion, in their order.",
        }),
      ];
    });
  },
};
