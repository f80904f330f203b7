import type { Branch, Message } from "../../../schema/trajectory";
import type { Fields } from "../build";
import { isFields, listOf, nameOf, others, taggedOf, trajectory } from "../build";
import { chatMessages } from "../chat";
import type { PlacedRecord, TrajectoryForm } from "../form";
import { sameMessage } from "../same";

const KEYS = ["conversations", "trial_name", "task", "episode"];
const KNOWN = new Set(["conversations", "model", "task", "result"]);

/**
 * `harbor traces export`: a row for each model call, with the whole conversation before it repeated. The rows of a
 * trial become one trajectory; a call that doesn't go on from the one before (a summary, a sub-agent) is a branch.
 */
export const harborExport: TrajectoryForm = {
  id: "harbor-traces",
  title: "Harbor traces export",
  framework: "harbor",
  containers: ["lines", "document", "parquet"],
  grouping: "prompt",
  credit: null,
  recognise: ({ records }) => rowsOf(records).some((row) => isFields(row) && KEYS.every((key) => key in row)),
  whole: true,
  split(records) {
    const trials = new Map<string, PlacedRecord[]>();
    for (const record of records.flatMap(unpacked)) {
      const row = isFields(record.value) ? record.value : {};
      const key = [row["run_id"], row["trial_name"]].map((part) => nameOf(part) ?? "").join("\u0000");
      trials.set(key, [...(trials.get(key) ?? []), record]);
    }
    return {
      shared: null,
      records: [...trials.values()].map((rows) => ({
        value: rows.map((row) => row.value),
        line: rows[0]?.line ?? 1,
      })),
    };
  },
  read(record) {
    const rows = (Array.isArray(record) ? listOf(record) : [record]).filter(isFields);
    const last = rows.at(-1);
    if (!last) return [];
    const result = last["result"];
    const reward = taggedOf(result);
    const word = reward === null ? nameOf(result) : null;
    return [
      trajectory({
        id: nameOf(last["trial_name"]),
        group: nameOf(last["task"]),
        task: nameOf(last["task"]),
        branches: branchesOf(rows),
        reward,
        model: nameOf(last["model"]),
        outcome: { kind: outcomeOf(reward, word), inFile: word },
        errors: word === null || word === "" ? [] : [{ kind: word, message: word, traceback: null }],
        columns: { ...others(last, KNOWN), episodes: rows.length },
      }),
    ];
  },
};

/** `result` is the reward, or the name of the exception that ended the trial. */
function outcomeOf(reward: unknown, word: string | null): "finished" | "time" | "environment" | "unknown" {
  if (reward !== null) return "finished";
  if (word === null || word === "") return "unknown";
  return word.includes("Timeout") ? "time" : "environment";
}

function rowsOf(records: readonly unknown[]): readonly unknown[] {
  return records.length === 1 && Array.isArray(records[0]) ? listOf(records[0]) : records;
}

function unpacked(record: PlacedRecord): readonly PlacedRecord[] {
  if (!Array.isArray(record.value)) return [record];
  return record.value.map((value: unknown, at) => ({ value, line: at + 1 }));
}

function branchesOf(rows: readonly Fields[]): Branch[] {
  const conversations: Message[][] = [];
  for (const row of rows) {
    const messages = chatMessages(row["conversations"]);
    const at = conversations.findIndex(
      (known) => known.length <= messages.length && known.every((one, i) => sameMessage(one, messages[i])),
    );
    if (at < 0) conversations.push(messages);
    else conversations[at] = messages;
  }
  return conversations.map((messages, at) => ({
    id: at === 0 ? "main" : `branch-${at + 1}`,
    name: null,
    from: null,
    messages,
  }));
}
