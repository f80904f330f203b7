import { execFileSync } from "node:child_process";
import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { EngineUnderTest, fn, jsonl, workspace } from "./engineProcess";

const REWARD = `def correctness(completions, answer, **kwargs):
    scores = []
    for text, gold in zip(completions, answer):
        scores.append(1.0 if gold in text else 0.0)
    return scores
`;
const ROWS = [
  { prompt: "2+2", completion: "It is 4.", answer: "4" },
  { prompt: "2+2", completion: "It is 5.", answer: "4" },
  { prompt: "3+3", completion: "It is 6.", answer: "6" },
  { prompt: "3+3", completion: "Six.", answer: "6" },
];

let engine: EngineUnderTest;
beforeAll(async () => {
  engine = await EngineUnderTest.start({ folder: workspace({}).folder });
});
afterAll(async () => {
  await engine.stop();
});

let version = 1;
/** Binds a reward of its own and waits for its first numbers. */
async function live(
  files: Record<string, string> = {},
  rows: readonly object[] = ROWS,
): Promise<{ path: (name: string) => string; reward: string; unbind: () => Promise<null> }> {
  const { path } = workspace({ "reward.py": REWARD, "s.jsonl": jsonl(rows), ...files });
  const reward = path("reward.py");
  const from = engine.scores.length;
  await engine.bind(reward, [path("s.jsonl")]);
  await engine.until("first numbers", (s) => s.path === reward && s.status !== "running", from);
  bound.push(reward);
  return { path, reward, unbind: () => engine.client.unbind({ path: reward }) };
}
const bound: string[] = [];
afterEach(async () => {
  for (const path of bound.splice(0)) {
    await engine.client.unbind({ path });
    await engine.client.document({ path, version: ++version, text: null, saved: true });
  }
});

const mean =
  (name: string, value: number) =>
  (s: { functions: { name: string; status: string; estimate: { mean: unknown } | null }[] }) =>
    s.functions.some(
      (f) => f.name === name && f.status === "fresh" && Math.abs(Number(f.estimate?.mean) - value) < 1e-9,
    );

