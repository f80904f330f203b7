import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPython } from "../../../scripts/lib/python.mjs";
import type { RecipeInput, RecipeOutput } from "../../../src/core/runs/recipe";
import { custom } from "../../../src/core/runs/recipes/custom";
import { RECIPES } from "../../../src/core/runs/recipes/registry";
import { rewardsModule } from "../../../src/core/runs/recipes/shared/rewards";
import { shellLine } from "../../../src/core/runs/recipes/text/shell";
import { RunSettings } from "../../../src/schema/run";
import { HOSTILE, input } from "../../unit/core/runs/recipes/inputs";

/** What recipes write, read and run by a real Python: no framework is needed for these. */
const exec = promisify(execFile);
const found = await findPython();
const python = found?.path ?? "";

describe.skipIf(!found)("scripts of recipes", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "rewardsmith scripts-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function write(name: string, output: RecipeOutput): Promise<string> {
    const run = path.join(folder, name);
    for (const { path: file, text } of output.files) {
      await mkdir(path.join(run, "job"), { recursive: true });
      await writeFile(path.join(run, "job", file), text);
    }
    return run;
  }

  it("hold every value as it was given, whatever is in it", async () => {
    const cases: { file: string; expected: Record<string, unknown> }[] = [];
    for (const recipe of RECIPES.filter(({ id }) => id !== "custom" && id !== "unsloth-colab")) {
      for (const [i, text] of HOSTILE.entries()) {
        const settings = RunSettings.parse({ model: text, dataset: text });
        const given = input({
          settings,
          columns: { gold: text },
          needs: [text],
          checkpoint: text,
          project: text,
        });
        const run = await write(`${recipe.id}-${i}`, recipe.prepare({ ...given, python: "python3" }));
        const script = ["train.py", "launch.py"].find((name) =>
          recipe.prepare(given).files.some((one) => one.path === name),
        )!;
        cases.push({
          file: path.join(run, "job", script),
          expected: {
            MODEL: text,
            DATA: [text],
            COLUMNS: { gold: text },
            NEEDS: [text],
            PROJECT_FOLDER: text,
            // prime-rl's stands in its configuration file.
            ...(recipe.id === "prime-rl" ? {} : { CHECKPOINT: text }),
          },
        });
      }
    }
    const list = path.join(folder, "cases.json");
    await writeFile(list, JSON.stringify(cases.map(({ file }) => file)));
    const { stdout } = await exec(python, ["-c", CONSTANTS, list], { maxBuffer: 1 << 26 });
    const read = JSON.parse(stdout) as Record<string, unknown>[];
    expect(read.length).toBe(cases.length);
    cases.forEach(({ file, expected }, i) => expect(read[i], file).toMatchObject(expected));
  });

  it("compile, notebook cells too", async () => {
    const files: string[] = [];
    for (const recipe of RECIPES) {
      const output = recipe.prepare(input({ command: ["true"] }));
      const run = await write(`compile-${recipe.id}`, output);
      for (const { path: file } of output.files) {
        if (/\.(?:py|ipynb)$/u.test(file)) files.push(path.join(run, "job", file));
      }
    }
    const { stdout } = await exec(python, ["-W", "error", "-c", COMPILE, ...files]);
    expect(Number(stdout)).toBeGreaterThanOrEqual(15);
  });

  it("README's line starts the same command", async () => {
    for (const text of HOSTILE.filter((one) => !one.includes("\0") && !/\p{Cs}/u.test(one))) {
      const script = "import json,sys; sys.stdout.write(json.dumps(sys.argv[1:]))";
      const line = shellLine(python, ["-c", script, text, "plain", ""]);
      const { stdout } = await exec("bash", ["-c", line], { env: { ...process.env, LC_ALL: "C.UTF-8" } });
      expect(JSON.parse(stdout), JSON.stringify(text)).toEqual([text, "plain", ""]);
    }
  });

  describe("rewards for one completion at a time", () => {
    const reward = {
      file: "package/reward.py",
      functions: [
        { name: "exact", contract: "trl", weight: 1 },
        { name: "near", contract: "plain", weight: 0.5 },
        { name: "later", contract: "trl", weight: 0.25 },
        { name: "nothing", contract: "trl", weight: 9 },
      ],
    };

    async function scoreAll(
      name: string,
      given: RecipeInput,
      source: string,
      calls: unknown[],
    ): Promise<unknown[]> {
      const run = path.join(folder, name);
      await mkdir(path.join(run, "job"), { recursive: true });
      await mkdir(path.join(run, "reward/package"), { recursive: true });
      await writeFile(path.join(run, "job/rewards.py"), rewardsModule(given));
      await writeFile(path.join(run, "reward/package/__init__.py"), "");
      await writeFile(path.join(run, "reward/package/reward.py"), source);
      await writeFile(path.join(run, "calls.json"), JSON.stringify(calls));
      const { stdout } = await exec(python, ["-c", SCORE, run]);
      return JSON.parse(stdout) as unknown[];
    }

    it("are those of the functions, weighted; what says nothing is no zero", async () => {
      const source = `from . import reward as itself


def exact(prompts, completions, answer, **kwargs):
    assert kwargs["other"] == ["x"] and len(prompts) == 1
    texts = [c if isinstance(c, str) else c[0]["content"] for c in completions]
    return [1.0 if a == t else 0.0 for a, t in zip(answer, texts)]


def near(response, answer):
    return 0.5 if answer in response else None


async def later(completions, **kwargs):
    return [2.0]


def nothing(completions, **kwargs):
    return [float("nan")]
`;
      const columns = { answer: "4", other: "x" };
      const chat = [{ role: "user", content: "2+2" }];
      const results = await scoreAll("weighted", input({ reward }), source, [
        ["2+2", "4", columns],
        [chat, "4", columns],
        ["2+2", "5", columns],
      ]);
      const full = { exact: 1, near: 0.5, later: 2, nothing: null };
      expect(results).toEqual([
        [1.75, full],
        [1.75, full],
        [0.5, { exact: 0, near: null, later: 2, nothing: null }],
      ]);
    });

    it("reach verl as its compute_score wants them", async () => {
      const functions = [
        { name: "half", contract: "plain", weight: 2 },
        { name: "mute", contract: "plain", weight: 1 },
      ];
      const given = input({ reward: { file: "package/reward.py", functions } });
      const source = "def half(completion): return 0.5\n\n\ndef mute(completion): return None\n";
      const run = path.join(folder, "verl-score");
      await scoreAll("verl-score", given, source, []);
      const verl = RECIPES.find(({ id }) => id === "verl")!.prepare(given);
      await writeFile(
        path.join(run, "job/rewards.py"),
        verl.files.find(({ path: at }) => at === "rewards.py")!.text,
      );
      const { stdout } = await exec(python, ["-c", VERL, run]);
      expect(stdout.trim()).toBe('{"score": 1.0, "half": 0.5, "mute": NaN}');
    });

    it("fail with a sentence where no function gave a score, or gave too many", async () => {
      const functions = [{ name: "only", contract: "trl", weight: 1 }];
      const given = input({ reward: { file: "package/reward.py", functions } });
      const source =
        "def only(completions, **kwargs):\n    return [None] if completions[0] == 'a' else [1, 2]\n";
      const results = await scoreAll("none", given, source, [
        ["p", "a", {}],
        ["p", "b", {}],
      ]);
      expect(results).toEqual([
        "ValueError: No reward function gave a score for this completion (all None or NaN).",
        "ValueError: only gave 2 scores for one completion.",
      ]);
    });
  });

  describe("a command of one's own", () => {
    const settings = RunSettings.parse({ model: "m", steps: 3, extra: { own: [1, null] } });

    async function launch(
      name: string,
      command: string[],
    ): Promise<{ code: number; out: string; err: string }> {
      const run = await write(
        `project/.rewardsmith/runs/${name}`,
        custom.prepare(input({ settings, command })),
      );
      return new Promise((resolve) => {
        execFile(python, ["launch.py"], { cwd: path.join(run, "job") }, (error, out, err) => {
          resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
        });
      });
    }

    it("runs in the project's folder, is told where things are, and gives its own exit code", async () => {
      const script = `import json, os, sys
print(json.dumps({"cwd": os.getcwd(), "argv": sys.argv[1:], "settings": json.load(open(os.environ["REWARDSMITH_SETTINGS"])),
 "metrics": os.environ["REWARDSMITH_METRICS"], "out": os.path.isdir(os.environ["REWARDSMITH_OUT"])}))
sys.exit(7)`;
      const hostile = HOSTILE.filter((one) => !one.includes("\0") && !/\p{Cs}/u.test(one));
      const { code, out } = await launch("own", [python, "-c", script, ...hostile]);
      expect(code).toBe(7);
      expect(JSON.parse(out)).toMatchObject({
        cwd: path.join(folder, "project"),
        argv: hostile,
        settings: { settings: { model: "m", steps: 3, extra: { own: [1, null] } }, data: ["outputs.jsonl"] },
        metrics: path.join(folder, "project/.rewardsmith/runs/own/out/metrics.jsonl"),
        out: true,
      });
    });

    it("says in a sentence that the program isn't there", async () => {
      const { code, err } = await launch("missing", ["no-such-program-here"]);
      expect(code).toBe(127);
      expect(err).toBe(
        "no-such-program-here can't be started: No such file or directory. Is it installed, and on the PATH?\n",
      );
    });
  });

  it("read prompts of every kind of file as they are, each prompt once", async () => {
    const run = await write(
      "rows/.rewardsmith/runs/a",
      RECIPES.find(({ id }) => id === "verl")!.prepare(
        input({
          samples: ["a.jsonl", "b.csv", "c.json"],
          needs: ["answer", "level", "hint"],
          columns: { answer: "gold" },
        }),
      ),
    );
    const project = path.join(folder, "rows");
    const jsonl = [
      { prompt: "p1", completion: "x", gold: "1", level: 3 },
      { prompt: "p1", completion: "y", gold: "1", level: 3 },
      { prompt: "p1", completion: "z", gold: "other", level: 3 },
      {
        messages: [
          { role: "user", content: "p2" },
          { role: "assistant", content: "x" },
        ],
        gold: "2",
      },
      { completion: "no prompt" },
    ];
    await writeFile(
      path.join(project, "a.jsonl"),
      `\ufeff${jsonl.map((row) => JSON.stringify(row)).join("\r\n")}\n`,
    );
    await writeFile(path.join(project, "b.csv"), 'prompt,gold\n"p3, with\nline",3\n');
    await writeFile(path.join(project, "c.json"), JSON.stringify([{ prompt: "p4", gold: null }]));
    const { stdout } = await exec(python, ["-c", ROWS, path.join(run, "job/launch.py")]);
    const { train, held } = JSON.parse(stdout.slice(stdout.indexOf("@@") + 2)) as {
      train: unknown;
      held: unknown;
    };
    expect(train).toEqual([
      { prompt: "p1", answer: "1", level: 3 },
      { prompt: "p1", answer: "other", level: 3 },
      { prompt: [{ role: "user", content: "p2" }], answer: "2", level: null },
      { prompt: "p3, with\nline", answer: "3", level: null },
    ]);
    expect(held).toEqual([{ prompt: "p4", answer: null, level: null }]);
    expect(stdout).toContain("No row has a column for hint: the reward is called without.");
    expect(await readFile(path.join(run, "job/launch.py"), "utf8")).toContain("NEEDS = ");
  });
});

