import { own } from "../base/own";
import { COMPLETION_NAMES, CONVERSATION_NAMES, GROUP_NAMES, PROMPT_NAMES } from "../formats/columnNames";
import type { Row } from "../formats/reader";
import type { SampleMapping } from "../schema/sample";

/**
 * Guesses which column plays which part, from names first and content second. The guess is shown and can be edited,
 * so it only has to be right for files as people and frameworks write them.
 */

/** Names in order of preference. Dumps: TRL `completion`, verl `output`, SkyRL `output_response`. */
const COMPLETION = [...COMPLETION_NAMES, "sample", "text", "content"];
const ID = ["id", "sample_id", "uuid", "row_id", "uid", "request_id", "_id"];
/** A name or number of the task where it repeats, though it may be the prompt's own text as well. */
const TASK_NAME = ["task"];
/** Identity by name, but the task's where they repeat: verl's `uid` is one a prompt. */
const TASK_ID = ["uid", "id"];
const COMPLETION_IDS = [
  "completion_ids",
  "completion_token_ids",
  "response_ids",
  "output_ids",
  "output_token_ids",
];
const LABEL = ["label", "labels", "human_label", "verdict", "human"];
const LABEL_WORDS = new Set([
  "good",
  "bad",
  "pass",
  "fail",
  "correct",
  "incorrect",
  "yes",
  "no",
  "true",
  "false",
]);

/** Columns that belong to the task: equal prompts with different values are different tasks. */
const TASK =
  /^(answers?|solutions?|ground_?truths?|references?|reference_answer|targets?|golds?|gold_answer|gts|expected(_\w+)?|tests?|test_cases|seed|env_seed|environment_seed)$/i;

export function columnNames(rows: readonly Row[]): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

/**
 * Null where no column can be the completion. `hints` (from a project file) win over the guess. `texts`: the rows
 * with their cells as written, where the reader made numbers of them (CSV).
 */
export function guessMapping(
  rows: readonly Row[],
  hints: Partial<SampleMapping> = {},
  texts: readonly Row[] = rows,
): SampleMapping | null {
  const names = columnNames(rows);
  const pick: Pick = (candidates, fits, from = rows) => {
    for (const candidate of candidates) {
      const name = names.find((n) => n.toLowerCase() === candidate);
      if (name !== undefined && fits(present(from, name))) return name;
    }
    return null;
  };
  const isText = (values: readonly unknown[]): boolean =>
    values.some((value) => typeof value === "string" || isMessages(value));
  const messages = pick(CONVERSATION_NAMES, (values) => values.some(isMessages));
  const completion = hints.completion ?? pick(COMPLETION, isText, texts) ?? messages;
  if (completion === null) return null;
  // One conversation holds both; else a conversation beside a completion is what was asked.
  const guessPrompt = (): string | null =>
    completion === messages
      ? messages
      : (pick(
          PROMPT_NAMES.filter((name) => name !== completion.toLowerCase()),
          isText,
          texts,
        ) ?? messages);
  const prompt = hints.prompt !== undefined ? hints.prompt : guessPrompt();
  const group = hints.group ?? guessGroup(rows, pick, prompt);
  const groupColumn = group.by === "column" ? group.column : null;
  return {
    prompt,
    completion,
    id:
      hints.id !== undefined
        ? hints.id
        : pick(
            ID.filter((n) => n !== groupColumn?.toLowerCase()),
            (values) => values.length > 0 && values.every(isScalar) && distinct(values) > values.length / 2,
          ),
    group,
    completionIds:
      hints.completionIds !== undefined
        ? hints.completionIds
        : pick(COMPLETION_IDS, (values) => values.some(isTokenList)),
    label:
      hints.label !== undefined
        ? hints.label
        : pick(LABEL, (values) => values.length > 0 && values.every(isVerdict)),
    columns: hints.columns ?? {},
  };
}

type Pick = (
  candidates: readonly string[],
  fits: (values: readonly unknown[]) => boolean,
  from?: readonly Row[],
) => string | null;

function guessGroup(rows: readonly Row[], pick: Pick, prompt: string | null): SampleMapping["group"] {
  // A column that names every row apart isn't a group, one that is missing in half of them isn't either.
  const repeats = (most: number) => (values: readonly unknown[]) =>
    values.length > rows.length / 2 && values.every(isScalar) && distinct(values) <= most;
  const isName = (values: readonly unknown[]): boolean =>
    repeats(rows.length / 2)(values) && distinct(values) > 1;
  const column =
    pick(GROUP_NAMES, repeats(rows.length - 1)) ??
    pick(
      TASK_NAME.filter((name) => name !== prompt?.toLowerCase()),
      isName,
    ) ??
    pick(TASK_ID, repeats(rows.length / 2));
  if (column !== null) return { by: "column", column };
  if (prompt !== null) return { by: "prompt" };
  return { by: "size", size: 1 };
}

/**
 * Columns that tell tasks with an equal prompt apart: references and seeds, and the step of a trainer's dump (TRL:
 * step, prompt, completion, advantage; verl: input, output, score, step). A column that differs in every row of an
 * otherwise equal prompt is the completion's own and isn't among them.
 */
export function taskColumns(rows: readonly Row[], mapping: SampleMapping): string[] {
  const names = columnNames(rows);
  const used = new Set([mapping.prompt, mapping.completion, mapping.id, mapping.label]);
  const isDump =
    ["step", "prompt", "completion", "advantage"].every((n) => names.includes(n)) ||
    ["input", "output", "score", "step"].every((n) => names.includes(n));
  return names.filter((name) => !used.has(name) && (TASK.test(name) || (isDump && name === "step")));
}

export function isMessages(value: unknown): value is readonly Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === "object" && item !== null && "role" in item)
  );
}

function present(rows: readonly Row[], name: string): unknown[] {
  return rows.map((row) => own(row, name)).filter((value) => value !== undefined && value !== null);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object";
}

function distinct(values: readonly unknown[]): number {
  return new Set(values).size;
}

function isTokenList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "number" && Number.isInteger(item));
}

function isVerdict(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  if (typeof value === "number") return value >= -1 && value <= 1;
  return typeof value === "string" && LABEL_WORDS.has(value.toLowerCase());
}
