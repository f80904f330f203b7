import { mkdtemp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readArguments } from "../../../src/cli/arguments";
import { init } from "../../../src/cli/commands/init";
import { read } from "../../../src/cli/commands/read";
import { check, score } from "../../../src/cli/commands/score";
import { createFile } from "../../../src/cli/createFile";
import type { Session } from "../../../src/cli/session";
import { nodeFileStore } from "../../../src/runtime/fileStore";
import { sha256 } from "../../../src/runtime/hasher";
import { ReadReport } from "../../../src/schema/readReport";
import type { ScoreReport } from "../../../src/schema/report";
import { Projects, parseProject, resolveSuites } from "../../../src/services/project";

let folder: string;
let out: string;
let err: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewardsmith-cli-"));
  out = "";
  err = "";
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function session(report?: ScoreReport): Session {
  return {
    terminal: {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      colour: false,
      width: 120,
    },
    cwd: folder,
    version: "9.9.9",
    files: nodeFileStore,
    hasher: sha256,
    projects: new Projects(nodeFileStore),
    signal: new AbortController().signal,
    score: () => (report ? Promise.resolve(report) : Promise.reject(new Error("nothing is scored here"))),
  };
}

const put = async (name: string, text: string): Promise<void> => {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), text);
};
const args = (...words: string[]) => readArguments(words);

describe("read", () => {
  it("gives a document that fits its schema, rows and values as they are", async () => {
    await put(
      "a.jsonl",
      '{"id": 9007199254740993, "prompt": "p", "completion": "c", "x": NaN}\n{"completion": \n',
    );
    expect(await read(args("read", "a.jsonl", "--json"), session())).toBe(0);
    const report = ReadReport.parse(JSON.parse(out));
    expect(report).toMatchObject({
      schema: 1,
      reader: "jsonl",
      count: 1,
      problemCount: 1,
      product: { version: "9.9.9" },
    });
    expect(report.rows[0]).toMatchObject({
      row: 0,
      line: 1,
      id: "9007199254740993",
      completion: "c",
      columns: { x: { nonFinite: "nan" } },
    });
    expect(report.problems).toMatchObject([{ line: 2, code: "unfinished" }]);
  });

  it("shows rows counted from 1 and how the columns are understood", async () => {
    await put("a.csv", "question,output,answer\n1+1,two,2\n2+2,four,4\n3+3,six,6\n");
    expect(await read(args("read", "a.csv", "--rows", "2:2"), session())).toBe(0);
    expect(out).toContain("four");
    expect(out).not.toContain("six");
    expect(out).toMatch(/completion +output/);
    expect(out).toMatch(/prompt +question/);
    expect(out).toContain("1 of 3 rows");
  });

  it("takes columns that are named", async () => {
    await put("a.jsonl", '{"q": "ask", "said": "hello", "completion": "wrong one"}\n');
    await read(args("read", "a.jsonl", "--columns", "completion=said,prompt=q", "--json"), session());
    expect(ReadReport.parse(JSON.parse(out)).rows[0]).toMatchObject({ prompt: "ask", completion: "hello" });
  });

  it("refuses a file that isn't there", async () => {
    await expect(read(args("read", "none.jsonl"), session())).rejects.toMatchObject({ code: "FileMissing" });
  });
});

