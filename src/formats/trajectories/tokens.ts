import type { TokenData } from "../../schema/trajectory";
import { fieldsOf, finiteOf, isFields, listOf, textOr } from "./build";

/** What vLLM writes in place of a token's text when it is asked for ids (`return_tokens_as_token_ids`). */
const TOKEN_ID = /^token_id:(\d+)$/;

/** Whole numbers, or null where something else is among them. */
export function integersOf(value: unknown): number[] | null {
  if (!Array.isArray(value)) return null;
  const numbers = value.map((item) => finiteOf(item));
  return numbers.every((item): item is number => item !== null && Number.isInteger(item)) ? numbers : null;
}

/** Tokens of an OpenAI-like choice: log probabilities, and ids where the server gave them. Null: it has none. */
export function choiceTokens(choice: Readonly<Record<string, unknown>>): TokenData | null {
  const entries = listOf(fieldsOf(choice["logprobs"])["content"]).map(fieldsOf);
  const given = integersOf(choice["token_ids"]);
  if (entries.length === 0 && (given === null || given.length === 0)) return null;
  const named = entries.map(({ token }) => TOKEN_ID.exec(textOr(token) ?? "")?.[1]);
  const read = named.every((id): id is string => id !== undefined) ? named.map(Number) : [];
  const count = entries.length > 0 ? entries.length : (given?.length ?? 0);
  const ids = given?.length === count ? given : read.length === count ? read : null;
  return {
    count,
    ids,
    mask: null,
    logprobs: entries.length === 0 ? null : entries.map(({ logprob }) => finiteOf(logprob)),
    advantages: null,
    versions: null,
  };
}

/** Log probabilities with the alternatives at each place, where a choice has any: there is no other place for them. */
export function alternativesOf(choice: Readonly<Record<string, unknown>>): unknown {
  const content = listOf(fieldsOf(choice["logprobs"])["content"]);
  const any = content.some((entry) => isFields(entry) && listOf(entry["top_logprobs"]).length > 0);
  return any ? content : null;
}
