import { sameScore } from "../../core/scoring/groups";
import { TEXT, MARK } from "../../core/trajectories/batch";
import { toTagged } from "../../schema/number";
import type { TrajectoryGroup } from "../../schema/trajectoryView";
import type { RowFacts } from "./facts";
import { mergeSort, type Pace } from "./order";
import type { GroupsAsk } from "./source";

const MOST_MEMBERS = 64;

interface Counted {
  readonly n: number;
  readonly scored: number;
  readonly mean: number | null;
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly tied: boolean;
}

/** Groups that have a row among `rows` (null: all), in the order asked for, and a page of them. */
export async function groupsPage(
  facts: RowFacts,
  rows: Uint32Array | null,
  ask: GroupsAsk,
  pace: Pace,
): Promise<{ total: number; groups: TrajectoryGroup[] }> {
  const wanted = await groupsOf(facts, rows, pace);
  const keys = await keysOf(facts, wanted, ask.order, pace);
  const before = (a: number, b: number): number => {
    const [x = Number.NaN, y = Number.NaN] = [keys[a], keys[b]];
    if (x < y) return ask.descending ? 1 : -1;
    if (x > y) return ask.descending ? -1 : 1;
    const [noX, noY] = [Number.isNaN(x), Number.isNaN(y)];
    return noX === noY ? a - b : noX ? 1 : -1;
  };
  const order = await mergeSort(wanted.length, before, pace);
  const groups: TrajectoryGroup[] = [];
  for (const at of order.subarray(ask.from, ask.from + ask.count)) {
    groups.push(await groupAt(facts, wanted[at] ?? 0));
    if (pace.due) await pace.rest();
  }
  return { total: wanted.length, groups };
}

async function groupsOf(facts: RowFacts, rows: Uint32Array | null, pace: Pace): Promise<Uint32Array> {
  if (rows === null) return Uint32Array.from({ length: facts.groups.groups }, (_, group) => group);
  const seen = new Uint8Array(facts.groups.groups);
  const found: number[] = [];
  for (let at = 0; at < rows.length; at++) {
    const group = facts.groups.groupOf.get(rows[at] ?? 0);
    if (seen[group] === 0) {
      seen[group] = 1;
      found.push(group);
    }
    if ((at & 4095) === 4095 && pace.due) await pace.rest();
  }
  return Uint32Array.from(found);
}

async function keysOf(
  facts: RowFacts,
  groups: Uint32Array,
  order: GroupsAsk["order"],
  pace: Pace,
): Promise<Float64Array> {
  const keys = new Float64Array(groups.length);
  for (let at = 0; at < groups.length; at++) {
    const group = groups[at] ?? 0;
    keys[at] = keyOf(facts, group, order);
    if ((at & 63) === 63 && pace.due) await pace.rest();
  }
  return keys;
}

function keyOf(facts: RowFacts, group: number, order: GroupsAsk["order"]): number {
  switch (order) {
    case "first":
      return facts.groups.first(group);
    case "step":
      return facts.columns.column("step").get(facts.groups.first(group));
    case "n":
      return facts.groups.size(group);
    case "mean":
      return countGroup(facts, group).mean ?? Number.NaN;
    case "std":
      return countGroup(facts, group).std ?? Number.NaN;
  }
}

/** Mean and population standard deviation over finite rewards, in doubles (two passes). */
function countGroup(facts: RowFacts, group: number): Counted {
  const members = facts.groups.members(group);
  const rewards = members.map((row) => facts.reward(row)).filter((reward) => Number.isFinite(reward));
  const scored = rewards.length;
  const n = members.length;
  if (scored === 0) return { n, scored, mean: null, std: null, min: null, max: null, tied: false };
  const mean = rewards.reduce((a, b) => a + b, 0) / scored;
  const square = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / scored;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const reward of rewards) {
    min = Math.min(min, reward);
    max = Math.max(max, reward);
  }
  // Sums of the largest doubles overflow: then there is no mean.
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const tied = scored === n && n > 1 && sameScore(min, max);
  return { n, scored, mean: finite(mean), std: finite(Math.sqrt(square)), min, max, tied };
}

async function groupAt(facts: RowFacts, group: number): Promise<TrajectoryGroup> {
  const first = facts.groups.first(group);
  const texts = await facts.texts.reader(first);
  const step = facts.columns.column("step").get(first);
  const flags = facts.columns.column("flags");
  return {
    id: facts.group(first, texts),
    step: Number.isNaN(step) ? null : step,
    split: facts.columns.splitOf(first),
    task: texts.get(first, TEXT.task),
    title: texts.get(first, TEXT.title) ?? "",
    ...countGroup(facts, group),
    members: facts.groups.members(group, MOST_MEMBERS).map((index) => ({
      index,
      reward: (flags.get(index) & MARK.hasReward) === 0 ? null : toTagged(facts.reward(index)),
    })),
  };
}
