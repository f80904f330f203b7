import { JsonObject, type Json } from "../../../../schema/json";
import type { RunSettings, SettingName } from "../../../../schema/run";
import { given, secretKey, type Keys } from "../keys";

/** Losses that `GRPOTrainer` computes: `_compute_loss` of trl 1.0 to 1.16. */
const LOSSES = ["grpo", "dr_grpo", "dapo", "bnpo", "cispo", "sapo", "luspo", "vespo"];

/** GRPOConfig's keys that say how many completions make a step. */
export const BATCH_KEYS = [
  "per_device_train_batch_size",
  "gradient_accumulation_steps",
  "steps_per_generation",
  "generation_batch_size",
  "num_generations",
  "num_generations_eval",
  "per_device_eval_batch_size",
] as const;

/** Common settings in GRPOConfig's own keys. @returns what TRL doesn't have */
export function mapTrlSettings(keys: Keys, settings: RunSettings): SettingName[] {
  mapBatch(keys, settings);
  keys.set("max_steps", settings.steps);
  keys.set("max_completion_length", settings.maxCompletionTokens);
  if (keys.knows("max_prompt_length")) keys.set("max_prompt_length", settings.maxPromptTokens);
  keys.set("temperature", settings.temperature);
  keys.set("top_p", settings.topP);
  keys.set("learning_rate", settings.learningRate);
  keys.set("epsilon", settings.clipLow);
  keys.set("epsilon_high", settings.clipHigh);
  keys.set("beta", settings.kl);
  keys.set("loss_type", settings.lossAggregation);
  keys.set("scale_rewards", settings.advantageScaling);
  keys.set("mask_truncated_completions", settings.maskTruncated);
  keys.set("save_steps", settings.saveEverySteps);
  keys.set("save_total_limit", settings.keepCheckpoints);
  keys.set("seed", settings.seed);
  if (settings.evaluateEverySteps !== undefined) {
    keys.set("eval_strategy", "steps");
    keys.set("eval_steps", settings.evaluateEverySteps);
    // One group a batch: TRL wants whole groups there too.
    const group = keys.get("num_generations");
    if (typeof group === "number") keys.need("per_device_eval_batch_size", group);
  }
  const extra = settings.extra ?? {};
  if (settings.revision !== undefined)
    merge(keys, extra, "model_init_kwargs", { revision: settings.revision });
  if (settings.thinking !== undefined)
    merge(keys, extra, "chat_template_kwargs", { enable_thinking: settings.thinking });
  const known = settings.lossAggregation;
  if (known !== undefined && !LOSSES.includes(known))
    keys.refuse(
      "out-of-range",
      "loss_type",
      `TRL has no loss ${JSON.stringify(known)}. It knows ${LOSSES.join(", ")}.`,
    );
  return unsupported(keys, settings);
}

/** A key that holds several values: ours beside the user's own. */
function merge(
  keys: Keys,
  extra: Readonly<Record<string, Json>>,
  key: string,
  ours: Record<string, Json>,
): void {
  // Refused where the user's keys are taken.
  if (secretKey(key, extra[key] ?? null) !== null) return;
  const theirs = JsonObject.safeParse(extra[key]);
  keys.set(key, theirs.success ? { ...theirs.data, ...ours } : ours);
}

/**
 * One step trains on `promptsPerStep` × `groupSize` completions. They go through the model a group at a time, so memory
 * grows with the group and not with the step; `per_device_train_batch_size` in `extra` says otherwise.
 */
function mapBatch(keys: Keys, settings: RunSettings): void {
  const { promptsPerStep, groupSize, extra = {} } = settings;
  keys.set("num_generations", groupSize);
  if (promptsPerStep === undefined) return;
  const group = groupSize ?? extra["num_generations"] ?? keys.get("num_generations");
  if (typeof group !== "number") return;
  const total = promptsPerStep * group;
  const batch = extra["per_device_train_batch_size"] ?? group;
  if (typeof batch !== "number" || batch < 1 || total % batch !== 0) {
    const what = `A step has ${promptsPerStep} × ${group} = ${total} completions; they can't be split into batches of ${JSON.stringify(batch)}.`;
    keys.refuse("not-divisible", "per_device_train_batch_size", `${what} Choose a divisor of ${total}.`);
    return;
  }
  keys.set("per_device_train_batch_size", batch);
  keys.set("gradient_accumulation_steps", total / batch);
}

function unsupported(keys: Keys, settings: RunSettings): SettingName[] {
  const none: SettingName[] = ["maxTurns", "toolTimeoutS", "rewardTimeoutS", "environments"];
  if (!keys.knows("max_prompt_length")) none.push("maxPromptTokens");
  if (settings.dropTiedGroups === true) none.push("dropTiedGroups");
  // TRL samples anew for every step unless it is told otherwise.
  if ((settings.maxStaleness ?? 0) > 0) none.push("maxStaleness");
  return given(settings, none);
}

/** What `GRPOConfig.__post_init__` and `GRPOTrainer` would refuse (trl 1.16.0), said before the start. */
export function checkTrlBatch(keys: Keys): void {
  const number = (key: string): number | null => {
    const value = keys.get(key);
    return typeof value === "number" ? value : null;
  };
  const group = number("num_generations") ?? 8;
  if (group < 2)
    keys.refuse(
      "out-of-range",
      "num_generations",
      `GRPO compares completions of one prompt; ${group} can't be compared. Choose 2 or more.`,
    );
  const batch = number("per_device_train_batch_size") ?? 8;
  const steps = number("steps_per_generation");
  const whole = number("generation_batch_size");
  if (steps !== null && whole !== null) {
    keys.refuse(
      "conflict",
      "generation_batch_size",
      "TRL takes `generation_batch_size` or `steps_per_generation`, not both.",
    );
    return;
  }
  if (whole !== null && whole % batch !== 0)
    keys.refuse(
      "not-divisible",
      "generation_batch_size",
      `\`generation_batch_size\` (${whole}) must be a multiple of \`per_device_train_batch_size\` (${batch}).`,
    );
  const generated = whole ?? batch * (steps ?? number("gradient_accumulation_steps") ?? 1);
  if (group >= 2 && generated % group !== 0) {
    const what = `TRL generates ${generated} completions at a time, which isn't a multiple of the group size ${group}.`;
    keys.refuse(
      "not-divisible",
      "num_generations",
      `${what} Set \`promptsPerStep\`, or choose another group size.`,
    );
  }
  const evaluated = number("per_device_eval_batch_size") ?? 8;
  const evalGroup = number("num_generations_eval") ?? group;
  if (
    keys.get("eval_strategy") !== undefined &&
    keys.get("eval_strategy") !== "no" &&
    evaluated % evalGroup !== 0
  )
    keys.refuse(
      "not-divisible",
      "per_device_eval_batch_size",
      `The evaluation's batch (${evaluated}) isn't a multiple of its group size (${evalGroup}).`,
    );
}
