import type { Json } from "../../../../schema/json";
import type { ResolvedKey, SettingName, TelemetrySource } from "../../../../schema/run";
import type { Recipe, RecipeInput, RecipeOutput } from "../../recipe";
import { checkNeeds, checkVersion } from "../checks";
import { DefaultsTable } from "../defaults";
import table from "../defaults/nemo-rl.json";
import { Keys } from "../keys";
import { jobCommand, jobHead, jobReadme } from "../shared/job";
import { rewardsModule } from "../shared/rewards";
import { nest, omegaValue } from "../shared/tree";
import { smokeSettings } from "../smoke";
import { pyLiteral } from "../text/python";
import { yamlText } from "../text/yaml";
import { NEMO_ENVIRONMENT, NEMO_MAIN, NEMO_START } from "./script";
import { mapNemoSettings } from "./settings";

export const NEMO_DEFAULTS = new DefaultsTable(table);

/** NeMo RL's `run_grpo.py`, its own `grpo_math_1B.yaml` underneath, the user's rewards as an environment. */
export const nemoRl: Recipe = {
  id: "nemo-rl",
  title: "NeMo RL",
  framework: { name: "nemo-rl", module: "nemo_rl" },
  check: "parsed",
  versions: NEMO_DEFAULTS.range[1],
  backends: ["local"],
  contracts: ["trl", "plain"],
  prepare,
};

export const NEMO_TELEMETRY: readonly TelemetrySource[] = [
  { reader: "nemo-rl-console", path: "console.log" },
];

/** Sizes that a try has of its own. */
const BATCH = new Set([
  "grpo.num_prompts_per_step",
  "grpo.num_generations_per_prompt",
  "policy.train_global_batch_size",
  "policy.train_micro_batch_size",
]);

/** What every run with NeMo RL sets, its own program's example beneath. */
export function nemoKeys(input: RecipeInput, keys: Keys): SettingName[] {
  const settings = input.smoke ? smokeSettings(input.settings) : input.settings;
  keys.fix("policy.model_name", "${oc.env:REWARDSMITH_MODEL}");
  keys.fix("logger.log_dir", "${oc.env:REWARDSMITH_RUN}/out/logs");
  keys.fix("checkpointing.enabled", true);
  keys.fix("checkpointing.checkpoint_dir", "${oc.env:REWARDSMITH_RUN}/out/checkpoints");
  const extra = Object.entries(settings.extra ?? {});
  const own = Object.fromEntries(input.smoke ? extra.filter(([key]) => !BATCH.has(key)) : extra);
  const unsupported = mapNemoSettings(keys, { ...settings, extra: own });
  keys.extra(own);
  if (settings.evaluateEverySteps === undefined) {
    keys.need("grpo.val_period", 0);
    keys.need("grpo.val_at_start", false);
    // The newest checkpoints are kept: without a validation there is nothing to choose the best ones by.
    keys.need("checkpointing.metric_name", null);
  }
  return unsupported;
}

/** The configuration file, on top of an example of the checkout. */
export function nemoYaml(
  base: string,
  resolved: readonly ResolvedKey[],
  more: readonly (readonly [string, Json])[],
): string {
  const values = resolved.map(
    ({ key, value, source }) => [key, source === "settings" ? omegaValue(value) : value] as const,
  );
  return yamlText({ defaults: `\${oc.env:NEMO_RL}/${base}`, ...nest([...values, ...more]) });
}

/** As the run's record shows it: the model itself, not where the script puts it. */
export function shownNemo(input: RecipeInput, resolved: readonly ResolvedKey[]): ResolvedKey[] {
  return resolved.map((one) =>
    one.key === "policy.model_name"
      ? { ...one, value: input.settings.model ?? null, source: "settings" }
      : one,
  );
}

function prepare(input: RecipeInput): RecipeOutput {
  const keys = new Keys("NeMo RL", NEMO_DEFAULTS.at(input.version));
  checkVersion(keys, "NeMo RL", input.version, NEMO_DEFAULTS.range);
  checkNeeds(keys, input, nemoRl.contracts, "NeMo RL");
  const evaluates = input.settings.evaluateEverySteps !== undefined;
  const data = "${oc.env:REWARDSMITH_RUN}/data";
  keys.fix("data.train.dataset_name", "ResponseDataset");
  keys.fix("data.train.split_validation_size", 0);
  if (!evaluates) keys.fix("data.validation", null);
  keys.fix("data.default.prompt_file", null);
  keys.fix("data.default.processor", "rewardsmith");
  keys.fix("data.default.env_name", "rewardsmith");
  const unsupported = nemoKeys(input, keys);
  const { maxTurns, environments } = input.settings;
  if (maxTurns !== undefined) unsupported.push("maxTurns");
  if (environments !== undefined) unsupported.push("environments");
  const resolved = keys.resolved();
  const command = jobCommand(input, "train.py");
  const held: [string, Json] = [
    "data.validation",
    { dataset_name: "ResponseDataset", data_path: `${data}/held-out.jsonl` },
  ];
  // Keys that the example doesn't have, as its data are another's.
  const more: [string, Json][] = [
    ["data.train.data_path", `${data}/train.jsonl`],
    ["env.rewardsmith", {}],
    ...(evaluates ? [held] : []),
  ];
  const head = jobHead(
    input,
    "Writes the prompts for NeMo RL, and starts it with this run's configuration.",
    evaluates,
  );
  const constants = `EXAMPLE = "examples/run_grpo.py"\nCHECKPOINT = ${pyLiteral(input.checkpoint)}\n`;
  return {
    files: [
      { path: "grpo.yaml", text: nemoYaml("examples/configs/grpo_math_1B.yaml", resolved, more) },
      { path: "rewards.py", text: rewardsModule(input) },
      { path: "rewardsmith_env.py", text: NEMO_ENVIRONMENT },
      { path: "train.py", text: `${head}\n${constants}${NEMO_START}${NEMO_MAIN}` },
      { path: "README.md", text: jobReadme("A GRPO run with NeMo RL", README, command, resolved, "NeMo RL") },
    ],
    command,
    resolved: shownNemo(input, resolved),
    telemetry: NEMO_TELEMETRY,
    rollouts: "out/logs",
    checkpoints: "out/checkpoints/step_*",
    unsupported,
    problems: keys.problems,
  };
}

const README = `\`grpo.yaml\` is the configuration, on top of NeMo RL's own \`examples/configs/grpo_math_1B.yaml\`. \`train.py\` writes
the prompts (\`../data\`), registers the rewards as an environment (\`rewardsmith_env.py\`, \`rewards.py\`), and runs
\`examples/run_grpo.py\` of the checkout. The variable \`NEMO_RL\` names that checkout's folder, where it isn't the one that
the package is imported from. With \`policy.megatron_cfg.enabled: true\` in \`extra\` the Megatron trainer is used, else
Automodel. NeMo RL needs CUDA GPUs. Every completion is scored by itself: a reward that compares the completions of a call
with each other sees only one.`;
