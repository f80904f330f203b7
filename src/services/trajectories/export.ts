import { encodeValue } from "../../core/scoring/encode";
import { sharedPrefix } from "../../core/trajectories/align";
import { mixed } from "../../core/trajectories/hash";
import { lookOf } from "../../core/trajectories/look";
import { clustersOf, hash, shinglesOf } from "../../core/trajectories/nearDuplicates";
import {
  chatRow,
  jsonLine,
  sampleRow,
  splitAtAnswer,
  textOfMessages,
  type JsonRow,
} from "../../core/trajectories/rows";
import { fromTagged } from "../../schema/number";
import type { Trajectory, TrajectoryRow } from "../../schema/trajectory";
import type { TrajectoryExport } from "../../schema/trajectoryView";
import type { TrajectorySource } from "./source";

export interface ExportAsk {
  readonly kind: TrajectoryExport;
  /** Null: all that `filter` lets through. */
  readonly indexes: readonly number[] | null;
  readonly filter: string;
}

/** Why a trajectory isn't written; `leftOutInWords` (src/words) has the sentences. */
export type LeftOut =
  | "no-messages"
  | "no-answer"
  | "no-reward"
  | "truncated"
  | "failed"
  | "not-best"
  | "tied"
  | "duplicate"
  | "too-easy"
  | "too-hard"
  | "unknown-difficulty";

export interface ExportResult {
  /** Lines by the part of the set they belong to: "" for all, else train, validation, test. */
  readonly texts: ReadonlyMap<string, string>;
  readonly written: number;
  readonly leftOut: readonly { readonly why: LeftOut; readonly n: number }[];
}

interface One {
  readonly row: TrajectoryRow;
  readonly trajectory: Trajectory;
  readonly form: string;
}

const PAGE = 200;
/** Rewards that differ by less are the same. */
const SAME = 1e-9;

/**
 * Trajectories as rows of another form, one JSON object a line. Nothing is made up: what lacks an answer, a reward or a
 * difference is left out and counted.
 */
export async function exportTrajectories(
  source: TrajectorySource,
  ask: ExportAsk,
  signal?: AbortSignal,
): Promise<ExportResult> {
  const out = new Output();
  const indexes = ask.indexes ?? [...(await source.matching(ask.filter)).indexes];
  const chosen = ask.indexes !== null;
  const best = bestByGroup(source);
  switch (ask.kind) {
    case "samples":
    case "regression":
      for await (const one of read(source, indexes, signal)) writeSample(out, one, ask.kind);
      break;
    case "sft":
      for await (const one of read(source, indexes, signal))
        writeDemonstration(out, one, chosen ? null : await best(one.row));
      break;
    case "task":
      for await (const one of read(source, indexes, signal)) writeTask(out, one);
      break;
    case "dpo":
      for (const group of groupsOf(source, indexes)) await writePair(out, source, group, signal);
      break;
    case "filtered":
      for (const group of groupsOf(source, indexes)) await writePrompt(out, source, group, signal);
      break;
    case "splits":
      await writeSplits(out, source, indexes, signal);
      break;
  }
  return out.result();
}

class Output {
  readonly #parts = new Map<string, string[]>();
  readonly #seen = new Set<string>();
  readonly #leftOut = new Map<LeftOut, number>();
  #written = 0;

  /** `same`: what makes two rows the same; a second one isn't written. */
  write(row: JsonRow, same: string, part = ""): void {
    if (this.#seen.has(same)) {
      this.leave("duplicate");
      return;
    }
    this.#seen.add(same);
    const lines = this.#parts.get(part);
    if (lines) lines.push(jsonLine(row));
    else this.#parts.set(part, [jsonLine(row)]);
    this.#written++;
  }

  leave(why: LeftOut, n = 1): void {
    if (n === 0) return;
    this.#leftOut.set(why, (this.#leftOut.get(why) ?? 0) + n);
  }

