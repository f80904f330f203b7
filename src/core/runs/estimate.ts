import type { RunSettings } from "../../schema/run";

/** From `low` to `high`, both in the estimate's unit. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface Estimate {
  readonly id: "memory" | "step-time" | "tokens" | "cost";
  readonly unit: "bytes" | "seconds" | "tokens" | "money";
  /** Null: it can't be known from what is given; `missing` says what it would take. */
  readonly range: Range | null;
  readonly missing: readonly string[];
  readonly parts: readonly { readonly name: string; readonly range: Range }[];
  readonly formula: string;
  readonly assumptions: readonly string[];
  readonly advice: readonly string[];
}

/** What of the model's own `config.json` and weights decides about memory; null where it isn't known. */
export interface ModelFacts {
  readonly parameters: number;
  readonly vocabulary: number | null;
  readonly layers: number | null;
  readonly keyValueHeads: number | null;
  readonly headSize: number | null;
  readonly hidden: number | null;
}

/** Scoring times of the user's own reward, as measured on stored samples. */
export interface RewardTimes {
  /** Seconds of each row that came to its end. */
  readonly rowsS: readonly number[];
  /** Rows that were stopped at `limitS`. */
  readonly timedOut: number;
  readonly limitS: number | null;
  /** Rows at once: 1 for a plain function, more for one that awaits. */
  readonly concurrency: number;
}

export interface EstimateInput {
  readonly settings: RunSettings;
  readonly model: ModelFacts | null;
  /** Bytes of the device, where it is known. */
  readonly device: number | null;
  readonly reward: RewardTimes | null;
  /** Tokens of prompts and completions of the samples at hand, one number a sample. */
  readonly promptTokens: readonly number[];
  readonly completionTokens: readonly number[];
  /** Of a run on that machine: tokens a second that are generated, and trained on. */
  readonly generatedPerS: Range | null;
  readonly trainedPerS: Range | null;
  /** Tokens that a tool's answer adds, and calls a turn; for runs of more than one turn. */
  readonly toolTokens: Range | null;
  readonly prices: {
    /** Money an hour of all the hardware. */
    readonly hour: number | null;
    /** Money a million tokens, where a provider generates or judges. */
    readonly inputMillion: number | null;
    readonly outputMillion: number | null;
    /** Money a call of a judge or a paid tool, and such calls for each completion. */
    readonly call: number | null;
    readonly callsPerCompletion: number;
  };
}

/** Memory, time of a step, tokens and cost of the whole run; each a range, or not known. */
export function estimateRun(input: EstimateInput): readonly Estimate[] {
  const tokens = tokensOf(input);
  const time = stepTime(input);
  return [memory(input), time, tokens, cost(input, time)];
}

/** Completions that a step trains on; null where the framework's own default decides. */
export function completionsPerStep(settings: RunSettings): number | null {
  const { promptsPerStep, groupSize } = settings;
  return promptsPerStep === undefined || groupSize === undefined ? null : promptsPerStep * groupSize;
}

const zero: Range = { low: 0, high: 0 };
const add = (...ranges: readonly Range[]): Range =>
  ranges.reduce((sum, { low, high }) => ({ low: sum.low + low, high: sum.high + high }), zero);
const times = ({ low, high }: Range, by: Range | number): Range =>
  typeof by === "number" ? { low: low * by, high: high * by } : { low: low * by.low, high: high * by.high };

/** Bytes a weight: half precision or 32 bits; 4-bit base weights with their scales under QLoRA. */
const WEIGHT: Range = { low: 2, high: 4 };
/** Weight, gradient and Adam's two moments, in mixed precision with 16-bit gradients, or all in 32 bits. */
const TRAINED: Range = { low: 12, high: 16 };

/**
 * Memory of the trainer on one device. Full training: 12 to 16 bytes a weight (Adam; Rajbhandari et al. 2020, ZeRO, §3.1),
 * the reference model beside it with a KL term; LoRA: the base at 2 to 4 bytes and 16 for each weight of the adapter,
 * which is 2·r·hidden for each of 7 matrices a layer at the least. Logits of one group in 32 bits, kept and with their
 * gradient; keys and values of one group during generation: 2·layers·heads·size·2 bytes a token.
 */
