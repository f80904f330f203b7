import { encodeValue } from "../../../core/scoring/encode";
import type { Branch, Message, TokenData, TrajectoryError } from "../../../schema/trajectory";
import type { Fields } from "../build";
import { fieldsOf, finiteOf, isFields, listOf, nameOf, textOr } from "../build";
import { chatMessage, toolsOf } from "../chat";
import { integersOf } from "../tokens";
import { Ways } from "../ways";

export interface Graph {
  readonly branches: Branch[];
  /** Failures of model calls that gave no message. */
  readonly lost: readonly TrajectoryError[];
}

/**
 * The graph of a trace as branches: a way from a root to each leaf, the last leaf's first, as the framework itself
 * shows it. Compaction and sub-agents begin at roots of their own.
 */
export function graphBranches(trace: Fields, problem: (message: string) => void): Graph {
  const nodes = listOf(trace["nodes"]).map(fieldsOf);
  const calls = listOf(trace["calls"]).map(fieldsOf);
  const parents = nodes.map((node, at) => parentOf(node, at, problem));
  const ofNode = new Map(calls.map((call) => [finiteOf(call["node"]), call]));
  const offered = encodeValue(toolsOf(trace["tools"]));
  const inner = new Set(parents);
  const leaves = nodes.map((_, at) => at).filter((at) => !inner.has(at));
  const ways = new Ways();
  for (const leaf of [...leaves.slice(-1), ...leaves.slice(0, -1)]) {
    const path = pathTo(leaf, parents);
    ways.add(
      path.map((at) => ({
        key: String(at),
        make: () => nodeMessage(nodes[at] ?? {}, ofNode.get(at) ?? null, offered, problem),
      })),
      { id: leaves.length === 1 ? "main" : `leaf-${leaf}`, name: beginning(path, nodes) },
    );
  }
  return {
    branches:
      ways.branches.length > 0 ? ways.branches : [{ id: "main", name: null, from: null, messages: [] }],
    lost: calls.filter((call) => isFields(call["error"]) && finiteOf(call["node"]) === null).map(callError),
  };
}

/** Parents stand before their children in the list; anything else is no parent. */
function parentOf(node: Fields, at: number, problem: (message: string) => void): number | null {
  const given = node["parent"];
  if (given === null || given === undefined) return null;
  const parent = finiteOf(given);
  if (parent !== null && Number.isInteger(parent) && parent >= 0 && parent < at) return parent;
  problem(
    `Message ${at} names a parent that doesn't stand before it; it is shown as a beginning of its own.`,
  );
  return null;
}

function pathTo(leaf: number, parents: readonly (number | null)[]): number[] {
  const path: number[] = [];
  for (let at: number | null = leaf; at !== null; at = parents[at] ?? null) path.push(at);
  return path.reverse();
}

/** Why a way began (`compaction`, `subagent`), where its messages have links that say so. */
function beginning(path: readonly number[], nodes: readonly Fields[]): string | null {
  for (const at of path)
    for (const link of listOf(nodes[at]?.["semantic_parents"])) {
      const word = textOr(fieldsOf(link)["type"]);
      if (word !== null) return word;
    }
  return null;
}

function nodeMessage(
  node: Fields,
  call: Fields | null,
  offered: string,
  problem: (message: string) => void,
): Message {
  const made = chatMessage(node["message"]);
  const time = fieldsOf(call?.["time"]);
  const [start, end] = [finiteOf(time["start"]), finiteOf(time["end"])];
  const at = finiteOf(node["timestamp"]);
  return {
    ...made,
    sampled: typeof node["sampled"] === "boolean" ? node["sampled"] : null,
    tokens: tokensOf(node, problem),
    at: at === null ? null : at * 1000,
    ms: start === null || end === null || end === 0 ? null : Math.max(0, (end - start) * 1000),
    model: nameOf(call?.["model"]),
    finish: textOr(call?.["finish_reason"]) ?? made.finish,
    error: call && isFields(call["error"]) ? callError(call).message : made.error,
    extra: { ...made.extra, ...extraOf(node, call, offered) },
  };
}

function callError(call: Fields): TrajectoryError {
  const error = fieldsOf(call["error"]);
  return {
    kind: nameOf(error["type"]),
    message: textOr(error["message"]) ?? "",
    traceback: textOr(error["traceback"]),
  };
}

function extraOf(node: Fields, call: Fields | null, offered: string): Record<string, unknown> {
  const extra: Record<string, unknown> = {};
  for (const key of [
    "semantic_parents",
    "reference_logprobs",
    "trainer_logprobs",
    "entropies",
    "loss_weights",
  ])
    if (filled(node[key])) extra[key] = node[key];
  // A way of its own may be offered other tools than the trace's last turn.
  const tools = node["tools"];
  if (filled(tools) && encodeValue(toolsOf(tools)) !== offered) extra["tools"] = tools;
  for (const key of ["sampling", "usage", "policy"]) if (filled(call?.[key])) extra[key] = call?.[key];
  return extra;
}

function filled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isFields(value) && Object.keys(value).length > 0;
}

/** Token data of a node. Log probabilities and advantages are written for the sampled tokens only (`mask`). */
function tokensOf(node: Fields, problem: (message: string) => void): TokenData | null {
  const ids = integersOf(node["token_ids"]);
  if (ids === null || ids.length === 0) return null;
  const given = listOf(node["mask"]);
  const mask = given.length === ids.length ? given.map((value) => value === true || value === 1) : null;
  const spread = (value: unknown, name: string): (number | null)[] | null => {
    if (!Array.isArray(value) || value.length === 0) return null;
    const numbers = value.map((item) => finiteOf(item));
    if (numbers.length === ids.length) return numbers;
    if (mask && numbers.length === mask.filter(Boolean).length) {
      let next = 0;
      return mask.map((sampled) => (sampled ? (numbers[next++] ?? null) : null));
    }
    problem(`A message has ${numbers.length} ${name} for ${ids.length} tokens; they are left out.`);
    return null;
  };
  return {
    count: ids.length,
    ids,
    mask,
    logprobs: spread(node["logprobs"], "log probabilities"),
    advantages: spread(node["advantages"], "advantages"),
    versions: null,
  };
}
