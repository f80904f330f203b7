import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moduleOf, pythonText } from "../../../../src/core/python/cellModule";
import { cellAt, cellsOf, notebookOf } from "../../../../src/core/python/cells";
import { linesOf, withoutMagics } from "../../../../src/core/python/magics";
import { modelFile } from "../../../../src/core/contracts/registry";

const plain = (text: string): string => withoutMagics(text).lines.join("\n");
const cells = (...texts: string[]) => texts.map((text) => ({ text, runs: true }));
const REWARD = "def reward(completions, **kwargs):\n    return [1.0 for _ in completions]";

describe("what IPython adds to Python", () => {
  it.each([
    ["%matplotlib inline", "pass"],
    ["!pip install trl", "pass"],
    ["if colab:\n    !pip install trl\n    x = 1", "if colab:\n    pass\n    x = 1"],
    ["!pip install \\\n    trl \\\n    peft\nx = 1", "pass\n\n\nx = 1"],
    ["files = !ls\nn = 1", "files = []\nn = 1"],
    ["spent = %timeit -o f()", "spent = None"],
    ["%time x = f()", "x = f()"],
    ["x = %time f()", "x = f()"],
    ["reward?\n?reward\nhelp.me??", "pass\npass\npass"],
    ["%%bash\necho 'it''s\nrm -rf \"x", "pass\n\n"],
    ["\n%%capture out\nimport trl", "\npass\nimport trl"],
    ["%%time\n%pip install x\ny = 2", "pass\npass\ny = 2"],
  ])("%j is %j", (text, python) => {
    expect(plain(text)).toBe(python);
  });

  it.each([
    'x = """\n%not a magic\n!nor this\nis it?\n"""',
    "x = (a\n% b)",
    "x = a \\\n% b",
    "x = {'a': 1,\n!=\n}",
    "s = 'it\\'s' # '''\ny = a != b",
    'f(r"\\d?", \'"""\')\nx = 5 % 2',
    "print('%s' % x)\n# !pip install\n",
    "y = x if a else b",
  ])("%j is Python already", (text) => {
    expect(plain(text)).toBe(text);
  });

  it("a magic's own quotes and brackets don't reach the next line", () => {
    expect(plain("!echo \"it's (\n%ls")).toBe("pass\npass");
  });
  it("an unclosed quote ends with its line", () => {
    expect(plain("x = 'oops\n%ls")).toBe("x = 'oops\npass");
  });
});

describe("a notebook's module", () => {
  it("ends with the last cell that holds a reward", () => {
    const module = moduleOf(cells("import re", REWARD, "x = 2", "trainer.train()"));
    expect(module.used).toBe(2);
    expect(module.text).toContain(REWARD);
    expect(module.text).not.toMatch(/x = 2|train\(\)/);
  });

  it("knows what cells below say of a function", () => {
    const odd = "def odd(rows, **kw):\n    return [0.0 for _ in rows]";
    const asked = moduleOf(
      cells(
        "import re",
        odd,
        "import trl.trainer\ntrainer = T(model=m, reward_funcs=[odd])\ntrainer.train()",
      ),
    );
    expect(modelFile("/w/n.ipynb", 1, asked.text).functions.map((fn) => [fn.name, fn.reasons])).toEqual([
      ["odd", ["in-reward-funcs"]],
    ]);
    expect(asked.text).toMatch(/if False: import trl\.trainer; /);
    expect(asked.text).not.toMatch(/train\(\)/);
  });

  it("has every cell's own names, the last definition counts", () => {
    const second = REWARD.replace("1.0", "2.0");
    const module = moduleOf(cells(REWARD, second));
    const [fn, ...others] = modelFile("/w/n.ipynb", 1, module.text).functions;
    expect(others).toEqual([]);
    expect(cellAt(module, fn!.line)).toEqual({ cell: 1, line: 0 });
  });

  it("takes `from __future__` to its very start and keeps the lines", () => {
    const module = moduleOf(cells("x = 1", `from __future__ import annotations\n${REWARD}`));
    expect(module.text).toMatch(/^from __future__ import annotations; /);
    expect(linesOf(module.text)[module.starts[1]!]).toBe("pass");
  });

  it("leaves a tagged cell silent, and what it defines out", () => {
    const module = moduleOf([{ text: REWARD, runs: false }, ...cells(REWARD.replace("reward", "other"))]);
    expect(modelFile("/w/n.ipynb", 1, module.text).functions.map((fn) => fn.name)).toEqual(["other"]);
    expect(module.starts).toEqual([1, 3]);
  });

  it("a cell with an open bracket costs that cell's function", () => {
    const module = moduleOf(cells("def broken(completions, **kw):\n    return [[1", REWARD));
    expect(module.used).toBe(2);
    expect(modelFile("/w/n.ipynb", 1, module.text).functions.map((fn) => fn.name)).toContain("reward");
  });

  const line = fc.oneof(
    fc.constantFrom(
      "%magic",
      "!ls",
      "x = 1",
      '"""',
      "f(",
      ")",
      "\\",
      "%%bash",
      "",
      "x?",
      "from __future__ import a",
    ),
    fc.string({ maxLength: 12 }),
  );
  const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));

  it("keeps every cell's line count, and finds each line's cell again", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
        const module = moduleOf(cells(...texts));
        texts.forEach((cell, index) => {
          expect(withoutMagics(cell).lines).toHaveLength(linesOf(cell).length);
          linesOf(cell).forEach((_, at) =>
            expect(cellAt(module, module.starts[index]! + at)).toEqual({ cell: index, line: at }),
          );
        });
        expect(cellAt(module, 0)).toBeNull();
        expect(cellAt(module, module.lineCount)).toBeNull();
      }),
    );
  });
});

describe("a notebook on disk", () => {
  const code = (source: unknown, metadata: unknown = {}) => ({ cell_type: "code", source, metadata });
  const notebook = (list: unknown[], metadata: unknown = {}): string =>
    JSON.stringify({ cells: list, metadata, nbformat: 4, nbformat_minor: 5 });

  it("gives its Python cells in order", () => {
    const json = notebook([
      { cell_type: "markdown", source: "# Title" },
      code(["import re\n", "x = 1"]),
      code("select 1", { vscode: { languageId: "sql" } }),
      code("raise SystemExit", { tags: ["skip-execution", "slow"] }),
      { cell_type: "raw", source: "raw" },
      code([], null),
    ]);
    expect(cellsOf(json)).toEqual([
      { text: "import re\nx = 1", runs: true },
      { text: "raise SystemExit", runs: false },
      { text: "", runs: true },
    ]);
  });

  it("is what the editor's cells are sent as", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ text: fc.string(), runs: fc.boolean() })), (list) => {
        expect(cellsOf(notebookOf(list))).toEqual(list);
      }),
    );
  });

  it("of another language has none", () => {
    expect(cellsOf(notebook([code("1 + 1")], { language_info: { name: "R" } }))).toEqual([]);
    expect(cellsOf(notebook([code("1 + 1")], { kernelspec: { language: "julia" } }))).toEqual([]);
  });

  it.each(["", "{", "[]", '{"cells": 3}', "<<<<<<< HEAD"])("%j is none", (json) => {
    expect(cellsOf(json)).toBeNull();
    expect(pythonText("/w/n.ipynb", json)).toBeNull();
    expect(pythonText("/w/n.py", json)).toBe(json);
  });
});