function memory(input: EstimateInput): Estimate {
  const { settings, model, device } = input;
  const formula =
    "weights × bytes (training or LoRA, reference model) + group × length × vocabulary × 4…8 + group × length × 4 × layers × key-value heads × head size";
  const group = settings.groupSize ?? null;
  const length = sequenceLength(settings);
  const missing = [
    ...(model === null ? ["the model's number of weights"] : []),
    ...(group === null ? ["groupSize"] : []),
    ...(length === null ? ["maxPromptTokens and maxCompletionTokens"] : []),
    ...(model !== null && model.vocabulary === null ? ["the model's vocabulary"] : []),
  ];
  const base = { id: "memory", unit: "bytes", formula } as const;
  if (model === null || group === null || length === null || model.vocabulary === null)
    return { ...base, range: null, missing, parts: [], assumptions: [], advice: [] };

  const parts: { name: string; range: Range }[] = [];
  const lora = settings.lora ?? null;
  if (lora === null) {
    parts.push({ name: "weights, gradients and optimizer", range: times(TRAINED, model.parameters) });
    if ((settings.kl ?? 0) > 0)
      parts.push({ name: "reference model", range: times(WEIGHT, model.parameters) });
  } else {
    parts.push({ name: "base weights", range: times(WEIGHT, model.parameters) });
    const { layers, hidden } = model;
    if (layers !== null && hidden !== null) {
      const adapter = 2 * lora.rank * hidden * 7 * layers;
      // Matrices of the feed-forward part are up to some four times as wide.
      parts.push({ name: "adapter", range: { low: adapter * 16, high: adapter * 16 * 2.5 } });
    } else missing.push("the model's layers and width, for the adapter");
  }
  const logits = group * length * model.vocabulary;
  parts.push({ name: "logits of one group", range: { low: logits * 4, high: logits * 8 } });
  const { layers, keyValueHeads, headSize } = model;
  if (layers !== null && keyValueHeads !== null && headSize !== null) {
    const cache = group * length * 4 * layers * keyValueHeads * headSize;
    parts.push({ name: "keys and values of one group", range: { low: cache, high: cache * 2 } });
  } else missing.push("the model's layers and heads, for keys and values");
  const range = add(...parts.map((part) => part.range));
  const assumptions = [
    "Adam, one group at a time on one device, gradient checkpointing on; activations besides the logits aren't counted.",
    "An inference engine beside the trainer takes a share of its own.",
  ];
  return {
    ...base,
    range,
    missing,
    parts,
    assumptions,
    advice: memoryAdvice(range, device, parts, settings),
  };
}

function memoryAdvice(
  range: Range,
  device: number | null,
  parts: readonly { readonly name: string; readonly range: Range }[],
  settings: RunSettings,
): string[] {
  if (device === null || range.high <= device) return [];
  const sure = range.low > device ? "This doesn't fit" : "This may not fit";
  const largest = [...parts].sort((a, b) => b.range.high - a.range.high)[0]?.name ?? "";
  const cure = largest.startsWith("logits")
    ? "The logits take most: shorten maxCompletionTokens or make groups smaller."
    : settings.lora
      ? "The base weights take most: choose a smaller model, or load it in 4 bits."
      : "The weights take most: train with LoRA, or choose a smaller model.";
  return [`${sure} into ${gib(device)} GiB (${gib(range.low)} to ${gib(range.high)} GiB). ${cure}`];
}

const gib = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);

function sequenceLength(settings: RunSettings): number | null {
  const { maxPromptTokens, maxCompletionTokens } = settings;
  return maxPromptTokens === undefined || maxCompletionTokens === undefined
    ? null
    : maxPromptTokens + maxCompletionTokens;
}

