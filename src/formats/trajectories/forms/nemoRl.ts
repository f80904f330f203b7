import type { Fields } from "../build";
import {
  entriesOf,
  finiteOf,
  isFields,
  listOf,
  message,
  nameOf,
  numberOf,
  taggedOf,
  trajectory,
} from "../build";
import type { RecordContext, TrajectoryForm } from "../form";
import { chatMessages, partsOf } from "../chat";
import { templatedMessages } from "../templated";
import { integersOf } from "../tokens";
import type { Message, TokenData, Trajectory } from "../../../schema/trajectory";

const KNOWN = new Set(["content", "rewards", "filtered_rewards", "idx", "sample_loss_mask"]);
const NAME = /^(train|val)_data_step(\d+)\.jsonl$/;

/**
 * NeMo RL's `train_data_step{N}.jsonl` and `val_data_step{N}.jsonl` (NeMo RL 0.6.0, commit 7ea279a,
 * `Logger.log_batched_dict_as_jsonl` with batches of one; what JSON can't hold goes through `str`): every value but `idx`
 * is wrapped in a list of one, and a training row's `content` has texts without roles. The group is `idx` divided by the
 * run's group size, which the file doesn't say: equal prompts tell it.
 */
export const nemoRl: TrajectoryForm = {
  id: "nemo-rl-data",
  title: "NeMo RL step data",
  framework: "nemo-rl",
  containers: ["lines"],
  grouping: "runs",
  credit: null,
  recognise: ({ records }) =>
    records.some(
      (record) => isFields(record) && "content" in record && "rewards" in record && "idx" in record,
    ),
  read(record, context) {
    if (!isFields(record)) return [];
    const named = NAME.exec(context.name);
    const row = entriesOf(
      Object.entries(record).map(([key, value]) => [key, key === "idx" ? value : inner(value)]),
    );
    const kept = finiteOf(row["sample_loss_mask"]);
    const step = named?.[2];
    return [
      trajectory({
        id: nameOf(row["idx"]),
        step: step === undefined ? null : Number(step),
        split: named?.[1] ?? null,
        messages: messagesOf(row, context),
        reward: taggedOf(row["rewards"]),
        rewards: "filtered_rewards" in row ? { filtered_rewards: taggedOf(row["filtered_rewards"]) } : {},
        advantage: advantageOf(row["advantages"]),
        excluded: kept === 0 ? "sample_loss_mask" : null,
        columns: entriesOf(Object.entries(row).filter(([key]) => !KNOWN.has(key))),
      }),
    ];
  },
};

function inner(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return only;
}

function messagesOf(row: Fields, { problem }: RecordContext): Message[] {
  const content = row["content"];
  const items = Array.isArray(content)
    ? listOf(content)
    : content === undefined || content === null
      ? []
      : [content];
  if (items.length === 0) problem("The row has no content.");
  const texts = items.filter((item) => typeof item === "string");
  if (texts.length < items.length) return chatMessages(items);
  return withTokens(withoutRoles(texts), texts.length, row);
}

/** Prompt first, then the model and its environment in turns: the texts have no roles. */
function withoutRoles(texts: readonly string[]): Message[] {
  const [prompt = "", ...rest] = texts;
  const asked = templatedMessages(prompt, "")?.filter(
    (one) => one.role !== "assistant" || one.parts.length > 0,
  );
  return [
    ...(asked ?? [message({ role: "user", parts: partsOf(prompt), sampled: false })]).map((one) =>
      one.role === "assistant" ? { ...one, sampled: false, finish: null } : one,
    ),
    ...rest.map((text, at) =>
      message({
        role: at % 2 === 0 ? "assistant" : "user",
        name: at % 2 === 0 ? null : "environment",
        parts: partsOf(text),
        sampled: at % 2 === 0,
      }),
    ),
  ];
}

/**
 * Tokens of each message, where stretches of the loss mask are as many as messages: prompt, then model and environment
 * in turns. Tokens behind `input_lengths` are padding. The lists themselves stay among the columns.
 */
function withTokens(messages: readonly Message[], texts: number, row: Fields): Message[] {
  const ids = integersOf(row["token_ids"]);
  const mask = listOf(row["token_loss_mask"]).map((value) => finiteOf(value) === 1);
  const count = Math.min(ids?.length ?? 0, finiteOf(row["input_lengths"]) ?? 0, mask.length);
  const stretches: { from: number; to: number }[] = [];
  for (let at = 0; at < count; at++) {
    const last = stretches.at(-1);
    if (last && mask[at] === mask[at - 1]) last.to = at + 1;
    else stretches.push({ from: at, to: at + 1 });
  }
  if (ids === null || mask[0] === true || stretches.length !== texts) return [...messages];
  // The prompt may be several messages: its tokens go with none of them then.
  const before = messages.length - texts;
  return messages.map((one, at) => {
    const stretch = before > 0 && at <= before ? undefined : stretches[at - before];
    return stretch ? { ...one, tokens: tokensOf(row, ids, mask, stretch) } : one;
  });
}

function tokensOf(
  row: Fields,
  ids: readonly number[],
  mask: readonly boolean[],
  { from, to }: { readonly from: number; readonly to: number },
): TokenData {
  const cut = (key: string): (number | null)[] | null => {
    const values = listOf(row[key]);
    return values.length < to ? null : values.slice(from, to).map((value) => finiteOf(value));
  };
  return {
    count: to - from,
    ids: ids.slice(from, to),
    mask: mask.slice(from, to),
    logprobs: cut("generation_logprobs"),
    advantages: cut("advantages"),
    versions: null,
  };
}

/** One advantage for the row: the same at each trained token. */
function advantageOf(value: unknown): Trajectory["advantage"] {
  if (!Array.isArray(value)) return taggedOf(value);
  const all = new Set(value.map((item: unknown) => numberOf(item)).filter((item) => item !== 0));
  if (all.size === 0 && value.length > 0) return 0;
  return all.size === 1 ? taggedOf([...all][0]) : null;
}
