import type { Fields } from "../build";
import {
  entriesOf,
  fieldsOf,
  finiteOf,
  isFields,
  listOf,
  numberOf,
  others,
  taggedOf,
  textOr,
  trajectory,
} from "../build";
import type { FormHead, PlacedRecord, SplitResult, TrajectoryForm } from "../form";
import { message } from "../build";
import { chatMessages } from "../chat";
import { parseValue } from "../jsonValue";
import { promptAndAnswer } from "../templated";
import { trlTrajectory } from "./trlRow";
import { weightsIn, weightsOf } from "./trlWeights";
import type { Message } from "../../../schema/trajectory";

/** A W&B table on disk (`media/table/*.table.json`): names of columns, and rows as lists. */
function columnsOf({ records: [table] }: FormHead): readonly string[] {
  if (!isFields(table) || !Array.isArray(table["columns"]) || !Array.isArray(table["data"])) return [];
  return listOf(table["columns"]).map((name) => textOr(name) ?? "");
}

function rowsOf(records: readonly PlacedRecord[]): SplitResult {
  const table = fieldsOf(records[0]?.value);
  const names = listOf(table["columns"]).map((name) => textOr(name) ?? "");
  const rows = listOf(table["data"]).map((cells) =>
    entriesOf(names.map((name, at): [string, unknown] => [name, listOf(cells)[at] ?? null])),
  );
  return { shared: numbersOf(names, rows), records: rows.map((value, at) => ({ value, line: at + 1 })) };
}

/** Columns that hold numbers and nothing else; NaN is W&B's word for None, so that one of NaN alone may be a reward. */
function numbersOf(names: readonly string[], rows: readonly Fields[]): ReadonlySet<string> | null {
  const own = new Set(["step", "prompt", "completion", "advantage"]);
  return new Set(
    names.filter(
      (name) =>
        !own.has(name) &&
        rows.some((row) => typeof row[name] === "number") &&
        rows.every((row) => row[name] === null || typeof row[name] === "number"),
    ),
  );
}

/** TRL's table `completions` as W&B keeps it (TRL 1.16): the Parquet file's columns, NaN where a reward said None. */
export const trlTable: TrajectoryForm = {
  id: "trl-wandb-table",
  title: "TRL completions (W&B table)",
  framework: "trl",
  containers: ["document"],
  grouping: "runs",
  credit: null,
  recognise: (head) => ["prompt", "completion", "advantage"].every((name) => columnsOf(head).includes(name)),
  split: rowsOf,
  beside: () => [STATE],
  learn(records, { shared, beside }) {
    const rows = records.filter(isFields);
    const names = shared instanceof Set ? [...rewardNames(shared)] : [];
    const numbers = rows.map((row) => withoutNaN(row, names));
    return weightsOf(numbers, names, beside.get(STATE), finiteOf(rows[0]?.["step"]));
  },
  read(record, context) {
    const known = context.shared instanceof Set ? rewardNames(context.shared) : null;
    return isFields(record) ? [trlTrajectory(record, known, context, weightsIn(context.learnt))] : [];
  },
};

/** The run's folder holds W&B's: `wandb/{run}/files/media/table/`. */
const STATE = "../../../../../trainer_state.json";

function rewardNames(shared: ReadonlySet<unknown>): ReadonlySet<string> {
  return new Set([...shared].filter((name) => typeof name === "string"));
}

/** NaN is how W&B keeps None. */
function withoutNaN(row: Fields, names: readonly string[]): Fields {
  return { ...row, ...Object.fromEntries(names.map((name) => [name, finiteOf(row[name])])) };
}

const SAMPLE = /^(input|output|score)_(\d+)$/;

