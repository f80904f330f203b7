import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Overrides, modelFile } from "../../../../src/core/contracts/registry";

const recognised = (text: string, overrides?: Overrides): Record<string, string> =>
  Object.fromEntries(modelFile("r.py", 1, text, overrides).functions.map((fn) => [fn.name, fn.contract]));

const reasons = (text: string, name: string): string[] =>
  modelFile("r.py", 1, text).functions.find((fn) => fn.name === name)?.reasons ?? [];

/** [what, source, function → contract]. */
const OURS: readonly (readonly [string, string, Record<string, string>])[] = [
  [
    "completions, a column and kwargs",
    "def f(completions, answer, **kwargs):\n    return [float(a in c) for c, a in zip(completions, answer)]\n",
    { f: "trl" },
  ],
  [
    "only token ids and kwargs, as TRL's own built-ins",
    "def f(completion_ids, **kwargs):\n    return [0.0 for _ in completion_ids]\n",
    { f: "trl" },
  ],
  [
    "no kwargs, but the name and a list (S01)",
    'def because_reward(prompts, completions):\n    return [1.0 if "because" in t else 0.0 for t in completions]\n',
    { because_reward: "trl" },
  ],
  [
    "listed in reward_funcs, with a name and parameters of its own",
    "from trl import GRPOTrainer\n\ndef fmt(prompts, texts, **kw):\n    return [1.0] * len(texts)\n\ntrainer = GRPOTrainer(model=m, reward_funcs=[fmt], args=a)\n",
    { fmt: "trl" },
  ],
  [
    "listed through a variable and a partial",
    "from functools import partial\nfrom trl import GRPOTrainer\ndef _fmt(texts, k, **kw): return [1.0]\ndef hidden(text): return text\nfuncs = [partial(_fmt, k=2)]\ntrainer = GRPOTrainer(m, reward_funcs=funcs)\n",
    { _fmt: "trl" },
  ],
  [
    "listed through a registry, as open-r1 does",
    "REGISTRY = {'acc': acc, 'len': length}\ndef acc(texts, **kw): return [1.0]\ndef length(texts, **kw): return [1.0]\nreward_funcs = [REGISTRY[n] for n in args.reward_funcs]\nGRPOTrainer(model, reward_funcs=reward_funcs)\n",
    { acc: "trl", length: "trl" },
  ],
  [
    "second positional argument of a trainer",
    "def acc(texts, **kw):\n    return [1.0]\nGRPOTrainer(model, [acc], args)\n",
    { acc: "trl" },
  ],
  [
    "an Unsloth notebook",
    "from unsloth import FastLanguageModel\nfrom trl import GRPOConfig, GRPOTrainer\ndef check_answer(prompts, completions, answer, **kwargs):\n    responses = [c[0]['content'] for c in completions]\n    return [3.0 if r == a else 0.0 for r, a in zip(responses, answer)]\n",
    { check_answer: "trl" },
  ],
  [
    "async def",
    "async def judge(completions, **kwargs):\n    return await ask(completions)\n",
    { judge: "trl" },
  ],
  [
    "an object with __call__, a lambda, a factory's product",
    "class Format:\n    def __call__(self, completions, **kwargs):\n        return [1.0 for _ in completions]\nfmt = Format()\nlam = lambda completions, **kw: [0.0] * len(completions)\ndef make(n):\n    def cosine_reward(completions, **kwargs):\n        return [float(n)] * len(completions)\n    return cosine_reward\ncosine = make(3)\n",
    { fmt: "trl", lam: "trl", cosine: "trl" },
  ],
  [
    "inside module-level try and if",
    "try:\n    import x\n    def f(completions, **kw):\n        return [1.0]\nexcept ImportError:\n    def g(completions, **kw):\n        return [0.0]\n",
    { f: "trl", g: "trl" },
  ],
  [
    "a helper beside it isn't a reward",
    "import re\ndef extract(text):\n    m = re.search(r'\\d+', text)\n    return m and m.group(0)\ndef correct(completions, answer, **kw):\n    return [float(extract(c) == a) for c, a in zip(completions, answer)]\n",
    { correct: "trl" },
  ],
  [
    "a scoring helper of a batch reward is a part of it",
    "def score_one(completion, answer):\n    return float(answer in completion)\ndef correctness(completions, answer, **kw):\n    return [score_one(c, a) for c, a in zip(completions, answer)]\n",
    { correctness: "trl" },
  ],
  [
    "used by another reward, still a reward (S11)",
    "async def a_reward(completions, **kwargs):\n    return [1.0]\ndef b_reward(completions, **kwargs):\n    return asyncio.run(a_reward(completions))\n",
    { a_reward: "trl", b_reward: "trl" },
  ],
  [
    "text that is being typed",
    "def reward(completions, answer, **kwargs):\n    return [1.0 if a in c else 0.0 for c, a in zip(completions\n\ndef other(completions, **kw):\n    return [0.0]\n",
    { reward: "trl", other: "trl" },
  ],
  [
    "plain: completion and a column",
    "def reward(completion, answer):\n    return 1.0 if answer in completion else 0.0\n",
    { reward: "plain" },
  ],
  [
    "plain: response, annotated",
    "def exact_match(response: str, target: str) -> float:\n    return float(response.strip() == target)\n",
    { exact_match: "plain" },
  ],
  [
    "plain: a name that says so",
    "def score_length(text):\n    return min(len(text) / 100, 1.0)\n",
    { score_length: "plain" },
  ],
  [
    "plain: a test of a text that nothing else uses",
    "def has_box(text: str) -> bool:\n    return 'boxed' in text\n",
    { has_box: "plain" },
  ],
  [
    "plain: output and columns by name",
    "def grade_output(output, expected, tolerance=0.01):\n    return abs(float(output) - expected) < tolerance\n",
    { grade_output: "plain" },
  ],
  [
    "plain: parts and their sum, all called rewards",
    "def format_score(completion):\n    return 0.5\ndef total_reward(completion, answer):\n    return format_score(completion) + float(answer in completion)\n",
    { format_score: "plain", total_reward: "plain" },
  ],
  [
    "plain: a test of a text that another reward uses is a part of it",
    "def has_box(text: str) -> bool:\n    return 'boxed' in text\ndef grade(response):\n    return 0.5 if has_box(response) else 0.0\n",
    { grade: "plain" },
  ],
];

