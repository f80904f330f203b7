import type { RunCommand, TelemetrySource } from "../../../../schema/run";
import { checkNeeds, checkTrlNames, checkVersion } from "../checks";
import { DefaultsTable } from "../defaults";
import table from "../defaults/trl.json";
import { Keys, resolvedKey } from "../keys";
import type { Recipe, RecipeInput, RecipeOutput } from "../../recipe";
import { smokeSettings } from "../smoke";
import { differences, fenced, handLines } from "../text/readme";
import { assignments, configBlock, dataOf, needsOf, PROJECT } from "../shared/constants";
import { PLACES, REWARDS_PART, SCRIPT_PLACE, ROWS_PART } from "../shared/python";
import { DATA_PART, DEVICE_PART, METRICS_PART, STOP_PART, TRL_MAIN } from "./script";
import { BATCH_KEYS, checkTrlBatch, mapTrlSettings } from "./settings";

export const TRL_DEFAULTS = new DefaultsTable(table);

/** What TRL's trainer leaves behind, wherever it runs. */
export const TRL_TELEMETRY: readonly TelemetrySource[] = [
  { reader: "rewardsmith-log", path: "out/metrics.jsonl" },
  { reader: "trl-console", path: "console.log" },
  { reader: "trainer-state", path: "out/checkpoint-*/trainer_state.json" },
];

/** GRPOTrainer of TRL (huggingface/trl), as a script with its values at the top. */
export const trl: Recipe = {
  id: "trl",
  title: "TRL",
  framework: { name: "trl", module: "trl" },
  check: "ran",
  versions: TRL_DEFAULTS.range.join("–"),
  backends: ["local"],
  contracts: ["trl"],
  prepare,
};

/** The keys of a run with GRPOTrainer, its checks included. Unsloth's trainer is the same one. */
export function trlKeys(input: RecipeInput, keys: Keys) {
  // A try has sizes of its own, whatever batch the user's keys ask for.
  const settings = input.smoke ? smokeSettings(withoutBatch(input.settings)) : input.settings;
  keys.fix("output_dir", "../out");
  keys.fix("log_completions", true);
  keys.fix("logging_steps", 1);
  const unsupported = mapTrlSettings(keys, settings);
  const weights = input.reward?.functions.map(({ weight }) => weight) ?? [];
  if (weights.length > 0) keys.set("reward_weights", weights, "suite");
  const { model_init_kwargs: _m, chat_template_kwargs: _c, ...extra } = settings.extra ?? {};
  const own = { ...extra };
  if (!keys.has("model_init_kwargs") && _m !== undefined) own["model_init_kwargs"] = _m;
  if (!keys.has("chat_template_kwargs") && _c !== undefined) own["chat_template_kwargs"] = _c;
  keys.extra(own);
  keys.need("report_to", "none");
  keys.need("num_completions_to_print", 0);
  checkTrlBatch(keys);
  return { settings, unsupported };
}

function withoutBatch(settings: RecipeInput["settings"]): RecipeInput["settings"] {
  const extra = Object.entries(settings.extra ?? {}).filter(
    ([key]) => !BATCH_KEYS.some((one) => one === key),
  );
  return { ...settings, extra: Object.fromEntries(extra) };
}

function prepare(input: RecipeInput): RecipeOutput {
  const keys = new Keys("TRL", TRL_DEFAULTS.at(input.version));
  checkVersion(keys, "TRL", input.version, TRL_DEFAULTS.range);
  checkNeeds(keys, input, trl.contracts, "TRL");
  checkTrlNames(keys, input);
  const { settings, unsupported } = trlKeys(input, keys);
  const { model, lora } = settings;
  const resolved = keys.resolved();
  const command: RunCommand = {
    program: input.python,
    args: ["train.py"],
    cwd: "job",
    env: { PYTHONUNBUFFERED: "1" },
    secrets: [...input.secrets],
  };
  const script = [
    HEAD,
    constants(input, settings.evaluateEverySteps !== undefined),
    configBlock(resolved.filter(({ key }) => key !== "output_dir")),
    SCRIPT_PLACE.trimStart() + PLACES.trimStart(),
    IMPORTS,
    STOP_PART,
    REWARDS_PART,
    ROWS_PART,
    DATA_PART,
    METRICS_PART,
    DEVICE_PART,
    TRL_MAIN,
  ].join("\n");
  return {
    files: [
      { path: "train.py", text: script },
      { path: "README.md", text: readme(command, resolved) },
    ],
    command,
    resolved: [
      resolvedKey("model", model ?? null, null, "settings"),
      ...(lora ? [resolvedKey("peft_config.r", lora.rank, 8, "settings")] : []),
      ...(lora?.alpha === undefined
        ? []
        : [resolvedKey("peft_config.lora_alpha", lora.alpha, 8, "settings")]),
      ...resolved,
    ],
    telemetry: TRL_TELEMETRY,
    rollouts: "out/completions",
    checkpoints: "out/checkpoint-*",
    unsupported,
    problems: keys.problems,
  };
}

export const HEAD = `"""GRPO with TRL, as it was set up for this run. README.md beside this file says how to run it by hand."""

import _thread
import argparse
import csv
import importlib.util
import io
import json
import math
import os
import signal
import sys
import threading
import time
from pathlib import Path
`;

export const IMPORTS = `import torch
import transformers
import trl
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer
`;

/** The values of the run. `HOLD_OUT`: a tenth of the prompts is for evaluation. */
export function constants(input: RecipeInput, holdOut: boolean): string {
  const { settings, reward } = input;
  const lora = settings.lora
    ? {
        r: settings.lora.rank,
        ...(settings.lora.alpha === undefined ? {} : { lora_alpha: settings.lora.alpha }),
      }
    : null;
  return assignments([
    ["MODEL", settings.model ?? "", "An id, or a folder relative to the project."],
    ["LORA", lora, "None: all weights are trained."],
    ["PROJECT_FOLDER", input.project ?? PROJECT, "Relative to the run's folder."],
    ["DATA", dataOf(input), "Files of prompts relative to the project, or a data set's id."],
    ["COLUMNS", { ...input.columns }, "Name that the reward uses -> column of the data, where they differ."],
    ["NEEDS", needsOf(input), "Columns that the reward asks for; None: all."],
    ["HOLD_OUT", holdOut, "Keep a tenth of the prompts for evaluation."],
    ["REWARD_FILE", reward?.file ?? "", "In ../reward, as it was when the run was launched."],
    ["REWARDS", reward?.functions.map(({ name }) => name) ?? []],
    ["CHECKPOINT", input.checkpoint, "Where to go on; None: from the start."],
  ]);
}

function readme(command: RunCommand, resolved: RecipeOutput["resolved"]): string {
  return `# A GRPO run with TRL

\`train.py\` is all of it: the values at its top are those of this run, the rest reads the prompts and the rewards (from
\`../reward\`, as they were at the launch) and trains. It writes to \`../out\`.

## By hand

In this folder, with the training environment's Python:

${fenced(handLines(command), "bash")}
Ctrl+C stops after the step that is running, with a checkpoint; a second Ctrl+C, or ${STOP_AFTER} seconds, stops at once.
To go on: \`python train.py --resume ../out/checkpoint-N\`.

## What differs from TRL's defaults

${differences(resolved)}
Decided when it starts, and said in the log: the device and its number format.
`;
}

const STOP_AFTER = 4;
