import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import type { Recipe, RecipeInput, RecipeOutput } from "../../../../../src/core/runs/recipe";
import { readerOf } from "../../../../../src/core/runs/readers/registry";
import { RECIPES, recipeOf } from "../../../../../src/core/runs/recipes/registry";
import { nest, omegaText } from "../../../../../src/core/runs/recipes/shared/tree";
import { shellWord } from "../../../../../src/core/runs/recipes/text/shell";
import { fenced } from "../../../../../src/core/runs/recipes/text/readme";
import { yamlText } from "../../../../../src/core/runs/recipes/text/yaml";
import { RunCommand, RunSettings, TelemetrySource, type SettingName } from "../../../../../src/schema/run";
import { EVERYTHING, HOSTILE, input } from "./inputs";

/** What each framework calls its own way to sum the loss, and the version that its keys were read from. */
const OWN: Record<string, { version: string; loss: string }> = {
  trl: { version: "1.16.0", loss: "dr_grpo" },
  unsloth: { version: "2026.8.3", loss: "dr_grpo" },
  "unsloth-colab": { version: "2026.8.3", loss: "dr_grpo" },
  verl: { version: "0.9.1", loss: "seq-mean-token-sum" },
  "prime-rl": { version: "0.8.0", loss: "token" },
  "nemo-rl": { version: "0.6.0", loss: "sequence" },
  "nemo-gym": { version: "0.6.0", loss: "sequence" },
  art: { version: "0.5.23", loss: "ppo" },
  custom: { version: "1", loss: "any" },
};

const command = ["python", "my_train.py", "--out", "here"];

function everything(recipe: Recipe): RunSettings {
  const gym = recipe.id === "nemo-gym" ? [{ name: "workplace_assistant", ratio: 1 }] : undefined;
  return RunSettings.parse({ ...EVERYTHING, lossAggregation: OWN[recipe.id]!.loss, environments: gym });
}

const prepare = (recipe: Recipe, settings: RunSettings, more: Partial<RecipeInput> = {}): RecipeOutput =>
  recipe.prepare(input({ settings, version: OWN[recipe.id]!.version, command, ...more }));

const textOf = (output: RecipeOutput): string => output.files.map(({ text }) => text).join("\n");

