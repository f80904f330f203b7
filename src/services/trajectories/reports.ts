import { NEAR, nearPairs, shinglesOf } from "../../core/trajectories/nearDuplicates";
import { splitAtAnswer, textOfMessages } from "../../core/trajectories/rows";
import { fromTagged } from "../../schema/number";
import type { Message, Trajectory } from "../../schema/trajectory";
import { markdownTable, shortNumber } from "../tableText";
import type { TrajectorySource } from "./source";

export interface ReportAsk {
  readonly kind: "leakage" | "difficulty";
  readonly filter: string;
  /** The set that must not overlap; null: only within the source. */
  readonly against: TrajectorySource | null;
}

/** Rows that a report shows of one kind; the rest is counted. */
const SHOWN = 50;
const MOST_READ = 20_000;
/** Shorter references stand in any text by chance. */
const SHORTEST_REFERENCE = 4;
const SAME = 1e-9;

/** A report as Markdown, in English: it is a file of the user's then. Every number says its n. */
export function reportTrajectories(
  source: TrajectorySource,
  ask: ReportAsk,
  signal?: AbortSignal,
): Promise<string> {
  return ask.kind === "leakage" ? leakage(source, ask, signal) : difficulty(source, ask, signal);
}

interface Prompt {
  /** First trajectory with this prompt. */
  readonly index: number;
  readonly text: string;
  readonly split: string | null;
}

async function leakage(
  source: TrajectorySource,
  { filter, against }: ReportAsk,
  signal: AbortSignal | undefined,
): Promise<string> {
  const inPrompt: string[][] = [];
  const inTools: string[][] = [];
  const prompts = new Map<string, Prompt>();
  let withReference = 0;
  const { indexes } = await source.matching(filter);
  const looked = indexes.subarray(0, MOST_READ);
  for (const index of looked) {
    const trajectory = await source.get(index, signal);
    const { prompt } = splitAtAnswer(trajectory.branches[0]?.messages ?? []);
    const text = textOfMessages(prompt);
    const key = JSON.stringify([trajectory.split, text]);
    if (!prompts.has(key)) prompts.set(key, { index, text, split: trajectory.split });
    const reference = referenceText(trajectory);
    if (reference === null) continue;
    withReference++;
    if (holds(text, reference)) inPrompt.push([String(index + 1), reference.slice(0, 80)]);
    const tool = toolWith(trajectory, reference);
    if (tool) inTools.push([String(index + 1), tool.name ?? "tool", reference.slice(0, 80)]);
  }
  const own = [...prompts.values()];
  const other = against === null ? [] : await promptsOf(against, signal);
  const overlaps = against === null ? betweenSplits(own) : between(own, other);
  const cut =
    looked.length < indexes.length ? ` The first ${looked.length} of ${indexes.length} were read.` : "";
  return [
    "# Leakage",
    `${looked.length} trajectories, ${own.length} prompts, ${withReference} with a reference of ${SHORTEST_REFERENCE} characters or more.${cut}`,
    section(
      against === null
        ? "Prompts that stand in two splits"
        : `Prompts that overlap with ${against.info().name} (${other.length} prompts)`,
      overlaps,
      ["trajectory", "other", "similarity"],
      `Near duplicates: Jaccard similarity of five-word shingles of at least ${NEAR}, case and punctuation aside.`,
    ),
    section(
      "Reference in the prompt",
      inPrompt,
      ["trajectory", "reference"],
      "The reference stands word for word in what the model was given before its first answer.",
    ),
    section(
      "Reference in a tool's result",
      inTools,
      ["trajectory", "tool", "reference"],
      "It may be right that a tool gives the answer. Look at whether the tool should know it.",
    ),
  ].join("\n\n");
}

async function promptsOf(source: TrajectorySource, signal: AbortSignal | undefined): Promise<Prompt[]> {
  await source.whenComplete();
  const prompts = new Map<string, Prompt>();
  const { indexes } = await source.matching("");
  for (const index of indexes.subarray(0, MOST_READ)) {
    const trajectory = await source.get(index, signal);
    const { prompt } = splitAtAnswer(trajectory.branches[0]?.messages ?? []);
    const text = textOfMessages(prompt);
    if (!prompts.has(text)) prompts.set(text, { index, text, split: trajectory.split });
  }
  return [...prompts.values()];
}

function betweenSplits(prompts: readonly Prompt[]): string[][] {
  return nearPairs(prompts.map(({ text }) => shinglesOf(text))).flatMap(({ a, b, similarity }) => {
    const [one, other] = [prompts[a], prompts[b]];
    if (!one || !other || one.split === other.split) return [];
    return [
      [
        `${one.index + 1} (${one.split ?? "no split"})`,
        `${other.index + 1} (${other.split ?? "no split"})`,
        shortNumber(similarity),
      ],
    ];
  });
}

