import { ADVANTAGE_RULES } from "../../core/advantages/registry";
import type { AdvantageRule } from "../../core/advantages/rule";
import { alignTurns, sharedPrefix, type Turn } from "../../core/trajectories/align";
import { encodeValue } from "../../core/scoring/encode";
import { kindOf, lookOf } from "../../core/trajectories/look";
import { fromTagged, toTagged, type TaggedNumber } from "../../schema/number";
import type { Message, Trajectory, TrajectoryRow } from "../../schema/trajectory";
import type { Comparison } from "../../schema/trajectoryView";
import type { TrajectorySource } from "./source";

const MOST = 64;
const MOST_LINES = 5000;
/** Characters of a cell; fewer where there are very many cells: what is cut is read when its message is shown. */
const CELL_TEXT = 2000;
const LEAST_CELL_TEXT = 300;
/** Characters of all cells, as far as that leaves each its least. */
const ALL_TEXT = 3_000_000;
const SAME = 1e-9;

export interface CompareAsk {
  readonly indexes: readonly number[];
  /** An index in the group that is compared whole, in place of `indexes`. */
  readonly group: number | null;
  readonly rule: string | null;
}

interface Compared {
  readonly row: TrajectoryRow;
  readonly trajectory: Trajectory;
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
}

/**
 * Trajectories side by side, sorted by reward (highest first; those without one last): the messages that all share from
 * the start are counted, the rest aligned. Advantages are of those compared: of a whole group what its trainer has.
 */
export async function compareTrajectories(
  source: TrajectorySource,
  ask: CompareAsk,
  signal?: AbortSignal,
): Promise<Comparison> {
  const wanted = (ask.group === null ? ask.indexes : source.groupOf(ask.group)).slice(0, MOST);
  const rows = await source.rows(wanted);
  const compared: Compared[] = [];
  for (const row of rows) {
    signal?.throwIfAborted();
    const trajectory = await source.get(row.index, signal);
    const messages = trajectory.branches[0]?.messages ?? [];
    const turns = messages.map((message) => ({
      look: lookOf(message),
      kind: kindOf(message),
      role: message.role,
    }));
    compared.push({ row, trajectory, messages, turns });
  }
  const advantages = rowAdvantages(
    compared.map(({ row }) => row),
    ask.rule,
    source.info().rule,
  );
  const order = compared.map((one, at) => ({ one, advantage: advantages.values[at] ?? null }));
  order.sort((a, b) => total(b.one.row) - total(a.one.row));
  const totals = order.map(({ one }) => total(one.row)).filter((value) => Number.isFinite(value));
  const high = Math.max(...totals);
  const low = Math.min(...totals);
  const sequences = order.map(({ one }) => one.turns);
  const shared = order.length > 1 ? sharedPrefix(sequences) : 0;
  const lines = alignTurns(sequences.map((turns) => turns.slice(shared)));
  const shown = lines.slice(0, MOST_LINES);
  const each = Math.floor(ALL_TEXT / Math.max(1, shown.length * order.length));
  const cut = Math.min(CELL_TEXT, Math.max(LEAST_CELL_TEXT, each));
  const grouped = ask.group !== null || sameGroup(rows);
  return {
    columns: order.map(({ one, advantage }) => ({
      row: one.row,
      ruleAdvantage: advantage,
      mark:
        high - low <= SAME
          ? null
          : total(one.row) === high
            ? "best"
            : total(one.row) === low
              ? "worst"
              : null,
    })),
    shared,
    lines: shown.map((line) =>
      cellsOf(
        line,
        order.map(({ one }) => one),
        shared,
        cut,
      ),
    ),
    parts: lines.length === 0 ? null : 0,
    separatedBy: separatedBy(order.map(({ one }) => one.trajectory)),
    rule: advantages.rule.id,
    rules: ADVANTAGE_RULES.map((rule) => ({
      id: rule.id,
      title: rule.formula,
      missing: rows.some((row) => row.reward === null) ? "reward" : null,
    })),
    group: grouped ? (rows[0]?.group ?? null) : null,
    ...spread(totals),
  };
}