/** verl's W&B table `val/generations` (verl 0.9.1, `ValidationGenerationsLogger`): a step a row, its samples side by side. */
export const verlTable: TrajectoryForm = {
  id: "verl-wandb-table",
  title: "verl validation generations (W&B table)",
  framework: "verl",
  containers: ["document"],
  grouping: "prompt",
  credit: "last-token",
  recognise: (head) => ["input_1", "output_1", "score_1"].every((name) => columnsOf(head).includes(name)),
  split: rowsOf,
  read(record) {
    if (!isFields(record)) return [];
    const numbers = new Set(Object.keys(record).flatMap((name) => SAMPLE.exec(name)?.[2] ?? []));
    return [...numbers]
      .filter((at) => record[`output_${at}`] !== null)
      .map((at) => {
        const [input, output] = [textOr(record[`input_${at}`]) ?? "", textOr(record[`output_${at}`]) ?? ""];
        const { messages, split } = promptAndAnswer(input, output);
        return trajectory({
          step: finiteOf(record["step"]),
          split: "val",
          messages,
          reward: taggedOf(record[`score_${at}`]),
          columns: {
            ...entriesOf(Object.entries(record).filter(([name]) => name !== "step" && !SAMPLE.test(name))),
            ...(split ? { input, output } : {}),
          },
        });
      });
  },
};

const PROMPTS = ["prompt", "input", "input_prompt", "question"];
const ANSWERS = ["response", "completion", "output", "output_response", "generation"];
const WHOLE = ["text", "messages", "conversation"];
const REWARDS = ["reward", "score", "rewards", "total_reward"];
const STEPS = ["global_step", "step", "iteration", "_step"];

/**
 * Other W&B tables of samples: OpenRLHF's `train/generated_samples` (global_step, text, reward; 0.11), Atropos'
 * `train/rollouts` (text, score, …; 0.4.0), SkyRL's and people's own (prompt, response, reward). A reward and a text
 * are needed; the text is the whole rollout where it isn't in two columns.
 */
export const samplesTable: TrajectoryForm = {
  id: "wandb-samples-table",
  title: "Samples (W&B table)",
  framework: null,
  containers: ["document"],
  grouping: "given",
  credit: null,
  recognise: (head) => {
    const names = columnsOf(head);
    const has = (list: readonly string[]): boolean => list.some((name) => names.includes(name));
    return has(REWARDS) && (has(WHOLE) || (has(PROMPTS) && has(ANSWERS)));
  },
  split: rowsOf,
  read(record) {
    if (!isFields(record)) return [];
    const named = (list: readonly string[]): string | undefined => list.find((name) => name in record);
    const [prompt, answer, whole] = [named(PROMPTS), named(ANSWERS), named(WHOLE)];
    const [reward, step] = [named(REWARDS), named(STEPS)];
    const apart = prompt !== undefined && answer !== undefined;
    const cell = (name: string | undefined): unknown => parsedCell(name === undefined ? null : record[name]);
    const { messages, raw } = apart ? apartMessages(cell(prompt), cell(answer)) : wholeMessages(cell(whole));
    const used = new Set(
      [reward, step, ...(raw ? [] : apart ? [prompt, answer] : [whole])].map((name) => name ?? ""),
    );
    return [
      trajectory({
        step: step === undefined ? null : numberOf(record[step]),
        messages,
        reward: reward === undefined ? null : taggedOf(record[reward]),
        columns: others(record, used),
      }),
    ];
  },
};

function parsedCell(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*\[\s*\{\s*"/.test(value)) return value;
  const parsed = parseValue(value);
  return parsed.ok ? parsed.value : value;
}

/** `raw`: the texts were taken apart by their template, so that they stay among the columns as they were. */
function apartMessages(
  prompt: unknown,
  answer: unknown,
): { readonly messages: Message[]; readonly raw: boolean } {
  if (typeof prompt === "string" && typeof answer === "string") {
    const { messages, split } = promptAndAnswer(prompt, answer);
    return { messages, raw: split };
  }
  return {
    messages: [
      ...chatMessages(prompt).map((one) => ({ ...one, sampled: false })),
      ...chatMessages(answer, "assistant").map((one) => ({ ...one, sampled: one.role === "assistant" })),
    ],
    raw: false,
  };
}

function wholeMessages(value: unknown): { readonly messages: Message[]; readonly raw: boolean } {
  if (typeof value !== "string") return { messages: chatMessages(value), raw: false };
  const { messages, split } = promptAndAnswer(value, "");
  if (!split)
    return { messages: [message({ role: "event", parts: [{ type: "text", text: value }] })], raw: false };
  return {
    messages: messages.map((one) => (one.role === "assistant" ? { ...one, sampled: null } : one)),
    raw: true,
  };
}
