import type { Json } from "../../../../schema/json";
import type { RunSettings, SettingName } from "../../../../schema/run";
import type { Recipe, RecipeInput, RecipeOutput } from "../../recipe";
import { checkNeeds, checkVersion } from "../checks";
import { DefaultsTable } from "../defaults";
import table from "../defaults/prime-rl.json";
import { given, Keys } from "../keys";
import { assignments } from "../shared/constants";
import { jobCommand, jobHead, jobReadme } from "../shared/job";
import { rewardsModule } from "../shared/rewards";
import { nest } from "../shared/tree";
import { smokeSettings } from "../smoke";
import { tomlText } from "../text/toml";
import { LAUNCH, TASKSET } from "./script";

export const PRIME_DEFAULTS = new DefaultsTable(table);

/** prime-rl's `rl` on a taskset of verifiers v1 that calls the user's rewards, or on tasksets that are installed. */
export const primeRl: Recipe = {
  id: "prime-rl",
  title: "prime-rl + verifiers",
  framework: { name: "prime-rl", module: "prime_rl" },
  check: "parsed",
  versions: "0.8",
  backends: ["local"],
  contracts: ["trl", "plain"],
  prepare,
};

/** Versions of prime-rl whose configuration classes (`prime-rl-configs` 0.4.0) the table was read from. */
const CHECKED = ["0.8.0", "0.8.0"] as const;

const BATCH = new Set([
  "orchestrator.batch_size",
  "orchestrator.group_size",
  "orchestrator.token_batch_size",
]);

function prepare(input: RecipeInput): RecipeOutput {
  const keys = new Keys("prime-rl", PRIME_DEFAULTS.at(null));
  checkVersion(keys, "prime-rl", input.version, CHECKED);
  const settings = input.smoke ? smokeSettings(input.settings) : input.settings;
  const installed = settings.environments ?? [];
  // Tasksets that are installed bring prompts and rewards of their own.
  if (installed.length === 0) checkNeeds(keys, input, primeRl.contracts, "prime-rl");
  else if (settings.model === undefined || settings.model.trim() === "")
    keys.refuse("needs", "model", "No model is chosen. Set `model` to a model's id or its folder.");
  keys.fix("run.name", "run");
  keys.fix("monitors.file.path", "metrics.jsonl");
  keys.fix("orchestrator.train.source", installed.length > 0 ? installed.map(source) : [own("train")]);
  const unsupported = mapSettings(keys, settings);
  const extra = Object.entries(settings.extra ?? {});
  keys.extra(Object.fromEntries(input.smoke ? extra.filter(([key]) => !BATCH.has(key)) : extra));
  if (settings.evaluateEverySteps !== undefined && installed.length === 0)
    keys.need("orchestrator.eval.source", [own("held-out")]);
  if (settings.saveEverySteps === undefined) keys.need("ckpt.interval", 100);
  keys.need("orchestrator.group_size", 8);
  if (input.checkpoint !== null) keys.fix("resume.dir", input.checkpoint);
  checkBatch(keys);
  const resolved = keys.resolved();
  const command = jobCommand(input, "launch.py");
  const config = nest([
    ...resolved.map(({ key, value }) => [key, value] as const),
    // Without this table no inference server is started.
    ...(resolved.some(({ key }) => key.startsWith("inference")) ? [] : [["inference", {}] as const]),
  ]);
  const head = jobHead(
    input,
    "Writes the prompts for the taskset, and starts prime-rl with this run's configuration.",
    settings.evaluateEverySteps !== undefined,
  );
  const constants = assignments([
    [
      "OWN_TASKSET",
      installed.length === 0,
      "Prompts and rewards are this run's, not an installed taskset's.",
    ],
    ["RENDERER", keys.has("orchestrator.renderer.name"), "Whether rl.toml says how chats are rendered."],
  ]);
  return {
    files: [
      { path: "rl.toml", text: tomlText(config) },
      { path: "rewardsmith_run.py", text: TASKSET },
      { path: "rewards.py", text: rewardsModule(input) },
      {
        path: "launch.py",
        text: `${head}\n${constants}\n${LAUNCH}`,
      },
      {
        path: "README.md",
        text: jobReadme("A GRPO run with prime-rl", README, command, resolved, "prime-rl"),
      },
    ],
    command,
    resolved: [
      {
        key: "model.name",
        value: settings.model ?? null,
        default: "Qwen/Qwen3-0.6B",
        differs: true,
        source: "settings",
      },
      ...resolved,
    ],
    telemetry: [{ reader: "prime-rl-metrics", path: "out/run/metrics.jsonl" }],
    rollouts: "out/run/rollouts",
    checkpoints: "out/run/checkpoints/step_*",
    unsupported,
    problems: keys.problems,
  };
}

