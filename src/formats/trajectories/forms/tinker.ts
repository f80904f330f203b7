import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  message,
  nameOf,
  others,
  taggedFields,
  taggedOf,
  textOr,
  trajectory,
} from "../build";
import type { PlacedRecord, TrajectoryForm } from "../form";
import { chatMessages } from "../chat";
import { fromTagged } from "../../../schema/number";
import type { Message } from "../../../schema/trajectory";

const KNOWN = new Set([
  "split",
  "iteration",
  "group_idx",
  "traj_idx",
  "total_reward",
  "final_reward",
  "trajectory_metrics",
  "steps",
  "schema_version",
]);

/**
 * Tinker cookbook's `iteration_N/{base}_rollout_summaries.jsonl` (tinker-cookbook 0.5.8, schema_version 1): lengths and
 * rewards of each step; the texts are only in the log tree.
 */
export const tinkerRollouts: TrajectoryForm = {
  id: "tinker-rollouts",
  title: "Tinker rollout summaries",
  framework: "tinker",
  containers: ["lines"],
  grouping: "given",
  credit: "summed",
  recognise: ({ records }) =>
    records.some(
      (record) =>
        isFields(record) && "group_idx" in record && "traj_idx" in record && Array.isArray(record["steps"]),
    ),
  read(record) {
    if (!isFields(record)) return [];
    const [group, at] = [nameOf(record["group_idx"]), nameOf(record["traj_idx"])];
    const steps = listOf(record["steps"]).map(fieldsOf);
    const total = taggedOf(record["total_reward"]);
    const final = taggedOf(record["final_reward"]);
    const inputs = steps.map((step) => finiteOf(step["ob_len"])).filter((length) => length !== null);
    const outputs = steps.map((step) => finiteOf(step["ac_len"])).filter((length) => length !== null);
    const lastStep = steps.at(-1);
    const done = lastStep?.["episode_done"];
    return [
      trajectory({
        id: group === null || at === null ? null : `${group}:${at}`,
        group,
        step: finiteOf(record["iteration"]),
        split: textOr(record["split"]),
        task:
          listOf(record["tags"])
            .map((tag) => nameOf(tag) ?? "")
            .join(", ") || null,
        messages: steps.map((step) => stepMessage(step)),
        reward: total,
        rewards: {
          ...(steps.length === 0 ? {} : { steps: taggedOf(sumOf(steps)) }),
          ...(final === null ? {} : { group: final }),
        },
        metrics: { ...fieldsOf(record["trajectory_metrics"]) },
        credit: "summed",
        outcome:
          done === true ? { kind: "finished", inFile: "episode_done" } : { kind: "unknown", inFile: null },
        usage:
          steps.length === 0
            ? null
            : { input: inputs.reduce((a, b) => a + b, 0), output: outputs.reduce((a, b) => a + b, 0) },
        columns: others(record, KNOWN),
      }),
    ];
  },
};

function sumOf(steps: readonly Fields[]): number | null {
  const rewards = steps.map((step) => taggedOf(step["reward"]));
  if (rewards.some((reward) => reward === null)) return null;
  return rewards.reduce<number>((sum, reward) => sum + (reward === null ? 0 : fromTagged(reward)), 0);
}

/** A step without its text: only how long it was. */
function stepMessage(step: Fields): Message {
  const length = finiteOf(step["ac_len"]);
  return message({
    role: "assistant",
    sampled: true,
    reward: taggedOf(step["reward"]),
    rewards: taggedFields(step["metrics"]),
    tokens:
      length === null
        ? null
        : {
            count: Math.max(0, Math.trunc(length)),
            ids: null,
            mask: null,
            logprobs: null,
            advantages: null,
            versions: null,
          },
    extra: others(step, new Set(["reward", "metrics", "ac_len"])),
  });
}

/**
 * Tinker cookbook's `{base}_logtree.json` (tinker-cookbook 0.5.8): nodes of a page, among them conversations. Prompt,
 * answer and the table of rewards follow each other as sections; where there are no such sections each conversation is
 * shown by itself.
 */
