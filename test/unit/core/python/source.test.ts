import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { importCandidates } from "../../../../src/core/python/imports";
import { parseSource } from "../../../../src/core/python/source";

const CASES = join(import.meta.dirname, "../../../fixtures/cases");
const read = (name: string): string => readFileSync(join(CASES, name), "utf8");
const only = (text: string) => parseSource(text).functions[0]!;
/** Line → kind, as text that reads like the source. */
const kinds = (text: string): string[] => only(text).statements.map(({ line, kind }) => `${line} ${kind}`);

describe("statements", () => {
  test("kinds by line, only inside the body", () => {
    const text = `@cached
def f(
    completions,
    **kwargs,
):
    """Doc
    string."""
    global COUNT
    scores: list[float]
    scores = []
    for text in completions:
        if not text:
            scores.append(0.0)
            continue
        elif text == "x":
            raise ValueError(text)
        else:
            scores[0] = 1
        score += 0.5
    def inner(t):
        yield 1.0
    return [
        s for s in scores
    ]

AFTER = 1
`;
    expect(kinds(text)).toEqual([
      "9 other",
      "10 branch",
      "11 branch",
      "12 append",
      "13 other",
      "14 branch",
      "15 raise",
      "16 branch",
      "17 append",
      "18 append",
      "19 other",
      "20 append",
      "21 return",
    ]);
    const { bodyRange } = only(text);
    expect([bodyRange.start.line, bodyRange.end.line]).toEqual([5, 23]);
  });

  test("heads that Python never reports while stepping are counted at the statement below", () => {
    const text = `def f(completion):
    try:
        match completion:
            case "a":
                x = 1
            case _:
                x = 2
    except ValueError:
        x = 3
    finally:
        y = 4
    while True:
        if x: return 1
        else: return 0
    else:

        return 2
`;
    const at = Object.fromEntries(only(text).statements.map((s) => [s.line, [s.kind, s.countedAt]]));
    expect(at).toEqual({
      1: ["other", 1],
      2: ["branch", 2],
      3: ["branch", 3],
      4: ["other", 4],
      5: ["branch", 6],
      6: ["other", 6],
      7: ["branch", 7],
      8: ["other", 8],
      10: ["other", 10],
      11: ["branch", 12],
      12: ["branch", 12],
      13: ["branch", 13],
      14: ["branch", 16],
      16: ["return", 16],
    });
  });

  test("a body on the def line, with a carriage return before each new line", () => {
    expect(kinds("def f(completion): return 1.0\r\n")).toEqual(["0 return"]);
    expect(kinds("import re\r\n\r\ndef f(completion):\r\n    x = 1; y = 2\r\n    return x\r\n")).toEqual([
      "3 other",
      "4 return",
    ]);
  });
});

describe("parameters", () => {
  test("kinds, defaults and the ranges of each", () => {
    const text =
      "def f(a, /, b: int = g(c, d), *args, e: str, h=None, **kw: Any) -> list[float]:\n    return [1]\n";
    const fn = only(text);
    expect(fn.parameters.map((p) => [p.name, p.kind, p.hasDefault])).toEqual([
      ["a", "positional", false],
      ["b", "positional", true],
      ["args", "args", false],
      ["e", "keyword", false],
      ["h", "keyword", true],
      ["kw", "kwargs", false],
    ]);
    const cut = (i: number) =>
      text.slice(fn.parameters[i]!.range.start.character, fn.parameters[i]!.range.end.character);
    expect([cut(1), cut(2), cut(5)]).toEqual(["b: int", "*args", "**kw: Any"]);
    expect(fn.returns).toBe("list[float]");
  });

  test("a bare star makes keywords; a partial fills in", () => {
    const text =
      "import functools\ndef f(k, completions, *, x, y, **kw):\n    return [1.0]\nr = functools.partial(f, 3, x=1)\n";
    const [f, r] = parseSource(text).functions;
    expect(f!.parameters.map((p) => p.kind)).toEqual([
      "positional",
      "positional",
      "keyword",
      "keyword",
      "kwargs",
    ]);
    expect(r).toMatchObject({ name: "r", kind: "partial", metricName: "f" });
    expect(r!.parameters.map((p) => [p.name, p.hasDefault])).toEqual([
      ["completions", false],
      ["x", true],
      ["y", false],
      ["kw", false],
    ]);
    expect(r!.statements.map((s) => s.line)).toEqual([2]);
  });

  test("an object's call, without self, under its class's name", () => {
    const fn = parseSource(read("S11_reward.py")).functions.find((one) => one.name === "async_object")!;
    expect(fn).toMatchObject({ kind: "object", isAsync: true, metricName: "AsyncCallable" });
    expect(fn.parameters.map((p) => p.name)).toEqual(["completions", "kwargs"]);
    expect(fn.range.start.line).toBe(16);
  });
});