describe("typing without saving", () => {
  it("changes the numbers", async () => {
    const { reward } = await live();
    expect(await engine.values(reward, "correctness")).toEqual([1, 0, 1, 0]);
    const from = engine.scores.length;
    await engine.type(reward, ++version, REWARD.replace("else 0.0", "else 0.5"));
    const now = await engine.until("new mean", mean("correctness", 0.75), from);
    expect(now.docVersion).toBe(version);
    expect(await engine.values(reward, "correctness")).toEqual([1, 0.5, 1, 0.5]);
  });

  it("shows flips against the saved file, and none once it is saved", async () => {
    const { reward } = await live();
    let from = engine.scores.length;
    const text = REWARD.replace("if gold in text", 'if "It" in text');
    await engine.type(reward, ++version, text);
    const typed = await engine.until(
      "a baseline",
      (s) => s.docVersion === version && s.functions[0]?.flips !== null,
      from,
    );
    expect(typed.functions[0]?.flips).toMatchObject({
      up: 1,
      down: 0,
      rows: expect.arrayContaining([1]) as number[],
    });
    expect(typed.functions[0]?.baseline?.kind).toBe("saved");
    from = engine.scores.length;
    writeFileSync(reward, text);
    await engine.type(reward, version, text, true);
    const saved = await engine.until("no flips", (s) => s.functions[0]?.flips?.rows.length === 0, from);
    expect(saved.functions[0]?.flips).toEqual({ up: 0, down: 0, rows: [] });
  });

  it("a syntax error keeps the last numbers, marked old, with its line", async () => {
    const { reward } = await live();
    let from = engine.scores.length;
    await engine.type(
      reward,
      ++version,
      `# a line more\n${REWARD.replace("return scores", "return scores(")}`,
    );
    const broken = await engine.until("an error", (s) => s.error !== null, from);
    expect(broken.error).toMatchObject({ code: "SyntaxError", line: 6 });
    expect(broken.status).toBe("old");
    const kept = fn(broken, "correctness");
    expect(kept).toMatchObject({ status: "old", line: 1, n: 4, estimate: { mean: 0.5 } });
    expect(await engine.values(reward, "correctness")).toEqual([1, 0, 1, 0]);
    from = engine.scores.length;
    await engine.type(reward, ++version, `# a line more\n${REWARD}`);
    const mended = await engine.until("fresh again", mean("correctness", 0.5), from);
    expect(mended.error).toBeNull();
  });

  it("an exception while loading is an error of the module, with its line", async () => {
    const { reward } = await live();
    const from = engine.scores.length;
    await engine.type(reward, ++version, `LIMIT = 1 / 0\n${REWARD}`);
    const failed = await engine.until("an error", (s) => s.error !== null, from);
    expect(failed.error).toMatchObject({ code: "ModuleFailed", line: 1 });
    expect(failed.error?.message).toMatch(/ZeroDivisionError/);
    expect(failed.functions[0]?.status).toBe("old");
  });

  it("a package that isn't installed is named", async () => {
    const { reward } = await live();
    const from = engine.scores.length;
    await engine.type(reward, ++version, `import surely_not_installed\n${REWARD}`);
    const failed = await engine.until("an error", (s) => s.error !== null, from);
    expect(failed.error).toMatchObject({ code: "ModuleMissing", name: "surely_not_installed", line: 1 });
  });

  it("deleting the function makes it go; the file's other one stays", async () => {
    const other = `${REWARD}\n\ndef length_reward(completions, **kwargs):\n    return [float(len(t)) for t in completions]\n`;
    const { reward } = await live({ "reward.py": other });
    const from = engine.scores.length;
    await engine.type(reward, ++version, other.slice(other.indexOf("def length_reward")));
    const now = await engine.until(
      "one function",
      (s) => s.docVersion === version && s.status === "fresh",
      from,
    );
    expect(now.functions.map(({ name }) => name)).toEqual(["length_reward"]);
  });

  it("renaming follows the new name, letter by letter, and flips go on against the saved one", async () => {
    const { reward } = await live();
    for (const name of ["correctnes", "correctne", "right", "rightness_reward"]) {
      const from = engine.scores.length;
      await engine.type(
        reward,
        ++version,
        REWARD.replace("correctness", name).replace("else 0.0", "else 0.25"),
      );
      const now = await engine.until(
        "the new name",
        (s) =>
          s.docVersion === version && s.functions[0]?.status === "fresh" && s.functions[0].flips !== null,
        from,
      );
      expect(now.functions.map((f) => f.name)).toEqual([name]);
      expect(now.functions[0]?.flips).toMatchObject({ up: 2, down: 0 });
    }
  });

  it("moving the file away: gone, without numbers; back again: scored", async () => {
    const { reward, path } = await live();
    let from = engine.scores.length;
    renameSync(reward, path("elsewhere.py"));
    await engine.client.filesChanged({ paths: [reward, path("elsewhere.py")] });
    const gone = await engine.until("gone", (s) => s.blocked === "gone", from);
    expect(gone.functions).toEqual([]);
    expect(gone.status).toBe("blocked");
    from = engine.scores.length;
    renameSync(path("elsewhere.py"), reward);
    await engine.client.filesChanged({ paths: [reward] });
    await engine.until("scored", mean("correctness", 0.5), from);
  });

  it("an edit within the same second and of the same size is seen", async () => {
    const { reward } = await live();
    for (const [bit, value] of [
      ["0.5", 0.75],
      ["0.3", 0.65],
      ["0.1", 0.55],
    ] as const) {
      const from = engine.scores.length;
      const before = statSync(reward);
      writeFileSync(reward, REWARD.replace("else 0.0", `else ${bit}`));
      utimesSync(reward, before.atime, before.mtime);
      expect(statSync(reward).size).toBe(before.size);
      await engine.client.filesChanged({ paths: [reward] });
      await engine.until(`mean ${value}`, mean("correctness", value), from);
    }
  });
});

