import { estimateMean } from "../../core/scoring/estimate";
import { histogram } from "../../core/scoring/histogram";
import type { FunctionOutcome } from "../../core/scoring/outcome";
import { withinGroups } from "../../core/scoring/within";
import type { LabPictures } from "../../schema/lab";
import { lengthsOf } from "./rowTexts";
import type { Weighed } from "./weighed";

type Picture = LabPictures["histograms"][number];

/** Histograms of each function and the total, and how the total goes with length within prompts. */
export function picturesView(weighed: Weighed, points: number): Pick<LabPictures, "histograms" | "length"> {
  const { facts, totals } = weighed;
  const { table } = facts;
  const total: FunctionOutcome = {
    name: "total",
    rows: Array.from(totals, (value) =>
      Number.isFinite(value)
        ? { state: "scored", value, recovered: false, reason: null, output: null, ms: 0 }
        : undefined,
    ),
  };
  const picture = (outcome: FunctionOutcome, name: string | null): Picture => {
    const { edges, counts } = histogram(outcome) ?? { edges: [], counts: [] };
    const n = counts.reduce((sum, count) => sum + count, 0);
    return { function: name, edges, counts, n, estimate: estimateMean(table, outcome) };
  };
  return {
    histograms: [
      ...facts.functions.map(({ fn, outcome }) => picture(outcome, fn.name)),
      picture(total, null),
    ],
    length: lengthPicture(weighed, points),
  };
}

function lengthPicture({ facts: { table }, totals }: Weighed, points: number): LabPictures["length"] {
  const { rows, x, y, r, slope, groups } = withinGroups(table.groups, lengthsOf(table), totals);
  const shown = Math.min(points, rows.length);
  return {
    points: Array.from({ length: shown }, (_, i) => {
      const at = Math.floor((i * rows.length) / shown);
      return { row: rows[at] ?? 0, length: x[at] ?? 0, total: y[at] ?? 0 };
    }),
    of: rows.length,
    r,
    slope: slope === null ? null : slope * 100,
    groups,
    unit: "characters",
  };
}
