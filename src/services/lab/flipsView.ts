import { shownName } from "../../core/text/shownName";
import { compareScores, places, type Flip } from "../../core/scoring/compare";
import type { RowOutcome } from "../../core/scoring/outcome";
import { tauWithin } from "../../core/scoring/rank";
import { scoreOf } from "../../core/scoring/states";
import type { LabFlip, LabFlips } from "../../schema/lab";
import { toTagged } from "../../schema/number";
import { oneLine } from "../functionScores";
import type { Before } from "./changes";
import type { ScoredFacts } from "./scoredFacts";

/** Every flip against the baseline, of all functions, and a summary of each. */
export interface AllFlips {
  readonly flips: readonly { readonly index: number; readonly flip: Flip }[];
  readonly summary: LabFlips["summary"];
}

/** Changed scores and states first, then rows that only changed rank or sign; each by row, then by function. */
export function allFlips(facts: ScoredFacts, before: readonly (Before | null)[]): AllFlips {
  const { table } = facts;
  const flips: { index: number; flip: Flip }[] = [];
  const summary = facts.functions.map(({ fn, outcome }, index): LabFlips["summary"][number] => {
    const then = before[index];
    if (!then)
      return { function: fn.name, compared: 0, up: 0, down: 0, rank: 0, sign: 0, tau: null, tauGroups: 0 };
    const found = compareScores(then.snapshot, outcome, table);
    for (const flip of found.flips) flips.push({ index, flip });
    const { tau, groups } = tauWithin(
      table.groups,
      scores(then.rows, table.n),
      scores(outcome.rows, table.n),
    );
    return {
      function: fn.name,
      compared: found.compared,
      up: found.up,
      down: found.down,
      rank: found.flips.filter(({ rank }) => rank).length,
      sign: found.flips.filter(({ sign }) => sign).length,
      tau,
      tauGroups: groups,
    };
  });
  const own = ({ flip }: { flip: Flip }): number => (flip.value || flip.state ? 0 : 1);
  flips.sort((a, b) => own(a) - own(b) || a.flip.row - b.flip.row || a.index - b.index);
  return { flips, summary };
}

export function labFlip(
  { table, functions }: ScoredFacts,
  before: readonly (Before | null)[],
  { index, flip }: AllFlips["flips"][number],
): LabFlip {
  const { row, direction, rank, sign } = flip;
  const found = functions[index];
  const group = table.groups[table.groupOf[row] ?? -1] ?? { id: "", rows: [] };
  const then = before[index]?.rows ?? [];
  const now = found?.outcome.rows ?? [];
  const both = group.rows.filter(
    (other) => !Number.isNaN(scoreOf(then[other])) && !Number.isNaN(scoreOf(now[other])),
  );
  const at = both.indexOf(row);
  const side = (rows: readonly (RowOutcome | undefined)[]): LabFlip["now"] => {
    const values = new Float64Array(table.n);
    for (const other of both) values[other] = scoreOf(rows[other]);
    const cell = rows[row];
    return {
      state: cell?.state ?? "unscored",
      value: cell?.value === undefined || cell.value === null ? null : toTagged(cell.value),
      rank: at === -1 ? null : (places(both, values).ranks[at] ?? null),
    };
  };
  return {
    row,
    group: shownName(group.id),
    function: found?.fn.name ?? "",
    before: side(then),
    now: side(now),
    direction,
    rank,
    sign,
    text: oneLine(table.completion[row]),
  };
}

function scores(rows: readonly (RowOutcome | undefined)[], n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, row) => scoreOf(rows[row]));
}