describe("helpers", () => {
  const USES = `from helper import points

def correctness(completions, answer, **kwargs):
    return [points(text, gold) for text, gold in zip(completions, answer)]
`;
  const HELPER = "def points(text, gold):\n    return 1.0 if gold in text else 0.0\n";

  it("unsaved text of a helper is used, saved or not, open or not", async () => {
    const { path } = await live({ "reward.py": USES, "helper.py": HELPER });
    const helper = path("helper.py");
    let from = engine.scores.length;
    await engine.type(helper, ++version, HELPER.replace("else 0.0", "else 0.5"));
    await engine.until("the unsaved helper", mean("correctness", 0.75), from);
    // Closed without saving: the disk counts again.
    from = engine.scores.length;
    await engine.client.document({ path: helper, version: ++version, text: null, saved: true });
    await engine.until("the helper on disk", mean("correctness", 0.5), from);
    // Changed on disk by somebody else, same size, same second.
    from = engine.scores.length;
    const before = statSync(helper);
    writeFileSync(helper, HELPER.replace("else 0.0", "else 0.1"));
    utimesSync(helper, before.atime, before.mtime);
    await engine.client.filesChanged({ paths: [helper] });
    await engine.until("the changed helper", mean("correctness", 0.55), from);
  });

  it("a helper that is written after the import that asks for it", async () => {
    const { reward, path } = await live();
    let from = engine.scores.length;
    await engine.type(reward, ++version, USES);
    await engine.until("the missing helper", (s) => s.error?.name === "helper", from);
    from = engine.scores.length;
    await engine.type(path("helper.py"), ++version, HELPER);
    await engine.until("the helper, never saved", mean("correctness", 0.5), from);
    await engine.client.document({ path: path("helper.py"), version: ++version, text: null, saved: true });
  });

  it("an edit elsewhere starts nothing", async () => {
    const { path } = await live({ "reward.py": USES, "helper.py": HELPER, "other.py": "A = 1\n" });
    await new Promise((done) => setTimeout(done, 500));
    const from = engine.scores.length;
    await engine.type(path("other.py"), ++version, "A = 2\n");
    await new Promise((done) => setTimeout(done, 300));
    expect(engine.scores.length).toBe(from);
    await engine.client.document({ path: path("other.py"), version: ++version, text: null, saved: true });
  });
});

