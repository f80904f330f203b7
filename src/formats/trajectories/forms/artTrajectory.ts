import type { Message, Trajectory, TrajectoryError } from "../../../schema/trajectory";
import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  nameOf,
  taggedFields,
  taggedOf,
  textOr,
  trajectory,
} from "../build";
import { chatMessage, toolsOf } from "../chat";
import { exchangeConversation } from "../exchanges";
import type { RecordContext } from "../form";
import { parsedOr } from "../jsonValue";
import { keyOf, Ways } from "../ways";

/** What a group says of all its trajectories. */
export interface ArtGroup {
  readonly id: string | null;
  readonly exceptions: readonly TrajectoryError[];
  readonly metadata: unknown;
  readonly metrics: unknown;
  readonly logs: unknown;
}

export const NO_GROUP: ArtGroup = { id: null, exceptions: [], metadata: null, metrics: null, logs: null };

/** Components that RULER writes among the metrics: the judge's score, and the reward that it replaced. */
const RULER = ["independent_reward", "ruler_score"];

/**
 * One `art.Trajectory` as its dumps have it (ART 0.5.23): legacy `messages_and_choices`, recorded `exchanges`, or the
 * `messages` of `for_logging()`. Fields that hold their defaults aren't written: without `reward` it is 0.0.
 */
export function artTrajectory(record: Fields, group: ArtGroup, context: RecordContext): Trajectory {
  const conversation = conversationOf(record);
  if (conversation.branches.every(({ messages }) => messages.length === 0))
    context.problem(
      "The trajectory has no conversation: model calls whose answers ART can't validate are dropped when they are recorded.",
    );
  const metrics = fieldsOf(parsedOr(record["metrics"]));
  const metadata = fieldsOf(parsedOr(record["metadata"]));
  const seconds = finiteOf(metrics["duration"]);
  const [from, to] = [finiteOf(record["initial_policy_version"]), finiteOf(record["final_policy_version"])];
  const { step, split } = placeOf(context);
  return trajectory({
    group: group.id,
    step,
    split: split ?? nameOf(metadata["split"]),
    ...conversation,
    reward: record["reward"] === undefined ? 0 : taggedOf(record["reward"]),
    rewards: taggedFields(entriesOf(Object.entries(metrics).filter(([name]) => RULER.includes(name)))),
    metrics: entriesOf(Object.entries(metrics)),
    outcome: outcomeOf(conversation.branches),
    policy: from === null || to === null ? null : { from, to },
    ms: seconds === null ? null : seconds * 1000,
    columns: present({
      ...metadata,
      logs: record["logs"],
      ...groupColumns(group),
    }),
  });
}

/** Rollouts of a group that raised, none of which left a trajectory: the group must not vanish. */
export function failedGroup(group: ArtGroup, context: RecordContext): Trajectory {
  return trajectory({
    group: group.id,
    ...placeOf(context),
    messages: [],
    outcome: { kind: "environment", inFile: group.exceptions[0]?.kind ?? null },
    errors: [...group.exceptions],
    columns: present(groupColumns(group)),
  });
}

/** Failed rollouts of a group that has others: they hold no conversation, and are said where the group begins. */
export function sayExceptions(group: ArtGroup, { problem }: RecordContext): void {
  for (const { kind, message } of group.exceptions)
    problem(
      `A rollout of this group raised ${kind ?? "an error"} and has no trajectory: ${message}`.slice(0, 900),
    );
}

export function groupOf(record: Fields, id: string | null): ArtGroup {
  return {
    id,
    exceptions: listOf(record["exceptions"]).filter(isFields).map(exceptionOf),
    metadata: record["metadata"],
    metrics: record["metrics"],
    logs: record["logs"],
  };
}

/** `train/0003` and the group's number: groups of other files have the same numbers. */
export function groupName(context: RecordContext, index: unknown): string {
  const { step, split } = placeOf(context);
  const file = step === null ? context.name : `${split ?? ""} ${step}`.trim();
  return `${file} · ${nameOf(index) ?? "0"}`;
}

