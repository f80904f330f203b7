import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureEnvironment } from "../../scripts/frameworks.mjs";
import { configEnvironment } from "../../scripts/recipe-defaults.mjs";
import type { Recipe, RecipeInput } from "../../src/core/runs/recipe";
import { art } from "../../src/core/runs/recipes/art/art";
import { nemoGym } from "../../src/core/runs/recipes/nemo/nemoGym";
import { nemoRl } from "../../src/core/runs/recipes/nemo/nemoRl";
import { primeRl } from "../../src/core/runs/recipes/prime/primeRl";
import { verl } from "../../src/core/runs/recipes/verl/verl";
import { RunSettings } from "../../src/schema/run";
import { EVERYTHING, HOSTILE, input } from "../unit/core/runs/recipes/inputs";

/**
 * Configurations that recipes write, read by the frameworks' own loaders on a CPU: verl's from its wheel; NeMo RL and
 * prime-rl, which aren't on PyPI, from checkouts that REWARDSMITH_NEMO_RL and REWARDSMITH_PRIME_RL name.
 */
const exec = promisify(execFile);
const environment = await ensureEnvironment("trl");
const checkouts = {
  nemo: process.env["REWARDSMITH_NEMO_RL"] ?? "",
  prime: process.env["REWARDSMITH_PRIME_RL"] ?? "",
};
const MINUTE = 60_000;