/**
 * Advantages of rows that form one group, by a rule in the trainer's own arithmetic (`core/advantages`): over component
 * columns where every row has all of them with weights, else over totals alone. Null where a reward is missing.
 */
export function rowAdvantages(
  rows: readonly TrajectoryRow[],
  wanted: string | null,
  usual: string | null,
): { rule: AdvantageRule; values: (TaggedNumber | null)[] } {
  const rule =
    ADVANTAGE_RULES.find(({ id }) => id === wanted) ??
    ADVANTAGE_RULES.find(({ id }) => id === usual) ??
    ADVANTAGE_RULES[0];
  if (!rule) throw new Error("there is no advantage rule");
  if (rows.length === 0 || rows.some((row) => row.reward === null))
    return { rule, values: rows.map(() => null) };
  const values = Float32Array.from(rows, (row) =>
    row.reward === null ? Number.NaN : fromTagged(row.reward),
  );
  const { advantages } = rule.compute({ values, weights: [1], groups: [rows.length] });
  return { rule, values: Array.from(advantages, (value) => toTagged(value)) };
}

function total(row: TrajectoryRow): number {
  const value = row.reward === null ? Number.NaN : fromTagged(row.reward);
  return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
}

function sameGroup(rows: readonly TrajectoryRow[]): boolean {
  return rows.every((row) => row.group === rows[0]?.group);
}

/** Mean and population standard deviation over finite totals. */
function spread(values: readonly number[]): { mean: number | null; std: number | null } {
  if (values.length === 0) return { mean: null, std: null };
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, std: Math.sqrt(variance) };
}

function cellsOf(
  line: readonly (number | null)[],
  compared: readonly Compared[],
  shared: number,
  cut: number,
): Comparison["lines"][number] {
  const looks = new Map<string, number>();
  return line.map((at, column) => {
    const position = at === null ? null : at + shared;
    const one = compared[column];
    const message = position === null ? undefined : one?.messages[position];
    const look = position === null ? undefined : one?.turns[position]?.look;
    if (position === null || !message || look === undefined) return null;
    const alike = looks.get(look) ?? looks.size;
    looks.set(look, alike);
    const text = message.parts
      .flatMap((part) => (part.type === "text" ? [part.text] : [`[${part.type}]`]))
      .join("\n");
    return {
      position,
      role: message.role,
      name: message.name?.slice(0, 200) ?? null,
      text: text.slice(0, cut),
      characters: text.length,
      calls: message.calls.slice(0, 20).map((call) => ({
        name: call.name.slice(0, 200),
        arguments: (call.raw ?? encodeValue(call.arguments ?? {})).slice(0, 500),
      })),
      error: message.error?.slice(0, 500) ?? null,
      reward: message.reward,
      alike,
    };
  });
}

/**
 * Share of each component in the spread of rewards: weight² × variance over the trajectories, of their sum. Components
 * that some trajectory lacks are left out; without weights in the file each counts once.
 */
function separatedBy(trajectories: readonly Trajectory[]): Comparison["separatedBy"] {
  const names = Object.keys(trajectories[0]?.rewards ?? {});
  const spreads = names.flatMap((component) => {
    const values = trajectories.map(({ rewards, weights }) => {
      const value = rewards[component];
      return value === undefined || value === null
        ? Number.NaN
        : fromTagged(value) * (weights[component] ?? 1);
    });
    const { std } = spread(values);
    return std !== null && Number.isFinite(std) && std > SAME ? [{ component, spread: std ** 2 }] : [];
  });
  const sum = spreads.reduce((all, one) => all + one.spread, 0);
  return spreads
    .map((one) => ({ component: one.component, share: one.spread / sum }))
    .sort((a, b) => b.share - a.share);
}