function groupColumns({ metadata, metrics, logs, exceptions }: ArtGroup): Fields {
  return {
    group_metadata: metadata,
    group_metrics: metrics,
    group_logs: logs,
    group_exceptions: exceptions,
  };
}

/** `<class 'TimeoutError'>` as Python writes a type. */
function exceptionOf(value: Fields): TrajectoryError {
  const kind = nameOf(value["type"]);
  return {
    kind: kind === null ? null : (/^<class '(.+)'>$/.exec(kind)?.[1] ?? kind),
    message: textOr(value["message"]) ?? "",
    traceback: textOr(value["traceback"]),
  };
}

/** `{model}/trajectories/{split}/{step:04d}.{ext}`. */
function placeOf({ name, folders }: RecordContext): Pick<Trajectory, "step" | "split"> {
  const step = /^(\d+)\.\w+$/.exec(name)?.[1];
  const within = folders.at(-2) === "trajectories" ? folders.at(-1) : undefined;
  return { step: step === undefined || within === undefined ? null : Number(step), split: within ?? null };
}

function conversationOf(record: Fields): Pick<Trajectory, "branches" | "tools"> & Partial<Trajectory> {
  const own = parsedOr(record["tools"]);
  const legacy = parsedOr(record["messages_and_choices"] ?? record["messages"]);
  const histories = listOf(parsedOr(record["additional_histories"])).filter(isFields);
  const recorded =
    listOf(legacy).length === 0 && histories.length === 0
      ? exchangeConversation(parsedOr(record["exchanges"]))
      : null;
  if (recorded) return { ...recorded, tools: recorded.tools.length > 0 ? recorded.tools : toolsOf(own) };
  const ways = new Ways();
  const add = (messages: unknown, name: string | null): void => {
    const steps = listOf(messages)
      .map(entryOf)
      .map((one) => ({ key: keyOf(one), make: () => one }));
    ways.add(steps, { id: name === null ? "main" : `${name} ${ways.branches.length}`, name });
  };
  add(legacy, null);
  for (const history of histories)
    add(history["messages_and_choices"] ?? history["messages"], "additional history");
  const tools = toolsOf(own);
  return {
    branches:
      ways.branches.length > 0 ? ways.branches : [{ id: "main", name: null, from: null, messages: [] }],
    tools: tools.length > 0 ? tools : histories.flatMap((history) => toolsOf(history["tools"])),
  };
}

/** A message, a choice (which marks a turn that is trained), or a row's struct whose `tool_calls` is JSON text. */
function entryOf(value: unknown): Message {
  if (!isFields(value)) return chatMessage(value);
  const made = chatMessage({
    ...value,
    ...(value["tool_calls"] ? { tool_calls: parsedOr(value["tool_calls"]) } : {}),
  });
  const { trainable, ...extra } = made.extra;
  return { ...made, extra, sampled: typeof trainable === "boolean" ? trainable : (made.sampled ?? false) };
}

function present(fields: Fields): Record<string, unknown> {
  return entriesOf(
    Object.entries(fields)
      .map(([key, value]): [string, unknown] => [key, parsedColumn(key, value)])
      .filter(([, value]) => {
        if (value === null || value === undefined) return false;
        if (Array.isArray(value)) return value.length > 0;
        return !isFields(value) || Object.keys(value).length > 0;
      }),
  );
}

/** A group's metadata and metrics stand as JSON text in rows. */
function parsedColumn(key: string, value: unknown): unknown {
  return key === "group_metadata" || key === "group_metrics" ? parsedOr(value) : value;
}

/** ART keeps no outcome; the last answer's `finish_reason` tells whether the length limit cut it off. */
function outcomeOf(branches: Trajectory["branches"]): Trajectory["outcome"] {
  const last = branches[0]?.messages.findLast(({ finish }) => finish !== null)?.finish ?? null;
  return last === "length" || last === "max_tokens"
    ? { kind: "length", inFile: last }
    : { kind: "finished", inFile: null };
}
