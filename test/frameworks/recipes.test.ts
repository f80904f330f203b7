import { existsSync } from "node:fs";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureEnvironment } from "../../scripts/frameworks.mjs";
import { TRL_VERSIONS, trlFolder } from "../../scripts/recipe-defaults.mjs";
import type { RecipeInput } from "../../src/core/runs/recipe";
import { readerOf } from "../../src/core/runs/readers/registry";
import { trl } from "../../src/core/runs/recipes/trl/trl";
import { unslothColab } from "../../src/core/runs/recipes/unsloth/notebook";
import { unsloth } from "../../src/core/runs/recipes/unsloth/unsloth";
import { RunSettings } from "../../src/schema/run";
import { EVERYTHING, input } from "../unit/core/runs/recipes/inputs";
import { metricRows, Project, until, type Ended } from "./recipeRuns";

/** The TRL recipe's own files, run as they are in TRL's own environment on the CPU. */
const environment = await ensureEnvironment("trl");
const MINUTE = 60_000;

/** A reward that makes a step as long as a slow judge would. */
const SLEEPS = `import time
from pathlib import Path


def correctness(completions, **kwargs):
    Path(__file__).with_name("sleeping").write_text("")
    time.sleep(300)
    return [0.0 for _ in completions]
`;

describe.skipIf("skip" in environment)("the TRL recipe in TRL's environment", () => {
  const python = "python" in environment ? environment.python : "";
  let project: Project;

  const prepare = (settings: object, more: Partial<RecipeInput> = {}) =>
    trl.prepare(
      input({ python, settings: RunSettings.parse({ model: "tiny-model", ...settings }), ...more }),
    );

  beforeAll(async () => {
    project = await Project.make();
    const made = await project.spawn(python, ["make_tiny_model.py", "--steps", "20"], project.folder).ended;
    expect(made.text).toContain("weights in");
  }, 3 * MINUTE);
  afterAll(() => project.remove());

  it(
    "tries two steps: completions, metrics, a checkpoint, a model, and nothing in the reward's copy",
    async () => {
      const output = prepare({ steps: 300, groupSize: 8, promptsPerStep: 8, seed: 1 }, { smoke: true });
      expect(output.problems).toEqual([]);
      const run = await project.write("smoke", output);
      const ended = await project.start("smoke", output).ended;
      expect(ended, ended.text).toMatchObject({ code: 0, signal: null });
      expect((await readdir(path.join(run, "out/completions"))).sort()).toEqual([
        "completions_00001.parquet",
        "completions_00002.parquet",
      ]);
      const rows = await metricRows(run);
      expect(rows.map(({ step }) => step)).toEqual([1, 2, 2]);
      for (const { values } of rows.slice(0, 2))
        expect(Object.keys(values)).toEqual(
          expect.arrayContaining([
            "reward",
            "reward_std",
            "loss",
            "rewards/correctness/mean",
            "frac_reward_zero_std",
          ]),
        );
      const reading = readerOf("rewardsmith-log")!.open();
      const read = [
        ...reading.push(await readFile(path.join(run, "out/metrics.jsonl"), "utf8")),
        ...reading.end(),
      ];
      expect(read.map(({ step }) => step)).toEqual([1, 2, 2]);
      expect(read[0]?.values["reward"]).toBe(rows[0]?.values["reward"]);
      expect(existsSync(path.join(run, "out/checkpoint-2/trainer_state.json"))).toBe(true);
      expect(existsSync(path.join(run, "out/final/config.json"))).toBe(true);
      expect((await readdir(path.join(run, "reward"))).sort()).toEqual(["numbers_util.py", "reward.py"]);
      expect(ended.text).toContain("Device: the CPU");
      expect(ended.text).toContain("Prompts: 25 to train on, 0 held out, of 200 rows.");
      console.log(`two steps: ${(ended.ms / 1000).toFixed(1)} s`);
    },
    3 * MINUTE,
  );

  it(
    "stops on SIGINT within 10 s with a checkpoint, and goes on at the next step",
    async () => {
      const settings = {
        steps: 100,
        groupSize: 4,
        promptsPerStep: 2,
        maxCompletionTokens: 48,
        seed: 1,
        evaluateEverySteps: 50,
      };
      const output = prepare(settings);
      const run = await project.write("long", output);
      const { child, ended, text } = project.start("long", output);
      await until(async () => (await metricRows(run)).length >= 3, 2 * MINUTE, text);
      const { end, ms } = await interrupt(child.pid!, ended);
      expect(end, end.text).toMatchObject({ code: 130, signal: null });
      expect(ms).toBeLessThan(10_000);
      const last = (await metricRows(run)).at(-1)!.step;
      const checkpoint = path.join(run, "out", `checkpoint-${last}`);
      expect(existsSync(path.join(checkpoint, "trainer_state.json"))).toBe(true);
      expect(end.text).toContain(`Stopped. Last checkpoint: ${checkpoint}`);
      expect(end.text).toContain("Prompts: 23 to train on, 2 held out");
      console.log(`stopped in ${ms} ms`);

      const next = prepare({ ...settings, steps: last + 2 }, { checkpoint });
      const resumed = await project.write("resumed", next);
      const finished = await project.start("resumed", next).ended;
      expect(finished, finished.text).toMatchObject({ code: 0 });
      const steps = (await metricRows(resumed)).map(({ step }) => step);
      expect([...new Set(steps)]).toEqual([last + 1, last + 2]);
    },
    5 * MINUTE,
  );

  it(
    "stops on SIGINT within 10 s in the middle of a reward that takes minutes",
    async () => {
      const one = { file: "reward.py", functions: [{ name: "correctness", contract: "trl", weight: 1 }] };
      const output = prepare(
        { steps: 5, groupSize: 2, promptsPerStep: 1, maxCompletionTokens: 8 },
        { reward: one },
      );
      const run = await project.write("asleep", output, SLEEPS);
      const { child, ended, text } = project.start("asleep", output);
      await until(() => Promise.resolve(existsSync(path.join(run, "reward/sleeping"))), 2 * MINUTE, text);
      const { end, ms } = await interrupt(child.pid!, ended);
      expect(end, end.text).toMatchObject({ code: 130, signal: null });
      expect(ms).toBeLessThan(10_000);
      expect(end.text).toContain("Stopped. Last checkpoint: none");
      console.log(`stopped in ${ms} ms`);
    },
    3 * MINUTE,
  );

  it(
    "says in one sentence what is missing",
    async () => {
      const output = prepare({ dataset: "nowhere.jsonl" });
      await project.write("missing", output);
      const ended = await project.start("missing", output).ended;
      expect(ended.code).toBe(1);
      expect(ended.text).toContain("nowhere.jsonl isn't there. Say where it is in the setting 'dataset'.");
      expect(ended.text).not.toContain("Traceback");
    },
    3 * MINUTE,
  );

  describe("Unsloth's script, with a stand-in for its loader in front of TRL's trainer", () => {
    const settings = RunSettings.parse({
      model: "tiny-model",
      lora: { rank: 4 },
      evaluateEverySteps: 2,
      seed: 1,
    });

    it(
      "trains two steps",
      async () => {
        const output = unsloth.prepare(input({ python, version: "2026.8.3", settings, smoke: true }));
        expect(output.problems).toEqual([]);
        const run = await project.write("unsloth", output);
        await writeFile(path.join(run, "job/unsloth.py"), UNSLOTH);
        const ended = await project.start("unsloth", output).ended;
        expect(ended, ended.text).toMatchObject({ code: 0 });
        expect(ended.text).toContain("adapter of rank 4");
        expect((await readdir(path.join(run, "out/completions"))).length).toBeGreaterThanOrEqual(2);
        expect(existsSync(path.join(run, "out/checkpoint-2/trainer_state.json"))).toBe(true);
      },
      3 * MINUTE,
    );

    it(
      "trains two steps out of the notebook's cells",
      async () => {
        const names = ["reward.py", "numbers_util.py", "outputs.jsonl"];
        const texts = await Promise.all(
          names.map(async (name) => ({
            path: name.endsWith(".py") ? `reward/${name}` : name,
            text: await readFile(path.join(project.folder, name), "utf8"),
          })),
        );
        const output = unslothColab.prepare(input({ version: "2026.8.3", settings, smoke: true, texts }));
        const { cells } = JSON.parse(output.files[0]!.text) as {
          cells: { cell_type: string; source: string[] }[];
        };
        const code = cells
          .filter(({ cell_type }) => cell_type === "code")
          .map(({ source }) => source.join(""))
          .filter((text) => !text.startsWith("%"));
        const there = await project.write("notebook", output);
        await cp(path.join(project.folder, "tiny-model"), path.join(there, "rewardsmith-run/tiny-model"), {
          recursive: true,
        });
        await writeFile(path.join(there, "unsloth.py"), UNSLOTH);
        await writeFile(path.join(there, "cells.py"), code.join("\n\n"));
        const ended = await project.spawn(python, ["cells.py"], there).ended;
        expect(ended, ended.text).toMatchObject({ code: 0 });
        expect((await metricRows(path.join(there, "rewardsmith-run"))).at(-1)?.step).toBe(2);
        expect(existsSync(path.join(there, "rewardsmith-out.zip"))).toBe(true);
      },
      3 * MINUTE,
    );
  });

  it.each(TRL_VERSIONS)(
    "is accepted by GRPOConfig of TRL %s",
    async (version) => {
      const output = trl.prepare(input({ python, version, settings: EVERYTHING }));
      expect(output.problems.filter(({ severity }) => severity === "error")).toEqual([]);
      const run = await project.write(`config-${version.replaceAll(".", "-")}`, output);
      const check = path.join(run, "check.py");
      await writeFile(check, CHECK);
      const env = { PYTHONPATH: await trlFolder(version), PYTHONWARNINGS: "ignore" };
      const ended = await project.spawn(python, [check], run, env).ended;
      expect(ended.code, ended.text).toBe(0);
      const answer = JSON.parse(/@@(.*)/u.exec(ended.text)![1]!) as {
        version: string;
        values: Record<string, unknown>;
      };
      expect(answer.version).toBe(version);
      for (const { key, value, source } of output.resolved) {
        if (source !== "settings" || key === "model" || key.startsWith("peft_config")) continue;
        expect(answer.values[key], key).toEqual(value);
      }
      expect(await readFile(path.join(run, "job/train.py"), "utf8")).toContain("GRPOConfig(**");
    },
    2 * MINUTE,
  );
});

