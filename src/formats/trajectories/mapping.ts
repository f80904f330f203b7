import { COMPLETION_NAMES, CONVERSATION_NAMES, GROUP_NAMES, PROMPT_NAMES } from "../columnNames";
import { isFields, listOf, numberOf } from "./build";

/** Which columns of an unknown file play which part; a guess that people may replace. Null: the file has none. */
export interface TrajectoryMapping {
  /** A whole conversation. */
  readonly messages: string | null;
  /** What was asked, as text or messages, where the conversation doesn't hold it. */
  readonly prompt: string | null;
  /** What was answered, as text or messages. */
  readonly completion: string | null;
  readonly id: string | null;
  readonly group: string | null;
  readonly step: string | null;
  readonly split: string | null;
  readonly reward: string | null;
  /** A column of rewards by name. */
  readonly rewards: string | null;
  readonly reference: string | null;
  readonly tools: string | null;
}

/** Further names in order of preference. */
const MESSAGES = [...CONVERSATION_NAMES, "history", "dialog", "dialogue", "chat"];
const ID = ["id", "sample_id", "uuid", "row_id", "request_id", "rollout_id", "trajectory_id", "_id"];
const GROUP = [...GROUP_NAMES, "uid"];
const REWARD = ["reward", "score", "total_reward", "return", "scores"];
const REWARDS = ["rewards", "reward_components", "reward_breakdown", "components", "parts", "scores"];
const REFERENCE = [
  "answer",
  "solution",
  "ground_truth",
  "reference",
  "reference_answer",
  "target",
  "gold",
  "gts",
  "expected",
];
const STEP = ["step", "global_step", "training_step", "iteration"];
const SPLIT = ["split", "phase"];
const TOOLS = ["tools", "tool_defs", "functions"];

type Fits = (value: unknown) => boolean;

/** Guesses from the first records; null where nothing in them is an answer of a model. */
export function guessMapping(records: readonly unknown[]): TrajectoryMapping | null {
  const rows = records.filter(isFields);
  if (rows.length === 0) return null;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const pick = (names: readonly string[], fits: Fits): string | null => {
    for (const name of names) {
      const column = columns.find((one) => one.toLowerCase() === name);
      const values = rows.map((row) => (column === undefined ? undefined : row[column])).filter(isThere);
      if (column !== undefined && values.length > 0 && values.every(fits)) return column;
    }
    return null;
  };
  const completion = pick(COMPLETION_NAMES, isTextOrChat);
  // A conversation with nobody's answer in it is what is asked.
  const messages = pick(MESSAGES, isChat);
  const answers = messages !== null && rows.some((row) => hasAnswer(row[messages]));
  const prompt = pick(PROMPT_NAMES, isTextOrChat);
  if (completion === null && !answers) return null;
  // Without what was asked, a column for the reward, also of one that has none, tells an answer from any other text.
  const scored = columns.some((column) => REWARD.includes(column.toLowerCase()));
  if (completion !== null && prompt === null && messages === null && !scored) return null;
  return {
    messages: completion === null || answers ? messages : null,
    prompt: completion === null || answers ? null : (prompt ?? messages),
    completion: answers ? null : completion,
    id: pick(ID, isName),
    group: pick(GROUP, isName),
    step: pick(STEP, isNumber),
    split: pick(SPLIT, isName),
    reward: pick(REWARD, isNumber),
    rewards: pick(REWARDS, isNumbers),
    reference: pick(REFERENCE, () => true),
    tools: pick(TOOLS, (value) => Array.isArray(value)),
  };
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isName(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function isNumber(value: unknown): boolean {
  return numberOf(value) !== null;
}

function isNumbers(value: unknown): boolean {
  const values = isFields(value) ? Object.values(value) : [];
  return values.length > 0 && values.every((item) => item === null || numberOf(item) !== null);
}

export function isChat(value: unknown): boolean {
  const items = listOf(value);
  return (
    items.length > 0 &&
    items.every(
      (item) =>
        isFields(item) &&
        (("role" in item && !("reward" in item && "tokens" in item)) || ("from" in item && "value" in item)),
    )
  );
}

function isTextOrChat(value: unknown): boolean {
  return typeof value === "string" || isChat(value);
}

const ANSWERING = new Set(["assistant", "gpt", "model", "ai", "bot", "agent"]);

function hasAnswer(value: unknown): boolean {
  return listOf(value).some((item) => {
    const role = isFields(item) ? (item["role"] ?? item["from"]) : null;
    return typeof role === "string" && ANSWERING.has(role.toLowerCase());
  });
}