if (!found) it.skip("there is no Python here");

const CONSTANTS = `
import ast, json, sys
out = []
for file in json.load(open(sys.argv[1])):
    tree = ast.parse(open(file, encoding="utf-8").read())
    values = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values.setdefault(node.targets[0].id, ast.literal_eval(node.value))
            except ValueError:
                pass
    out.append(values)
print(json.dumps(out, default=sorted))
`;

const COMPILE = `
import json, sys
n = 0
for file in sys.argv[1:]:
    text = open(file, encoding="utf-8").read()
    parts = [text]
    if file.endswith(".ipynb"):
        parts = ["".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    for part in parts:
        compile("\\n".join(line for line in part.split("\\n") if not line.startswith("%")), file, "exec")
        n += 1
print(n)
`;

const SCORE = `
import asyncio, json, sys
sys.path.insert(0, sys.argv[1] + "/job")
import rewards
out = []
for prompt, text, columns in json.load(open(sys.argv[1] + "/calls.json")):
    try:
        out.append(asyncio.run(rewards.score(prompt, text, columns)))
    except Exception as error:
        out.append(f"{type(error).__name__}: {error}")
print(json.dumps(out))
`;

const VERL = `
import asyncio, json, sys
sys.path.insert(0, sys.argv[1] + "/job")
import rewards
sample = json.dumps({"prompt": "p", "columns": {}})
print(json.dumps(asyncio.run(rewards.compute_score("rewardsmith", "x", "", {"index": 0, "sample": sample}))))
`;

const ROWS = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("launch", sys.argv[1])
launch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launch)
train, held = launch.prompt_rows()
print("@@" + json.dumps({"train": train, "held": held}))
`;
