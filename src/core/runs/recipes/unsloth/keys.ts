import type { Json } from "../../../../schema/json";
import type { RunSettings, SettingName } from "../../../../schema/run";
import type { RecipeInput } from "../../recipe";
import { checkNeeds, checkTrlNames } from "../checks";
import { Keys } from "../keys";
import { TRL_DEFAULTS, trlKeys } from "../trl/trl";

/** What Unsloth's compiled GRPOConfig has otherwise than TRL's: unsloth 2026.8, unsloth-zoo `rl.py`. */
const CHANGED: Readonly<Record<string, Json>> = {
  loss_type: "bnpo",
  beta: 0.001,
  per_device_train_batch_size: 4,
  gradient_accumulation_steps: 2,
  learning_rate: 5e-5,
  optim: "adamw_8bit",
  weight_decay: 0.001,
  warmup_ratio: 0.1,
  logging_steps: 1,
  report_to: "none",
  vllm_mode: "colocate",
  vllm_importance_sampling_correction: false,
  num_generations: 8,
  seed: 3407,
  unsloth_num_chunks: -1,
  unsloth_grpo_mini_batch: null,
  unsloth_logit_chunk_multiplier: null,
  vllm_sampling_params: null,
  max_prompt_length: 512,
};

/** Arguments of `FastLanguageModel.from_pretrained` that may stand in `extra`, with their defaults. */
const MODEL_OPTIONS: Readonly<Record<string, Json>> = {
  max_seq_length: 2048,
  load_in_4bit: true,
  load_in_8bit: false,
  full_finetuning: false,
  fast_inference: false,
  max_lora_rank: 64,
  gpu_memory_utilization: 0.5,
};

export interface UnslothKeys {
  readonly keys: Keys;
  readonly options: Keys;
  readonly settings: RunSettings;
  readonly unsupported: readonly SettingName[];
  /** Null: all weights are trained. */
  readonly lora: { readonly r: number; readonly lora_alpha: number } | null;
}

/**
 * Unsloth trains with TRL's trainer, patched in place. Which TRL is beside it isn't known here, so a key that this
 * table lacks is only warned of.
 */
export function unslothKeys(input: RecipeInput): UnslothKeys {
  const defaults = new Map([...TRL_DEFAULTS.at(null), ...Object.entries(CHANGED)]);
  const keys = new Keys("Unsloth", defaults, "warning");
  checkNeeds(keys, input, ["trl"], "Unsloth");
  checkTrlNames(keys, input);
  const extra = Object.entries(input.settings.extra ?? {});
  const own = Object.fromEntries(extra.filter(([key]) => key in MODEL_OPTIONS));
  const rest = Object.fromEntries(extra.filter(([key]) => !(key in MODEL_OPTIONS)));
  const { revision, ...asked } = input.settings;
  // GRPOConfig's model arguments aren't used: the trainer is given a model, so `revision` goes to Unsloth's loader.
  const { settings, unsupported } = trlKeys({ ...input, settings: { ...asked, extra: rest } }, keys);

  const options = new Keys(
    "Unsloth",
    new Map(Object.entries({ ...MODEL_OPTIONS, revision: null })),
    "warning",
  );
  options.set("revision", revision);
  const { maxPromptTokens, maxCompletionTokens, lora } = settings;
  if (maxPromptTokens !== undefined && maxCompletionTokens !== undefined)
    options.set("max_seq_length", maxPromptTokens + maxCompletionTokens);
  if (lora === null) {
    options.set("full_finetuning", true);
    options.set("load_in_4bit", false);
  } else if (lora !== undefined) options.set("max_lora_rank", lora.rank);
  options.extra(own);
  keys.problems.push(...options.problems);
  if (keys.get("num_generations") !== undefined) checkMemory(keys, options, settings);
  return {
    keys,
    options,
    settings,
    unsupported,
    lora: lora === null ? null : { r: lora?.rank ?? 16, lora_alpha: lora?.alpha ?? lora?.rank ?? 16 },
  };
}

function checkMemory(keys: Keys, options: Keys, settings: RunSettings): void {
  const length = options.get("max_seq_length");
  const wanted = settings.maxCompletionTokens;
  if (typeof length === "number" && wanted !== undefined && wanted >= length)
    keys.refuse(
      "out-of-range",
      "max_seq_length",
      `Completions of ${wanted} tokens don't fit into \`max_seq_length\` (${length}) beside the prompt. Set \`maxPromptTokens\`, or \`max_seq_length\` in \`extra\`.`,
    );
}