test("what is returned", () => {
  const of = (body: string) => only(`def f(completion):\n${body}`).returnKinds;
  expect(of("    return [1.0 for c in completion]\n")).toEqual(["list"]);
  expect(of("    return (float(c) for c in completion)\n")).toEqual(["list"]);
  expect(of("    yield 1.0\n")).toEqual(["list"]);
  expect(of("    return [0.0] * 3\n")).toEqual(["list"]);
  expect(of("    s = []\n    s.append(1)\n    return s\n")).toEqual(["list"]);
  expect(of("    if a: return None\n    return 1.0 if a in b else 0.0\n")).toEqual(["none", "number"]);
  expect(of("    return a in b\n")).toEqual(["number"]);
  expect(of("    def g():\n        return 'x'\n    return {'score': 1}\n")).toEqual(["dict"]);
  expect(of("    return completion.strip()\n")).toEqual(["string"]);
  expect(of("    return judge(completion)\n")).toEqual(["unknown"]);
  expect(of("    pass\n")).toEqual([]);
});

test("imports, and the modules they may load", () => {
  const text = `import re, os.path as p
from pkg.sub import helper, other as o
from . import near
from .. import far
from .mod import (a, b as c)
def f(completion):
    from late import x
    return 1.0
`;
  const { imports } = parseSource(text);
  expect(imports.map((i) => [i.module, i.level, i.names.join(), i.binds.join(), i.line])).toEqual([
    ["re", 0, "", "re", 0],
    ["os.path", 0, "", "p", 0],
    ["pkg.sub", 0, "helper,other", "helper,o", 1],
    [".", 1, "near", "near", 2],
    ["..", 2, "far", "far", 3],
    [".mod", 1, "a,b", "a,c", 4],
    ["late", 0, "x", "x", 6],
  ]);
  const candidates = importCandidates(imports).map((c) => `${".".repeat(c.level)}${c.segments.join("/")}`);
  expect(candidates).toEqual([
    "re",
    "os",
    "os/path",
    "pkg",
    "pkg/sub",
    "pkg/sub/helper",
    "pkg/sub/other",
    ".near",
    "..far",
    ".mod",
    ".mod/a",
    ".mod/b",
    "late",
    "late/x",
  ]);
});

test("patterns: where they stand, with which flags, and where they are applied", () => {
  const text = `import re
from re import search as find, fullmatch
BOX = re.compile(r"\\boxed\\{(.*?)\\}", re.DOTALL)
SHAPE = r"^<think>.*$"
def f(completions, **kw):
    for c in completions:
        BOX.findall(c)
        re.match(SHAPE, c, re.S | re.M)
        fullmatch("a" "b", c, flags=re.I)
        re.sub(pattern_from_elsewhere, "", c)
    return [1.0]
`;
  const { patterns, patternUses } = parseSource(text);
  expect(patterns.map((p) => [p.literal, p.call, p.flags, p.boundTo, p.range.start.line])).toEqual([
    ['r"\\boxed\\{(.*?)\\}"', "compile", "re.DOTALL", "BOX", 2],
    ['r"^<think>.*$"', "match", "re.S | re.M", null, 3],
    ['"a" "b"', "fullmatch", "re.I", null, 8],
  ]);
  expect(patternUses).toEqual([
    { pattern: 0, method: "findall", line: 6 },
    { pattern: 1, method: "match", line: 7 },
    { pattern: 2, method: "fullmatch", line: 8 },
  ]);
});

