import * as z from "zod";
import type { Json } from "../../../../schema/json";
import type { SettingName } from "../../../../schema/run";
import type { Recipe, RecipeInput, RecipeOutput } from "../../recipe";
import { checkNeeds, checkVersion } from "../checks";
import { DefaultsTable } from "../defaults";
import table from "../defaults/art.json";
import { given, Keys, resolvedKey } from "../keys";
import { assignments } from "../shared/constants";
import { jobCommand, jobHead, jobReadme } from "../shared/job";
import { rewardsModule } from "../shared/rewards";
import { smokeSettings } from "../smoke";
import { ART_LOOP } from "./script";

export const ART_DEFAULTS = new DefaultsTable(table);

/** OpenPipe ART: a training loop in Python; with `ruler` in `extra` a judge model scores each group. */
export const art: Recipe = {
  id: "art",
  title: "ART + RULER",
  framework: { name: "openpipe-art", module: "art" },
  check: "sheet",
  versions: ART_DEFAULTS.range[1],
  backends: ["local"],
  contracts: ["trl", "plain"],
  prepare,
};

/** Words of the recipe's own in `extra`. */
const Own = z.object({
  ruler: z.string().nullable().default(null),
  backend: z.enum(["local", "serverless"]).default("local"),
});

function prepare(input: RecipeInput): RecipeOutput {
  const keys = new Keys("ART", ART_DEFAULTS.at(input.version));
  const settings = input.smoke ? smokeSettings(input.settings) : input.settings;
  checkVersion(keys, "openpipe-art", input.version, ART_DEFAULTS.range);
  checkNeeds(keys, input, art.contracts, "ART");
  const { ruler, backend, ...rest } = settings.extra ?? {};
  const own = Own.safeParse({ ruler, backend });
  if (!own.success)
    keys.refuse(
      "out-of-range",
      "extra",
      "`ruler` is the judge's model, such as `openai/o4-mini`; `backend` is `local` or `serverless`.",
    );
  const chosen = own.success ? own.data : { ruler: null, backend: "local" };

  keys.set("learning_rate", settings.learningRate);
  keys.set("kl_penalty_coef", settings.kl);
  keys.set("epsilon", settings.clipLow);
  keys.set("epsilon_high", settings.clipHigh);
  keys.set("loss_fn", settings.lossAggregation);
  if (settings.lossAggregation !== undefined && !["cispo", "ppo"].includes(settings.lossAggregation))
    keys.refuse(
      "out-of-range",
      "loss_fn",
      `ART has the losses cispo and ppo, not ${JSON.stringify(settings.lossAggregation)}.`,
    );
  const scaling = settings.advantageScaling;
  if (scaling === "group" || scaling === "none") keys.set("scale_rewards", scaling === "group");
  keys.extra(rest);

  const sampling: Record<string, Json> = {};
  if (settings.maxCompletionTokens !== undefined)
    sampling["max_completion_tokens"] = settings.maxCompletionTokens;
  if (settings.temperature !== undefined) sampling["temperature"] = settings.temperature;
  if (settings.topP !== undefined) sampling["top_p"] = settings.topP;
  if (settings.seed !== undefined) sampling["seed"] = settings.seed;
  if (settings.thinking !== undefined)
    sampling["extra_body"] = { chat_template_kwargs: { enable_thinking: settings.thinking } };
  const options: Record<string, Json> = {};
  if (settings.lora)
    options["lora_config"] = {
      rank: settings.lora.rank,
      ...(settings.lora.alpha === undefined ? {} : { alpha: settings.lora.alpha }),
    };
  if (settings.revision !== undefined)
    options["_internal_config"] = { init_args: { revision: settings.revision } };

  const steps = settings.steps ?? 100;
  const prompts = settings.promptsPerStep ?? 8;
  const group = settings.groupSize ?? 8;
  const resolved = [
    resolvedKey("base_model", settings.model ?? null, null, "settings"),
    // ART leaves the loop to the script, so these have no default there.
    resolvedKey("steps", steps, null, settings.steps === undefined ? "needed" : "settings"),
    resolvedKey(
      "groups per step",
      prompts,
      null,
      settings.promptsPerStep === undefined ? "needed" : "settings",
    ),
    resolvedKey(
      "trajectories per group",
      group,
      null,
      settings.groupSize === undefined ? "needed" : "settings",
    ),
    resolvedKey(
      "ruler_score_group.judge_model",
      chosen.ruler,
      null,
      chosen.ruler === null ? "default" : "extra",
    ),
    resolvedKey("backend", chosen.backend, "local", chosen.backend === "local" ? "default" : "extra"),
    ...Object.entries(sampling).map(([key, value]) =>
      resolvedKey(`sampling.${key}`, value, null, "settings"),
    ),
    ...Object.entries(options).map(([key, value]) => resolvedKey(key, value, null, "settings")),
    ...keys.resolved(),
  ];
  const command = jobCommand(input, "train.py");
  const constants = assignments([
    ["STEPS", steps],
    ["PROMPTS_PER_STEP", prompts],
    ["GROUP_SIZE", group],
    ["EVALUATE_EVERY", settings.evaluateEverySteps ?? null, "Steps; None: never."],
    ["RULER", chosen.ruler, "Model that judges each group; None: the rewards alone."],
    ["BACKEND", chosen.backend],
    ["SAMPLING", sampling, "Of the model's answers."],
    ["MODEL_OPTIONS", options, "For art.TrainableModel."],
    ["TRAIN", keys.values(), "For the backend's train()."],
    ["CHECKPOINT", input.checkpoint, "Where to go on; None: from the start."],
  ]);
  const head = jobHead(
    input,
    "GRPO with ART, as it was set up for this run.",
    settings.evaluateEverySteps !== undefined,
  );
  return {
    files: [
      { path: "train.py", text: `${head}\n${constants}${ART_LOOP}` },
      { path: "rewards.py", text: rewardsModule(input) },
      { path: "README.md", text: jobReadme("A GRPO run with ART", README, command, resolved, "ART") },
    ],
    command,
    resolved,
    telemetry: [{ reader: "art-history", path: "out/art/rewardsmith/models/run/history.jsonl" }],
    rollouts: "out/art/rewardsmith/models/run/trajectories",
    checkpoints: "out/art/rewardsmith/models/run/checkpoints/*",
    unsupported: unsupported(settings),
    problems: keys.problems,
  };
}

function unsupported(settings: RecipeInput["settings"]): SettingName[] {
  const none: SettingName[] = [
    "maxPromptTokens",
    "maxTurns",
    "toolTimeoutS",
    "rewardTimeoutS",
    "environments",
  ];
  none.push("saveEverySteps", "keepCheckpoints");
  if (settings.advantageScaling === "batch") none.push("advantageScaling");
  // ART trains adapters only.
  if (settings.lora === null) none.push("lora");
  // Groups without spread are always left out.
  if (settings.dropTiedGroups === false) none.push("dropTiedGroups");
  if (settings.maskTruncated === true) none.push("maskTruncated");
  if ((settings.maxStaleness ?? 0) > 0) none.push("maxStaleness");
  return given(settings, none);
}

const README = `\`train.py\` is the training loop with this run's values at its top; \`rewards.py\` calls the rewards from \`../reward\`
for one completion at a time. ART saves an adapter after every step below \`../out/art\`. With a judge (\`ruler\` in
\`extra\`) RULER's score trains, and the rewards' own sum is kept as the metric \`independent_reward\`; the judge's key is
a variable such as \`OPENAI_API_KEY\`. \`backend: serverless\` trains at W&B and needs \`WANDB_API_KEY\`; the local backend
needs one CUDA GPU.`;