describe.each(RECIPES.map((recipe) => [recipe.id, recipe] as const))("recipe %s", (id, recipe) => {
  it("gives files, a command and sources in the product's own forms", () => {
    const output = prepare(recipe, everything(recipe));
    expect(recipeOf(id)).toBe(recipe);
    expect(output.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(output.files.map(({ path }) => path)).toContain("README.md");
    for (const { path } of output.files)
      expect(path).toMatch(/^[a-z_]+\.(?:py|md|json|ya?ml|toml|ipynb)$|^README\.md$/);
    if (output.command) expect(RunCommand.parse(output.command)).toEqual(output.command);
    for (const source of output.telemetry) {
      expect(TelemetrySource.parse(source)).toEqual(source);
      expect(readerOf(source.reader)?.id, "a reader of that name").toBe(source.reader);
    }
    const keys = output.resolved.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("maps or names every setting: none is dropped in silence", () => {
    const all = everything(recipe);
    const names = (Object.keys(RunSettings.shape) as SettingName[]).filter((name) => name !== "extra");
    const base = RunSettings.parse({
      model: "another/model",
      dataset: "other.jsonl",
      promptsPerStep: 2,
      groupSize: 4,
    });
    const before = textOf(prepare(recipe, base));
    const silent = names.filter((name) => {
      const value = name === "environments" ? EVERYTHING.environments : all[name];
      // Of a prompt's length some only know the sum with the completion's.
      const beside = name === "maxPromptTokens" ? { maxCompletionTokens: 77 } : {};
      const first = name === "maxPromptTokens" ? textOf(prepare(recipe, { ...base, ...beside })) : before;
      const output = prepare(recipe, { ...base, ...beside, [name]: value });
      return !output.unsupported.includes(name) && textOf(output) === first && output.problems.length === 0;
    });
    // Two frameworks do what is asked for in any case.
    const always: Record<string, SettingName[]> = {
      "prime-rl": ["advantageScaling"],
      art: ["dropTiedGroups"],
    };
    expect(silent).toEqual(always[id] ?? []);
  });

  it("marks what differs, and only that", () => {
    for (const one of prepare(recipe, everything(recipe)).resolved)
      expect(one.differs, one.key).toBe(JSON.stringify(one.value) !== JSON.stringify(one.default));
  });

  it("refuses a key that the framework doesn't have and names the nearest, where its keys are known", () => {
    const misspelt: Record<string, [string, string]> = {
      trl: ["num_generatons", "num_generations"],
      unsloth: ["num_generatons", "num_generations"],
      "unsloth-colab": ["max_seq_lenth", ""],
      verl: ["trainer.total_epoch", "trainer.total_epochs"],
      "prime-rl": ["orchestrator.group_sise", "orchestrator.group_size"],
      "nemo-rl": ["grpo.num_prompt_per_step", "grpo.num_prompts_per_step"],
      "nemo-gym": ["grpo.num_prompt_per_step", "grpo.num_prompts_per_step"],
      art: ["learning_rat", "learning_rate"],
    };
    const [key, near] = misspelt[id] ?? ["anything", null];
    const { problems } = prepare(recipe, RunSettings.parse({ model: "m", extra: { [key]: 1 } }));
    const found = problems.find((problem) => problem.key === key);
    if (near === null) expect(found).toBeUndefined();
    else expect(found?.text).toContain(near === "" ? key : `\`${near}\``);
  });

  it("keeps two steps and the smallest groups in a try, whatever sizes were asked for", () => {
    const settings = RunSettings.parse({ model: "m", steps: 900, groupSize: 16, promptsPerStep: 64 });
    const output = prepare(recipe, settings, { smoke: true });
    expect(output.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    // An adapter's rank is no size of a batch.
    const values = output.resolved.flatMap(({ key, value }) =>
      /^(?:r|lora_alpha)$/.test(key) ? [] : [value],
    );
    expect(values).toContain(2);
    for (const size of [900, 16, 64, 1024]) expect(values).not.toContain(size);
  });

  it("names a secret's variable and has its value nowhere", () => {
    const output = prepare(recipe, everything(recipe), { secrets: ["HF_TOKEN"] });
    if (output.command) {
      expect(output.command.secrets).toEqual(["HF_TOKEN"]);
      expect(Object.keys(output.command.env)).not.toContain("HF_TOKEN");
      expect(output.files.find(({ path }) => path === "README.md")?.text).toContain("export HF_TOKEN=…");
    }
    expect(textOf(output)).not.toMatch(/\/tmp\/|\/home\/|\/root\//u);
  });

  it("refuses a key given as a setting, and repeats it nowhere", () => {
    const canary = "hf_c4n4ry";
    for (const extra of [
      { hub_token: canary },
      { generation_kwargs: { nested: [{ OPENAI_API_KEY: canary }] } },
    ]) {
      const output = prepare(recipe, RunSettings.parse({ model: "m", revision: "r", extra }));
      expect(output.problems.filter(({ severity }) => severity === "error").length).toBeGreaterThan(0);
      expect(JSON.stringify(output)).not.toContain(canary);
    }
    // These hold no keys.
    const fine = RunSettings.parse({
      model: "m",
      extra: { pad_token: "<pad>", api_key_var: "VLLM_API_KEY" },
    });
    expect(JSON.stringify(prepare(recipe, fine).problems)).not.toContain("secret");
  });

  it("goes on from a checkpoint", () => {
    const checkpoint = "/runs/before/out/checkpoint-5";
    const output = prepare(recipe, everything(recipe), { checkpoint });
    if (output.command) expect(textOf(output)).toContain(checkpoint);
  });

  it("takes hostile texts for what they are", () => {
    for (const text of HOSTILE) {
      const settings = RunSettings.parse({
        ...everything(recipe),
        model: `m ${text}`,
        dataset: `${text} d.jsonl`,
      });
      const output = prepare(recipe, settings, {
        columns: { gold: text },
        checkpoint: text,
        command: ["run", text],
      });
      for (const { path, text: written } of output.files) {
        expect(/\p{Cs}/u.test(written), `${path} ${JSON.stringify(text)}`).toBe(false);
        expect(/[\0\u202e\u2028]/u.test(written), `${path} ${JSON.stringify(text)}`).toBe(false);
        if (/\.(?:json|ipynb)$/u.test(path)) expect(() => JSON.parse(written) as unknown).not.toThrow();
        if (path.endsWith(".yaml")) expect(() => parseYaml(written) as unknown).not.toThrow();
      }
    }
  });
});

describe("the notebook", () => {
  const notebook = (more: Partial<RecipeInput>) =>
    JSON.parse(
      prepare(recipeOf("unsloth-colab")!, everything(recipeOf("unsloth-colab")!), more).files[0]!.text,
    ) as {
      nbformat: number;
      nbformat_minor: number;
      metadata: { accelerator: string };
      cells: {
        cell_type: string;
        id: string;
        source: string[];
        metadata: object;
        outputs?: [];
        execution_count?: null;
      }[];
    };

  it("is nbformat 4.5 with ids, and asks for a GPU", () => {
    const { nbformat, nbformat_minor, metadata, cells } = notebook({});
    expect([nbformat, nbformat_minor, metadata.accelerator]).toEqual([4, 5, "GPU"]);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
    for (const cell of cells) {
      expect(cell.id).toMatch(/^[a-zA-Z0-9-_]{1,64}$/);
      expect("outputs" in cell).toBe(cell.cell_type === "code");
      expect("execution_count" in cell).toBe(cell.cell_type === "code");
      expect(cell.source.slice(0, -1).every((line) => line.endsWith("\n"))).toBe(true);
    }
  });

  it("brings the reward's files along where their texts are known, else asks for them", () => {
    const with_ = notebook({ texts: [{ path: "reward/reward.py", text: 'x = """a"""\n' }] });
    const code = with_.cells.map(({ source }) => source.join("")).join("\n");
    expect(code).toContain('"reward/reward.py": "x = \\"\\"\\"a\\"\\"\\"\\n"');
    expect(code).not.toContain("files.upload()");
    expect(JSON.stringify(notebook({}))).toContain("files.upload()");
  });
});

describe("texts", () => {
  it("nests dotted keys, and escapes what OmegaConf would take for an interpolation", () => {
    expect(
      nest([
        ["a.b", 1],
        ["a.c.d", 2],
        ["a.b", 3],
      ]),
    ).toEqual({ a: { b: 3, c: { d: 2 } } });
    expect(omegaText("a ${x} \\${y} $z")).toBe("a \\${x} \\\\\\${y} $z");
  });

  it("writes YAML that 1.1 readers take for the same", () => {
    const value = {
      a: "yes",
      b: "1e-6",
      c: "0o7",
      d: 1e-6,
      e: "~",
      f: "2001-01-01",
      g: HOSTILE.filter((t) => !/\p{Cs}/u.test(t)),
    };
    expect(parseYaml(yamlText(value), { version: "1.1" })).toEqual(value);
    expect(parseYaml(yamlText(value))).toEqual(value);
  });

  it("fences and quotes so that the text can't end them", () => {
    expect(fenced("a\n```\nb", "bash")).toBe("````bash\na\n```\nb\n````\n");
    expect(shellWord("plain-1.0/x")).toBe("plain-1.0/x");
    expect(shellWord("it's")).toBe(`'it'\\''s'`);
    expect(shellWord("a\nb")).toBe("$'a\\x0ab'");
  });
});