describe("how a completion is read", () => {
  const access = (body: string) => {
    const { message, text, firstItem, asksType } = only(`def f(completions, answer, **kw):\n${body}`).access;
    return [message.length, text.length, firstItem.length, asksType];
  };
  test.each<[string, unknown[]]>([
    ['    return [c[0]["content"] for c in completions]\n', [1, 0, 0, false]],
    ['    return [c[-1]["content"] for c, a in zip(completions, answer)]\n', [1, 0, 0, false]],
    ['    return [m["content"] for c in completions for m in c]\n', [1, 0, 0, false]],
    [
      '    for i, (c, a) in enumerate(zip(completions, answer)):\n        m = c[0]\n        x = m.get("content")\n',
      [1, 0, 0, false],
    ],
    ['    return [completions[i][0]["content"] for i in range(3)]\n', [1, 0, 0, false]],
    ["    return [str(c[0]) for c in completions]\n", [0, 0, 1, false]],
    ['    return [c[0] == "A" for c in completions]\n', [0, 0, 0, false]],
    ["    return [c[0].isupper() for c in completions]\n", [0, 0, 0, false]],
    ["    return [c[:20] for c in completions]\n", [0, 0, 0, false]],
    ["    return [c.strip() for c in completions]\n", [0, 1, 0, false]],
    ["    return [bool(re.search(P, c)) for c in completions]\n", [0, 1, 0, false]],
    ['    return [c if isinstance(c, str) else c[0]["content"] for c in completions]\n', [1, 0, 0, true]],
    ["    return [answer[0] for c in completions]\n", [0, 0, 0, false]],
  ])("%s", (body, expected) => {
    expect(access(body)).toEqual(expected);
  });
});

describe("text with errors", () => {
  test("an open bracket costs one function, and lines stay right", () => {
    const text = `from trl import GRPOTrainer
import re

def first(completions, **kw):
    return [1.0 for c in (completions

class Judge:
    def __call__(self, completions, **kw):
        return [1.0]

@cached
async def second(completions, answer, **kw):
    return [0.0]

judge = Judge()
`;
    const model = parseSource(text);
    expect(model.broken).toBe(true);
    expect(model.functions.map((fn) => [fn.name, fn.range.start.line, fn.range.end.line])).toEqual([
      ["first", 3, 4],
      ["second", 11, 12],
      ["judge", 14, 14],
    ]);
    expect(model.functions[1]!.decorators).toEqual(["cached"]);
  });

  test("floats without a digit behind the point, and other valid Python that the grammar doesn't know", () => {
    const text = `@contextmanager
def g():
    with (a as b, c):
        yield
def f(completion, k=0.):
    if "4." in completion: return 1.
    return [k for k, *rest in pairs] and 12. if completion else 0.
`;
    const model = parseSource(text);
    expect([
      model.broken,
      model.functions.map((fn) => fn.name),
      model.functions[1]!.parameters.length,
    ]).toEqual([false, ["g", "f"], 2]);
    expect(model.functions[1]!.statements.map(({ line, kind }) => `${line} ${kind}`)).toEqual([
      "5 branch",
      "6 return",
    ]);
    expect(parseSource("def f(completion):\n    return (1.\n").broken).toBe(true);
  });

  test("a byte order mark is no error", () => {
    const model = parseSource("\uFEFFdef f(completion):\n    return 1.0\n");
    expect([model.broken, model.functions[0]?.nameRange.start.character]).toEqual([false, 4]);
  });

  const texts = readdirSync(CASES)
    .filter((name) => name.endsWith(".py"))
    .map(read);
  const snippet = fc.constantFrom(
    ..."( ) [ ] { } : , = ** * @ def class async lambda : import from . .. re.compile( r' ''' \" \\ \n \t if else case match yield \u{1F600} \0".split(
      " ",
    ),
  );
  test("never throws, whatever is typed or deleted", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(fc.record({ at: fc.nat(2000), cut: fc.nat(30), put: snippet }), {
          minLength: 1,
          maxLength: 8,
        }),
        (text, edits) => {
          const mutated = edits.reduce(
            (now, { at, cut, put }) =>
              now.slice(0, at % (now.length + 1)) + put + now.slice((at % (now.length + 1)) + cut),
            text,
          );
          const lines = mutated.split(/\r\n|\r|\n/).length;
          for (const fn of parseSource(mutated).functions) {
            expect(fn.range.end.line).toBeLessThan(lines);
            for (const { line } of fn.statements) {
              expect(line).toBeGreaterThanOrEqual(fn.bodyRange.start.line);
              expect(line).toBeLessThanOrEqual(fn.bodyRange.end.line);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  }, 60_000);
});