describe("what can wait", () => {
  it("previews: counts at each line, scores behind them, lines never hit, the pinned row's values", async () => {
    const text = `import re

def correctness(completions, answer, **kwargs):
    scores = []
    for text, gold in zip(completions, answer):
        found = re.search(r"\\d+", text)
        if not found:
            scores.append(-1.0)
            continue
        if found[0] == "77":
            scores.append(9.0)
        scores.append(float(found[0] == gold))
    return scores
`;
    const { reward } = await live({ "reward.py": text });
    const from = engine.scores.length;
    await engine.client.pin({ path: reward, row: 1 });
    const traced = await engine.until(
      "values",
      (s) => s.functions[0]?.previews?.lines.some((l) => l.values.length > 0) ?? false,
      from,
    );
    const previews = traced.functions[0]!.previews!;
    expect(previews).toMatchObject({ off: null, traced: 4, of: 4 });
    const line = (n: number) => previews.lines.find((l) => l.line === n);
    expect(line(7)).toMatchObject({ hits: 1, kind: "append", scores: [{ value: -1, count: 1 }] });
    expect(line(11)).toMatchObject({
      hits: 3,
      kind: "append",
      scores: [
        { value: 1, count: 2 },
        { value: 0, count: 1 },
      ],
    });
    expect(line(12)).toMatchObject({ hits: 4, kind: "return" });
    expect(previews.neverHit).toEqual([10]);
    expect(line(4)?.values).toEqual(expect.arrayContaining([{ name: "gold", text: "'4'" }]));
    expect(traced.pinned).toBe(1);
  });

  it("are off where a row alone scores otherwise than in its batch", async () => {
    const text =
      "def rank_reward(completions, **kwargs):\n    return [float(len(completions))] * len(completions)\n";
    const { reward } = await live({ "reward.py": text });
    const traced = await engine.until(
      "previews",
      (s) => s.path === reward && (s.functions[0]?.previews ?? null) !== null,
      0,
    );
    expect(traced.functions[0]?.previews).toMatchObject({ off: "differs", lines: [] });
  });

  it("rows beyond the live limit follow on idle: n of N, then all", async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({
      prompt: `p${i >> 2}`,
      completion: String(i),
      answer: "1",
    }));
    await engine.client.configure({
      trusted: true,
      folders: [],
      settings: { ...engine.settings, liveRows: 20 },
    });
    const from = engine.scores.length;
    await live({}, many);
    await engine.until(
      "20 of 60",
      (s) => s.functions[0]?.n === 20 && s.functions[0].of === 60 && s.functions[0].status === "fresh",
      from,
    );
    const all = await engine.until("60 of 60", (s) => s.functions[0]?.n === 60, from);
    expect(all.functions[0]?.groups.n).toBe(15);
    await engine.client.configure({ trusted: true, folders: [], settings: engine.settings });
  });

  it("baselines: git HEAD and a pin", async () => {
    const { folder, path } = workspace({ "reward.py": REWARD, "s.jsonl": jsonl(ROWS) });
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: folder });
    git("init", "-q");
    git("add", "reward.py");
    git("commit", "-qm", "first");
    const reward = path("reward.py");
    writeFileSync(reward, REWARD.replace("1.0 if", "2.0 if"));
    const from = engine.scores.length;
    await engine.bind(reward, [path("s.jsonl")]);
    bound.push(reward);
    await engine.until("numbers", mean("correctness", 1), from);
    const head = await engine.client.setBaseline({ path: reward, kind: "head" });
    expect(head.functions[0]).toMatchObject({ flips: { up: 2, down: 0 }, baseline: { kind: "head" } });
    const pinned = await engine.client.setBaseline({ path: reward, kind: "pin" });
    expect(pinned.functions[0]).toMatchObject({ flips: { up: 0, down: 0 }, baseline: { kind: "pin" } });
    const later = engine.scores.length;
    await engine.type(reward, ++version, REWARD.replace("1.0 if", "1.5 if"));
    const now = await engine.until(
      "flips against the pin",
      (s) => s.docVersion === version && s.functions[0]?.flips?.down === 2,
      later,
    );
    expect(now.functions[0]?.baseline?.kind).toBe("pin");
  });
});

