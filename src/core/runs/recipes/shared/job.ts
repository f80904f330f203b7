import type { RecipeInput, RecipeOutput } from "../../recipe";
import type { RunCommand } from "../../../../schema/run";
import { differences, fenced, handLines } from "../text/readme";
import { assignments, dataOf, needsOf, PROJECT } from "./constants";
import { PLACES, ROWS_PART, SCRIPT_PLACE } from "./python";

/** The command of a recipe whose one script does what has to be done before the framework's own program starts. */
export function jobCommand(input: RecipeInput, script: string): RunCommand {
  return {
    program: input.python,
    args: [script],
    cwd: "job",
    env: { PYTHONUNBUFFERED: "1" },
    secrets: [...input.secrets],
  };
}

/** Head of such a script: the values of the run that its configuration file doesn't hold, and how prompts are read. */
export function jobHead(input: RecipeInput, title: string, holdOut: boolean): string {
  return [
    `"""${title}"""

import csv
import io
import json
import os
import signal
import sys
from pathlib import Path

`,
    assignments([
      ["MODEL", input.settings.model ?? "", "An id, or a folder relative to the project."],
      ["PROJECT_FOLDER", input.project ?? PROJECT, "Relative to the run's folder."],
      ["DATA", dataOf(input), "Files of prompts relative to the project, or a data set's id."],
      [
        "COLUMNS",
        { ...input.columns },
        "Name that the reward uses -> column of the data, where they differ.",
      ],
      ["NEEDS", needsOf(input), "Columns that the reward asks for; None: all."],
      ["HOLD_OUT", holdOut, "Keep a tenth of the prompts for evaluation."],
    ]),
    "\n",
    SCRIPT_PLACE.trimStart(),
    PLACES.trimStart(),
    ROWS_PART,
    SAMPLES_PART,
  ].join("");
}

/**
 * Prompts as JSON lines for a framework: what the reward is given later stands in one text, `sample`, so that no table
 * format fills in columns that a row doesn't have.
 */
const SAMPLES_PART = String.raw`
def chat(prompt):
    return prompt if isinstance(prompt, list) else [{"role": "user", "content": prompt}]


def sample_of(row):
    columns = {name: value for name, value in row.items() if name != "prompt"}
    return json.dumps({"prompt": row["prompt"], "columns": columns}, ensure_ascii=True)


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=True) + "\n")
`;

export function jobReadme(
  title: string,
  text: string,
  command: RunCommand,
  resolved: RecipeOutput["resolved"],
  framework: string,
): string {
  return `# ${title}

${text}

## By hand

In this folder, with the training environment's Python:

${fenced(handLines(command), "bash")}
## What differs from ${framework}'s defaults

${differences(resolved)}`;
}
