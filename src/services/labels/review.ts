import { labelAgreement } from "../../core/scoring/labels";
import { analyseGroups } from "../../core/scoring/groups";
import { allRows, planBatches } from "../../core/scoring/plan";
import type { SampleTable } from "../../core/scoring/table";
import { rewardMatrix } from "../../core/scoring/totals";
import type { ReviewQueue } from "../../schema/lab";
import type { SampleLabel } from "../../schema/label";
import type { LabSource } from "../lab/source";
import type { Scored } from "../scored";
import type { StoredLabels } from "./labelStore";

type Item = ReviewQueue["items"][number];

export interface ReviewAsk {
  /** `inspect`: the random order, over what no guided inspection has shown yet. */
  readonly stream: "random" | "hunting" | "inspect";
  readonly limit: number;
  readonly seed: number;
}

/** Which samples to look at next: a random draw that a seed fixes, or those where a look pays most. */
export function reviewQueue(source: LabSource, labels: StoredLabels, ask: ReviewAsk): ReviewQueue {
  const hunting = ask.stream === "hunting";
  const items = hunting ? hunted(source, labels) : drawn(source.table, labels, ask);
  return {
    stream: hunting ? "hunting" : "random",
    items: items.slice(0, ask.limit),
    left: items.length,
  };
}

/**
 * Every sample's place in the order is a hash of the seed and its own identity: adding labels, other samples or a restart
 * moves none of the rest. Only a verdict given in this stream takes a sample out of it, since those labelled for another
 * reason are part of the population that a random sample stands for.
 */
function drawn(table: SampleTable, labels: StoredLabels, { stream, seed }: ReviewAsk): Item[] {
  const done = (row: number): boolean =>
    stream === "inspect" ? labels.looked(row) : labels.givenIn(row, "random");
  return allRows(table)
    .filter((row) => !done(row))
    .map((row) => ({ row, at: place(seed, table.ids[row] ?? "") }))
    .sort((a, b) => a.at - b.at || a.row - b.row)
    .map(({ row }) => ({ row, reason: "random" }));
}

/** 32-bit FNV-1a over the seed and the id, stirred as MurmurHash3 ends, so that ids which differ in a digit lie apart. */
function place(seed: number, id: string): number {
  let hash = 0x811c9dc5;
  for (const unit of `${seed}:${id}`) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Two members say whether a tie is right; the rest of the group would say it again. */
const OF_A_TIE = 2;

/**
 * In this order, each sample once under the first reason it has: score and label disagree; tied with its group; flipped
 * against the baseline; the largest updates; not scored. A verdict takes a sample out, except that one whose label
 * disagrees with its score is shown once more.
 */
function hunted({ scored, baseline, table }: LabSource, labels: StoredLabels): Item[] {
  if (!scored) return [];
  const { totals, groups, advantages } = analysed(scored);
  const size = (row: number): number => Math.abs(advantages[row] ?? Number.NaN) || 0;
  const bySize = (rows: readonly number[]): number[] => [...rows].sort((a, b) => size(b) - size(a) || a - b);
  const unlabelled = (row: number): boolean => labels.of(row)?.source !== "sidecar";

  const values = allRows(table).map((row) => valueOf(labels.of(row)));
  const disagree = labelAgreement({ ...table, label: values }, totals)?.disagreeRows ?? [];
  const tied = groups.filter((group) => group.tied && group.rows.length > 1);
  const ties = Array.from({ length: OF_A_TIE }, (_, k) =>
    tied.flatMap(({ rows }) => rows.filter(unlabelled).slice(k, k + 1)),
  );
  const large = allRows(table).filter((row) => size(row) > 0);
  const failed = allRows(table).filter((row) =>
    scored.outcomes.some(({ rows }) => {
      const state = rows[row]?.state;
      return state !== undefined && state !== "scored" && state !== "not-applicable";
    }),
  );

  const taken = new Set<number>();
  const items: Item[] = [];
  const add = (reason: Item["reason"], rows: readonly number[], again = false): void => {
    for (const row of rows) {
      if (taken.has(row) || labels.givenIn(row, "hunting") || !(again || unlabelled(row))) continue;
      taken.add(row);
      items.push({ row, reason });
    }
  };
  add("disagrees", bySize(disagree), true);
  add("tied", ties.flat());
  add("flipped", bySize(baseline.flippedRows(scored.outcomes, table)));
  add("large-update", bySize(large));
  add("not-scored", failed);
  return items;
}

/**
 * Whether totals and labels agree, over samples that were drawn at random and have both: rates come from these alone
 * (SCIENCE §4). Null: there are none.
 */
export function randomAgreement(
  { scored, table }: Pick<LabSource, "scored" | "table">,
  labels: StoredLabels,
): { n: number; agree: number } | null {
  if (!scored) return null;
  const label = allRows(table).map((row) => (labels.givenIn(row, "random") ? valueOf(labels.of(row)) : null));
  const found = labelAgreement({ ...table, label }, analysed(scored).totals);
  return found === null || found.n === 0 ? null : { n: found.n, agree: found.agree };
}

function analysed({ table, outcomes, composition }: Scored) {
  const components = outcomes.flatMap((outcome) => {
    const part = composition.functions.find(({ fn }) => fn.name === outcome.name);
    return part ? [{ outcome, weight: part.weight, fate: part.fate }] : [];
  });
  const matrix = rewardMatrix(components, table.n);
  const batches = planBatches(table, allRows(table), composition.trainer.batch);
  const { groups, advantages } = analyseGroups(table, matrix, composition.rule, batches);
  return { totals: matrix.totals, groups, advantages };
}

function valueOf(label: SampleLabel | null): number | null {
  if (label === null) return null;
  return typeof label.value === "number" ? label.value : label.value === "good" ? 1 : 0;
}