if ("skip" in environment) it.skip(`TRL isn't here: ${environment.skip} (${environment.install})`);

/** What Unsloth gives a script, without its speed: it can't be imported where there is no GPU. */
const UNSLOTH = `from transformers import AutoModelForCausalLM, AutoTokenizer


class FastLanguageModel:
    @staticmethod
    def from_pretrained(model_name, max_lora_rank=64, **options):
        return AutoModelForCausalLM.from_pretrained(model_name), AutoTokenizer.from_pretrained(model_name)

    @staticmethod
    def get_peft_model(model, target_modules, use_gradient_checkpointing, r, lora_alpha):
        print(f"adapter of rank {r}")
        return model
`;

/** The framework's own class reads the script's own values. */
const CHECK = `import ast, json
from pathlib import Path
import trl
from trl.trainer.grpo_config import GRPOConfig

tree = ast.parse(Path("job/train.py").read_text(encoding="utf-8"))
values = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
config = GRPOConfig(**{**ast.literal_eval(values["CONFIG"]), "output_dir": "out", "use_cpu": True, "bf16": False})
known = {k: getattr(config, k) for k in ast.literal_eval(values["CONFIG"])}
print("@@" + json.dumps({"version": trl.__version__, "values": {k: getattr(v, "value", v) for k, v in known.items()}}))
`;

async function interrupt(pid: number, ended: Promise<Ended>): Promise<{ end: Ended; ms: number }> {
  const from = Date.now();
  process.kill(pid, "SIGINT");
  const end = await ended;
  return { end, ms: Date.now() - from };
}
