import type { Range, RewardFunction } from "../../schema/reward";
import { trlKeywords } from "../contracts/trl";
import {
  type Check,
  type FindingContext,
  type FunctionEvidence,
  finding,
  modelOfFunction,
  rowsWhere,
} from "./finding";
import { code, listed, nearest, rowList } from "./words";

/** A parameter without default (or a key of `**kwargs`) that no column of the samples provides. */
export const missingColumn: Check = {
  code: "missing-column",
  run(context) {
    if (!context.table) return [];
    return context.functions.flatMap((evidence) =>
      evidence.fn.columns
        .filter(({ name, required }) => required && !context.trainer.columns.includes(name))
        .flatMap(({ name }) => describe(this.code, name, evidence, context)),
    );
  },
};

function describe(check: string, name: string, evidence: FunctionEvidence, context: FindingContext) {
  const { fn } = evidence;
  const parameter = fn.parameters.find((one) => one.name === name);
  const columns = context.trainer.columns;
  const like = nearest(name, parameter ? candidates(fn, context) : columns);
  const has =
    columns.length === 0 ? "The samples have no further columns" : `They have ${listed(columns.map(code))}`;
  const cure = like === null ? cureWithout(name) : cureWith(name, like, columns.includes(like));
  if (parameter) {
    return [
      finding(check, {
        severity: "error",
        fn,
        range: parameter.range,
        message: `${code(fn.name)} needs ${code(name)}, which no column of the samples provides. ${has}.`,
        cure,
      }),
    ];
  }
  const key = modelOfFunction(context.source, fn.name)?.kwargsKeys.find((one) => one.name === name);
  const raised = rowsWhere(
    evidence,
    ({ reason }) => reason?.type === "KeyError" && (reason.text ?? "").includes(name),
  );
  const range: Range | undefined = key?.range;
  return [
    finding(check, {
      severity: raised.length > 0 ? "error" : "warning",
      fn,
      rows: raised,
      range,
      message:
        `${code(fn.name)} reads ${code(`["${name}"]`)} from its keyword arguments, and no column of the samples is ` +
        `called so${raised.length > 0 ? ` (KeyError in ${rowList(raised)})` : ""}. ${has}.`,
      cure,
    }),
  ];
}

/** Columns first, then what the trainer passes itself: `completion` for `completions` is a common slip. */
function candidates(fn: RewardFunction, { trainer }: FindingContext): string[] {
  const own = fn.contract === "trl" ? trlKeywords(trainer.version) : ["prompt", "completion"];
  const taken = new Set(fn.parameters.map(({ name }) => name));
  return [...trainer.columns, ...own].filter((name) => !taken.has(name));
}

function cureWith(name: string, like: string, isColumn: boolean): string {
  return isColumn
    ? `Did you mean ${code(like)}? Rename the parameter, or map it in rewardsmith.json: "columns": {"${name}": "${like}"}.`
    : `Did you mean ${code(like)}, which the trainer passes?`;
}

function cureWithout(name: string): string {
  return `Map a column to it in rewardsmith.json ("columns": {"${name}": "COLUMN"}), or give the parameter a default.`;
}
