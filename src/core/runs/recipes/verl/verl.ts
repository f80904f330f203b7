import type { Recipe, RecipeInput, RecipeOutput } from "../../recipe";
import { checkNeeds, checkVersion } from "../checks";
import { DefaultsTable } from "../defaults";
import table from "../defaults/verl.json";
import { Keys } from "../keys";
import { jobCommand, jobHead, jobReadme } from "../shared/job";
import { rewardsModule } from "../shared/rewards";
import { nest, omegaValue } from "../shared/tree";
import { smokeSettings } from "../smoke";
import { pyLiteral } from "../text/python";
import { yamlText } from "../text/yaml";
import { checkVerl, mapVerlSettings, needVerl } from "./settings";

export const VERL_DEFAULTS = new DefaultsTable(table);

/** verl's `main_ppo` with a configuration file on top of its own `ppo_trainer.yaml`. */
export const verl: Recipe = {
  id: "verl",
  title: "verl",
  framework: { name: "verl", module: "verl" },
  check: "parsed",
  versions: VERL_DEFAULTS.range[1],
  backends: ["local"],
  contracts: ["trl", "plain"],
  prepare,
};

function prepare(input: RecipeInput): RecipeOutput {
  const keys = new Keys("verl", VERL_DEFAULTS.at(input.version));
  const settings = input.smoke ? smokeSettings(input.settings) : input.settings;
  checkVersion(keys, "verl", input.version, VERL_DEFAULTS.range);
  checkNeeds(keys, input, verl.contracts, "verl");
  keys.fix("algorithm.adv_estimator", "grpo");
  // Filled in by launch.py, which knows where things are.
  keys.fix("actor_rollout_ref.model.path", "${oc.env:REWARDSMITH_MODEL}");
  keys.fix("data.train_files", "${oc.env:REWARDSMITH_RUN}/data/train.parquet");
  keys.fix("data.val_files", "${oc.env:REWARDSMITH_RUN}/data/held-out.parquet");
  keys.fix("reward.custom_reward_function.path", "${oc.env:REWARDSMITH_RUN}/job/rewards.py");
  keys.fix("reward.custom_reward_function.name", "compute_score");
  keys.fix("trainer.default_local_dir", "${oc.env:REWARDSMITH_RUN}/out");
  keys.fix("trainer.rollout_data_dir", "${oc.env:REWARDSMITH_RUN}/rollouts");
  keys.fix("trainer.resume_mode", input.checkpoint === null ? "disable" : "resume_path");
  if (input.checkpoint !== null) keys.fix("trainer.resume_from_path", "${oc.env:REWARDSMITH_CHECKPOINT}");
  const unsupported = mapVerlSettings(keys, settings);
  const extra = Object.entries(settings.extra ?? {});
  keys.extra(Object.fromEntries(input.smoke ? extra.filter(([key]) => !BATCH.has(key)) : extra));
  needVerl(keys, settings);
  keys.need("trainer.n_gpus_per_node", "${oc.decode:${oc.env:REWARDSMITH_GPUS}}");
  checkVerl(keys);
  const resolved = keys.resolved();
  const command = jobCommand(input, "launch.py");
  // The user's own keys and ours may hold interpolations; a common setting is plain text.
  const values = resolved.map(
    ({ key, value, source }) => [key, source === "settings" ? omegaValue(value) : value] as const,
  );
  const config = {
    hydra: {
      searchpath: ["file://${oc.env:REWARDSMITH_VERL}/trainer/config"],
      run: { dir: "${oc.env:REWARDSMITH_RUN}/out/hydra" },
    },
    defaults: ["ppo_trainer", "_self_"],
    ...nest(values),
  };
  return {
    files: [
      { path: "grpo.yaml", text: yamlText(config) },
      { path: "rewards.py", text: rewardsModule(input, COMPUTE_SCORE) },
      { path: "launch.py", text: launcher(input) },
      { path: "README.md", text: jobReadme("A GRPO run with verl", README, command, resolved, "verl") },
    ],
    command,
    resolved: resolved.map((one) =>
      one.key === "actor_rollout_ref.model.path"
        ? { ...one, value: input.settings.model ?? null, source: "settings" }
        : one,
    ),
    telemetry: [
      { reader: "verl-file", path: "out/verl.jsonl" },
      { reader: "verl-console", path: "console.log" },
    ],
    rollouts: "rollouts",
    checkpoints: "out/global_step_*",
    unsupported,
    problems: keys.problems,
  };
}

/** Sizes that a try has of its own. */
const BATCH = new Set([
  "data.train_batch_size",
  "actor_rollout_ref.actor.ppo_mini_batch_size",
  "actor_rollout_ref.rollout.n",
]);

const README = `\`grpo.yaml\` is the configuration, on top of verl's own \`ppo_trainer\`. \`launch.py\` writes the prompts as verl wants
them (\`../data\`), says where things are, and starts \`verl.trainer.main_ppo\`. \`rewards.py\` is verl's \`compute_score\`:
it calls the rewards from \`../reward\` for one completion at a time, so a reward that compares the completions of a
call with each other sees only one. verl needs CUDA GPUs and vLLM.`;

const COMPUTE_SCORE = String.raw`

async def compute_score(data_source, solution_str, ground_truth, extra_info=None, **kwargs):
    """verl's contract: a dict with the score; every other key is logged and written down beside it."""
    sample = json.loads(extra_info["sample"])
    total, parts = await score(sample["prompt"], solution_str, sample["columns"])
    # The same keys for every completion; verl has no None there.
    return {"score": total, **{name: math.nan if part is None else part for name, part in parts.items()}}
`;

function launcher(input: RecipeInput): string {
  return `${jobHead(input, "Writes the prompts for verl, and starts it.", true)}
CHECKPOINT = ${pyLiteral(input.checkpoint)}
${LAUNCH}`;
}

const LAUNCH = String.raw`

def write_table(path, rows, split):
    import pyarrow
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    table = [
        {
            "data_source": "rewardsmith",
            "prompt": chat(row["prompt"]),
            "ability": "",
            "reward_model": {"style": "rule", "ground_truth": str(row.get("answer", ""))},
            "extra_info": {"split": split, "index": i, "sample": sample_of(row)},
        }
        for i, row in enumerate(rows)
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), path)


def gpus():
    import torch

    count = torch.cuda.device_count()
    if count == 0:
        sys.exit("verl needs a CUDA GPU, and PyTorch finds none here. Launch where there is one, or use the TRL recipe.")
    return count


def package():
    import importlib.util

    found = importlib.util.find_spec("verl")
    if found is None or not found.submodule_search_locations:
        sys.exit("verl isn't installed in this environment: pip install verl")
    return list(found.submodule_search_locations)[0]


def main():
    train, held_out = prompt_rows()
    write_table(RUN / "data" / "train.parquet", train, "train")
    # verl wants something to validate on in any case.
    write_table(RUN / "data" / "held-out.parquet", held_out or train[:1], "test")
    OUT.mkdir(exist_ok=True)
    os.environ.update(
        REWARDSMITH_RUN=str(RUN),
        REWARDSMITH_MODEL=MODEL,
        REWARDSMITH_CHECKPOINT=CHECKPOINT or "",
        REWARDSMITH_GPUS=str(gpus()),
        REWARDSMITH_VERL=package(),
        VERL_FILE_LOGGER_PATH=str(OUT / "verl.jsonl"),
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program = [sys.executable, "-m", "verl.trainer.main_ppo", "--config-path", str(RUN / "job"), "--config-name", "grpo"]
    os.execv(sys.executable, program)


if __name__ == "__main__":
    main()
`;
