import type { Finding, Range, RewardFunction } from "../../schema/reward";
import { trlKeywords } from "../contracts/trl";
import {
  type Check,
  type FindingContext,
  type FunctionEvidence,
  finding,
  modelOfFunction,
  rowsWhere,
} from "./finding";
import type { SampleTable } from "../scoring/table";
import { code, listed, nearest, rowList } from "./sentences";

/** A parameter without default (or a key of `**kwargs`) that no column of the samples provides, or only an empty one. */
export const missingColumn: Check = {
  code: "missing-column",
  run(context) {
    const { table } = context;
    if (!table) return [];
    return context.functions.flatMap((evidence) =>
      evidence.fn.columns
        .filter(({ required }) => required)
        .flatMap(({ name }) => {
          if (!context.trainer.columns.includes(name)) return describe(this.code, name, evidence, context);
          return isEmptyColumn(table, name) ? [onlyNone(this.code, name, evidence, table)] : [];
        }),
    );
  },
};

/** A column that is there in name only: null in every row. */
export function isEmptyColumn({ n, columns }: SampleTable, name: string): boolean {
  const cells = columns.get(name);
  return n > 0 && cells !== undefined && cells.every((cell) => cell === null || cell === undefined);
}

function onlyNone(check: string, name: string, { fn }: FunctionEvidence, { n }: SampleTable): Finding {
  return finding(check, {
    severity: "error",
    fn,
    range: fn.parameters.find((parameter) => parameter.name === name)?.range,
    message: `${code(fn.name)} needs ${code(name)}, which is empty in every row of the samples (${n}): it gets None and nothing else.`,
    cure: cureWithout(name),
  });
}

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
    ? `Did you mean ${code(like)}? Rename the parameter, or map it: --columns ${name}=${like}, or "columns": {"${name}": "${like}"} in rewardsmith.json.`
    : `Did you mean ${code(like)}, which the trainer passes?`;
}

function cureWithout(name: string): string {
  return `Map a column to it (--columns ${name}=COLUMN, or "columns": {"${name}": "COLUMN"} in rewardsmith.json), or give the parameter a default.`;
}
