import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { Project } from "../../../src/schema/project";
import { lensesOf, type LensFacts, nothingAtHead } from "../../../src/host/model/lenses";
import { problemsOf } from "../../../src/host/model/problems";
import { EMPTY_PROJECT, mappingOf, suiteParts, withSuite } from "../../../src/host/model/project";
import { rewardFileNode } from "../../../src/host/model/rewardNodes";
import { bytesInWords, sampleFileNode } from "../../../src/host/model/sampleNodes";
import { openSignature } from "../../../src/host/model/signature";
import { inRanges, MOST_CHILDREN, type Node } from "../../../src/host/model/tree";
import { english, fileScores, functionScores, syntaxError } from "./snapshots";

describe("verbs above a reward", () => {
  const fn = { name: "correctness", contract: "trl" as const };
  const facts: LensFacts = {
    trusted: true,
    bound: true,
    live: true,
    samples: { name: "outputs.jsonl", rows: 200 },
    scores: fileScores(),
    baseline: null,
  };
  const titles = (parts: Partial<LensFacts>): string[] =>
    lensesOf(fn, { ...facts, ...parts }, english).map((lens) => lens.title);

  test("with samples: all verbs", () => {
    expect(titles({})).toEqual([
      "Score",
      "Check",
      "Open Reward Lab",
      "trl ▾",
      "outputs.jsonl (200) ▾",
      "baseline ▾",
    ]);
  });

  test("without samples: one verb that chooses them", () => {
    expect(titles({ bound: false, samples: null, scores: undefined })).toEqual([
      "Score on samples…",
      "trl ▾",
    ]);
  });

  test("in Restricted Mode nothing that would run is offered", () => {
    const lenses = lensesOf(fn, { ...facts, trusted: false }, english);
    expect(lenses.map((lens) => lens.command)).toEqual(["workbench.trust.manage"]);
  });

  test("each kind of held side effect can be allowed, once", () => {
    const held = [
      { effect: "connect" as const, target: "a", count: 1 },
      { effect: "connect" as const, target: "b", count: 1 },
      { effect: "write" as const, target: "c", count: 1 },
    ];
    const scores = fileScores({ functions: [functionScores({ held })] });
    expect(titles({ scores }).slice(6)).toEqual(["Allow connecting…", "Allow writing files…"]);
  });

  test("a pinned row is named by a verb that pins another or none", () => {
    const lens = lensesOf(fn, { ...facts, scores: fileScores({ pinned: 3 }) }, english)[6];
    expect(lens).toMatchObject({ title: "pinned: row 4 ▾", command: "rewardsmith.samples.pin" });
  });

  test("the baseline keeps its name while the present text can't be compared", () => {
    const scores = fileScores({ error: syntaxError, functions: [functionScores({ status: "old" })] });
    expect(titles({ scores, baseline: "head" })[5]).toBe("baseline: git HEAD ▾");
    const compared = functionScores({ baseline: { kind: "saved", hash: "h" } });
    expect(titles({ scores: fileScores({ functions: [compared] }), baseline: "head" })[5]).toBe(
      "baseline: saved file ▾",
    );
  });

  test("HEAD has nothing to compare with only where the present text is scored and no function is compared", () => {
    expect(nothingAtHead(fileScores())).toBe(true);
    expect(nothingAtHead(fileScores({ status: "running" }))).toBe(false);
    expect(nothingAtHead(fileScores({ functions: [functionScores({ status: "none", n: 0 })] }))).toBe(false);
    const compared = functionScores({ baseline: { kind: "head", hash: "h" } });
    expect(nothingAtHead(fileScores({ functions: [functionScores(), compared] }))).toBe(false);
  });

  test("paused: a verb to go on", () => {
    expect(titles({ live: false }).at(-1)).toBe("Resume live scoring");
  });
});