  result(): ExportResult {
    const texts = new Map([...this.#parts].map(([part, lines]): [string, string] => [part, lines.join("")]));
    return {
      texts: texts.size > 0 ? texts : new Map([["", ""]]),
      written: this.#written,
      leftOut: [...this.#leftOut].map(([why, n]) => ({ why, n })),
    };
  }
}

async function* read(
  source: TrajectorySource,
  indexes: readonly number[],
  signal: AbortSignal | undefined,
): AsyncGenerator<One> {
  for (let from = 0; from < indexes.length; from += PAGE) {
    const rows = await source.rows(indexes.slice(from, from + PAGE));
    for (const row of rows) {
      signal?.throwIfAborted();
      const { form } = source.place(row.index);
      yield { row, trajectory: await source.get(row.index, signal), form };
    }
  }
}

/** Groups that have a member among the indexes, with those members. */
function groupsOf(source: TrajectorySource, indexes: readonly number[]): number[][] {
  const wanted = new Set(indexes);
  const done = new Set<number>();
  const groups: number[][] = [];
  for (const index of indexes) {
    if (done.has(index)) continue;
    const members = source.groupOf(index).filter((member) => wanted.has(member));
    const whole = members.length > 0 ? members : [index];
    for (const member of whole) done.add(member);
    groups.push(whole);
  }
  return groups;
}

function writeSample(out: Output, { row, trajectory, form }: One, kind: "samples" | "regression"): void {
  const { completion } = splitAtAnswer(trajectory.branches[0]?.messages ?? []);
  if (completion.length === 0) {
    out.leave(trajectory.branches[0]?.messages.length === 0 ? "no-messages" : "no-answer");
    return;
  }
  const sample = sampleRow(trajectory, form, row.id, row.group);
  if (kind === "regression" && row.label !== null) sample["label"] = row.label;
  out.write(sample, encodeValue([sample["prompt"], sample["completion"]]));
}

/**
 * TRL's conversational form for supervised fine-tuning: `messages` and `tools`. Unless they were chosen by hand, those
 * are demonstrations that finished and have their group's best reward, above 0.
 */
function writeDemonstration(out: Output, one: One, best: number | null): void {
  const { trajectory, row } = one;
  const chosen = best === null;
  const messages = trajectory.branches[0]?.messages ?? [];
  if (splitAtAnswer(messages).completion.length === 0) {
    out.leave(messages.length === 0 ? "no-messages" : "no-answer");
    return;
  }
  const why = chosen ? null : unfit(one);
  if (why) {
    out.leave(why);
    return;
  }
  const reward = row.reward === null ? null : fromTagged(row.reward);
  if (!chosen && (reward === null || reward <= 0 || reward < best - SAME)) {
    out.leave(reward === null ? "no-reward" : "not-best");
    return;
  }
  const { tools } = sampleRow(trajectory, one.form, row.id, row.group);
  const chat = messages.map(chatRow);
  out.write({ messages: chat, ...(tools === undefined ? {} : { tools }) }, encodeValue(chat));
}

/** The highest reward of a row's group, asked once a group. */
function bestByGroup(source: TrajectorySource): (row: TrajectoryRow) => Promise<number> {
  const known = new Map<number, number>();
  return async (row) => {
    const members = source.groupOf(row.index);
    const key = members[0] ?? row.index;
    const had = known.get(key);
    if (had !== undefined) return had;
    const rewards = (await membersOf(source, members)).map(({ reward }) => reward);
    const best = Math.max(...rewards);
    known.set(key, best);
    return best;
  };
}

function unfit({ trajectory, row }: One): LeftOut | null {
  if (row.outcome === "length" || row.outcome === "turns" || row.outcome === "time") return "truncated";
  if (row.outcome === "environment" || row.outcome === "infrastructure" || trajectory.errors.length > 0)
    return "failed";
  return row.reward === null || !Number.isFinite(fromTagged(row.reward)) ? "no-reward" : null;
}

/** One task a prompt: what an environment needs to put it before a policy again. */
function writeTask(out: Output, { row, trajectory, form }: One): void {
  const { prompt } = splitAtAnswer(trajectory.branches[0]?.messages ?? []);
  if (prompt.length === 0) {
    out.leave("no-messages");
    return;
  }
  const sample = sampleRow(trajectory, form, row.id, row.group);
  const {
    completion: _completion,
    reward_in_file: _reward,
    outcome: _outcome,
    id: _id,
    group,
    ...task
  } = sample;
  out.write(
    { id: group, ...task, ...(trajectory.snapshots[0] ? { state: trajectory.snapshots[0].state } : {}) },
    encodeValue([task["prompt"], task["reference"]]),
  );
}

async function membersOf(
  source: TrajectorySource,
  group: readonly number[],
): Promise<{ row: TrajectoryRow; reward: number }[]> {
  const rows = await source.rows(group);
  return rows.flatMap((row) => {
    const reward = row.reward === null ? Number.NaN : fromTagged(row.reward);
    return Number.isFinite(reward) ? [{ row, reward }] : [];
  });
}

/** TRL's conversational form of preferences: the best and the worst of a group, with what both share as the prompt. */
async function writePair(
  out: Output,
  source: TrajectorySource,
  group: readonly number[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const members = await membersOf(source, group);
  out.leave("no-reward", group.length - members.length);
  const sorted = members.sort((a, b) => b.reward - a.reward);
  const [best, worst] = [sorted.at(0), sorted.at(-1)];
  if (!best || !worst || best.reward - worst.reward <= SAME) {
    out.leave("tied", members.length);
    return;
  }
  const [chosen, rejected] = await Promise.all(
    [best, worst].map(async ({ row }) => (await source.get(row.index, signal)).branches[0]?.messages ?? []),
  );
  if (!chosen || !rejected) return;
  const turns = [chosen, rejected].map((messages) =>
    messages.map((message) => ({ look: lookOf(message), kind: "", role: message.role })),
  );
  const shared = sharedPrefix(turns);
  if (chosen.length === shared || rejected.length === shared) {
    out.leave("no-answer", 2);
    return;
  }
  out.write(
    {
      prompt: chosen.slice(0, shared).map(chatRow),
      chosen: chosen.slice(shared).map(chatRow),
      rejected: rejected.slice(shared).map(chatRow),
      score_chosen: best.reward,
      score_rejected: worst.reward,
    },
    encodeValue(turns),
  );
}

/** Prompts whose group has a difference: the others teach a group-relative trainer nothing. */
async function writePrompt(
  out: Output,
  source: TrajectorySource,
  group: readonly number[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const members = await membersOf(source, group);
  const rewards = members.map(({ reward }) => reward);
  const [low, high] = [Math.min(...rewards), Math.max(...rewards)];
  const [first] = members;
  if (!first || members.length < 2) {
    out.leave("unknown-difficulty", group.length);
    return;
  }
  if (high - low <= SAME) {
    out.leave(high > 0 ? "too-easy" : "too-hard", group.length);
    return;
  }
  const trajectory = await source.get(first.row.index, signal);
  const { form } = source.place(first.row.index);
  const sample = sampleRow(trajectory, form, first.row.id, first.row.group);
  const {
    completion: _completion,
    reward_in_file: _reward,
    outcome: _outcome,
    id: _id,
    group: id,
    ...prompt
  } = sample;
  out.write(
    { id, ...prompt, mean_reward: rewards.reduce((a, b) => a + b, 0) / rewards.length, n: rewards.length },
    encodeValue([prompt["prompt"], prompt["reference"]]),
  );
}

const TEN = 10;

/**
 * Train, validation and test, 80 : 10 : 10 by a hash of the prompt. Prompts that are near duplicates of one another go
 * the same way, and so do all trajectories of a prompt, so that nothing tested was trained on.
 */
async function writeSplits(
  out: Output,
  source: TrajectorySource,
  indexes: readonly number[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const all: { row: JsonRow; prompt: string }[] = [];
  for await (const { row, trajectory, form } of read(source, indexes, signal)) {
    const { prompt, completion } = splitAtAnswer(trajectory.branches[0]?.messages ?? []);
    if (completion.length === 0) out.leave(prompt.length === 0 ? "no-messages" : "no-answer");
    else all.push({ row: sampleRow(trajectory, form, row.id, row.group), prompt: textOfMessages(prompt) });
  }
  const prompts = [...new Set(all.map(({ prompt }) => prompt))];
  const shingles = prompts.map((prompt) => shinglesOf(prompt));
  const clusters = clustersOf(shingles);
  const partOf = new Map(
    prompts.map((prompt, at): [string, string] => {
      const first = shingles[clusters[at] ?? at]?.text ?? "";
      // Mixed: the last bit of FNV alone is only the parity of the text.
      const tenth = mixed(hash(first, 0)) % TEN;
      return [prompt, tenth === 0 ? "test" : tenth === 1 ? "validation" : "train"];
    }),
  );
  for (const { row, prompt } of all)
    out.write(row, encodeValue([row["prompt"], row["completion"]]), partOf.get(prompt) ?? "train");
}
