import type { Trajectory } from "../../../schema/trajectory";
import type { Fields } from "../build";
import { entriesOf, fieldsOf, isFields, listOf, textOr } from "../build";
import type { PlacedRecord, RecordContext, TrajectoryForm } from "../form";
import { parsedOr } from "../jsonValue";
import { artTrajectory, failedGroup, groupName, groupOf, NO_GROUP, sayExceptions } from "./artTrajectory";

const NAMED = { framework: "art", credit: null } as const;

/** Groups of ART as JSON Lines (one a line) or as one list (YAML, JSON): `{trajectories: [...], metadata}`. */
export const artGroups: TrajectoryForm = {
  ...NAMED,
  id: "art-groups",
  title: "ART trajectory groups",
  containers: ["lines", "document"],
  grouping: "given",
  recognise: ({ records }) =>
    records.some((record) => [record, ...listOf(record)].some((one) => isFields(one) && isGroup(one))),
  split: ([only]) => ({
    shared: null,
    records: listed(only?.value).map((value, at) => ({ value, line: at + 1 })),
  }),
  read: (record, context) =>
    isFields(record) && Array.isArray(record["trajectories"])
      ? readGroup(record, context.index, context)
      : [],
};

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isGroup(record: Fields): boolean {
  const trajectories = record["trajectories"];
  if (!Array.isArray(trajectories)) return false;
  if (trajectories.length === 0) return Array.isArray(record["exceptions"]);
  return trajectories.some((one) => isFields(one) && (isTrajectory(one) || isShort(one)));
}

/** Groups that people write by hand have `messages` in place of ART's own word. */
function isShort(record: Fields): boolean {
  return "reward" in record && Array.isArray(record["messages"]);
}

function isTrajectory(record: Fields): boolean {
  return "messages_and_choices" in record || isExchanges(record["exchanges"]);
}

function isExchanges(value: unknown): boolean {
  return (
    isFields(value) &&
    ["chat_completions", "completions", "responses", "messages"].some((key) => Array.isArray(value[key]))
  );
}

function readGroup(record: Fields, index: number, context: RecordContext): readonly Trajectory[] {
  const group = groupOf(record, groupName(context, index));
  const trajectories = listOf(record["trajectories"]).filter(isFields);
  if (trajectories.length === 0) return [failedGroup(group, context)];
  sayExceptions(group, context);
  return trajectories.map((one) => artTrajectory(one, group, context));
}

/** Single trajectories, one a line: `Trajectory.for_logging()`, or a dump of one. */
export const artTrajectories: TrajectoryForm = {
  ...NAMED,
  id: "art-trajectories",
  title: "ART trajectories",
  containers: ["lines"],
  grouping: "prompt",
  recognise: ({ records }) =>
    records.some((record) => isFields(record) && (isTrajectory(record) || isLogged(record))),
  read: (record, context) => (isFields(record) ? [artTrajectory(record, NO_GROUP, context)] : []),
};

function isLogged(record: Fields): boolean {
  return (
    "reward" in record &&
    "metrics" in record &&
    listOf(record["messages"]).some((one) => isFields(one) && typeof one["trainable"] === "boolean")
  );
}

/**
 * `trajectories/{split}/{step}.parquet`. Version 2 holds the whole records as JSON text beside columns that are only a
 * convenience; version 1 only the columns. A group whose rollouts all failed is one row without a trajectory.
 */
export const artParquet: TrajectoryForm = {
  ...NAMED,
  id: "art-parquet",
  title: "ART trajectories (Parquet)",
  containers: ["parquet"],
  grouping: "given",
  recognise: ({ names, metadata }) =>
    "art.trajectory_parquet.version" in metadata ||
    ["group_index", "reward", "messages"].every((name) => names.includes(name)),
  read(row, context) {
    if (!isFields(row)) return [];
    const id = groupName(context, row["group_index"]);
    const whole = parsedOr(row["group_json"]);
    const group = isFields(whole)
      ? groupOf(whole, id)
      : {
          ...NO_GROUP,
          id,
          metadata: row["group_metadata"],
          metrics: row["group_metrics"],
          logs: row["group_logs"],
        };
    if (!("trajectory_json" in row)) return [artTrajectory(row, group, context)];
    const record = parsedOr(row["trajectory_json"]);
    if (record === null || record === undefined) return [failedGroup(group, context)];
    if (Number(row["trajectory_index"]) === 0) sayExceptions(group, context);
    if (isFields(record)) return [artTrajectory(record, group, context)];
    context.problem("The row's trajectory_json is no JSON object; its columns are read instead.");
    return [artTrajectory(row, group, context)];
  },
};

/**
 * `compact_dump()` (ART 0.5.23): an envelope whose repeated strings, keys included, are references into a table. One
 * level: what a reference stands for is text, also where it looks like another one.
 */
export const artCompact: TrajectoryForm = {
  ...NAMED,
  id: "art-compact",
  title: "ART compact dump",
  containers: ["document"],
  grouping: "given",
  recognise: ({ records }) => records.some((one) => isFields(one) && one["format"] === "art.trajectories"),
  split: ([only]) => ({ shared: null, records: expanded(fieldsOf(only?.value)) }),
  read(record, context) {
    if (!isFields(record)) return [];
    if (Array.isArray(record["trajectories"]) || Array.isArray(record["exceptions"]))
      return readGroup(record, context.index, context);
    return [artTrajectory(record, NO_GROUP, context)];
  },
};

function expanded(envelope: Fields): PlacedRecord[] {
  const strings = fieldsOf(envelope["strings"]);
  return listed(expand(envelope["data"], strings)).map((value, at) => ({ value, line: at + 1 }));
}

function expand(value: unknown, strings: Fields): unknown {
  if (typeof value === "string") return meant(value, strings);
  if (Array.isArray(value)) return value.map((item) => expand(item, strings));
  if (!isFields(value)) return value;
  return entriesOf(Object.entries(value).map(([key, item]) => [meant(key, strings), expand(item, strings)]));
}

function meant(text: string, strings: Fields): string {
  return text.startsWith("$") && Object.hasOwn(strings, text) ? (textOr(strings[text]) ?? text) : text;
}