/** Nothing of these is ours. */
const NOT_OURS: readonly (readonly [string, string])[] = [
  ["verl by name", "def compute_score(solution_str, ground_truth, method='strict'):\n    return 1.0\n"],
  [
    "verl by parameters",
    "def my_reward(data_source, solution_str, ground_truth, extra_info=None):\n    return 1.0\n",
  ],
  ["verl batch", "def rewards(data_sources, solution_strs, ground_truths, extra_infos):\n    return [1.0]\n"],
  [
    "OpenRLHF",
    "def reward_func(queries, prompts, labels):\n    return {'rewards': r, 'scores': r, 'extra_logs': {}}\n",
  ],
  [
    "AReaL",
    "def reward(prompt, completions, prompt_ids, completion_ids, answer, **kwargs):\n    return 1.0\n",
  ],
  ["verifiers v0 with state", "def correct(completion, answer, state):\n    return 1.0\n"],
  ["verifiers v0 with info", "async def correct(prompt, completion, info) -> float:\n    return 1.0\n"],
  [
    "verifiers v0 in a rubric",
    "import verifiers as vf\ndef exact_reward(completion, answer) -> float:\n    return 1.0\nrubric = vf.Rubric(funcs=[exact_reward], weights=[1.0])\n",
  ],
  [
    "verifiers by load_environment",
    "def exact_reward(completion, answer):\n    return 1.0\ndef load_environment():\n    return env\n",
  ],
  ["verifiers v1 by decorator", "@vf.reward\nasync def exact(task, completion):\n    return 1.0\n"],
  ["OpenAI grader with more", "def grade(sample, item, output=None):\n    return 1.0\n"],
  [
    "OpenAI grader",
    "def grade(sample, item):\n    return 1.0 if sample['output_text'] == item['answer'] else 0.0\n",
  ],
  [
    "eval-protocol",
    "@reward_function\ndef check_reward(messages, ground_truth=None, **kwargs):\n    return EvaluateResult(score=1.0)\n",
  ],
  [
    "eval-protocol by decorator over our parameters",
    "@reward_function(id='x')\ndef check_reward(completions, **kwargs):\n    return [1.0]\n",
  ],
  ["eval-protocol row", "@evaluation_test(input_rows=[rows])\ndef test_x(row):\n    return row\n"],
  [
    "Inspect",
    "@scorer(metrics=[accuracy()])\ndef my_scorer():\n    async def score(state, target):\n        return Score(value=1)\n    return score\n",
  ],
  ["rLLM", "@rllm.evaluator\ndef reward(task, episode):\n    return 1.0\n"],
  ["ART rollout", "import art\nasync def rollout(model, completion) -> art.Trajectory:\n    return t\n"],
  [
    "an Atropos reward object",
    "from atroposlib.envs.reward_fns import RewardFunction\nclass A(RewardFunction):\n    def __call__(self, completions, **kwargs):\n        return [1.0]\na = A()\n",
  ],
  [
    "an OpenEnv rubric object",
    "class R(Rubric):\n    def __call__(self, completion):\n        return 1.0\nr = R()\n",
  ],
  ["a method", "class Trainer:\n    def reward(self, completions, **kwargs):\n        return [1.0]\n"],
  ["private", "def _score(completion):\n    return 1.0\ndef _batch(completions, **kw):\n    return [1.0]\n"],
  ["a test of pytest", "def test_reward(completion):\n    assert reward(completion) == 1.0\n"],
  [
    "returns a text",
    "def clean_text(text):\n    return text.strip()\ndef reward_text(completion) -> str:\n    return completion\n",
  ],
  ["writes a file", "def save(text, path):\n    open(path, 'w').write(text)\n"],
  [
    "a parser of completions that others use",
    "def parse_all(completions):\n    return [parse(c) for c in completions]\ndef use(x):\n    return parse_all(x)\n",
  ],
  [
    "under __main__",
    "if __name__ == '__main__':\n    def reward(completions, **kw):\n        return [1.0]\n",
  ],
  ["nothing at all", ""],
];

