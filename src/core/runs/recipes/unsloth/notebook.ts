import type { Recipe, RecipeInput, RecipeOutput } from "../../recipe";
import { jsonText } from "../text/json";
import { pyBlock } from "../text/python";
import { differences } from "../text/readme";
import { PLACES, REWARDS_PART, ROWS_PART } from "../shared/python";
import { DATA_PART, DEVICE_PART, METRICS_PART, STOP_PART } from "../trl/script";
import { HEAD } from "../trl/trl";
import { unslothKeys } from "./keys";
import { UNSLOTH_IMPORTS, UNSLOTH_MODEL } from "./script";
import { unslothConstants, unslothResolved } from "./unsloth";

/** The Unsloth run as a notebook for Google Colab; nothing is started here. */
export const unslothColab: Recipe = {
  id: "unsloth-colab",
  title: "Unsloth on Colab (notebook)",
  framework: null,
  check: "sheet",
  versions: "2026.8",
  backends: ["local"],
  contracts: ["trl"],
  prepare,
};

type Cell = readonly ["markdown" | "code", string];

function prepare(input: RecipeInput): RecipeOutput {
  // In the notebook all lies below one folder, the project's files too.
  const there: RecipeInput = { ...input, project: ".", checkpoint: null };
  const found = unslothKeys(there);
  const resolved = unslothResolved(there, found);
  const cells: Cell[] = [
    [
      "markdown",
      `# GRPO with Unsloth\n\nChoose a GPU (*Runtime → Change runtime type → T4 GPU*), then run the cells from top to bottom. What the run writes is in \`rewardsmith-run/out\`; the last cell packs it.\n\n## What differs from Unsloth's defaults\n\n${differences(resolved)}`,
    ],
    ["code", "%pip install -q unsloth vllm"],
    ["code", filesCell(input)],
    ["markdown", "## The values of this run"],
    ["code", unslothConstants(there, found)],
    ["markdown", "## Where things are; Unsloth is imported before TRL"],
    ["code", `${imports()}\nRUN = Path.cwd() / "rewardsmith-run"\n${PLACES.trimStart()}\n${UNSLOTH_IMPORTS}`],
    ["markdown", "## Rewards, prompts, metrics"],
    ["code", REWARDS_PART],
    ["code", ROWS_PART + DATA_PART],
    ["code", STOP_PART],
    ["code", METRICS_PART],
    ["markdown", "## Model and trainer"],
    ["code", DEVICE_PART],
    ["code", UNSLOTH_MODEL],
    [
      "markdown",
      "## Train\n\nInterrupting the cell stops after the step that is running, with a checkpoint.",
    ],
    ["code", "OUT.mkdir(parents=True, exist_ok=True)\nrun(make_trainer(), CHECKPOINT)"],
    ["code", PACK],
  ];
  return {
    files: [
      { path: "unsloth_grpo.ipynb", text: notebook(cells) },
      { path: "README.md", text: README },
    ],
    command: null,
    resolved,
    telemetry: [],
    rollouts: null,
    checkpoints: null,
    unsupported: found.unsupported,
    problems: found.keys.problems,
  };
}

/** Lines of a script's head that a notebook needs too. */
function imports(): string {
  return HEAD.split("\n")
    .filter((line) => /^(?:import|from) /.test(line))
    .join("\n");
}

/** The reward's files and the prompts: written by the notebook itself where their texts are known, else uploaded. */
function filesCell(input: RecipeInput): string {
  const texts = input.texts ?? [];
  if (texts.length === 0) return UPLOAD;
  const files = Object.fromEntries(texts.map(({ path, text }) => [path, text]));
  return `# The reward and the prompts as they were when this notebook was made.
from pathlib import Path

FILES = ${pyBlock(files)}
for name, text in FILES.items():
    file = Path.cwd() / "rewardsmith-run" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
`;
}

const UPLOAD = `# Upload a zip with the folder reward/ of this run and the file of prompts.
import zipfile
from pathlib import Path

from google.colab import files

for name in files.upload():
    with zipfile.ZipFile(name) as packed:
        packed.extractall(Path.cwd() / "rewardsmith-run")
`;

const PACK = `import shutil

shutil.make_archive("rewardsmith-out", "zip", OUT)
try:
    from google.colab import files

    files.download("rewardsmith-out.zip")
except ImportError:
    print("Packed as rewardsmith-out.zip")
`;

const README = `# Unsloth on Colab

Open \`unsloth_grpo.ipynb\` in Google Colab (*File → Upload notebook*), choose a GPU, run all cells. Nothing is sent
anywhere by Rewardsmith. What comes back (\`rewardsmith-out.zip\`) holds \`completions/\` and \`metrics.jsonl\`; both open
in Rewardsmith.
`;

/** nbformat 4.5: https://nbformat.readthedocs.io/en/latest/format_description.html */
function notebook(cells: readonly Cell[]): string {
  const content = {
    cells: cells.map(([kind, text], i) => ({
      cell_type: kind,
      id: `rewardsmith-${String(i).padStart(2, "0")}`,
      metadata: {},
      source: text.trim().split(/(?<=\n)/u),
      ...(kind === "code" ? { execution_count: null, outputs: [] } : {}),
    })),
    metadata: {
      accelerator: "GPU",
      colab: { gpuType: "T4", provenance: [] },
      kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
      language_info: { name: "python" },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return jsonText(content, 1);
}
