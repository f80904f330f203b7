import { fromTagged } from "../../schema/number";
import type { Message, Trajectory, TrajectoryFlag, TrajectorySummary } from "../../schema/trajectory";
import { titleOf } from "./titles";

/** Where a trajectory stands: what names it where the file gives it no id. */
export interface SummaryPlace {
  /** Relative name of its file in the source. */
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  /** Position among the trajectories of its record. */
  readonly nth: number;
}

/** What a list shows of a trajectory. `group` is only the file's own id here; null: the store finds it. */
export type OwnSummary = Omit<TrajectorySummary, "group"> & { readonly group: string | null };

export function summarise(trajectory: Trajectory, place: SummaryPlace): OwnSummary {
  const counted = count(trajectory);
  return {
    id: trajectory.id ?? placeName(place),
    group: trajectory.group,
    step: trajectory.step,
    split: trajectory.split,
    task: trajectory.task,
    line: place.line,
    title: titleOf(trajectory),
    reward: trajectory.reward,
    rewards: trajectory.rewards,
    advantage: trajectory.advantage,
    outcome: trajectory.outcome.kind,
    flags: flagsOf(trajectory, counted),
    turns: counted.turns,
    messages: counted.messages,
    calls: counted.calls,
    toolErrors: counted.toolErrors,
    branches: trajectory.branches.length,
    tokens: tokensOf(trajectory, counted),
    characters: counted.characters,
    ms: trajectory.ms,
    cost: trajectory.cost,
  };
}

/** `7.jsonl:12`, and `7.jsonl:12.2` for the second of a record: stable while the file only grows. */
export function placeName({ name, line, nth }: SummaryPlace): string {
  return nth === 0 ? `${name}:${line}` : `${name}:${line}.${nth + 1}`;
}

interface Counted {
  turns: number;
  messages: number;
  calls: number;
  toolErrors: number;
  characters: number;
  /** Sum over the messages that have token data; null: none has. */
  tokens: number | null;
  errors: boolean;
  truncated: boolean;
  badArguments: boolean;
  intervention: boolean;
}

function count({ branches }: Trajectory): Counted {
  const counted: Counted = {
    turns: 0,
    messages: 0,
    calls: 0,
    toolErrors: 0,
    characters: 0,
    tokens: null,
    errors: false,
    truncated: false,
    badArguments: false,
    intervention: false,
  };
  branches.forEach((branch, at) => {
    for (const message of branch.messages) {
      if (at === 0 && message.role === "assistant") counted.turns++;
      countMessage(message, counted);
    }
  });
  return counted;
}

function countMessage(message: Message, counted: Counted): void {
  counted.messages++;
  counted.calls += message.calls.length;
  if (message.error !== null) {
    if (message.role === "tool") counted.toolErrors++;
    else counted.errors = true;
  }
  if (message.finish === "length" || message.finish === "max_tokens") counted.truncated = true;
  if (message.tokens) counted.tokens = (counted.tokens ?? 0) + message.tokens.count;
  for (const part of message.parts) if (part.type === "text") counted.characters += part.text.length;
  counted.characters += message.reasoning?.length ?? 0;
  for (const call of message.calls) {
    if (call.problem !== null) counted.badArguments = true;
    counted.characters += call.name.length + (call.raw ?? lengthOf(call.arguments)).length;
  }
  if (message.role === "event" && isIntervention(message)) counted.intervention = true;
}

function lengthOf(value: unknown): string {
  const text: unknown = JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? String(item) : item,
  );
  return typeof text === "string" ? text : "";
}

/** A person stepped in: said by the event's own word, or by what the reader noted of it. */
function isIntervention(message: Message): boolean {
  return (
    /interven|approval|human/i.test(`${message.roleInFile ?? ""} ${message.name ?? ""}`) ||
    message.extra["intervention"] === true
  );
}

function flagsOf(trajectory: Trajectory, counted: Counted): TrajectoryFlag[] {
  const flags: TrajectoryFlag[] = [];
  if (trajectory.errors.length > 0 || counted.errors) flags.push("error");
  if (trajectory.outcome.kind === "length" || counted.truncated) flags.push("truncated");
  if (counted.toolErrors > 0) flags.push("tool-error");
  if (counted.badArguments) flags.push("bad-arguments");
  if (trajectory.branches.length > 1) flags.push("branches");
  if (trajectory.reward === null) flags.push("no-reward");
  const numbers = [trajectory.reward, ...Object.values(trajectory.rewards)];
  if (numbers.some((number) => number !== null && !Number.isFinite(fromTagged(number))))
    flags.push("non-finite");
  if (counted.messages === 0) flags.push("no-messages");
  if (trajectory.excluded !== null) flags.push("excluded");
  if (counted.intervention) flags.push("intervention");
  return flags;
}

/** Of its messages; where they have none, what the model's provider counted. */
function tokensOf({ usage }: Trajectory, { tokens }: Counted): number | null {
  if (tokens !== null) return tokens;
  if (!usage || (usage.input === null && usage.output === null)) return null;
  const sum = (usage.input ?? 0) + (usage.output ?? 0);
  return Number.isFinite(sum) && sum >= 0 ? Math.round(sum) : null;
}