describe("Problems", () => {
  const raised = [{ line: 19, type: "ValueError", message: "bad\nvalue", count: 4, rows: [3, 7, 11, 12] }];

  test("an exception stands at its line with the samples that raised it", () => {
    const scores = fileScores({ functions: [functionScores({ raised })] });
    const [problem] = problemsOf(scores, undefined, [], english);
    expect(problem?.range.start.line).toBe(18);
    expect(problem?.message).toBe(
      "raised in 4 rows: ValueError: bad value\ncorrectness, sample rows 4, 8, 12, 13",
    );
    expect(problem?.severity).toBe("error");
  });

  test("it moves with the text, and goes with its line", () => {
    const scores = fileScores({ functions: [functionScores({ raised })] });
    const moved = problemsOf(scores, undefined, [{ from: 2, to: 2, column: 4, added: 3 }], english);
    expect(moved[0]?.range.start.line).toBe(21);
    const gone = problemsOf(scores, undefined, [{ from: 15, to: 25, column: 0, added: 0 }], english);
    expect(gone).toEqual([]);
  });

  test("a syntax error says what Python says; one in a helper stands in the helper", () => {
    const [own] = problemsOf(fileScores({ error: syntaxError }), undefined, [], english);
    expect(own).toMatchObject({ path: null, message: "syntax error line 12: '(' was never closed" });
    expect(own?.range.start).toEqual({ line: 11, character: 2 });
    const error = { ...syntaxError, path: "/work/helper.py" };
    expect(problemsOf(fileScores({ error }), undefined, [], english)[0]?.path).toBe("/work/helper.py");
  });

  test("findings keep code, severity and cure, and are capped", () => {
    const finding = {
      code: "trl-missing-kwargs",
      severity: "warning" as const,
      message: "what",
      function: "correctness",
      rows: [],
      range: null,
      cure: "cure",
    };
    const problems = problemsOf(
      fileScores({ findings: Array.from({ length: 500 }, () => finding) }),
      undefined,
      [],
      english,
    );
    expect(problems).toHaveLength(100);
    expect(problems[0]).toMatchObject({ message: "what\ncure", severity: "warning", documented: true });
    expect(problems[0]?.range.start.line).toBe(5);
  });
});

describe("trees", () => {
  const functionNode = async (parts: Parameters<typeof functionScores>[0]): Promise<Node> => {
    const at = { start: { line: 5, character: 0 }, end: { line: 9, character: 0 } };
    const model = {
      path: "/work/reward.py",
      version: 7,
      broken: false,
      functions: [
        {
          name: "correctness",
          line: 5,
          range: at,
          nameRange: at,
          contract: "trl" as const,
          reasons: [],
          isAsync: false,
          parameters: [],
          columns: [],
        },
      ],
    };
    const scores = fileScores({ functions: [functionScores(parts)] });
    const nodes = await rewardFileNode({ model, scores, label: "reward.py" }, english).children?.();
    return nodes![0]!;
  };

  test("an icon says whether a reward can be trusted, and the words say it too", async () => {
    expect((await functionNode({})).icon).toBe("pass");
    const tied = await functionNode({ groups: { n: 4, tied: 4, noGradient: 4 } });
    expect(tied).toMatchObject({
      icon: "warning",
      aria: expect.stringContaining("all groups tied") as string,
    });
    expect((await functionNode({ states: { scored: 190, raised: 10 } })).icon).toBe("warning");
    const none = await functionNode({
      states: { raised: 200 },
      estimate: null,
      groups: { n: 4, tied: 0, noGradient: 4 },
    });
    expect(none).toMatchObject({ icon: "error", aria: expect.stringContaining("200 raised") as string });
    expect((await none.children?.())?.at(-1)?.label).toBe("no group could be compared");
  });

  test("a sample file says how large it is and who uses it", () => {
    const reader = {
      open: () => Promise.reject(new Error("not opened")),
      labels: () => Promise.resolve([]),
      groups: () => Promise.resolve([]),
    };
    const node = (users: string[]): Node =>
      sampleFileNode("/a.jsonl", "a.jsonl", bytesInWords(714, english), undefined, users, reader, english);
    expect(node([]).description).toBe("714 bytes");
    expect(node(["reward.py", "other.py"]).description).toBe("714 bytes · in use by reward.py, other.py");
    expect(bytesInWords(1, english)).toBe("1 byte");
    expect(bytesInWords(2500, english)).toBe("2.5 kB");
  });
});