describe("modes and samples", () => {
  it("paused, manual, on save: nothing runs by itself, Score does", async () => {
    const { reward } = await live();
    await engine.client.setLive({ path: reward, live: false });
    let from = engine.scores.length;
    await engine.type(reward, ++version, REWARD.replace("else 0.0", "else 0.5"));
    const paused = await engine.until("old numbers", (s) => s.docVersion === version, from);
    expect(paused).toMatchObject({ blocked: "paused", status: "old" });
    expect(fn(paused, "correctness")).toMatchObject({ status: "old", estimate: { mean: 0.5 } });
    const asked = await engine.client.score({ path: reward });
    expect(fn(asked, "correctness")).toMatchObject({ status: "fresh", estimate: { mean: 0.75 } });
    await engine.client.setLive({ path: reward, live: true });

    await engine.client.configure({
      trusted: true,
      folders: [],
      settings: { ...engine.settings, liveMode: "onSave" },
    });
    from = engine.scores.length;
    await engine.type(reward, ++version, REWARD.replace("else 0.0", "else 0.25"));
    const unsaved = await engine.until("the unsaved text", (s) => s.docVersion === version, from);
    expect(unsaved.functions[0]?.status).toBe("old");
    writeFileSync(reward, REWARD.replace("else 0.0", "else 0.25"));
    await engine.type(reward, version, REWARD.replace("else 0.0", "else 0.25"), true);
    await engine.until("the saved text", mean("correctness", 0.625), from);
    await engine.client.configure({ trusted: true, folders: [], settings: engine.settings });
  });

  it("samples that change on disk are read anew; samples that go are said to be gone", async () => {
    const { path } = await live();
    let from = engine.scores.length;
    writeFileSync(path("s.jsonl"), jsonl(ROWS.slice(0, 1)));
    await engine.client.filesChanged({ paths: [path("s.jsonl")] });
    const fewer = await engine.until("one row", mean("correctness", 1), from);
    expect(fewer.set?.rows).toBe(1);
    from = engine.scores.length;
    rmSync(path("s.jsonl"));
    await engine.client.filesChanged({ paths: [path("s.jsonl")] });
    const gone = await engine.until("no samples", (s) => s.blocked === "no-samples", from);
    expect(gone.error?.code).toBe("FileMissing");
    expect(engine.changed).toContain("samples");
  });

  it("an interpreter that isn't there is said to be; another one is taken without a new start", async () => {
    const { reward } = await live();
    const missing = { ...engine.settings, python: "/nowhere/bin/python" };
    let from = engine.scores.length;
    await engine.client.configure({ trusted: true, folders: [], settings: missing });
    const blocked = await engine.until(
      "no Python",
      (s) => s.path === reward && s.blocked === "no-python",
      from,
    );
    expect(blocked.error).toMatchObject({
      code: "PythonMissing",
      message: expect.stringContaining("/nowhere/bin/python") as string,
    });
    expect(blocked.functions[0]?.status).toBe("old");
    from = engine.scores.length;
    await engine.client.configure({ trusted: true, folders: [], settings: engine.settings });
    await engine.until("numbers", mean("correctness", 0.5), from);
    expect(await engine.client.interpreter({})).toMatchObject({ error: null, mode: "fork" });
  });

  it("trust that is taken back stops everything; nothing is bound without it", async () => {
    const { reward, path } = await live();
    await engine.client.configure({ trusted: false, folders: [], settings: engine.settings });
    const from = engine.scores.length;
    await engine.type(reward, ++version, REWARD.replace("else 0.0", "else 0.5"));
    const blocked = await engine.until("untrusted", (s) => s.docVersion === version, from);
    expect(blocked).toMatchObject({ blocked: "untrusted", status: "old" });
    const { set } = await engine.client.openSamples({ files: [path("s.jsonl")], mapping: null });
    await expect(
      engine.client.bind({ path: reward, set, contracts: {}, allow: {}, live: true }),
    ).rejects.toMatchObject({ code: "Untrusted" });
    await engine.client.configure({ trusted: true, folders: [], settings: engine.settings });
  });
});

describe("a project", () => {
  it("S07 in a suite: weights 1 and 0.5, totals, group and advantages as TRL has them", async () => {
    const { path } = workspace({
      "reward.py":
        'FIRST = {"a": 1.0, "b": 0.0, "c": None, "d": None}\nSECOND = {"a": 1.0, "b": 1.0, "c": None, "d": 0.0}\n\n\ndef math_reward(completions, **kwargs):\n    return [FIRST[text] for text in completions]\n\n\ndef style_reward(completions, **kwargs):\n    return [SECOND[text] for text in completions]\n',
      "s.jsonl": jsonl(["a", "b", "c", "d"].map((completion) => ({ prompt: "p", group: "g0", completion }))),
      "rewardsmith.json": JSON.stringify({
        schema: 1,
        suites: {
          s07: {
            rewards: [{ use: "reward.py:math_reward" }, { use: "reward.py:style_reward", weight: 0.5 }],
            samples: ["s.jsonl"],
          },
        },
      }),
    });
    const reward = path("reward.py");
    await engine.bind(reward, [path("s.jsonl")], { live: false });
    bound.push(reward);
    await engine.client.score({ path: reward });
    const { text } = await engine.client.export({ path: reward, form: "json" });
    const report = JSON.parse(text) as {
      totals: unknown[];
      groups: { mean: number; std: number; advantages: unknown[] }[];
    };
    expect(report.totals).toEqual([1.5, 0.5, null, 0]);
    expect(report.groups[0]?.mean).toBeCloseTo(0.666667, 5);
    expect(report.groups[0]?.std).toBeCloseTo(0.763763, 5);
    const expected = [1.090947, -0.218189, 0, -0.872757];
    expect(report.groups[0]?.advantages).toEqual(expected.map((value): unknown => expect.closeTo(value, 5)));
  });
});

