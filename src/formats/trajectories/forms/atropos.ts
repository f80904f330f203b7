import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  message,
  taggedOf,
  textOr,
  trajectory,
} from "../build";
import type { TrajectoryForm } from "../form";
import { chatMessages } from "../chat";
import { promptAndAnswer } from "../templated";
import { integersOf } from "../tokens";
import type { Message, TokenData } from "../../../schema/trajectory";

/** Atropos' mask has this where a token isn't trained, else the token's id. */
const UNTRAINED = -100;

const LISTS = new Set([
  "tokens",
  "masks",
  "scores",
  "messages",
  "advantages",
  "inference_logprobs",
  "ref_logprobs",
  "overrides",
  "images",
]);

/**
 * Atropos' groups (`--env.data_path_to_save_groups`; atroposlib 0.4.0, commit 296a0bc, `ScoredDataGroup`): one group a
 * line, lists with one entry for each of its rollouts. Without messages there are only tokens, which can't be read
 * without a tokenizer.
 */
export const atropos: TrajectoryForm = {
  id: "atropos-groups",
  title: "Atropos groups",
  framework: "atropos",
  containers: ["lines"],
  grouping: "given",
  credit: null,
  recognise: ({ records }) =>
    records.some(
      (record) =>
        isFields(record) &&
        Array.isArray(record["scores"]) &&
        Array.isArray(record["tokens"]) &&
        "masks" in record,
    ),
  read(record, { line, problem }) {
    if (!isFields(record)) return [];
    const scores = listOf(record["scores"]);
    const size = Math.max(scores.length, listOf(record["tokens"]).length, listOf(record["messages"]).length);
    if (scores.length !== size) problem(`The group has ${size} rollouts and ${scores.length} scores.`);
    return Array.from({ length: size }, (_, at) => {
      const { messages, raw } = messagesOf(listOf(record["messages"])[at], tokensOf(record, at));
      return trajectory({
        group: `line ${line}`,
        messages,
        reward: taggedOf(scores[at]),
        advantage: meanAdvantage(listOf(record["advantages"])[at]),
        columns: {
          ...entriesOf(Object.entries(record).filter(([key, value]) => !LISTS.has(key) && value !== null)),
          ...own(record, at),
          ...(raw === null ? {} : { messages: raw }),
          ...(messages.some((one) => one.tokens !== null) ? {} : tokenColumns(record, at)),
        },
      });
    });
  },
};

/** Tokens of the whole rollout, where no message of it can hold them. */
function tokenColumns(record: Fields, at: number): Record<string, unknown> {
  const names = ["tokens", "masks", "inference_logprobs"];
  return entriesOf(
    names.flatMap((name): [string, unknown][] => {
      const value = listOf(record[name])[at];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The rollout's own entries of lists that have no other place. */
function own(record: Fields, at: number): Record<string, unknown> {
  const names = ["overrides", "images", "ref_logprobs"];
  return entriesOf(
    names.flatMap((name): [string, unknown][] => {
      const value = listOf(record[name])[at];
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}

/** One advantage for all tokens, as a number or as a list of equal ones. */
function meanAdvantage(value: unknown): ReturnType<typeof taggedOf> {
  if (!Array.isArray(value)) return taggedOf(value);
  const all = new Set(value.map((item: unknown) => finiteOf(item)).filter((item) => item !== 0));
  return all.size === 1 ? taggedOf([...all][0]) : null;
}

/** Messages as a list, or as one templated text; without any, one message that has only the tokens. */
function messagesOf(
  value: unknown,
  tokens: TokenData | null,
): { readonly messages: Message[]; readonly raw: string | null } {
  const text = textOr(value);
  if (text !== null) {
    const { messages, split } = promptAndAnswer(text, "");
    const told = split ? messages : [message({ role: "event", parts: [{ type: "text", text }] })];
    // The whole text is one: which of its turns the model wrote isn't said.
    return {
      messages: told.map((one) => (one.role === "assistant" ? { ...one, sampled: null } : one)),
      raw: split ? text : null,
    };
  }
  if (Array.isArray(value) && value.length > 0)
    return {
      messages: chatMessages(value).map((one) => {
        const reward = taggedOf(fieldsOf(one.extra)["reward"]);
        return reward === null
          ? one
          : {
              ...one,
              reward,
              extra: entriesOf(Object.entries(one.extra).filter(([key]) => key !== "reward")),
            };
      }),
      raw: null,
    };
  return { messages: tokens === null ? [] : [message({ role: "event", tokens })], raw: null };
}

function tokensOf(record: Fields, at: number): TokenData | null {
  const ids = integersOf(listOf(record["tokens"])[at]);
  if (ids === null || ids.length === 0) return null;
  const masks = integersOf(listOf(record["masks"])[at]);
  const trained = masks?.length === ids.length ? masks.map((id) => id !== UNTRAINED) : null;
  const logprobs = listOf(listOf(record["inference_logprobs"])[at]).map((value) => finiteOf(value));
  const advantages = listOf(listOf(record["advantages"])[at]).map((value) => finiteOf(value));
  return {
    count: ids.length,
    ids,
    mask: trained,
    // Positions of the prompt hold the filler 1.0: a probability's logarithm is never above 0.
    logprobs:
      logprobs.length === ids.length
        ? logprobs.map((value) => (value === null || value > 0 ? null : value))
        : null,
    advantages: advantages.length === ids.length ? advantages : null,
    versions: null,
  };
}
