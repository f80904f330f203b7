import type { RunSettings, SettingName } from "../../../../schema/run";
import { given, type Keys } from "../keys";

const ACTOR = "actor_rollout_ref.actor";
const ROLLOUT = "actor_rollout_ref.rollout";

/** `agg_loss` in verl/trainer/ppo/core_algos.py, 0.9.1. */
const LOSSES = ["token-mean", "seq-mean-token-sum", "seq-mean-token-sum-norm", "seq-mean-token-mean"];

/** Common settings in verl's own keys (`ppo_trainer.yaml`). @returns what verl doesn't have */
export function mapVerlSettings(keys: Keys, settings: RunSettings): SettingName[] {
  const { steps, promptsPerStep, groupSize, kl, lora, lossAggregation, advantageScaling } = settings;
  keys.set("trainer.total_training_steps", steps);
  keys.set("data.train_batch_size", promptsPerStep);
  // One optimizer step a batch; verl's 256 would be more than a small batch has.
  keys.set(`${ACTOR}.ppo_mini_batch_size`, promptsPerStep);
  keys.set(`${ROLLOUT}.n`, groupSize);
  keys.set("data.max_prompt_length", settings.maxPromptTokens);
  keys.set("data.max_response_length", settings.maxCompletionTokens);
  keys.set(`${ROLLOUT}.temperature`, settings.temperature);
  keys.set(`${ROLLOUT}.top_p`, settings.topP);
  keys.set(`${ACTOR}.optim.lr`, settings.learningRate);
  keys.set(`${ACTOR}.clip_ratio_low`, settings.clipLow);
  keys.set(`${ACTOR}.clip_ratio_high`, settings.clipHigh);
  if (kl !== undefined) {
    keys.set(`${ACTOR}.use_kl_loss`, kl > 0);
    keys.set(`${ACTOR}.kl_loss_coef`, kl);
  }
  keys.set(`${ACTOR}.loss_agg_mode`, lossAggregation);
  if (lossAggregation !== undefined && !LOSSES.includes(lossAggregation))
    keys.refuse(
      "out-of-range",
      `${ACTOR}.loss_agg_mode`,
      `verl has no way to sum the loss called ${JSON.stringify(lossAggregation)}. It knows ${LOSSES.join(", ")}.`,
    );
  if (advantageScaling === "group" || advantageScaling === "none")
    keys.set("algorithm.norm_adv_by_std_in_grpo", advantageScaling === "group");
  keys.set("algorithm.filter_groups.enable", settings.dropTiedGroups);
  if (lora) {
    keys.set("actor_rollout_ref.model.lora_rank", lora.rank);
    keys.set("actor_rollout_ref.model.lora_alpha", lora.alpha);
    // vLLM can only merge an adapter into weights that it has loaded itself.
    keys.need(`${ROLLOUT}.load_format`, "safetensors");
  }
  keys.set("trainer.test_freq", settings.evaluateEverySteps);
  keys.set("trainer.save_freq", settings.saveEverySteps);
  keys.set("trainer.max_actor_ckpt_to_keep", settings.keepCheckpoints);
  keys.set("data.seed", settings.seed);
  keys.set(`${ROLLOUT}.seed`, settings.seed);
  if (settings.thinking !== undefined)
    keys.set("data.apply_chat_template_kwargs", { enable_thinking: settings.thinking });
  const none: SettingName[] = ["revision", "maxTurns", "toolTimeoutS", "rewardTimeoutS", "environments"];
  if (advantageScaling === "batch") none.push("advantageScaling");
  if (settings.maskTruncated === true) none.push("maskTruncated");
  if ((settings.maxStaleness ?? 0) > 0) none.push("maxStaleness");
  return given(settings, none);
}

/** What verl can't be started without here, behind what the user said. */
export function needVerl(keys: Keys, settings: RunSettings): void {
  keys.need(`${ROLLOUT}.name`, "vllm");
  keys.need(`${ROLLOUT}.n`, 8);
  keys.need(`${ROLLOUT}.tensor_model_parallel_size`, 1);
  keys.need(`${ACTOR}.use_dynamic_bsz`, true);
  keys.need("data.filter_overlong_prompts", true);
  keys.need("trainer.logger", ["console", "file"]);
  if (settings.evaluateEverySteps === undefined) keys.need("trainer.val_before_train", false);
}

export function checkVerl(keys: Keys): void {
  const group = keys.get(`${ROLLOUT}.n`);
  if (typeof group === "number" && group < 2)
    keys.refuse(
      "out-of-range",
      `${ROLLOUT}.n`,
      `GRPO compares completions of one prompt; ${group} can't be compared. Choose 2 or more.`,
    );
  const batch = keys.get("data.train_batch_size");
  const mini = keys.get(`${ACTOR}.ppo_mini_batch_size`);
  if (typeof batch === "number" && typeof mini === "number" && mini > batch)
    keys.refuse(
      "not-divisible",
      `${ACTOR}.ppo_mini_batch_size`,
      `\`ppo_mini_batch_size\` (${mini}) is larger than \`train_batch_size\` (${batch}). Set \`promptsPerStep\`, or make it smaller.`,
    );
}
