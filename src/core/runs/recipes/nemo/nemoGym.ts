import type { Json } from "../../../../schema/json";
import type { Recipe, RecipeInput, RecipeOutput } from "../../recipe";
import { checkVersion } from "../checks";
import { DefaultsTable } from "../defaults";
import table from "../defaults/nemo-gym.json";
import { Keys } from "../keys";
import { jobCommand, jobHead, jobReadme } from "../shared/job";
import { pyLiteral } from "../text/python";
import { NEMO_TELEMETRY, nemoKeys, nemoYaml, shownNemo } from "./nemoRl";
import { GYM_MAIN, NEMO_START } from "./script";

export const GYM_DEFAULTS = new DefaultsTable(table);

/** What is trained on where no environment is named. */
const PRESET = "workplace_assistant";
const EXAMPLE = "examples/nemo_gym/grpo_workplace_assistant_nemotron_nano_v2_9b.yaml";

/** NeMo RL on environments of NeMo Gym, which bring their own verifiers: tools, turns, and no reward file of the user's. */
export const nemoGym: Recipe = {
  id: "nemo-gym",
  title: "NeMo RL + Gym",
  framework: { name: "nemo-rl", module: "nemo_rl" },
  check: "parsed",
  versions: GYM_DEFAULTS.range[1],
  backends: ["local"],
  contracts: [],
  prepare,
};

function prepare(input: RecipeInput): RecipeOutput {
  const keys = new Keys("NeMo RL", GYM_DEFAULTS.at(input.version));
  checkVersion(keys, "NeMo RL", input.version, GYM_DEFAULTS.range);
  const { settings } = input;
  if (settings.model === undefined || settings.model.trim() === "")
    keys.refuse("needs", "model", "No model is chosen. Set `model` to a model's id or its folder.");
  if (input.reward !== null)
    keys.warn(
      "contract",
      "reward",
      "Environments of NeMo Gym score with verifiers of their own; the suite's rewards aren't used. Choose the recipe NeMo RL for them.",
    );
  const environments = settings.environments ?? [{ name: PRESET, ratio: 1 }];
  const [first] = environments;
  for (const { name } of environments) {
    if (!/^[A-Za-z0-9_-]+$/u.test(name))
      keys.refuse(
        "out-of-range",
        "environments",
        `${JSON.stringify(name)} isn't the name of a resources server.`,
      );
  }
  if (environments.length > 1)
    keys.refuse(
      "out-of-range",
      "environments",
      "NeMo Gym takes several environments as one prepared file of prompts. Prepare it with `gym dataset collate`, and name it in `extra` as `data.train.data_path`.",
    );
  const name = first?.name ?? PRESET;
  keys.fix("env.should_use_nemo_gym", true);
  keys.fix("env.nemo_gym.config_paths", [
    "responses_api_models/vllm_model/configs/vllm_model_for_training.yaml",
    `resources_servers/${name}/configs/${name}.yaml`,
  ]);
  // Rollouts are what we want to see; the example leaves them out to spare disk.
  keys.fix("env.should_log_nemo_gym_responses", false);
  keys.set("grpo.max_rollout_turns", settings.maxTurns);
  const { dataset } = settings;
  keys.set("data.train.data_path", dataset ?? `3rdparty/Gym-workspace/Gym/data/${name}/train.jsonl`);
  keys.need("data.validation.data_path", `3rdparty/Gym-workspace/Gym/data/${name}/validation.jsonl`);
  const unsupported = nemoKeys(input, keys);
  if (settings.maxPromptTokens !== undefined && settings.maxCompletionTokens === undefined)
    unsupported.push("maxPromptTokens");
  const resolved = keys.resolved();
  const command = jobCommand(input, "train.py");
  const head = jobHead(
    input,
    "Starts NeMo RL on an environment of NeMo Gym with this run's configuration.",
    false,
  );
  const constants = `EXAMPLE = "examples/nemo_gym/run_grpo_nemo_gym.py"\nCHECKPOINT = ${pyLiteral(input.checkpoint)}\n`;
  const more: [string, Json][] = [];
  return {
    files: [
      { path: "grpo.yaml", text: nemoYaml(EXAMPLE, resolved, more) },
      { path: "train.py", text: `${head}\n${constants}${NEMO_START}${GYM_MAIN}` },
      {
        path: "README.md",
        text: jobReadme("A GRPO run with NeMo RL and NeMo Gym", README, command, resolved, "the example"),
      },
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

const README = `\`grpo.yaml\` is the configuration, on top of NeMo RL's own \`${EXAMPLE}\`; \`train.py\` runs
\`examples/nemo_gym/run_grpo_nemo_gym.py\` of the checkout (variable \`NEMO_RL\`). Prompts come from the environment's own
files, prepared beforehand as NeMo Gym's guide says (\`ng_prepare_data\` or \`gym dataset collate\`).`;