let python = "";
let verlFolder = "";
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "rewardsmith configs-"));
  if (!("python" in environment)) return;
  ({ python, verl: verlFolder } = await configEnvironment(environment.python));
}, 10 * MINUTE);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Values by dotted key, as the framework's own code reads the recipe's file. */
async function read(
  script: string,
  name: string,
  recipe: Recipe,
  given: RecipeInput,
  env: Record<string, string>,
) {
  const output = recipe.prepare(given);
  expect(output.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const job = path.join(folder, name, "job");
  await mkdir(job, { recursive: true });
  for (const file of output.files) await writeFile(path.join(job, file.path), file.text);
  const { stdout } = await exec(python, ["-W", "ignore", "-c", script, job], {
    env: {
      ...process.env,
      REWARDSMITH_RUN: path.dirname(job),
      REWARDSMITH_MODEL: "the model",
      REWARDSMITH_CHECKPOINT: "the checkpoint",
      REWARDSMITH_GPUS: "2",
      ...env,
    },
    maxBuffer: 1 << 26,
  });
  return {
    output,
    job,
    values: JSON.parse(stdout.slice(stdout.indexOf("@@") + 2)) as Record<string, unknown>,
  };
}

const FLAT = `
import json
def flat(tree, prefix=""):
    found = {}
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            found.update(flat(value, f"{prefix}{key}."))
        else:
            found[f"{prefix}{key}"] = value
    return found
`;

const VERL = `${FLAT}
import sys
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
with initialize_config_dir(sys.argv[1], version_base=None):
    config = compose("grpo")
print("@@" + json.dumps(flat(OmegaConf.to_container(config, resolve=True))))
`;

describe.skipIf("skip" in environment)("verl's own configuration", () => {
  it(
    "takes every common setting under its own keys",
    async () => {
      const given = input({
        version: "0.9.1",
        checkpoint: "/runs/a/out/global_step_5",
        settings: {
          ...EVERYTHING,
          lossAggregation: "seq-mean-token-sum",
          extra: { "trainer.balance_batch": false },
        },
      });
      const { output, job, values } = await read(VERL, "verl", verl, given, {
        REWARDSMITH_VERL: path.join(verlFolder, "verl"),
      });
      const run = path.dirname(job);
      for (const { key, value, source } of output.resolved) {
        if (source === "settings" && key !== "actor_rollout_ref.model.path" && typeof value !== "object")
          expect(values[key], key).toEqual(value);
      }
      expect(values).toMatchObject({
        "actor_rollout_ref.model.path": "the model",
        "data.train_files": `${run}/data/train.parquet`,
        "reward.custom_reward_function.path": `${run}/job/rewards.py`,
        "trainer.n_gpus_per_node": 2,
        "trainer.resume_from_path": "the checkpoint",
        "trainer.balance_batch": false,
        "algorithm.adv_estimator": "grpo",
      });
    },
    2 * MINUTE,
  );
});

const NEMO = `${FLAT}
import os, sys
sys.path.insert(0, os.environ["NEMO_RL"])
import importlib.util
spec = importlib.util.spec_from_file_location("config", os.environ["NEMO_RL"] + "/nemo_rl/utils/config.py")
config = importlib.util.module_from_spec(spec)
spec.loader.exec_module(config)
from omegaconf import OmegaConf
config.register_omegaconf_resolvers()
loaded = config.load_config(sys.argv[1] + "/grpo.yaml")
print("@@" + json.dumps(flat(OmegaConf.to_container(loaded, resolve=True))))
`;

describe.skipIf("skip" in environment || checkouts.nemo === "")("NeMo RL's own configuration", () => {
  it.each([
    ["nemo-rl", nemoRl, {}],
    ["nemo-rl-megatron", nemoRl, { "policy.megatron_cfg.enabled": true }],
    ["nemo-gym", nemoGym, {}],
  ] as const)(
    "%s takes every common setting under its own keys",
    async (name, recipe, extra) => {
      const environments =
        recipe === nemoGym ? [{ name: "workplace_assistant", ratio: 1 }] : EVERYTHING.environments;
      const given = input({
        version: "0.6.0",
        settings: { ...EVERYTHING, lossAggregation: "sequence", environments, extra },
      });
      const { output, job, values } = await read(NEMO, name, recipe, given, { NEMO_RL: checkouts.nemo });
      for (const { key, value, source } of output.resolved) {
        if (source === "settings" && key !== "policy.model_name" && typeof value !== "object")
          expect(values[key], key).toEqual(value);
      }
      expect(values).toMatchObject({
        "policy.model_name": "the model",
        "policy.train_global_batch_size": 18,
        "checkpointing.checkpoint_dir": `${path.dirname(job)}/out/checkpoints`,
      });
      if (recipe === nemoRl)
        expect(values).toMatchObject({
          "data.train.data_path": `${path.dirname(job)}/data/train.jsonl`,
          "data.validation.data_path": `${path.dirname(job)}/data/held-out.jsonl`,
          "data.default.env_name": "rewardsmith",
        });
    },
    2 * MINUTE,
  );

  it(
    "reads texts with an interpolation's marks as they are",
    async () => {
      for (const [i, text] of HOSTILE.filter(
        (one) => !/[\p{Cc}\p{Cs}]/u.test(one.replace(/\s/gu, "")),
      ).entries()) {
        const settings = { ...EVERYTHING, environments: undefined, dataset: text, lossAggregation: "token" };
        const given = input({ version: "0.6.0", settings });
        const { values } = await read(NEMO, `hostile-${i}`, nemoGym, given, { NEMO_RL: checkouts.nemo });
        expect(values["data.train.data_path"], JSON.stringify(text)).toBe(text);
      }
    },
    5 * MINUTE,
  );
});

const PRIME = `${FLAT}
import os, sys, tomli
sys.path.insert(0, os.environ["PRIME_RL"] + "/packages/prime-rl-configs/src")
from prime_rl.configs.rl import RLConfig
from prime_rl.utils.config import cli
config = cli(RLConfig, args=["@", sys.argv[1] + "/rl.toml", "--model.name", "some/model", "--orchestrator.renderer.name", "default", "--output-dir", "out"])
print("@@" + json.dumps(flat(config.model_dump(mode="json"))))
`;

describe.skipIf("skip" in environment || checkouts.prime === "")("prime-rl's own configuration", () => {
  it(
    "takes every common setting under its own keys",
    async () => {
      const settings = { ...EVERYTHING, environments: undefined, lora: { rank: 16, alpha: 32 } };
      const given = input({ version: "0.8.0", checkpoint: "/other/out/run/checkpoints/step_50", settings });
      const { output, values } = await read(PRIME, "prime-rl", primeRl, given, {
        PRIME_RL: checkouts.prime,
        PYTHONPATH: path.join(folder, "prime-rl", "job"),
      });
      for (const { key, value, source } of output.resolved) {
        if (source === "settings" && key !== "model.name" && typeof value !== "object")
          expect(values[key], key).toEqual(value);
      }
      expect(values).toMatchObject({
        "trainer.model.name": "some/model",
        "orchestrator.batch_size": 18,
        "orchestrator.seq_len": 410,
        "trainer.max_steps": 7,
        "resume.dir": "/other/out/run/checkpoints/step_50",
      });
      expect(values["orchestrator.train.source"]).toMatchObject([
        { name: "rewardsmith", group_size: 6, env: { taskset: { id: "rewardsmith-run", split: "train" } } },
      ]);
    },
    2 * MINUTE,
  );
});

/** verifiers' own loader and `Task.score`, on the taskset that the recipe writes. */
const SCORE = `${FLAT}
import asyncio, os, sys
job = sys.argv[1]
sys.path.insert(0, job)
import verifiers.v1 as vf
from verifiers.v1.configs.agent import AgentConfig
from verifiers.v1.graph import MessageNode
from verifiers.v1.types import UserMessage
from verifiers.v1.utils.loaders import load_taskset, taskset_config_type
config = taskset_config_type("rewardsmith-run")(id="rewardsmith-run")
tasks = load_taskset(config).load()
out = {}
for i, (task, reply) in enumerate(zip(tasks, ["it is 4", "raise", "none"])):
    trace = vf.Trace(task=vf.TraceTask(type=type(task).__name__, data=task.data), agent=vf.AgentInfo(config=AgentConfig()))
    trace.nodes.append(MessageNode(message=UserMessage(content="2+2"), sampled=False))
    trace.nodes.append(MessageNode(parent=0, message=vf.AssistantMessage(content=reply), sampled=True))
    try:
        asyncio.run(task.score(trace))
        error = None
    except Exception as e:
        error = type(e).__name__
    rewards = {k: (v.score * v.weight if v is not None else None) for k, v in trace.rewards.items()}
    out[str(i)] = [rewards, dict(trace.metrics), error]
print("@@" + json.dumps(out))
`;

describe.skipIf("skip" in environment)("verifiers' own scoring", () => {
  it(
    "gives the reward's numbers for the taskset of the prime-rl recipe; a reward that fails is no zero",
    async () => {
      const run = path.join(folder, "verifiers");
      await mkdir(path.join(run, "reward"), { recursive: true });
      await mkdir(path.join(run, "data"), { recursive: true });
      await writeFile(
        path.join(run, "reward/reward.py"),
        `def correctness(completions, answer, **kwargs):
    if completions[0] == "raise":
        raise RuntimeError("broken")
    if completions[0] == "none":
        return [None]
    return [1.0 if a in c else 0.0 for a, c in zip(answer, completions)]


def answer_format(completions, **kwargs):
    return [None if completions[0] == "none" else 0.5]
`,
      );
      const sample = JSON.stringify({ prompt: "2+2", columns: { answer: "4" } });
      const row = JSON.stringify({ prompt: "2+2", sample });
      await writeFile(path.join(run, "data/train.jsonl"), `${row}\n${row}\n${row}\n`);
      const { values } = await read(SCORE, "verifiers", primeRl, input({ version: "0.8.0" }), {});
      expect(values).toEqual({
        0: [{ total: 1.1 }, { correctness: 1, answer_format: 0.5 }, null],
        1: [{ total: null }, expect.anything(), "TaskError"],
        2: [{ total: null }, expect.anything(), "TaskError"],
      });
    },
    2 * MINUTE,
  );
});

/**
 * ART's own groups, gathering and log around the recipe's loop, in an environment with openpipe-art that
 * REWARDSMITH_ART_PYTHON names. What needs a GPU, the backend and its model, stands in.
 */
const artPython = process.env["REWARDSMITH_ART_PYTHON"] ?? "";
const ART = `
import asyncio, os, runpy, sys, types
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import art
job = sys.argv[1]
sys.path.insert(0, job)
from openai.types.chat import ChatCompletion
asked = []
async def create(**given):
    asked.append(given)
    text = ["it is 4", "no"][len(asked) % 2]
    return ChatCompletion.model_validate({"id": "c", "created": 1, "model": "m", "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]})
client = types.SimpleNamespace(chat=types.SimpleNamespace(completions=types.SimpleNamespace(create=create)))
state = {"step": 0}
async def register(self, backend): pass
async def get_step(self): return state["step"]
art.TrainableModel.register = register
art.TrainableModel.get_step = get_step
art.TrainableModel.openai_client = lambda self: client
art.TrainableModel.get_inference_name = lambda self, step=None: "m"
class LocalBackend:
    def __init__(self, path): print("path", path)
    async def train(self, model, groups, **options):
        state["step"] += 1
        print("train", sorted(t.reward for g in groups for t in g.trajectories), options)
        return types.SimpleNamespace(step=state["step"], metrics={"loss": 0.5})
sys.modules["art.local"] = types.SimpleNamespace(LocalBackend=LocalBackend)
sys.argv = [job + "/train.py"]
runpy.run_path(sys.argv[0], run_name="__main__")
`;

describe.skipIf(artPython === "")("ART's own trajectories and log", () => {
  it(
    "hold what the recipe's loop did",
    async () => {
      const job = path.join(folder, "art/.rewardsmith/runs/a/job");
      const run = path.dirname(job);
      const settings = RunSettings.parse({
        model: "m",
        steps: 2,
        promptsPerStep: 1,
        groupSize: 2,
        learningRate: 1e-5,
        clipHigh: 0.3,
        maxCompletionTokens: 9,
        lora: { rank: 4 },
      });
      const output = art.prepare(input({ settings, version: "0.5.23" }));
      expect(output.problems).toEqual([]);
      await mkdir(path.join(run, "reward"), { recursive: true });
      await mkdir(job, { recursive: true });
      for (const file of output.files) await writeFile(path.join(job, file.path), file.text);
      await writeFile(path.join(folder, "art/outputs.jsonl"), '{"prompt": "2+2", "answer": "4"}\n');
      await writeFile(
        path.join(run, "reward/reward.py"),
        `def correctness(completions, answer, **kwargs):
    return [1.0 if a in c else 0.0 for a, c in zip(answer, completions)]


def answer_format(completions, **kwargs):
    return [0.5]
`,
      );
      const { stdout } = await exec(artPython, ["-W", "ignore", "-c", ART, job], {
        env: { ...process.env, WANDB_MODE: "disabled", WANDB_API_KEY: "" },
        cwd: job,
      });
      expect(stdout).toContain(`path ${run}/out/art`);
      const trained = "train [0.1, 1.1] {'learning_rate': 1e-05, 'epsilon_high': 0.3}";
      expect(stdout.split("\n").filter((line) => line.startsWith("train "))).toEqual([trained, trained]);
      const source = output.telemetry[0]!.path;
      const history = (await readFile(path.join(run, source), "utf8")).trim().split("\n");
      const rows = history.map((line) => JSON.parse(line) as Record<string, number>);
      expect(rows.map(({ step }) => step)).toEqual([1, 2]);
      expect(rows[0]!["train/reward"]).toBeCloseTo(0.6);
      expect((await readdir(path.join(run, output.rollouts!, "train"))).length).toBe(2);
    },
    3 * MINUTE,
  );
});

if (artPython === "")
  it.skip("ART isn't here: REWARDSMITH_ART_PYTHON names an interpreter with openpipe-art");
if (checkouts.prime === "") it.skip("prime-rl isn't here: REWARDSMITH_PRIME_RL names its checkout");
if ("skip" in environment) it.skip(`TRL isn't here: ${environment.skip} (${environment.install})`);
if (checkouts.nemo === "") it.skip("NeMo RL isn't here: REWARDSMITH_NEMO_RL names its checkout");