describe("init", () => {
  const reward = "def good(completions, **kwargs):\n    return [1.0 for c in completions]\n";

  it("writes a commented file that its own reader takes without a word", async () => {
    await put("rewards/reward.py", reward);
    await put("rewards/outputs.jsonl", '{"prompt": "p", "completion": "c"}\n');
    await put("other/far.jsonl", '{"prompt": "p", "completion": "c"}\n');
    await put("package.json", '{"name": "x", "text": 1}');
    expect(await init(args("init"), session())).toBe(0);
    const text = await readFile(join(folder, "rewardsmith.json"), "utf8");
    expect(text).toContain("// ");
    const { project, problems } = parseProject(text);
    expect(problems).toEqual([]);
    expect(resolveSuites(project!, join(folder, "rewardsmith.json"))).toMatchObject([
      {
        name: "reward",
        rewards: [{ path: join(folder, "rewards/reward.py"), function: "good", weight: 1 }],
        samples: [join(folder, "rewards/outputs.jsonl")],
      },
    ]);
    expect(await readdir(folder)).toEqual(["other", "package.json", "rewards", "rewardsmith.json"]);
  });

  it("gives a suite only samples that have its reward's columns", async () => {
    await put("math.py", reward.replace("completions,", "completions, answer,"));
    await put("code.py", reward.replace("completions,", "completions, tests,"));
    await put("math.jsonl", '{"prompt": "p", "completion": "c", "answer": "4"}\n');
    await put("code.jsonl", '{"prompt": "p", "completion": "c", "tests": "t"}\n');
    await put("plain.jsonl", '{"prompt": "p", "completion": "c"}\n');
    await init(args("init"), session());
    const { project } = parseProject(await readFile(join(folder, "rewardsmith.json"), "utf8"));
    const suites = resolveSuites(project!, join(folder, "rewardsmith.json"));
    expect(suites.map(({ name, samples }) => [name, samples])).toEqual([
      ["code", [join(folder, "code.jsonl")]],
      ["math", [join(folder, "math.jsonl")]],
    ]);
  });

  it("never overwrites", async () => {
    await put("rewardsmith.json", "mine");
    await expect(init(args("init"), session())).rejects.toMatchObject({ code: "BadArguments" });
    expect(await readFile(join(folder, "rewardsmith.json"), "utf8")).toBe("mine");
  });

  it("writes a file to fill in where nothing is found", async () => {
    await init(args("init", "--json"), session());
    expect(JSON.parse(out)).toMatchObject({ rewards: [], samples: [] });
    const { project, problems } = parseProject(await readFile(join(folder, "rewardsmith.json"), "utf8"));
    expect(problems).toEqual([]);
    expect(project?.suites).toEqual({});
  });

  it("says so when the folder isn't there", async () => {
    await expect(init(args("init", "nowhere"), session())).rejects.toMatchObject({ code: "FileMissing" });
  });
});

describe("createFile", () => {
  it("makes a file once, whole, and leaves nothing beside it", async () => {
    const path = join(folder, "x.json");
    const made = await Promise.all(["one", "two", "three"].map((text) => createFile(path, text)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(["one", "two", "three"]).toContain(await readFile(path, "utf8"));
    expect(await readdir(folder)).toEqual(["x.json"]);
  });
});

describe("score and check", () => {
  const report = (findings: ScoreReport["findings"], error: ScoreReport["error"] = null): ScoreReport => ({
    schema: 1,
    product: { name: "rewardsmith", version: "0" },
    samples: {
      files: ["/w/a.jsonl"],
      rows: 0,
      shape: "text",
      mapping: {
        prompt: null,
        completion: "completion",
        id: null,
        group: { by: "size", size: 1 },
        completionIds: null,
        label: null,
        columns: {},
      },
      problems: [],
      hash: "",
    },
    trainer: {
      framework: "trl",
      version: null,
      checked: false,
      advantages: "group",
      aggregation: "sum_then_normalize",
      formula: "",
      batch: 1,
    },
    functions: [],
    totals: [],
    groups: [],
    hypothetical: false,
    labels: null,
    findings,
    error,
    versionHash: null,
    timing: { loadMs: 0, passMs: 0, totalMs: 0, mode: "fork" },
  });
  const finding = (severity: "error" | "warning" | "info"): ScoreReport["findings"][number] => ({
    code: "some-code",
    severity,
    message: "something is off",
    function: null,
    rows: [],
    range: null,
    cure: "mend it",
  });
  const line = ["reward.py", "--samples", "a.jsonl"];

  it.each([
    [[], [], 0],
    [[finding("info")], [], 0],
    [[finding("warning")], [], 0],
    [[finding("warning")], ["--fail-on", "warning"], 1],
    [[finding("error")], [], 1],
    [[finding("error")], ["--fail-on", "warning"], 1],
  ])("check with %j and %j", async (findings, more, expected) => {
    expect(await check(args("check", ...line, ...more), session(report(findings)))).toBe(expected);
  });

  it("score shows findings and doesn't fail for them", async () => {
    expect(await score(args("score", ...line), session(report([finding("error")])))).toBe(0);
    expect(out).toContain("something is off");
    expect(out).toContain("mend it");
  });

  it("fails for a reward that can't be loaded, and gives the document all the same", async () => {
    const broken = report([], { code: "SyntaxError", message: "bad", path: "/w/reward.py", line: 3 });
    expect(await score(args("score", ...line, "--json"), session(broken))).toBe(1);
    expect(JSON.parse(out)).toEqual(broken);
  });

  it("stops at a project file with errors, and notes its warnings", async () => {
    await put("rewardsmith.json", '{ "schema": 1, "suits": {} }');
    await score(args("score", ...line), session(report([])));
    expect(err).toContain('"suits"');
    await put("rewardsmith.json", "{ nonsense");
    await expect(score(args("score", ...line), session(report([])))).rejects.toMatchObject({
      code: "BadProject",
    });
  });
});
