import type { ResolvedKey, RunCommand } from "../../../../schema/run";
import type { Recipe, RecipeInput, RecipeOutput } from "../../recipe";
import { resolvedKey } from "../keys";
import { differences, fenced, handLines } from "../text/readme";
import { assignments, configBlock } from "../shared/constants";
import { PLACES, REWARDS_PART, SCRIPT_PLACE, ROWS_PART } from "../shared/python";
import { DATA_PART, DEVICE_PART, METRICS_PART, STOP_PART } from "../trl/script";
import { constants, HEAD, TRL_TELEMETRY } from "../trl/trl";
import { type UnslothKeys, unslothKeys } from "./keys";
import { UNSLOTH_IMPORTS, UNSLOTH_MAIN, UNSLOTH_MODEL } from "./script";

/** Unsloth's patched GRPOTrainer on one CUDA GPU, as a script like TRL's. */
export const unsloth: Recipe = {
  id: "unsloth",
  title: "Unsloth",
  framework: { name: "unsloth", module: "unsloth" },
  check: "sheet",
  versions: "2026.8",
  backends: ["local"],
  contracts: ["trl"],
  prepare,
};

/** The values of the run, as they stand at the top of a script or in a notebook's first cell. */
export function unslothConstants(input: RecipeInput, found: UnslothKeys): string {
  const { settings, keys, options, lora } = found;
  const resolved = keys.resolved().filter(({ key }) => key !== "output_dir");
  const shown = {
    ...input,
    settings: { ...input.settings, lora: lora && { rank: lora.r, alpha: lora.lora_alpha } },
  };
  return [
    constants(shown, settings.evaluateEverySteps !== undefined),
    assignments([["MODEL_OPTIONS", options.values(), "For FastLanguageModel.from_pretrained."]]),
    configBlock(resolved),
  ].join("");
}

/** Keys of the trainer, of the model's loader, and of the adapter. */
export function unslothResolved(input: RecipeInput, found: UnslothKeys): ResolvedKey[] {
  const { lora } = found;
  const source = input.settings.lora ? "settings" : "default";
  return [
    resolvedKey("model_name", input.settings.model ?? null, null, "settings"),
    ...(lora
      ? [resolvedKey("r", lora.r, 16, source), resolvedKey("lora_alpha", lora.lora_alpha, 16, source)]
      : []),
    ...found.options.resolved(),
    ...found.keys.resolved(),
  ];
}

function prepare(input: RecipeInput): RecipeOutput {
  const found = unslothKeys(input);
  const command: RunCommand = {
    program: input.python,
    args: ["train.py"],
    cwd: "job",
    env: { PYTHONUNBUFFERED: "1" },
    secrets: [...input.secrets],
  };
  const resolved = unslothResolved(input, found);
  const script = [
    HEAD.replace("GRPO with TRL,", "GRPO with Unsloth,"),
    unslothConstants(input, found),
    SCRIPT_PLACE.trimStart() + PLACES.trimStart(),
    UNSLOTH_IMPORTS,
    STOP_PART,
    REWARDS_PART,
    ROWS_PART,
    DATA_PART,
    METRICS_PART,
    DEVICE_PART,
    UNSLOTH_MODEL,
    UNSLOTH_MAIN,
  ].join("\n");
  return {
    files: [
      { path: "train.py", text: script },
      { path: "README.md", text: readme(command, resolved) },
    ],
    command,
    resolved,
    telemetry: TRL_TELEMETRY,
    rollouts: "out/completions",
    checkpoints: "out/checkpoint-*",
    unsupported: found.unsupported,
    problems: found.keys.problems,
  };
}

function readme(command: RunCommand, resolved: readonly ResolvedKey[]): string {
  return `# A GRPO run with Unsloth

\`train.py\` is all of it: the values at its top are those of this run. Unsloth needs one CUDA GPU, 16 GB for small models;
it is imported before TRL, which it patches.

## By hand

${fenced(handLines(command), "bash")}
Ctrl+C stops after the step that is running, with a checkpoint. To go on: \`python train.py --resume ../out/checkpoint-N\`.

## What differs from Unsloth's defaults

${differences(resolved)}`;
}
