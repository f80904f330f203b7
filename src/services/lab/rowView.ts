import { shownName } from "../../core/text/shownName";
import type { LabCell, LabRow } from "../../schema/lab";
import { toTagged } from "../../schema/number";
import { oneLine } from "../functionScores";
import { differs, type Before } from "./changes";
import type { Moment } from "./order";
import { lengthsOf } from "./rowTexts";
import { worstOutcome } from "./scoredFacts";
import { orNull } from "./weighed";

const TEXT = 200;

export function labRow(moment: Moment, before: readonly (Before | null)[], row: number): LabRow {
  const { weighed, labels, changes } = moment;
  const { facts } = weighed;
  const { table } = facts;
  const groupAt = table.groupOf[row] ?? 0;
  const state = facts.states[row] ?? null;
  return {
    row,
    id: shownName(table.ids[row] ?? ""),
    group: shownName(table.groups[groupAt]?.id ?? ""),
    groupAt,
    state,
    cells: facts.functions.map((_, index) => labCell(moment, before, index, row)),
    total: orNull(weighed.totals[row]),
    advantage: orNull(weighed.advantages[row]),
    ifFixed: orNull(weighed.ifFixed[row]),
    label: labels.of(row),
    change: changes().get(row) ?? null,
    ms: Number.isNaN(facts.ms[row] ?? Number.NaN) ? null : (facts.ms[row] ?? null),
    length: lengthsOf(table)[row] ?? 0,
    text: oneLine(table.completion[row], TEXT),
    reason: state === null || state === "scored" ? null : briefReason(moment, row),
  };
}

function labCell(
  { weighed: { facts } }: Moment,
  before: readonly (Before | null)[],
  index: number,
  row: number,
): LabCell | null {
  const cell = facts.functions[index]?.outcome.rows[row];
  if (!cell) return null;
  const then = before[index]?.rows[row];
  return {
    state: cell.state,
    value: cell.value === null ? null : toTagged(cell.value),
    recovered: cell.recovered,
    ...(then && differs(then, cell) ? { before: then.value === null ? null : toTagged(then.value) } : {}),
  };
}

function briefReason({ weighed: { facts } }: Moment, row: number): LabRow["reason"] {
  const reason = worstOutcome(facts, row)?.reason;
  if (!reason) return null;
  const { code, type, line } = reason;
  return { code, ...(type === undefined ? {} : { type }), ...(line === undefined ? {} : { line }) };
}
