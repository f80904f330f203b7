import type { RecipeInput } from "../../../../../src/core/runs/recipe";
import { RunSettings } from "../../../../../src/schema/run";

/** What the examples' maths suite gives a recipe. */
export function input(given: Partial<RecipeInput> = {}): RecipeInput {
  return {
    settings: RunSettings.parse({ model: "models/tiny" }),
    smoke: false,
    version: "1.16.0",
    reward: {
      file: "reward.py",
      functions: [
        { name: "correctness", contract: "trl", weight: 1 },
        { name: "answer_format", contract: "trl", weight: 0.2 },
      ],
    },
    columns: {},
    python: "/usr/bin/python3",
    backend: "local",
    command: null,
    secrets: [],
    checkpoint: null,
    samples: ["outputs.jsonl"],
    needs: ["answer"],
    ...given,
  };
}

/** Texts that break out of careless quoting; the last ones are no valid Unicode, and a mark that turns a line around. */
export const HOSTILE = [
  `it's "quoted"`,
  "two\nlines\r\n",
  "back\\slash\\",
  "ends with \\",
  '"""',
  "'''",
  "${HOME} $(id) `id`",
  "{{ jinja }} {% if %}",
  "%s {0} {x}",
  "# no comment",
  "a: b\n- c",
  "naïve 日本語 😀",
  "\u2028\u2029\u0085\u0000\u001b[31m",
  "\ud800 half",
  "\u202etxt.exe",
  "\u{e0041}tag",
  "```\nfenced",
  "-- --flag=1",
  "~",
  "null",
  "1e-6",
  "__proto__",
];

/** Every setting with a value that no framework has for its default. */
export const EVERYTHING: RunSettings = RunSettings.parse({
  model: "models/tiny",
  revision: "v2",
  lora: { rank: 16, alpha: 32 },
  dataset: "outputs.jsonl",
  steps: 7,
  promptsPerStep: 3,
  groupSize: 6,
  maxPromptTokens: 333,
  maxCompletionTokens: 77,
  maxTurns: 5,
  toolTimeoutS: 11,
  rewardTimeoutS: 13,
  temperature: 0.7,
  topP: 0.9,
  learningRate: 0.00003,
  clipLow: 0.15,
  clipHigh: 0.28,
  kl: 0.02,
  lossAggregation: "dr_grpo",
  advantageScaling: "none",
  dropTiedGroups: true,
  maskTruncated: true,
  maxStaleness: 3,
  evaluateEverySteps: 5,
  saveEverySteps: 4,
  keepCheckpoints: 2,
  seed: 123,
  thinking: true,
  environments: [{ name: "math", ratio: 1 }],
});