describe("a project that changes", () => {
  it("is read anew: weights and batch of the suite as they are typed", async () => {
    const project = (weight: number, batch: number): string =>
      JSON.stringify({
        schema: 1,
        suites: { s: { rewards: [{ use: "reward.py:correctness", weight }], trainer: { batch } } },
      });
    const { reward, path } = await live({ "rewardsmith.json": project(1, 2) });
    const totals = async (): Promise<unknown> => {
      await engine.client.score({ path: reward });
      return JSON.parse((await engine.client.export({ path: reward, form: "json" })).text) as {
        totals: unknown;
        trainer: { batch: number };
      };
    };
    expect(await totals()).toMatchObject({ totals: [1, 0, 1, 0], trainer: { batch: 2 } });
    await engine.type(path("rewardsmith.json"), ++version, project(3, 4));
    expect(await totals()).toMatchObject({ totals: [3, 0, 3, 0], trainer: { batch: 4 } });
    await engine.client.document({
      path: path("rewardsmith.json"),
      version: ++version,
      text: null,
      saved: true,
    });
  });

  it("a folder that is moved takes its reward with it", async () => {
    const { path } = workspace({ "inside/reward.py": REWARD, "s.jsonl": jsonl(ROWS) });
    const reward = path("inside/reward.py");
    let from = engine.scores.length;
    await engine.bind(reward, [path("s.jsonl")]);
    bound.push(reward);
    await engine.until("numbers", mean("correctness", 0.5), from);
    from = engine.scores.length;
    renameSync(path("inside"), path("outside"));
    await engine.client.filesChanged({ paths: [path("inside"), path("outside")] });
    await engine.until("gone", (s) => s.path === reward && s.blocked === "gone", from);
  });
});

it("looks: models, scan, project, columns, patterns, diagnostics", async () => {
  const { folder, path } = workspace({
    "reward.py":
      'import re\n\nSHAPE = re.compile(r"is (\\d)")\n\ndef shape_reward(completions, **kwargs):\n    return [1.0 if SHAPE.search(t) else 0.0 for t in completions]\n',
    "s.jsonl": jsonl(ROWS),
    "package.json": "{}",
    "node_modules/x/reward.py": REWARD,
    "env/pyvenv.cfg": "",
    "env/lib/reward.py": REWARD,
    "sub/rewardsmith.json": '{"schema": 1}',
    "sub/more.py": REWARD,
  });
  const other = await EngineUnderTest.start({ folder });
  try {
    const scan = await other.client.scan({ limit: 100 });
    expect(scan.rewards.map((model) => model.path).sort()).toEqual([path("reward.py"), path("sub/more.py")]);
    expect(scan.samples.map((sample) => sample.path)).toEqual([path("s.jsonl")]);
    expect(scan.projects).toEqual([path("sub/rewardsmith.json")]);
    const model = await other.client.model({ path: path("reward.py") });
    expect(model.functions.map(({ name, contract, line }) => [name, contract, line])).toEqual([
      ["shape_reward", "trl", 4],
    ]);
    await other.bind(path("reward.py"), [path("s.jsonl")], { live: false });
    const count = await other.client.patternAt({ path: path("reward.py"), line: 2, character: 22 });
    expect(count).toMatchObject({ matched: 3, of: 4, error: null, misses: [{ row: 3, text: "Six." }] });
    expect(await other.client.patternAt({ path: path("reward.py"), line: 5, character: 2 })).toBeNull();
    const { set } = await other.client.openSamples({ files: [path("s.jsonl")], mapping: null });
    expect((await other.client.columnValues({ set, column: "answer", limit: 5 })).values).toEqual([
      { text: "4", count: 2 },
      { text: "6", count: 2 },
    ]);
    const { text } = await other.client.diagnostics({});
    expect(text).toMatch(/interpreter: .*python/);
    expect(text).toMatch(/samples: .*s\.jsonl \(4 rows/);
  } finally {
    await other.stop();
  }
});
