import type { Fields } from "../build";
import { entriesOf, finiteOf, isFields, listOf, numberOf, taggedOf, textOr, trajectory } from "../build";
import type { RecordContext } from "../form";
import { chatMessages } from "../chat";
import { parseValue } from "../jsonValue";
import { templatedMessages } from "../templated";
import { fromTagged, toTagged, type TaggedNumber } from "../../../schema/number";
import type { Message, Trajectory } from "../../../schema/trajectory";

const OWN = new Set(["step", "prompt", "completion", "advantage"]);

/** Which columns hold rewards: known by the file's own types, or (unknown) by what a row holds. */
export type RewardColumns = ReadonlySet<string> | null;

/** Names of the `double` columns, from what pandas wrote into the file. Null: it says nothing. */
export function rewardColumnsOf(pandas: unknown): RewardColumns {
  if (typeof pandas !== "string") return null;
  const parsed = parseValue(pandas);
  const columns = parsed.ok && isFields(parsed.value) ? listOf(parsed.value["columns"]) : [];
  if (columns.length === 0) return null;
  return new Set(
    columns.flatMap((column) => {
      const name = isFields(column) ? textOr(column["name"]) : null;
      const double = isFields(column) && /^float/.test(textOr(column["numpy_type"]) ?? "");
      return name !== null && double && name !== "advantage" ? [name] : [];
    }),
  );
}

/** The step in the name of TRL's own files; null for others. */
export function stepInName(name: string): number | null {
  const named = /completions_(\d+)/.exec(name)?.[1];
  return named === undefined || !/\.parquet$/i.test(name) ? null : Number(named);
}

/** Columns that hold rewards, over all rows: a function may have said None in the first. */
export function rewardNames(rows: readonly Fields[], known: RewardColumns): string[] {
  const names = new Set<string>();
  for (const row of rows)
    for (const [name, value] of Object.entries(row))
      if (!OWN.has(name) && isReward(name, value, known)) names.add(name);
  return [...names];
}

/**
 * One row of TRL's completions table (TRL 1.16, `GRPOTrainer.log`). The file has neither the total nor the weights: with
 * `weights` (see `trlWeights.ts`) the total is Σ weight × reward over those that didn't say None; `null`: they aren't
 * known, and neither is the total of several rewards. Left out: each counts once.
 */
export function trlTrajectory(
  row: Fields,
  known: RewardColumns,
  context: RecordContext,
  weights?: Readonly<Record<string, number>> | null,
): Trajectory {
  const inName = stepInName(context.name);
  const inRow = finiteOf(row["step"]);
  const taken = ["step", "prompt", "completion"].filter(
    (column) => known?.has(column) === true || (column !== "step" && typeof row[column] === "number"),
  );
  // A reward called like one of the table's own columns stands there in its place.
  if (inName !== null && inRow !== null && inRow !== inName && !taken.includes("step")) taken.unshift("step");
  if (taken.length > 0)
    context.problem(`A reward called "${taken.join('", "')}" stands in place of the table's own column.`);
  if (weights === null && context.index === 0)
    context.problem(
      "The weights of the reward functions can't be told from this file, so totals of several rewards aren't known.",
    );
  const rewards = entriesOf(
    Object.entries(row)
      .filter(([name, value]) => taken.includes(name) || (!OWN.has(name) && isReward(name, value, known)))
      .map(([name, value]): [string, TaggedNumber | null] => [name, rewardOf(value)]),
  );
  const text = (column: string): unknown => (taken.includes(column) ? null : row[column]);
  return trajectory({
    step: taken.includes("step") ? inName : (inRow ?? inName),
    messages: messagesOf(text("prompt"), text("completion")),
    reward: weights === null && Object.keys(rewards).length > 1 ? null : totalOf(rewards, weights ?? {}),
    rewards,
    weights: { ...weights },
    advantage: taggedOf(row["advantage"]),
    columns: entriesOf(
      Object.entries(row)
        .filter(([name]) => !(name in rewards) && !(OWN.has(name) && typeof row[name] !== "string"))
        .filter(([name]) => name !== "step" && name !== "advantage"),
    ),
  });
}

function isReward(name: string, value: unknown, known: RewardColumns): boolean {
  if (known !== null) return known.has(name);
  // Whole numbers of Parquet's own kind are counts that the reward function logged.
  return typeof value === "number" || typeof value === "boolean";
}

/** None and NaN are the same to TRL: the function gave no reward. */
function rewardOf(value: unknown): TaggedNumber | null {
  const number = numberOf(value);
  return number === null || Number.isNaN(number) ? null : toTagged(number);
}

function totalOf(
  rewards: Readonly<Record<string, TaggedNumber | null>>,
  weights: Readonly<Record<string, number>>,
): TaggedNumber | null {
  const given = Object.entries(rewards).flatMap(([name, value]) =>
    value === null ? [] : [fromTagged(value) * (weights[name] ?? 1)],
  );
  return given.length === 0 ? null : toTagged(given.reduce((sum, value) => sum + value, 0));
}

function messagesOf(prompt: unknown, completion: unknown): Message[] {
  const [asked, answered] = [conversationOf(prompt), conversationOf(completion)];
  if (typeof asked === "string" && typeof answered === "string") {
    const split = templatedMessages(asked, "");
    const before = split?.filter((one) => !(one.role === "assistant" && one.parts.length === 0));
    return [
      ...(before ?? chatMessages(asked, "user")),
      ...(answered === ""
        ? chatMessages([{ role: "assistant", content: "" }])
        : chatMessages(answered, "assistant")),
    ].map((one, at, all) => ({ ...one, finish: null, sampled: at === all.length - 1 }));
  }
  return [
    ...chatMessages(asked).map((one) => ({ ...one, sampled: false })),
    ...chatMessages(answered, "assistant").map((one) => ({ ...one, sampled: one.role === "assistant" })),
  ].map((one) => cleaned(one));
}

/** Tables of W&B may hold conversations as the text of their JSON. */
function conversationOf(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*\[\s*\{\s*"/.test(value)) return value;
  const parsed = parseValue(value);
  if (!parsed.ok) return value;
  return listOf(parsed.value).every((item) => isFields(item) && "role" in item) ? parsed.value : value;
}

const ERROR = /^\{'error': (['"])([\s\S]*)\1\}$/;

/** Arrow fills up what one tool's arguments lack of another's; a failing tool's answer is Python's text of a dict. */
function cleaned(one: Message): Message {
  const text = one.role === "tool" && one.parts[0]?.type === "text" ? one.parts[0].text : "";
  const error = ERROR.exec(text)?.[2];
  return {
    ...one,
    error: error === undefined ? null : error.replaceAll(/\\(['"\\])/g, "$1"),
    calls: one.calls.map((call) => ({ ...call, arguments: withoutNulls(call.arguments) })),
  };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item));
  if (!isFields(value)) return value;
  return entriesOf(
    Object.entries(value)
      .filter(([, item]) => item !== null && item !== undefined)
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}
