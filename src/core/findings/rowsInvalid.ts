import type { ReasonCode } from "../../schema/score";
import { causesOf, severityOf } from "./causes";
import { type Check, finding } from "./finding";
import { code, count, rowList } from "./sentences";

/** Each of these has a finding of its own. */
const TOLD_ELSEWHERE: ReadonlySet<ReasonCode> = new Set([
  "wrong-count",
  "not-a-list",
  "wrong-type",
  "coroutine",
]);

/** What came back is no reward, in a way that no other finding names. */
export const rowsInvalid: Check = {
  code: "rows-invalid",
  run({ functions, trainer }) {
    return functions.flatMap((evidence) => {
      const { fn } = evidence;
      return causesOf(evidence, "invalid-return")
        .filter(({ reason }) => !TOLD_ELSEWHERE.has(reason.code))
        .map(({ reason, rows }) => {
          const why = reason.text === undefined ? "" : ` (${reason.text.slice(0, 120)})`;
          return finding(this.code, {
            severity: severityOf(evidence, "invalid-return", reason, trainer),
            fn,
            rows,
            message: `${code(fn.name)} gave no usable reward${why} for ${count(rows.length, "row")} (${rowList(rows)}): the run stops.`,
            cure: "Give one float, int, bool or None for each completion.",
          });
        });
    });
  },
};