describe("recognises", () => {
  test.each(OURS)("%s", (_what, text, expected) => {
    expect(recognised(text)).toEqual(expected);
  });
});

describe("leaves to others", () => {
  test.each(NOT_OURS)("%s", (_what, text) => {
    expect(recognised(text)).toEqual({});
  });
});

test("says why, the strongest sign first", () => {
  const text =
    "from unsloth import FastLanguageModel\nfrom trl import GRPOTrainer\ndef f(completions, **kw):\n    return [1.0]\ndef g(completions, **kw):\n    return [1.0]\nGRPOTrainer(m, reward_funcs=[f])\n";
  expect(reasons(text, "f")).toEqual(["in-reward-funcs", "imports-unsloth"]);
  expect(reasons(text, "g")).toEqual([
    "imports-trainer",
    "imports-unsloth",
    "completions-and-kwargs",
    "returns-list",
  ]);
});

test("columns: parameters that the trainer doesn't fill in, and keys of kwargs", () => {
  const text = `def f(prompts, completions, answer, tolerance=0.1, *, unit, trainer_state=None, log_metric=None, **kwargs):
    level = kwargs.get("level", 1)
    seed = kwargs["seed"]
    if "tests" in kwargs:
        tests = kwargs["tests"]
    return [1.0 for _ in completions]
`;
  const [fn] = modelFile("r.py", 1, text).functions;
  expect(Object.fromEntries(fn!.columns.map((c) => [c.name, c.required]))).toEqual({
    answer: true,
    tolerance: false,
    unit: true,
    level: false,
    seed: true,
    tests: false,
  });
});

test("a name that is defined twice is there once, as Python keeps it", () => {
  const model = modelFile(
    "r.py",
    1,
    "def f(completions, **k):\n    return [1.0]\n\ndef f(completions, **k):\n    return [2.0]\n",
  );
  expect(model.functions.map((fn) => fn.line)).toEqual([3]);
});

test("ranges point at the name, decorators and all", () => {
  const text =
    "@cached\nasync def my_reward(\n    completions,\n    **kwargs,\n):\n    return [1.0]\n\nX = 1\n";
  const [fn] = modelFile("r.py", 7, text).functions;
  expect(fn).toMatchObject({
    line: 1,
    isAsync: true,
    nameRange: { start: { line: 1, character: 10 }, end: { line: 1, character: 19 } },
    range: { start: { line: 1, character: 0 }, end: { line: 5, character: 16 } },
  });
});

describe("what a person or the project says", () => {
  const text =
    "def _private(thing):\n    return 1.0\ndef reward(completions, **kw):\n    return [1.0]\ndef odd(a, **kw):\n    return [1.0]\n";
  test("wins over what the text looks like", () => {
    const overrides: Overrides = new Map([
      ["_private", { contract: "auto", by: "project" }],
      ["reward", { contract: "none", by: "user" }],
      ["odd", { contract: "auto", by: "user" }],
    ]);
    expect(recognised(text, overrides)).toEqual({ _private: "plain", odd: "trl" });
  });
  test("is given as a reason, before those that were found", () => {
    const overrides: Overrides = new Map([["reward", { contract: "trl", by: "project" }]]);
    const [fn] = modelFile("r.py", 1, text, overrides).functions;
    expect(fn!.reasons).toEqual(["chosen-by-project", "completions-and-kwargs", "returns-list"]);
  });
});

test("every reward file of the cases is TRL's", () => {
  const folder = join(import.meta.dirname, "../../../fixtures/cases");
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".py"))) {
    const text = readFileSync(join(folder, name), "utf8");
    const model = modelFile(name, 1, text);
    const defined = [...text.matchAll(/^(?:async )?def (\w+)(?=\(.*completion)|^(async_object) =/gm)].map(
      (m) => m[1] ?? m[2],
    );
    expect([name, model.functions.map((fn) => fn.name)]).toEqual([name, defined]);
    expect(new Set(model.functions.map((fn) => fn.contract))).toEqual(new Set(["trl"]));
  }
});
