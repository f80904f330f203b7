import type { AdvantageRule } from "../core/advantages/rule";
import { estimateMean } from "../core/scoring/estimate";
import { analyseGroups, countGroups } from "../core/scoring/groups";
import { histogram } from "../core/scoring/histogram";
import type { RowOutcome } from "../core/scoring/outcome";
import { countStates } from "../core/scoring/states";
import type { SampleTable } from "../core/scoring/table";
import { rewardMatrix, type FateOf } from "../core/scoring/totals";
import type { FunctionScores, RowBrief } from "../schema/live";
import { toTagged } from "../schema/number";
import type { Fate, ScoreState } from "../schema/score";
import type { PassFunction } from "./scoreRunner";

/** Everything of a function's scores that its outcome alone decides; made once a pass, shown many times. */
export type Summary = Pick<
  FunctionScores,
  | "n"
  | "of"
  | "states"
  | "recovered"
  | "estimate"
  | "groups"
  | "histogram"
  | "best"
  | "worst"
  | "raised"
  | "held"
  | "fates"
>;

export function summarise(
  outcome: PassFunction,
  table: SampleTable,
  batches: readonly (readonly number[])[],
  rule: AdvantageRule,
  fate: FateOf,
): Summary {
  const { states, n, recovered } = countStates(outcome);
  const matrix = rewardMatrix([{ outcome, weight: 1, fate }], table.n);
  const { best, worst } = extremes(outcome, table);
  return {
    n,
    of: table.n,
    states,
    recovered,
    estimate: estimateMean(table, outcome),
    groups: countGroups(analyseGroups(table, matrix, rule, batches).groups),
    histogram: histogram(outcome),
    best,
    worst,
    raised: raisedAt(outcome),
    held: heldBy(outcome),
    fates: fatesOf(outcome, fate),
  };
}

/** Best and worst three scored rows, earlier rows first among equals. */
function extremes(outcome: PassFunction, table: SampleTable): { best: RowBrief[]; worst: RowBrief[] } {
  const best: { row: number; value: number }[] = [];
  const worst: { row: number; value: number }[] = [];
  outcome.rows.forEach((cell, row) => {
    if (cell?.state !== "scored" || cell.value === null) return;
    insert(best, { row, value: cell.value }, (a, b) => b - a);
    insert(worst, { row, value: cell.value }, (a, b) => a - b);
  });
  const brief = ({ row, value }: { row: number; value: number }): RowBrief => ({
    row,
    id: table.ids[row] ?? String(row),
    group: table.groups[table.groupOf[row] ?? 0]?.id ?? "",
    state: "scored",
    value: toTagged(value),
    text: oneLine(table.completion[row]),
  });
  return { best: best.map(brief), worst: worst.map(brief) };
}

function insert(
  top: { row: number; value: number }[],
  item: { row: number; value: number },
  order: (a: number, b: number) => number,
): void {
  const at = top.findIndex(({ value }) => order(item.value, value) < 0);
  if (at === -1) {
    if (top.length < 3) top.push(item);
    return;
  }
  top.splice(at, 0, item);
  top.length = Math.min(top.length, 3);
}

/** A completion in one line, as its text or its messages' texts. */
export function oneLine(completion: unknown, most = 200): string {
  return completionText(completion)
    .slice(0, most * 4)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, most);
}

export function completionText(completion: unknown): string {
  if (typeof completion === "string") return completion;
  if (Array.isArray(completion)) return completion.map(messageText).join("\n");
  return messageText(completion);
}

function messageText(message: unknown): string {
  if (typeof message === "string") return message;
  if (typeof message === "object" && message !== null && "content" in message) {
    const { content } = message;
    if (typeof content === "string") return content;
    if (Array.isArray(content)) return content.map(messageText).join(" ");
  }
  if (
    typeof message === "object" &&
    message !== null &&
    "text" in message &&
    typeof message.text === "string"
  )
    return message.text;
  // A completion that is neither text nor messages: whatever it is, as JSON (undefined is no JSON).
  return JSON.stringify(message ?? null, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

/** Exceptions by line, type and message; a batch's own exception where none of its rows repeats it alone. */
function raisedAt(outcome: PassFunction): Summary["raised"] {
  const found = new Map<
    string,
    { line: number | null; type: string; message: string; count: number; rows: number[] }
  >();
  const add = (row: number, { reason }: Pick<RowOutcome, "reason">): void => {
    const line = reason?.line ?? null;
    const type = reason?.type ?? "";
    const message = withoutType(reason?.text ?? "", type).slice(0, 500);
    const key = `${line ?? ""}\n${type}\n${message}`;
    const entry = found.get(key) ?? { line, type, message, count: 0, rows: [] };
    entry.count += 1;
    if (entry.rows.length < 20) entry.rows.push(row);
    found.set(key, entry);
  };
  outcome.rows.forEach((cell, row) => {
    if (cell?.state === "raised") add(row, cell);
  });
  for (const { rows, state, reason } of outcome.failures)
    if (state === "raised" && !rows.some((row) => outcome.rows[row]?.state === "raised"))
      for (const row of rows) add(row, { reason });
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, 50);
}

/** Python writes `ValueError: no`; type and message are shown apart. */
function withoutType(text: string, type: string): string {
  return type !== "" && text.startsWith(`${type}: `) ? text.slice(type.length + 2) : text;
}

function heldBy(outcome: PassFunction): Summary["held"] {
  const found = new Map<string, Summary["held"][number]>();
  for (const cell of outcome.rows) {
    if (cell?.state !== "held" || !cell.reason?.effect) continue;
    const { effect, target = "" } = cell.reason;
    const key = `${effect} ${target}`;
    const entry = found.get(key) ?? { effect, target, count: 0 };
    entry.count += 1;
    found.set(key, entry);
  }
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, 20);
}

/** What the trainer does with each state that occurs, by its first row's reason. */
export function fatesOf(outcome: PassFunction, fate: FateOf): Partial<Record<ScoreState, Fate>> {
  const fates: Partial<Record<ScoreState, Fate>> = {};
  for (const cell of outcome.rows) {
    if (!cell || fates[cell.state]) continue;
    fates[cell.state] = fate(cell.state, false, cell.reason?.code ?? null);
  }
  return fates;
}