describe("inside a parameter list", () => {
  test.each<[string, string, string[] | null]>([
    ["right after the bracket", "def f(", []],
    ["after a name", "def f(completions, an", ["completions"]],
    [
      "over several lines",
      "async def f(\n    completions: list[str],  # all of them\n    answer=(1, 2),\n    ",
      ["completions", "answer"],
    ],
    ["a star argument counts by its name", "def f(*args, ", ["args"]],
    ["in a default", "def f(a=", null],
    ["in an annotation", "def f(a: ", null],
    ["in a nested bracket", "def f(a=g(", null],
    ["behind the list", "def f(a):\n    return g(", null],
    ["in a string default with a comma", 'def f(a="x,(", ', ["a"]],
    ["no function", "print(", null],
  ])("%s", (_, before, given) => {
    expect(openSignature(before)?.given ?? null).toEqual(given);
  });
});

describe("tree ranges", () => {
  const leaves = (n: number): Node[] =>
    Array.from({ length: n }, (_, index) => ({
      id: String(index),
      label: String(index),
      aria: String(index),
    }));
  const count = async (nodes: readonly Node[]): Promise<{ leaves: number; widest: number }> => {
    let sum = { leaves: 0, widest: nodes.length };
    for (const node of nodes) {
      if (!node.children) {
        sum = { ...sum, leaves: sum.leaves + 1 };
        continue;
      }
      const below = await count(await node.children());
      sum = { leaves: sum.leaves + below.leaves, widest: Math.max(sum.widest, below.widest) };
    }
    return sum;
  };

  test.each([0, 1, 200, 201, 40_000, 40_001])(
    "%d children: all there, none with more than 200",
    async (n) => {
      const { leaves: found, widest } = await count(inRanges("x", leaves(n), (a, b) => `${a} to ${b}`));
      expect(found).toBe(n);
      expect(widest).toBeLessThanOrEqual(MOST_CHILDREN);
    },
  );

  test("ranges say where they begin and end, counted from 1", () => {
    expect(inRanges("x", leaves(450), (a, b) => `${a}–${b}`).map((node) => node.label)).toEqual([
      "1–200",
      "201–400",
      "401–450",
    ]);
  });
});

describe("rewardsmith.json", () => {
  const mapping = {
    prompt: "question",
    completion: "output",
    id: null,
    group: { by: "size" as const, size: 8 },
    completionIds: null,
    label: null,
    columns: { answer: "gold" },
  };

  test("what a mapping says can be read back by the schema", () => {
    const text = withSuite(
      EMPTY_PROJECT,
      "main",
      suiteParts({ mapping }, ["outputs.jsonl"], ["reward.py:f"]),
    );
    const project = Project.parse(parse(text));
    expect(project.suites["main"]).toMatchObject({
      rewards: [{ use: "reward.py:f", weight: 1 }],
      samples: ["outputs.jsonl"],
      columns: { answer: "gold", prompt: "question", completion: "output" },
      group: { size: 8 },
    });
  });

  test("a written mapping laid over another guess gives the same mapping again", () => {
    const text = withSuite(EMPTY_PROJECT, "main", suiteParts({ mapping }, ["outputs.jsonl"], []));
    const suite = Project.parse(parse(text)).suites["main"]!;
    const guess = {
      ...mapping,
      prompt: null,
      completion: "text",
      group: { by: "prompt" as const },
      columns: {},
    };
    expect(mappingOf(suite, guess)).toEqual(mapping);
    expect(mappingOf({ columns: {} }, guess)).toEqual(guess);
  });

  test("comments and other suites stay as they are", () => {
    const before = '{\n  // ours\n  "schema": 1,\n  "suites": { "other": { "samples": ["x.csv"] } }\n}\n';
    const after = withSuite(before, "main", suiteParts({ mapping }, ["y.jsonl"], []));
    expect(after).toContain("// ours");
    expect(Project.parse(parse(after)).suites["other"]?.samples).toEqual(["x.csv"]);
  });
});
