import { describe, expect, it } from "vitest";
import { RewardsmithError } from "../../../src/base/errors";
import type { FileStore } from "../../../src/core/ports";
import { dirName, resolvePath } from "../../../src/services/paths";
import { Projects, parseProject, resolveSuites, suiteFor } from "../../../src/services/project";

function store(files: Record<string, string>): FileStore {
  return {
    read: (path) =>
      path in files
        ? Promise.resolve(new TextEncoder().encode(files[path]))
        : Promise.reject(new RewardsmithError("FileMissing", path)),
    stat: () => Promise.resolve(null),
    list: () => Promise.resolve([]),
    head: () => Promise.resolve(null),
  };
}

const TEXT = `{
  // comments are fine
  "schema": 1,
  "suites": {
    "math": {
      "rewards": [{ "use": "src/reward.py:correctness", "weight": 2 }, { "use": "../other.py:style" }],
      "samples": ["data/out.jsonl"],
      "columns": { "completion": "output", "gold": "answer" },
      "group": { "by": "prompt_id" },
      "trainer": { "advantages": "none" },
    },
  },
}`;

describe("parseProject", () => {
  it("reads comments and trailing commas, and fills in defaults", () => {
    const { project, problems } = parseProject(TEXT);
    expect(problems).toEqual([]);
    expect(project?.suites["math"]?.rewards.map((r) => r.weight)).toEqual([2, 1]);
  });

  it("warns of an unknown key at its place and still reads the file", () => {
    const { project, problems } = parseProject(
      '{\n  "schema": 1,\n  "suites": { "a": {\n    "reward": [], "extra": 1 } }\n}',
    );
    expect(project).not.toBeNull();
    expect(problems.map((p) => [p.severity, p.range?.start])).toEqual([
      ["warning", { line: 3, character: 4 }],
      ["warning", { line: 3, character: 18 }],
    ]);
    expect(problems[0]?.message).toContain('Is "rewards" meant?');
  });

  it("puts an error at the value that doesn't fit", () => {
    const text = '{\n  "schema": 1,\n  "suites": { "a": { "group": { "size": 0 } } }\n}';
    const { project, problems } = parseProject(text);
    expect(project).toBeNull();
    expect(problems).toMatchObject([
      { severity: "error", range: { start: { line: 2, character: 40 }, end: { line: 2, character: 41 } } },
    ]);
  });

  it.each([
    ["half a file", '{ "schema": 1, "suites": {'],
    ["an empty one", ""],
    ["one of a later form", '{ "schema": 2 }'],
    ["a list", "[]"],
  ])("refuses %s with an error that has a place", (_, text) => {
    const { project, problems } = parseProject(text);
    expect(project).toBeNull();
    expect(problems.some((p) => p.severity === "error" && p.range !== null)).toBe(true);
  });
});

describe("Projects", () => {
  it("finds the nearest file upward and prefers unsaved text", async () => {
    const files = store({ "/w/rewardsmith.json": TEXT, "/w/a/rewardsmith.json": '{ "schema": 1 }' });
    expect((await new Projects(files).find("/w/a/b/reward.py")).path).toBe("/w/a/rewardsmith.json");
    expect((await new Projects(files).find("/w/c/reward.py")).path).toBe("/w/rewardsmith.json");
    expect((await new Projects(files).find("/elsewhere/reward.py")).path).toBeNull();
    const open = new Projects(files, (path) => (path === "/w/a/rewardsmith.json" ? "{" : null));
    expect((await open.find("/w/a/reward.py")).problems).not.toEqual([]);
  });

  it("resolves suites against the file and finds the one that holds a reward", () => {
    const { project } = parseProject(TEXT);
    const suites = resolveSuites(project!, "/w/p/rewardsmith.json");
    expect(suites).toMatchObject([
      {
        name: "math",
        rewards: [
          { path: "/w/p/src/reward.py", function: "correctness", weight: 2 },
          { path: "/w/other.py", function: "style", weight: 1 },
        ],
        samples: ["/w/p/data/out.jsonl"],
        mapping: {
          completion: "output",
          columns: { gold: "answer" },
          group: { by: "column", column: "prompt_id" },
        },
        trainer: { advantages: "none" },
      },
    ]);
    expect(suiteFor(suites, "/w/other.py")?.name).toBe("math");
    expect(suiteFor(suites, "/w/third.py")).toBeNull();
  });
});

describe("paths", () => {
  it.each([
    ["/w/p", "../a/./b.py", "/w/a/b.py"],
    ["/w/p", "/abs/x.py", "/abs/x.py"],
    ["/", "x", "/x"],
    ["/w", "../../../x", "/x"],
    ["C:\\w\\p", "../a/b.py", "C:\\w\\a\\b.py"],
    ["c:/w", "b.py", "c:\\w\\b.py"],
    ["/w/back\\slash", "b.py", "/w/back\\slash/b.py"],
  ])("resolves %s + %s", (folder, path, expected) => {
    expect(resolvePath(folder, path)).toBe(expected);
  });

  it("goes up to the root and stays there", () => {
    expect(dirName("/a")).toBe("/");
    expect(dirName("/")).toBe("/");
    expect(dirName("C:\\a")).toBe("C:\\");
    expect(dirName("C:\\")).toBe("C:\\");
  });
});