/** Lower and upper limit of a mean, from its sample: mean ± 1.96·s/√n; null below two values. */
export function meanRange(values: readonly number[]): Range | null {
  const n = values.length;
  if (n < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = 1.96 * Math.sqrt(variance / n);
  return { low: Math.max(0, mean - half), high: mean + half };
}

/** Wilson's interval of a share (1927), z = 1.96; null without trials. */
export function shareRange(hits: number, n: number): Range | null {
  if (n === 0) return null;
  const z2 = 1.96 ** 2;
  const p = hits / n;
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (1.96 * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/**
 * Seconds that the reward takes of a step: completions × (mean time of a row + share of rows that run into the limit ×
 * the limit) ÷ rows at once. Null where nothing was measured, or rows were stopped and no limit is known.
 */
export function rewardTime(input: EstimateInput): Range | null {
  const { reward, settings } = input;
  const completions = completionsPerStep(settings);
  if (reward === null || completions === null) return null;
  const row = meanRange(reward.rowsS);
  const share = shareRange(reward.timedOut, reward.rowsS.length + reward.timedOut);
  if (row === null || share === null) return null;
  // In the run a row that hangs takes as long as the run lets it, not as long as it was let here.
  const limit = settings.rewardTimeoutS ?? reward.limitS;
  if (reward.timedOut > 0 && limit === null) return null;
  const hung = reward.timedOut > 0 && limit !== null ? times(share, limit) : zero;
  return times(add(row, hung), completions / Math.max(1, reward.concurrency));
}

function stepTime(input: EstimateInput): Estimate {
  const { settings, reward, generatedPerS, trainedPerS } = input;
  const base = {
    id: "step-time",
    unit: "seconds",
    formula:
      "completions × tokens ÷ tokens generated a second + completions × (mean time of a row + share that hangs × limit) ÷ rows at once + tokens ÷ tokens trained a second",
  } as const;
  const completions = completionsPerStep(settings);
  const length = completionLength(input);
  const prompt = meanRange(input.promptTokens);
  const scoring = rewardTime(input);
  const missing = [
    ...(completions === null ? ["promptsPerStep and groupSize"] : []),
    ...(length === null ? ["lengths of completions"] : []),
    ...(generatedPerS === null ? ["tokens generated a second (a try of two steps measures it)"] : []),
    ...(scoring === null && completions !== null ? ["the reward's time a row"] : []),
  ];
  const parts: { name: string; range: Range }[] = [];
  if (completions !== null && length !== null && generatedPerS !== null)
    parts.push({ name: "generating", range: divide(times(length, completions), generatedPerS) });
  if (scoring !== null) parts.push({ name: "scoring", range: scoring });
  if (completions !== null && length !== null && prompt !== null && trainedPerS !== null)
    parts.push({ name: "training", range: divide(times(add(length, prompt), completions), trainedPerS) });
  else missing.push("tokens trained a second, and lengths of prompts");
  const advice: string[] = [];
  const known = missing.length === 0;
  const range = known ? add(...parts.map((part) => part.range)) : null;
  const share = range !== null && scoring !== null ? scoring.low / range.high : 0;
  if (share > 0.5 && reward !== null)
    advice.push(
      reward.concurrency > 1
        ? "The reward takes more than half of a step: raise the number of rows that it awaits at once."
        : "The reward takes more than half of a step: write it as `async def`, or let it work on the whole list at once.",
    );
  if (reward !== null && reward.timedOut > 0) {
    const n = reward.rowsS.length + reward.timedOut;
    const limit = settings.rewardTimeoutS ?? reward.limitS;
    const wait = limit === null ? "without a limit a step may never end" : `each holds a step for ${limit} s`;
    advice.push(
      `${reward.timedOut} of ${n} rows hung when they were scored here; ${wait}. Give the reward a limit of its own.`,
    );
  }
  const assumptions = [
    "Parts of a step run one after another.",
    "Lengths and times are those of the samples at hand; a policy that is trained changes them.",
  ];
  return { ...base, range, missing, parts, assumptions, advice };
}

const divide = (amount: Range, rate: Range): Range => ({
  low: amount.low / rate.high,
  high: amount.high / rate.low,
});

/** Tokens of a completion: the mean of the samples at hand up to the limit of length. */
function completionLength(input: EstimateInput): Range | null {
  const most = input.settings.maxCompletionTokens ?? Number.POSITIVE_INFINITY;
  const seen = meanRange(input.completionTokens.map((tokens) => Math.min(tokens, most)));
  if (seen === null) return null;
  return { low: seen.low, high: Number.isFinite(most) ? most : seen.high };
}

/**
 * Input and output tokens of an episode of T turns. Each turn reads all that came before: T·p + T(T−1)/2·(c + r) in, T·c
 * out, for prompts of p, completions of c a turn, and r tokens from tools between turns. Null: not known.
 */
export function episodeTokens(
  input: EstimateInput,
): { readonly input: Range; readonly output: Range } | null {
  const completion = completionLength(input);
  const prompt = meanRange(input.promptTokens);
  if (completion === null || prompt === null) return null;
  const most = input.settings.maxTurns ?? 1;
  if (most > 1 && input.toolTokens === null) return null;
  const tool = input.toolTokens ?? zero;
  const read = (turns: number, p: number, c: number, r: number): number =>
    turns * p + ((turns * (turns - 1)) / 2) * (c + r);
  return {
    input: {
      low: read(1, prompt.low, completion.low, tool.low),
      high: read(most, prompt.high, completion.high, tool.high),
    },
    output: { low: completion.low, high: most * completion.high },
  };
}

function tokensOf(input: EstimateInput): Estimate {
  const { settings } = input;
  const formula = "steps × completions × (T·p + T(T−1)/2·(c + r) in, T·c out)";
  const completions = completionsPerStep(settings);
  const episode = episodeTokens(input);
  const { steps } = settings;
  const missing = [
    ...(steps === undefined ? ["steps"] : []),
    ...(completions === null ? ["promptsPerStep and groupSize"] : []),
    ...(episode === null
      ? ["lengths of prompts, completions and, with several turns, of tools' answers"]
      : []),
  ];
  const base = { id: "tokens", unit: "tokens", formula, missing } as const;
  if (steps === undefined || completions === null || episode === null)
    return { ...base, range: null, parts: [], assumptions: [], advice: [] };
  const parts = [
    { name: "read", range: times(episode.input, steps * completions) },
    { name: "generated", range: times(episode.output, steps * completions) },
  ];
  const range = add(...parts.map((part) => part.range));
  const turns = settings.maxTurns ?? 1;
  const assumptions = [
    turns > 1
      ? `Between 1 and ${turns} turns; nothing that was read before is taken from a cache.`
      : "One turn.",
    "Completions grow up to maxCompletionTokens in the upper limit.",
  ];
  const grows = turns > 2 && episode.input.high > 10 * episode.output.high;
  const advice = grows
    ? ["Most tokens are read again turn after turn: fewer turns or shorter tools' answers save most."]
    : [];
  return { ...base, range, parts, assumptions, advice };
}

function cost(input: EstimateInput, time: Estimate): Estimate {
  const { settings, prices } = input;
  const { steps } = settings;
  const completions = completionsPerStep(settings);
  const episode = episodeTokens(input);
  const parts: { name: string; range: Range }[] = [];
  const missing: string[] = [];
  const asked = [prices.hour, prices.inputMillion, prices.outputMillion, prices.call].some(
    (price) => price !== null,
  );
  if (!asked) missing.push("a price");
  if (steps === undefined || completions === null) missing.push("steps, promptsPerStep and groupSize");
  else {
    if (prices.hour !== null) {
      if (time.range === null) missing.push("the time of a step");
      else parts.push({ name: "hardware", range: times(time.range, (steps * prices.hour) / 3600) });
    }
    if (prices.inputMillion !== null || prices.outputMillion !== null) {
      if (episode === null) missing.push("lengths of prompts and completions");
      else {
        const all = steps * completions;
        const read = times(episode.input, (all * (prices.inputMillion ?? 0)) / 1e6);
        const written = times(episode.output, (all * (prices.outputMillion ?? 0)) / 1e6);
        parts.push({ name: "tokens", range: add(read, written) });
      }
    }
    if (prices.call !== null) {
      const calls = steps * completions * prices.callsPerCompletion * prices.call;
      parts.push({ name: "judges and tools", range: { low: calls, high: calls * (settings.maxTurns ?? 1) } });
    }
  }
  const range = missing.length > 0 ? null : add(...parts.map((part) => part.range));
  const dearest = [...parts].sort((a, b) => b.range.high - a.range.high)[0];
  const advice =
    range !== null && dearest?.name === "judges and tools" && dearest.range.low > range.high / 2
      ? ["Judges and tools cost more than half: ask them only where the cheap rewards leave something open."]
      : [];
  return {
    id: "cost",
    unit: "money",
    range,
    missing,
    parts,
    formula: "steps × time of a step × price an hour + tokens × price + calls × price",
    assumptions: ["Start-up, evaluation and steps that fail aren't counted."],
    advice,
  };
}
