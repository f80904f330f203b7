import type { Json } from "../../../schema/json";
import type { RunCommand } from "../../../schema/run";
import type { Recipe, RecipeInput, RecipeOutput } from "../recipe";
import { Keys, plainJson, resolvedKey, secretKey, secretText } from "./keys";
import { smokeSettings } from "./smoke";
import { jsonText } from "./text/json";
import { fenced, handLines } from "./text/readme";
import { pyBlock } from "./text/python";
import { dataOf, needsOf, PROJECT } from "./shared/constants";

/** The user's own command. It is told of the run by variables and one JSON file, and watched by what it writes. */
export const custom: Recipe = {
  id: "custom",
  title: "Own command",
  framework: null,
  check: "ran",
  versions: null,
  backends: ["local"],
  contracts: ["trl", "plain"],
  prepare,
};

function prepare(input: RecipeInput): RecipeOutput {
  const keys = new Keys("The command", null);
  const words = input.command ?? [];
  if (words.length === 0 || words[0]?.trim() === "")
    keys.refuse(
      "needs",
      "command",
      "There is no command. Give the program and its arguments, each an item of a list.",
    );
  const nul = words.findIndex((word) => word.includes("\0"));
  if (nul !== -1)
    keys.refuse(
      "out-of-range",
      "command",
      `Item ${nul + 1} of the command holds a NUL character, which no program can be given.`,
    );
  const asked = input.smoke ? smokeSettings(input.settings) : input.settings;
  const settings = {
    ...asked,
    ...(asked.extra === undefined ? {} : { extra: withoutSecrets(keys, asked.extra) }),
  };
  const { extra, ...common } = settings;
  const resolved = [...Object.entries(common), ...Object.entries(extra ?? {})].flatMap(([key, value]) =>
    value === undefined
      ? []
      : [resolvedKey(key, plainJson(value), null, key in common ? "settings" : "extra")],
  );
  const told = {
    smoke: input.smoke,
    settings,
    data: dataOf(input),
    columns: { ...input.columns },
    needs: needsOf(input),
    reward: input.reward === null ? null : { ...input.reward, functions: [...input.reward.functions] },
    checkpoint: input.checkpoint,
  };
  const command: RunCommand = {
    program: input.python,
    args: ["launch.py"],
    cwd: "job",
    env: { PYTHONUNBUFFERED: "1" },
    secrets: [...input.secrets],
  };
  return {
    files: [
      { path: "run.json", text: jsonText(told, 2) },
      { path: "launch.py", text: launcher(words, input.project ?? PROJECT) },
      { path: "README.md", text: readme(command) },
    ],
    command,
    resolved,
    telemetry: [
      { reader: "rewardsmith-log", path: "out/metrics.jsonl" },
      { reader: "trl-console", path: "console.log" },
      { reader: "trainer-state", path: "out/checkpoint-*/trainer_state.json" },
    ],
    rollouts: "out",
    checkpoints: "out/checkpoint-*",
    unsupported: [],
    problems: keys.problems,
  };
}

function withoutSecrets(keys: Keys, extra: Readonly<Record<string, Json>>): Record<string, Json> {
  const kept = Object.entries(extra).filter(([key, value]) => {
    const secret = secretKey(key, value);
    if (secret !== null) keys.refuse("conflict", key, secretText(secret));
    return secret === null;
  });
  return Object.fromEntries(kept);
}

function launcher(words: readonly string[], project: string): string {
  return `"""Starts the command of this run in the project's folder, and tells it where the run's things are."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = ${pyBlock([...words])}
# Relative to the run's folder.
PROJECT_FOLDER = ${pyBlock(project)}

RUN = Path(__file__).resolve().parent.parent
OUT = RUN / "out"
OUT.mkdir(exist_ok=True)
os.environ.update(
    REWARDSMITH_RUN=str(RUN),
    REWARDSMITH_SETTINGS=str(RUN / "job" / "run.json"),
    REWARDSMITH_REWARD=str(RUN / "reward"),
    REWARDSMITH_OUT=str(OUT),
    REWARDSMITH_METRICS=str(OUT / "metrics.jsonl"),
)
os.chdir(RUN / PROJECT_FOLDER)
try:
    if os.name == "posix":
        os.execvp(COMMAND[0], COMMAND)  # the command takes this process's place: signals reach it directly
    sys.exit(subprocess.call(COMMAND))
except OSError as error:
    print(f"{COMMAND[0]} can't be started: {error.strerror}. Is it installed, and on the PATH?", file=sys.stderr)
    sys.exit(127 if isinstance(error, FileNotFoundError) else 126)
`;
}

function readme(command: RunCommand): string {
  return `# A run with a command of your own

\`launch.py\` starts the command in the project's folder with these variables; \`run.json\` holds the settings.

| variable | what |
|---|---|
| \`REWARDSMITH_RUN\` | the run's folder |
| \`REWARDSMITH_SETTINGS\` | \`job/run.json\`: settings, data, columns, rewards, checkpoint to go on from |
| \`REWARDSMITH_REWARD\` | folder with the reward file as it was at the launch |
| \`REWARDSMITH_OUT\` | where to write: checkpoints as \`checkpoint-STEP\`, rollouts in any form the viewer reads |
| \`REWARDSMITH_METRICS\` | metrics, a JSON object a line |

No setting is applied for you: your command reads \`run.json\`.

## By hand

${fenced(handLines(command), "bash")}`;
}