/** The taskset of `rewardsmith_run.py`, answered in one turn without tools. */
function own(split: string): Json {
  return {
    name: split === "train" ? "rewardsmith" : `rewardsmith-${split}`,
    env: environment("rewardsmith-run", { split }),
  };
}

function source({ name, ratio }: { readonly name: string; readonly ratio: number }): Json {
  return { name, ratio, env: environment(name, {}) };
}

function environment(id: string, more: { readonly [key: string]: Json }): Json {
  return { taskset: { id, ...more }, agent: { harness: { id: "null" }, runtime: { type: "subprocess" } } };
}

function mapSettings(keys: Keys, settings: RunSettings): SettingName[] {
  const { promptsPerStep, groupSize, maxPromptTokens, maxCompletionTokens, lora, advantageScaling } =
    settings;
  keys.set("max_steps", settings.steps);
  keys.set("orchestrator.group_size", groupSize);
  // prime-rl counts completions, not prompts.
  if (promptsPerStep !== undefined) keys.set("orchestrator.batch_size", promptsPerStep * (groupSize ?? 8));
  keys.set("orchestrator.train.sampling.max_completion_tokens", maxCompletionTokens);
  if (maxPromptTokens !== undefined && maxCompletionTokens !== undefined)
    keys.set("seq_len", maxPromptTokens + maxCompletionTokens);
  keys.set("orchestrator.train.sampling.temperature", settings.temperature);
  keys.set("trainer.optim.lr", settings.learningRate);
  keys.set("trainer.loss.kl_tau", settings.kl);
  keys.set("orchestrator.train.filter_zero_advantages", settings.dropTiedGroups);
  keys.set("orchestrator.max_off_policy_steps", settings.maxStaleness);
  keys.set("orchestrator.eval.interval", settings.evaluateEverySteps);
  keys.set("ckpt.interval", settings.saveEverySteps);
  keys.set("ckpt.keep_last", settings.keepCheckpoints);
  if (settings.thinking !== undefined)
    keys.set("orchestrator.train.sampling.extra_body", {
      chat_template_kwargs: { enable_thinking: settings.thinking },
    });
  if (lora) {
    keys.set("trainer.model.lora.rank", lora.rank);
    keys.set("trainer.model.lora.alpha", lora.alpha);
  }
  // Masking by the ratio of probabilities takes the place of PPO's clipping, and advantages are never scaled.
  const none: SettingName[] = [
    "revision",
    "maxTurns",
    "toolTimeoutS",
    "rewardTimeoutS",
    "topP",
    "clipLow",
    "clipHigh",
  ];
  none.push("lossAggregation", "seed");
  if (advantageScaling !== "none") none.push("advantageScaling");
  if (settings.maskTruncated === true) none.push("maskTruncated");
  if (maxCompletionTokens === undefined) none.push("maxPromptTokens");
  return given(settings, none);
}

function checkBatch(keys: Keys): void {
  const group = keys.get("orchestrator.group_size");
  if (typeof group !== "number") return;
  if (group < 2)
    keys.refuse(
      "out-of-range",
      "orchestrator.group_size",
      `GRPO compares completions of one prompt; ${group} can't be compared. Choose 2 or more.`,
    );
  const batch = keys.get("orchestrator.batch_size") ?? 128;
  if (typeof batch === "number" && batch % group !== 0)
    keys.refuse(
      "not-divisible",
      "orchestrator.batch_size",
      `prime-rl trains on ${batch} completions a step, which isn't a multiple of the group size ${group}. Set \`promptsPerStep\`.`,
    );
}

const README = `\`rl.toml\` is the configuration; \`launch.py\` writes the prompts (\`../data\`) and starts prime-rl's \`rl\` with the model
and the run's folder. \`rewardsmith_run.py\` is a taskset of verifiers v1 whose reward calls the functions from
\`../reward\` (\`rewards.py\`) for one completion at a time. To check the configuration alone:
\`python launch.py --dry-run\`. prime-rl needs CUDA GPUs, at least one for training and one for inference.`;
