import type { TaggedNumber } from "../../../schema/number";
import type { Fields } from "../build";
import { entriesOf, fieldsOf, isFields, nameOf, numberOf, taggedOf } from "../build";

/** What a scorer's value counts as (`value_to_float` of Inspect 0.3.285); the words are read without regard to case. */
const LETTERS = new Map([
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["N", 0],
]);
const WORDS = new Map([
  ["yes", 1],
  ["true", 1],
  ["no", 0],
  ["false", 0],
]);

/**
 * A score's value as a number: a number or bool, one of Inspect's letters, a word of `value_to_float`, or text of a
 * number. Null for anything else, where Inspect itself would warn and take 0. NaN is Inspect's "not scored".
 */
export function scoreNumber(value: unknown): TaggedNumber | null {
  if (typeof value === "string") {
    const known = LETTERS.get(value) ?? WORDS.get(value.toLowerCase());
    if (known !== undefined) return known;
  }
  return Array.isArray(value) ? null : taggedOf(value);
}

export interface InspectScores {
  readonly reward: TaggedNumber | null;
  readonly rewards: Record<string, TaggedNumber | null>;
}

/**
 * Rewards of a sample: each scorer by its name, values that are dicts or lists as `scorer/key`. The reward is the value
 * of the log's first scorer, as Inspect has no total of its own; null where that gave no single number.
 */
export function scoresOf(scores: unknown, first: string | null): InspectScores {
  const all = fieldsOf(scores);
  const rewards = Object.entries(all).flatMap(([name, score]) => partsOfScore(name, valueOf(score)));
  const main = first === null ? Object.keys(all)[0] : keyOf(all, first);
  return {
    reward: main === undefined ? null : scoreNumber(valueOf(all[main])),
    rewards: entriesOf(rewards),
  };
}

function partsOfScore(name: string, value: unknown): (readonly [string, TaggedNumber | null])[] {
  if (isFields(value) || Array.isArray(value))
    return Object.entries(value).map(([key, item]) => [`${name}/${key}`, scoreNumber(item)] as const);
  return [[name, scoreNumber(value)]];
}

/** `Score` objects; the oldest logs have the bare value. */
function valueOf(score: unknown): unknown {
  return isFields(score) && "value" in score ? score["value"] : score;
}

/** Registered names may carry their package ("inspect_ai/match"), keys of scores don't. */
function keyOf(scores: Fields, name: string): string | undefined {
  return [name, name.replace(/^.*\//, "")].find((key) => key in scores);
}

/** Name of the log's first scorer; null where the log doesn't say. */
export function firstScorer(log: Fields): string | null {
  const spec = fieldsOf(log["eval"]);
  const scorers = Array.isArray(spec["scorers"]) ? spec["scorers"] : [];
  const results = fieldsOf(log["results"])["scores"];
  const listed: unknown = scorers[0] ?? (Array.isArray(results) ? results[0] : undefined);
  return nameOf(fieldsOf(listed)["name"]);
}

export function sumOf(usage: unknown, key: string): number | null {
  const values = Object.values(fieldsOf(usage))
    .map((item) => numberOf(fieldsOf(item)[key]))
    .filter((value) => value !== null);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}
