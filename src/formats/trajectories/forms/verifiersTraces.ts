import type { Message, Trajectory, TrajectoryError } from "../../../schema/trajectory";
import { fromTagged } from "../../../schema/number";
import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  nameOf,
  others,
  taggedOf,
  textOr,
  trajectory,
} from "../build";
import { toolsOf } from "../chat";
import type { RecordContext, TrajectoryForm } from "../form";
import { graphBranches } from "./verifiersGraph";
import { verifiersOutcome } from "./verifiersOutcome";

/**
 * `traces.jsonl` of verifiers' second generation and of prime-rl: one episode a line with one or more traces, each a
 * graph of messages (verifiers 0.4.0 `Episode`, `Trace`; prime-rl 0.8.0, commit 559b447, `monitors/file.py`). Older
 * files have a bare trace a line. Each trace is a trajectory.
 */
export const verifiersTraces: TrajectoryForm = {
  id: "verifiers-traces",
  title: "verifiers traces",
  framework: "verifiers",
  containers: ["lines"],
  grouping: "prompt",
  credit: null,
  recognise: ({ records }) =>
    records.some((record) => isFields(record) && (isEpisode(record) || isTrace(record))),
  read(record, context) {
    if (!isFields(record)) return [];
    if (!isEpisode(record)) return [readTrace(record, record, context)];
    const traces = listOf(record["traces"]).filter(isFields);
    return traces.length > 0
      ? traces.map((trace) => readTrace(trace, record, context))
      : [withoutTraces(record, context)];
  },
};

function isEpisode(record: Fields): boolean {
  return Array.isArray(record["traces"]) && isFields(record["task"]);
}

function isTrace(record: Fields): boolean {
  return Array.isArray(record["nodes"]) && isFields(record["rewards"]);
}

const KNOWN = new Set([
  "id",
  "version",
  "task",
  "agent",
  "tools",
  "nodes",
  "calls",
  "rewards",
  "metrics",
  "is_completed",
  "ok",
  "is_timeout",
  "stop_condition",
  "errors",
]);
const KNOWN_OF_EPISODE = new Set([...KNOWN, "traces", "env", "run", "group"]);
const NO_COLUMNS = new Set(["num_input_tokens", "num_output_tokens", "num_total_tokens"]);

function readTrace(trace: Fields, episode: Fields, context: RecordContext): Trajectory {
  const agent = fieldsOf(trace["agent"]);
  const config = fieldsOf(agent["config"]);
  const errors = [...errorsOf(trace["errors"]), ...(trace === episode ? [] : errorsOf(episode["errors"]))];
  const calls = listOf(trace["calls"]).map(fieldsOf);
  const last = calls.findLast((call) => !isFields(call["error"]));
  const { branches, lost } = graphBranches(trace, context.problem);
  const timing = fieldsOf(trace["timing"]);
  return trajectory({
    ...ofEpisode(episode, trace, context),
    id: nameOf(trace["id"]),
    branches,
    tools: toolsOf(trace["tools"]),
    ...scores(trace),
    metrics: entriesOf(Object.entries(fieldsOf(trace["metrics"]))),
    advantage: commonAdvantage(branches.flatMap((branch) => branch.messages)),
    outcome: verifiersOutcome({
      stop: textOr(trace["stop_condition"]),
      completed: typeof trace["is_completed"] === "boolean" ? trace["is_completed"] : null,
      truncated: last?.["finish_reason"] === "length",
      timeout: trace["is_timeout"] === true,
      errors,
    }),
    errors: [...errors, ...lost.filter((error) => !errors.some(({ message }) => message === error.message))],
    excluded: agent["trainable"] === false ? "trainable: false" : null,
    model: nameOf(config["model"]) ?? nameOf(calls[0]?.["model"]),
    usage: usageOf(trace, calls),
    ms: milliseconds(timing),
    columns: columnsOf(trace, episode),
  });
}

/** An episode that failed before any agent ran: its error must not vanish with it. */
function withoutTraces(episode: Fields, context: RecordContext): Trajectory {
  const errors = errorsOf(episode["errors"]);
  context.problem("The episode has no traces.");
  return trajectory({
    ...ofEpisode(episode, episode, context),
    id: nameOf(episode["id"]),
    messages: [],
    outcome: verifiersOutcome({ stop: null, completed: null, truncated: false, timeout: false, errors }),
    errors,
    columns: columnsOf(episode, episode),
  });
}