function between(own: readonly Prompt[], other: readonly Prompt[]): string[][] {
  const shingles = [...own, ...other].map(({ text }) => shinglesOf(text));
  return nearPairs(shingles).flatMap(({ a, b, similarity }) => {
    const [one, two] = [own[a], other[b - own.length]];
    return one && two ? [[String(one.index + 1), String(two.index + 1), shortNumber(similarity)]] : [];
  });
}

function referenceText({ reference }: Trajectory): string | null {
  const text = typeof reference === "number" ? String(reference) : reference;
  return typeof text === "string" && text.trim().length >= SHORTEST_REFERENCE ? text.trim() : null;
}

/** As words of its own: 1234 doesn't stand in 51234. */
function holds(text: string, reference: string): boolean {
  for (let at = text.indexOf(reference); at >= 0; at = text.indexOf(reference, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + reference.length] ?? " ";
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

function toolWith({ branches }: Trajectory, reference: string): Message | null {
  const messages = branches.flatMap((branch) => branch.messages);
  return (
    messages.find((message) => message.role === "tool" && holds(textOfMessages([message]), reference)) ?? null
  );
}

interface Pool {
  readonly name: string;
  readonly fits: (rate: number) => boolean;
}
const POOLS: readonly Pool[] = [
  { name: "never solved", fits: (rate) => rate <= SAME },
  { name: "hard, below 25 %", fits: (rate) => rate < 0.25 },
  { name: "middle, 25 to 75 %", fits: (rate) => rate <= 0.75 },
  { name: "easy, above 75 %", fits: (rate) => rate < 1 - SAME },
  { name: "always solved", fits: () => true },
];

/**
 * Pools by how often each prompt is solved. Where rewards have two values the higher one is a pass; else the rate is the
 * mean reward on the range seen in the source, which the report says.
 */
async function difficulty(
  source: TrajectorySource,
  { filter }: ReportAsk,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { indexes } = await source.matching(filter);
  const groups = new Map<number, number[]>();
  const values = new Set<number>();
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let without = 0;
  for (let from = 0; from < indexes.length; from += 500) {
    signal?.throwIfAborted();
    for (const row of await source.rows([...indexes.subarray(from, from + 500)])) {
      const reward = row.reward === null ? Number.NaN : fromTagged(row.reward);
      if (!Number.isFinite(reward)) {
        without++;
        continue;
      }
      if (values.size < 3) values.add(reward);
      low = Math.min(low, reward);
      high = Math.max(high, reward);
      const first = source.groupOf(row.index)[0] ?? row.index;
      const list = groups.get(first);
      if (list) list.push(reward);
      else groups.set(first, [reward]);
    }
  }
  const binary = values.size <= 2;
  const known = [...groups].filter(([, rewards]) => rewards.length > 1);
  const rate = (rewards: readonly number[]): number =>
    high - low <= SAME
      ? high > 0
        ? 1
        : 0
      : rewards.reduce((sum, reward) => sum + (reward - low) / (high - low), 0) / rewards.length;
  const counts = new Map(POOLS.map(({ name }) => [name, 0]));
  for (const [, rewards] of known) {
    const pool = POOLS.find(({ fits }) => fits(rate(rewards)));
    if (pool) counts.set(pool.name, (counts.get(pool.name) ?? 0) + 1);
  }
  const tied = known.filter(([, rewards]) => Math.max(...rewards) - Math.min(...rewards) <= SAME).length;
  const rows = [...counts].map(([name, n]) => [
    name,
    String(n),
    known.length === 0 ? "–" : `${shortNumber((100 * n) / known.length)} %`,
  ]);
  return [
    "# Difficulty",
    binary
      ? `Pass rate a prompt: share of its trajectories with reward ${shortNumber(high)}, the higher of the two values seen.`
      : `Rate a prompt: its mean reward on the range seen here, (mean − ${shortNumber(low)}) / ${shortNumber(high - low)}. Rewards have more than two values, so this isn't a pass rate.`,
    `${indexes.length} trajectories; ${known.length} prompts with two or more rewards, ${groups.size - known.length} with one (left out), ${without} trajectories without a finite reward (left out).`,
    markdownTable(["pool", "prompts", "share"], rows),
    `${tied} of ${known.length} prompts have no difference within their group: a group-relative trainer learns nothing from them. "Export Filtered Prompts" writes the others.`,
  ].join("\n\n");
}

function section(title: string, rows: readonly string[][], head: readonly string[], note: string): string {
  const more = rows.length > SHOWN ? `\n${rows.length - SHOWN} more.` : "";
  const table = rows.length === 0 ? "None found." : markdownTable(head, rows.slice(0, SHOWN)) + more;
  return `## ${title}: ${rows.length}\n\n${note}\n\n${table}`;
}
