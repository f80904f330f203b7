import type { Message, Trajectory } from "../../../schema/trajectory";
import type { Fields } from "../build";
import {
  isFields,
  listOf,
  nameOf,
  numberOf,
  others,
  taggedFields,
  taggedOf,
  textOr,
  trajectory,
} from "../build";
import { chatMessages } from "../chat";
import type { FormHead, PlacedRecord, TrajectoryForm } from "../form";
import { guessMapping, type TrajectoryMapping } from "../mapping";
import { toolOf } from "../tools";

/**
 * A file that no framework's form knows, read by a mapping of columns. Without one each file's own is guessed. Last in
 * the registry: it takes conversations with an answer, or a prompt with a completion, never a dataset of prompts alone.
 */
export function genericForm(mapping: TrajectoryMapping | null = null): TrajectoryForm {
  return {
    id: "generic",
    title: "Rows with conversations or completions",
    framework: null,
    containers: ["lines", "document", "parquet"],
    grouping: "prompt",
    credit: null,
    recognise: (head) => mapping !== null || guessMapping(recordsOf(head)) !== null,
    // Rows may have different columns: each is read by its own guess.
    split: (records) => ({ shared: null, records: records.flatMap(rowsOf) }),
    read(record, { problem }) {
      if (!isFields(record)) return [];
      const used = mapping ?? guessMapping([record]);
      if (!used) {
        problem("The row has no conversation and no completion.");
        return [];
      }
      return [rowTrajectory(record, used)];
    },
  };
}

const HEAD = 8;
/** Lists of records often stand under one of these in a document. */
const LISTS = ["data", "rows", "samples", "records", "trajectories", "results", "rollouts", "examples"];

function recordsOf({ container, records }: FormHead): readonly unknown[] {
  if (container !== "document") return records;
  return rowsOf({ value: records[0], line: 1 })
    .slice(0, HEAD)
    .map((row) => row.value);
}

function rowsOf({ value, line }: PlacedRecord): readonly PlacedRecord[] {
  if (Array.isArray(value)) return value.map((item: unknown, at) => ({ value: item, line: at + 1 }));
  if (isFields(value))
    for (const key of LISTS) {
      const list = listOf(value[key]);
      if (list.some(isFields) && guessMapping(list.slice(0, HEAD)) !== null)
        return list.map((item, at) => ({ value: item, line: at + 1 }));
    }
  return [{ value, line }];
}

function rowTrajectory(row: Fields, mapping: TrajectoryMapping): Trajectory {
  const cell = (column: string | null): unknown => (column === null ? null : (row[column] ?? null));
  const used = new Set(Object.values(mapping).filter((column): column is string => column !== null));
  const rewards = taggedFields(cell(mapping.rewards));
  return trajectory({
    id: nameOf(cell(mapping.id)),
    group: nameOf(cell(mapping.group)),
    step: numberOf(cell(mapping.step)),
    split: textOr(cell(mapping.split)),
    messages: messagesOf(row, mapping),
    tools: listOf(cell(mapping.tools)).map(toolOf),
    reward: taggedOf(cell(mapping.reward)),
    rewards,
    reference: cell(mapping.reference),
    columns: others(row, used),
  });
}

function messagesOf(row: Fields, { messages, prompt, completion }: TrajectoryMapping): Message[] {
  const read = (column: string | null, role: "user" | "assistant"): Message[] =>
    column === null ? [] : chatMessages(row[column], role);
  const answers = read(completion, "assistant").map((one) =>
    one.role === "assistant" ? { ...one, sampled: true } : one,
  );
  return [...read(messages, "user"), ...read(prompt, "user"), ...answers];
}

export const generic = genericForm();