/** What an episode says of all its traces; its folders where it says nothing (`rollouts/step_3/train/all`). */
function ofEpisode(episode: Fields, trace: Fields, { folders }: RecordContext): Partial<Trajectory> {
  const run = fieldsOf(episode["run"]);
  const work = fieldsOf(run["work"]);
  const policy = fieldsOf(work["policy"]);
  const [from, to] = [finiteOf(policy["start"]), finiteOf(policy["end"])];
  const env = fieldsOf(episode["env"]);
  const task = fieldsOf(trace["task"] ?? episode["task"]);
  const data = fieldsOf(task["data"]);
  const inFolder = folders.map((name) => /^step_(\d+)$/.exec(name)?.[1]).find((step) => step !== undefined);
  return {
    group:
      nameOf(fieldsOf(episode["group"])["id"]) ??
      nameOf(data["idx"]) ??
      nameOf(task["key"]) ??
      nameOf(task["hash"]),
    step: finiteOf(work["step"]) ?? (inFolder === undefined ? null : Number(inFolder)),
    split:
      nameOf(work["type"]) ??
      nameOf(run["type"]) ??
      folders.findLast((name) => name === "train" || name === "eval") ??
      null,
    task: nameOf(env["name"]) ?? nameOf(env["id"]) ?? nameOf(task["type"]),
    policy: from === null || to === null ? null : { from, to },
    reference: data["answer"] ?? null,
  };
}

/**
 * Components as scored, their weights, and the total that the framework takes: the sum of score x weight over those
 * that were scored. It calls that 0 where none was; here there is no reward then.
 */
function scores(trace: Fields): Pick<Trajectory, "reward" | "rewards" | "weights"> {
  const rewards: [string, Trajectory["reward"]][] = [];
  const weights: [string, number][] = [];
  let total: number | null = null;
  for (const [name, entry] of Object.entries(fieldsOf(trace["rewards"]))) {
    const score = taggedOf(isFields(entry) ? entry["score"] : entry);
    const weight = isFields(entry) ? (finiteOf(entry["weight"]) ?? 1) : 1;
    rewards.push([name, score]);
    if (entry === null || score === null) continue;
    weights.push([name, weight]);
    total = (total ?? 0) + fromTagged(score) * weight;
  }
  return { reward: taggedOf(total), rewards: entriesOf(rewards), weights: entriesOf(weights) };
}

/** The one advantage of a trajectory where every trained token has the same, as GRPO gives it. */
function commonAdvantage(messages: readonly Message[]): Trajectory["advantage"] {
  const found = new Set(
    messages.flatMap(({ tokens }) => tokens?.advantages?.filter((one) => one !== null) ?? []),
  );
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : null;
}

function usageOf(trace: Fields, calls: readonly Fields[]): Trajectory["usage"] {
  const sum = (key: string): number | null => {
    const counts = calls.map((call) => finiteOf(fieldsOf(call["usage"])[key])).filter((n) => n !== null);
    return counts.length === 0 ? null : counts.reduce((a, b) => a + b, 0);
  };
  const input = finiteOf(trace["num_input_tokens"]) ?? sum("prompt_tokens");
  const output = finiteOf(trace["num_output_tokens"]) ?? sum("completion_tokens");
  return input === null && output === null ? null : { input, output };
}

/** From the start to the end of the last phase. Times are in seconds. */
function milliseconds(timing: Fields): number | null {
  const start = finiteOf(timing["start"]);
  const ends = Object.values(timing).map((phase) => finiteOf(fieldsOf(phase)["end"]) ?? 0);
  const end = Math.max(0, ...ends);
  return start === null || end === 0 ? null : Math.max(0, (end - start) * 1000);
}

function errorsOf(value: unknown): TrajectoryError[] {
  return listOf(value)
    .filter(isFields)
    .map((error) => ({
      kind: nameOf(error["type"]),
      message: textOr(error["message"]) ?? "",
      traceback: textOr(error["traceback"]),
    }));
}

/** The task's own fields, which a reward reads as `self.data`, then what else the records say; nothing empty. */
function columnsOf(trace: Fields, episode: Fields): Record<string, unknown> {
  const task = fieldsOf(trace["task"] ?? episode["task"]);
  const agent = fieldsOf(trace["agent"]);
  const ofEpisode =
    trace === episode ? {} : { episode: nameOf(episode["id"]), ...others(episode, KNOWN_OF_EPISODE) };
  const all: Fields = {
    ...ofEpisode,
    env: episode["env"],
    run: episode["run"],
    agent: agent["name"],
    agent_config: agent["config"],
    task_type: task["type"],
    task_key: task["key"],
    ...others(trace, trace === episode ? KNOWN_OF_EPISODE : KNOWN),
    ...fieldsOf(task["data"]),
  };
  return entriesOf(Object.entries(all).filter(([key, value]) => !NO_COLUMNS.has(key) && !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isFields(value) && Object.keys(value).length === 0;
}
