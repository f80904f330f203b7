import { describe, expect, it } from "vitest";
import type { RecipeInput, RecipeOutput } from "../../../../../src/core/runs/recipe";
import { TRL_DEFAULTS, trl } from "../../../../../src/core/runs/recipes/trl/trl";
import { RunSettings } from "../../../../../src/schema/run";
import { EVERYTHING, input } from "./inputs";

const run = (settings: object, more: Partial<RecipeInput> = {}): RecipeOutput =>
  trl.prepare(input({ settings: RunSettings.parse({ model: "m", ...settings }), ...more }));
const valueOf = (output: RecipeOutput, key: string) => output.resolved.find((one) => one.key === key)?.value;
const errors = (output: RecipeOutput) => output.problems.filter(({ severity }) => severity === "error");

describe("the TRL recipe", () => {
  it("says nothing that isn't asked for beyond what makes the run visible", () => {
    const output = run({});
    expect(output.problems).toEqual([]);
    expect(output.resolved.map(({ key, source }) => [key, source])).toEqual([
      ["model", "settings"],
      ["output_dir", "needed"],
      ["log_completions", "needed"],
      ["logging_steps", "needed"],
      ["reward_weights", "suite"],
      ["report_to", "needed"],
      ["num_completions_to_print", "needed"],
    ]);
  });

  it("makes a step of prompts × group, a group at a time", () => {
    const output = run({ promptsPerStep: 6, groupSize: 4 });
    expect(valueOf(output, "per_device_train_batch_size")).toBe(4);
    expect(valueOf(output, "gradient_accumulation_steps")).toBe(6);
    expect(output.problems).toEqual([]);
    const own = run({ promptsPerStep: 6, groupSize: 4, extra: { per_device_train_batch_size: 12 } });
    expect(valueOf(own, "gradient_accumulation_steps")).toBe(2);
    const odd = run({ promptsPerStep: 3, groupSize: 4, extra: { per_device_train_batch_size: 5 } });
    expect(errors(odd).map(({ code }) => code)).toContain("not-divisible");
  });

  it("compares with the defaults of the version that is installed", () => {
    for (const version of TRL_DEFAULTS.versions) {
      const defaults = TRL_DEFAULTS.at(version);
      expect(defaults.get("learning_rate"), version).toBe(1e-6);
      const output = run({ learningRate: 1e-6, extra: { beta: 0.5 } }, { version });
      expect(output.resolved.find(({ key }) => key === "learning_rate")).toMatchObject({ differs: false });
      expect(output.resolved.find(({ key }) => key === "beta")).toMatchObject({ default: 0, differs: true });
    }
    expect(TRL_DEFAULTS.at("1.0.0").has("use_adaptive_entropy")).toBe(false);
    expect(TRL_DEFAULTS.at("1.16.0").has("use_adaptive_entropy")).toBe(true);
  });

  it("maps or names every setting", () => {
    const output = trl.prepare(input({ settings: EVERYTHING }));
    expect([...output.unsupported].sort()).toEqual([
      "dropTiedGroups",
      "environments",
      "maxPromptTokens",
      "maxStaleness",
      "maxTurns",
      "rewardTimeoutS",
      "toolTimeoutS",
    ]);
    expect(errors(output)).toEqual([]);
    const plain = trl.prepare(input());
    for (const name of Object.keys(EVERYTHING)) {
      if (output.unsupported.some((one) => one === name)) continue;
      // Each of the others, alone, changes the script.
      const settings = RunSettings.parse({
        model: "models/tiny",
        [name]: EVERYTHING[name as keyof RunSettings],
      });
      const text = trl.prepare(input({ settings })).files[0]!.text;
      if (name !== "model" && name !== "dataset") expect(text, name).not.toBe(plain.files[0]!.text);
    }
  });

  it("refuses what TRL would refuse at its start, and says what would mend it", () => {
    const codes = (output: RecipeOutput) => errors(output).map(({ code, key }) => `${code} ${key}`);
    expect(codes(run({ groupSize: 3 }))).toEqual(["not-divisible num_generations"]);
    expect(codes(run({ extra: { num_generations: 1 } }))).toEqual(["out-of-range num_generations"]);
    expect(codes(run({ lossAggregation: "token-mean" }))).toEqual(["out-of-range loss_type"]);
    expect(codes(run({ extra: { generation_batch_size: 16, steps_per_generation: 2 } }))).toEqual([
      "conflict generation_batch_size",
    ]);
    expect(codes(run({ model: " " }))).toEqual(["needs model"]);
    expect(codes(run({}, { reward: null }))).toEqual(["needs reward"]);
    expect(codes(run({}, { samples: [] }))).toEqual(["needs dataset"]);
    expect(codes(run({}, { version: "0.24.0" }))).toEqual(["version version"]);
    expect(codes(run({}, { columns: { trainer_state: "x" } }))).toEqual(["conflict columns"]);
    const plain = { file: "r.py", functions: [{ name: "score", contract: "plain", weight: 1 }] };
    expect(codes(run({}, { reward: plain }))).toEqual(["contract reward"]);
    expect(run({}, { version: "1.99.0" }).problems.map(({ severity }) => severity)).toEqual(["warning"]);
    expect(run({}, { version: null }).problems.map(({ severity }) => severity)).toEqual(["warning"]);
  });

  it("names the nearest key of a misspelt one, and refuses two words for one thing", () => {
    expect(errors(run({ extra: { num_generatons: 4 } }))[0]?.text).toContain("`num_generations`");
    expect(errors(run({ learningRate: 1e-5, extra: { learning_rate: 1e-4 } }))[0]).toMatchObject({
      code: "conflict",
    });
    expect(errors(run({ learningRate: 1e-5, extra: { learning_rate: 1e-5 } }))).toEqual([]);
    expect(errors(run({ extra: { output_dir: "elsewhere" } }))[0]).toMatchObject({ code: "conflict" });
    expect(valueOf(run({ extra: { report_to: "wandb" } }), "report_to")).toBe("wandb");
  });

  it("tries two steps with the smallest sizes, whatever batch was asked for", () => {
    const output = run(
      {
        steps: 500,
        groupSize: 16,
        promptsPerStep: 64,
        maxCompletionTokens: 4096,
        extra: { per_device_train_batch_size: 32, beta: 0.1 },
      },
      { smoke: true },
    );
    expect(output.problems).toEqual([]);
    const values = Object.fromEntries(output.resolved.map(({ key, value }) => [key, value]));
    expect(values).toMatchObject({
      max_steps: 2,
      num_generations: 2,
      per_device_train_batch_size: 2,
      gradient_accumulation_steps: 1,
      max_completion_length: 32,
      save_steps: 2,
      beta: 0.1,
    });
  });
});
