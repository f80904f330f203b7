import { type Check, finding, withReason } from "./finding";
import { code } from "./sentences";

/** The whole return value isn't a list of rewards. */
export const notAList: Check = {
  code: "not-a-list",
  run({ functions }) {
    return functions.flatMap((evidence) => {
      const failed = withReason(evidence, "not-a-list");
      if (!failed) return [];
      const { fn } = evidence;
      return [
        finding(this.code, {
          severity: "error",
          fn,
          rows: failed.rows,
          message: `${code(fn.name)} returned ${what(failed.reason.text)}, not one reward per completion: the run stops.`,
          cure: "Return a list with one number (or None) for each completion.",
        }),
      ];
    });
  },
};

function what(text: string | undefined): string {
  if (text === undefined) return "something else";
  const shown = code(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  if (text === "None") return "None";
  if (/^[-+]?[\d.]/.test(text)) return `a number (${shown})`;
  if (/^['"]/.test(text)) return `a text (${shown})`;
  if (text.startsWith("{")) return `a dict (${shown})`;
  return shown;
}