export const tinkerLogtree: TrajectoryForm = {
  id: "tinker-logtree",
  title: "Tinker log tree",
  framework: "tinker",
  containers: ["document"],
  grouping: "given",
  credit: null,
  recognise: ({ records: [tree] }) =>
    isFields(tree) && isNode(rootOf(tree)) && hasConversation(rootOf(tree), 0),
  split(records) {
    const found = rolloutsOf(rootOf(fieldsOf(records[0]?.value)));
    return {
      shared: fieldsOf(records[0]?.value)["title"] ?? null,
      records: found.map((value, at): PlacedRecord => ({ value, line: at + 1 })),
    };
  },
  read(record, { shared, folders, name }) {
    if (!isFields(record)) return [];
    const table = fieldsOf(record["table"]);
    const iteration = folders
      .map((folder) => /^iteration_(\d+)$/.exec(folder)?.[1])
      .find((one) => one !== undefined);
    const numbers = entriesOf(
      Object.entries(table).filter(([key, value]) => key !== "reference_answer" && taggedOf(value) !== null),
    );
    return [
      trajectory({
        group: nameOf(record["group"]),
        step: iteration === undefined ? null : Number(iteration),
        split: /^(.+)_logtree\.json$/.exec(name)?.[1] ?? null,
        task: textOr(shared),
        messages: chatMessages(record["messages"]).map((one) =>
          one.role === "assistant" ? { ...one, sampled: true } : one,
        ),
        reward: taggedOf(table["reward"]),
        rewards: taggedFields(others(numbers, new Set(["reward", "format_coef"]))),
        reference: table["reference_answer"] ?? null,
        columns: { ...table },
      }),
    ];
  },
};

function rootOf(tree: Fields): unknown {
  return "root" in tree ? tree["root"] : tree;
}

function isNode(value: unknown): value is Fields {
  return isFields(value) && typeof value["tag"] === "string" && "children" in value;
}

const DEPTH = 200;

function conversationOf(node: Fields): readonly unknown[] | null {
  const data = fieldsOf(node["data"]);
  return data["type"] === "conversation" ? listOf(data["messages"]) : null;
}

function hasConversation(node: unknown, depth: number): boolean {
  if (!isNode(node) || depth > DEPTH) return false;
  return (
    conversationOf(node) !== null ||
    listOf(node["children"]).some((child) => hasConversation(child, depth + 1))
  );
}

interface Rollout {
  readonly group: number;
  readonly messages: unknown[];
  table: Record<string, unknown>;
}

/**
 * In order of the page: a conversation that doesn't begin with the model's turn begins a rollout, one of the model goes
 * on with it, a table of rewards ends it. `Group Rollout` sections are the groups.
 */
function rolloutsOf(root: unknown): readonly Rollout[] {
  const found: Rollout[] = [];
  let group = 0;
  let open: Rollout | null = null;
  const walk = (node: unknown, depth: number): void => {
    if (!isFields(node) || depth > DEPTH) return;
    const conversation = conversationOf(node);
    if (conversation !== null) {
      const own = fieldsOf(conversation[0])["role"] === "assistant";
      if (open === null || !own) found.push((open = { group, messages: [], table: {} }));
      open.messages.push(...conversation);
    }
    if (node["tag"] === "table" && open !== null) {
      const table = tableOf(node);
      if ("reward" in table) {
        open.table = table;
        open = null;
        return;
      }
    }
    const children = listOf(node["children"]);
    if (textOf(node["tag"] === "section" ? children[0] : null).trim() === "Group Rollout") {
      group++;
      open = null;
    }
    for (const child of children) walk(child, depth + 1);
  };
  walk(root, 0);
  return found;
}

/** A table of two columns, key and value. */
function tableOf(node: Fields): Record<string, unknown> {
  const rows: [string, unknown][] = [];
  const walk = (one: unknown, depth: number): void => {
    if (!isFields(one) || depth > DEPTH) return;
    const children = listOf(one["children"]);
    const [key, value] = children;
    if (one["tag"] === "tr" && children.length === 2 && fieldsOf(key)["tag"] === "td")
      rows.push([textOf(key), textOf(value)]);
    else for (const child of children) walk(child, depth + 1);
  };
  walk(node, 0);
  return entriesOf(rows);
}

function textOf(node: unknown): string {
  if (typeof node === "string") return node;
  return isFields(node) ? listOf(node["children"]).map(textOf).join("") : "";
}
