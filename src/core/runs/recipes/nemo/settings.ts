import type { Json } from "../../../../schema/json";
import type { RunSettings, SettingName } from "../../../../schema/run";
import { given, type Keys } from "../keys";

/** Common settings in NeMo RL's own keys, for the Automodel (DTensor) and the Megatron trainer. @returns what it lacks */
export function mapNemoSettings(keys: Keys, settings: RunSettings): SettingName[] {
  const { steps, promptsPerStep, groupSize, maxPromptTokens, maxCompletionTokens, lora } = settings;
  const extra = settings.extra ?? {};
  const megatron = (extra["policy.megatron_cfg.enabled"] ?? keys.get("policy.megatron_cfg.enabled")) === true;
  keys.set("grpo.max_num_steps", steps);
  if (steps !== undefined) keys.need("grpo.max_num_epochs", 1_000_000);
  keys.set("grpo.num_prompts_per_step", promptsPerStep);
  keys.set("grpo.num_generations_per_prompt", groupSize);
  mapBatch(keys, extra);
  if (maxPromptTokens !== undefined && keys.get("data.max_input_seq_length") !== null)
    keys.set("data.max_input_seq_length", maxPromptTokens);
  keys.set("policy.generation.max_new_tokens", maxCompletionTokens);
  if (maxPromptTokens !== undefined && maxCompletionTokens !== undefined)
    keys.set("policy.max_total_sequence_length", maxPromptTokens + maxCompletionTokens);
  keys.set("policy.generation.temperature", settings.temperature);
  keys.set("policy.generation.top_p", settings.topP);
  keys.set(
    megatron ? "policy.megatron_cfg.optimizer.lr" : "policy.optimizer.kwargs.lr",
    settings.learningRate,
  );
  if (megatron) keys.need("policy.dtensor_cfg.enabled", false);
  keys.set("loss_fn.ratio_clip_min", settings.clipLow);
  keys.set("loss_fn.ratio_clip_max", settings.clipHigh);
  keys.set("loss_fn.reference_policy_kl_penalty", settings.kl);
  mapLoss(keys, settings.lossAggregation);
  const scaling = settings.advantageScaling;
  if (scaling === "group" || scaling === "none") keys.set("grpo.normalize_rewards", scaling === "group");
  keys.set("grpo.use_dynamic_sampling", settings.dropTiedGroups);
  keys.set("grpo.overlong_filtering", settings.maskTruncated);
  keys.set("grpo.val_period", settings.evaluateEverySteps);
  keys.set("checkpointing.save_period", settings.saveEverySteps);
  keys.set("checkpointing.keep_top_k", settings.keepCheckpoints);
  keys.set("grpo.seed", settings.seed);
  if (settings.thinking !== undefined)
    keys.set("policy.tokenizer.chat_template_kwargs", { enable_thinking: settings.thinking });
  const adapter = megatron ? "policy.megatron_cfg.peft" : "policy.dtensor_cfg.lora_cfg";
  if (lora && keys.knows(`${adapter}.enabled`)) {
    keys.set(`${adapter}.enabled`, true);
    keys.set(`${adapter}.dim`, lora.rank);
    keys.set(`${adapter}.alpha`, lora.alpha);
  }
  const none: SettingName[] = ["revision", "toolTimeoutS", "rewardTimeoutS"];
  if (scaling === "batch") none.push("advantageScaling");
  if ((settings.maxStaleness ?? 0) > 0) none.push("maxStaleness");
  if (lora && !keys.knows(`${adapter}.enabled`)) none.push("lora");
  return given(settings, none);
}

/** One optimizer step for each batch of rollouts, unless the user's keys say otherwise. */
function mapBatch(keys: Keys, extra: Readonly<Record<string, Json>>): void {
  const prompts = extra["grpo.num_prompts_per_step"] ?? keys.get("grpo.num_prompts_per_step");
  const group = extra["grpo.num_generations_per_prompt"] ?? keys.get("grpo.num_generations_per_prompt");
  if (typeof prompts !== "number" || typeof group !== "number") return;
  if (group < 2)
    keys.refuse(
      "out-of-range",
      "grpo.num_generations_per_prompt",
      `GRPO compares completions of one prompt; ${group} can't be compared. Choose 2 or more.`,
    );
  const total = prompts * group;
  const batch = extra["policy.train_global_batch_size"];
  if (batch === undefined) keys.need("policy.train_global_batch_size", total);
  else if (typeof batch === "number" && total % batch !== 0)
    keys.refuse(
      "not-divisible",
      "policy.train_global_batch_size",
      `A step has ${prompts} × ${group} = ${total} completions; \`policy.train_global_batch_size\` (${batch}) doesn't divide them.`,
    );
  const micro = extra["policy.train_micro_batch_size"] ?? keys.get("policy.train_micro_batch_size");
  if (typeof micro === "number" && total % micro !== 0) keys.need("policy.train_micro_batch_size", 1);
}

function mapLoss(keys: Keys, word: string | undefined): void {
  if (word === undefined) return;
  if (word === "token" || word === "sequence") {
    keys.set("loss_fn.token_level_loss", word === "token");
    return;
  }
  keys.refuse(
    "out-of-range",
    "loss_fn.token_level_loss",
    `NeMo RL sums the loss by "token" or by "sequence", not by ${JSON.stringify(word)}.`,
  );
}
