import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { RewardsmithApi } from "../../../../src/host/app";
import type { FileScores } from "../../../../src/schema/live";
import { ask, hasPage } from "../../ask";
import { activate, file, functionOf, mean, note, replace } from "../../session";
import { until } from "../../until";

/** As for reward.py: three of the eight outputs are right. */
const RIGHT = 3 / 8;

suite("notebook cells", () => {
  let api: RewardsmithApi;
  let notebook: vscode.NotebookDocument;
  let path: string;

  const cellWith = (text: string): vscode.NotebookCell => {
    const found = notebook.getCells().find((cell) => cell.document.getText().includes(text));
    assert.ok(found, `no cell has ${text}`);
    return found;
  };
  const paintedIn = (cell: vscode.NotebookCell) => api.painted(cell.document.uri.toString());
  /** Scores that fit, of the cells as they are now: what is painted in the cell isn't old. */
  const scored = (fits: (scores: FileScores) => boolean): Promise<FileScores> =>
    until(
      () => {
        const scores = api.scoresOf(path);
        return scores?.status === "fresh" && fits(scores) ? scores : null;
      },
      {
        what: "scores of the cells as they are now",
        last: () => {
          const scores = api.scoresOf(path);
          return [scores?.status, scores?.error, scores?.functions.map((fn) => [fn.name, fn.estimate?.mean])];
        },
      },
    );
  /** Only cells on the screen have an editor to paint in. */
  const reveal = (cell: vscode.NotebookCell): void => {
    const range = new vscode.NotebookRange(cell.index, cell.index + 1);
    vscode.window.activeNotebookEditor?.revealRange(range, vscode.NotebookEditorRevealType.InCenter);
  };
  const numberIn = (cell: vscode.NotebookCell, pattern: RegExp) => {
    reveal(cell);
    return until(() => paintedIn(cell).numbers.find((one) => !one.old && pattern.test(one.text)), {
      what: `${pattern} painted in cell ${cell.index + 1}`,
      last: () => paintedIn(cell),
    });
  };
  const insert = async (index: number, text: string): Promise<void> => {
    const edit = new vscode.WorkspaceEdit();
    edit.set(notebook.uri, [
      vscode.NotebookEdit.insertCells(index, [
        new vscode.NotebookCellData(vscode.NotebookCellKind.Code, text, "python"),
      ]),
    ]);
    assert.ok(await vscode.workspace.applyEdit(edit));
  };
  const remove = async (cell: vscode.NotebookCell): Promise<void> => {
    const edit = new vscode.WorkspaceEdit();
    edit.set(notebook.uri, [
      vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(cell.index, cell.index + 1)),
    ]);
    assert.ok(await vscode.workspace.applyEdit(edit));
  };

  suiteSetup(async function () {
    this.timeout(60_000);
    api = await activate();
    // Opened as people do it: what an extension opens is kept for minutes after its editor is closed.
    await vscode.commands.executeCommand("vscode.open", file("rewards.ipynb"), { preview: false });
    ({ notebook } = await until(() => vscode.window.activeNotebookEditor, { what: "the notebook's editor" }));
    path = notebook.uri.fsPath;
    await api.testing!.choose(path, [file("outputs.jsonl").fsPath]);
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await until(() => api.scoresOf(path) === undefined, {
      what: "a closed notebook's numbers to be forgotten",
    });
  });

  test("rewards are scored with the cells above them, and painted at their def lines", async () => {
    const scores = await scored((now) => now.functions.length === 2);
    assert.equal(mean(scores, "correctness"), RIGHT);
    assert.equal(mean(scores, "brevity"), 6 / 8);
    const cell = cellWith("def correctness");
    const painted = await numberIn(cell, /0\.375|0\.38/);
    assert.match(cell.document.lineAt(painted.line).text, /^def correctness/);
    assert.deepEqual(
      paintedIn(cell).numbers.map((one) => one.function),
      ["correctness"],
    );
    if (!hasPage()) return;
    assert.match(String(await ask({ what: "decoration", pattern: "0\\.375|0\\.38" })), /0\.37|0\.38/);
    await ask({ what: "screenshot", name: "notebook" });
  });

  test("previews stand beside the lines of their cells", async () => {
    const cell = cellWith("def correctness");
    reveal(cell);
    const preview = await until(() => paintedIn(cell).previews.find((one) => /→ 3/.test(one.text)), {
      what: "the branch that three samples take",
      last: () => paintedIn(cell),
    });
    assert.match(cell.document.lineAt(preview.line).text, /if is_right/);
    // The helper's cell, too.
    const helper = cellWith("def is_right");
    reveal(helper);
    await until(() => paintedIn(helper).hit.includes(1), {
      what: "the helper's line to be marked",
      last: () => paintedIn(helper),
    });
    if (hasPage()) await ask({ what: "screenshot", name: "notebook-previews" });
  });

  test("an edit gives a new number, unsaved, and flips against the saved notebook", async () => {
    const cell = cellWith("def correctness");
    const began = Date.now();
    await replace(cell.document, "scores.append(0.0)", "scores.append(0.5)");
    const scores = await scored((now) => mean(now, "correctness") === (3 + 5 * 0.5) / 8);
    note(`notebook edit → scores: ${Date.now() - began} ms`);
    assert.equal(scores.error, null);
    await numberIn(cell, /0\.688|0\.69/);
    const flips = await until(() => functionOf(api.scoresOf(path)!, "correctness").flips, {
      what: "flips against the saved notebook",
    });
    assert.deepEqual([flips.up, flips.down], [5, 0]);
    await replace(cell.document, "scores.append(0.5)", "scores.append(0.0)");
    await scored((now) => mean(now, "correctness") === RIGHT);
  });

  test("a cell above that changes a helper changes the number", async () => {
    await replace(cellWith("def is_right").document, "return text == gold", "return text != gold");
    await scored((now) => mean(now, "correctness") === 5 / 8);
    await replace(cellWith("def is_right").document, "return text != gold", "return text == gold");
    await scored((now) => mean(now, "correctness") === RIGHT);
  });

  test("a cell inserted above moves nothing in its cell; a cell between that redefines counts; deleted, it doesn't", async () => {
    await insert(0, "import math\n\nSCALE = 2");
    const cell = cellWith("def correctness");
    const painted = await numberIn(cell, /0\.375|0\.38/);
    assert.match(cell.document.lineAt(painted.line).text, /^def correctness/);
    await insert(cell.index, "def is_right(text, gold):\n    return True");
    await scored((now) => mean(now, "correctness") === 1);
    await numberIn(cell, /1\.0|1 /);
    await remove(cellWith("return True"));
    await scored((now) => mean(now, "correctness") === RIGHT);
    const again = await numberIn(cellWith("def correctness"), /0\.375|0\.38/);
    assert.match(cell.document.lineAt(again.line).text, /^def correctness/);
    await remove(cellWith("SCALE = 2"));
    await scored((now) => mean(now, "correctness") === RIGHT);
  });

  test("a reward in a new last cell is found", async () => {
    await insert(
      cellWith("def brevity").index + 1,
      "def always(completions, **kwargs):\n    return [1.0 for _ in completions]",
    );
    await scored((now) => now.functions.some((fn) => fn.name === "always") && mean(now, "always") === 1);
    await remove(cellWith("def always"));
    await scored((now) => now.functions.length === 2);
  });

  test("an error names its cell, in Problems at its line, and the last numbers stay, marked", async () => {
    const broken = cellWith("def is_right");
    const cell = cellWith("def correctness");
    await replace(broken.document, "return text == gold", "return (text == gold");
    const problem = await until(
      () =>
        vscode.languages
          .getDiagnostics(broken.document.uri)
          .find(
            ({ source, severity }) =>
              source === "Rewardsmith" && severity === vscode.DiagnosticSeverity.Error,
          ),
      { what: "a problem in the broken cell", last: () => api.scoresOf(path)?.error },
    );
    assert.match(problem.message, new RegExp(`cell ${broken.index + 1}\\b`));
    assert.equal(problem.range.start.line, 1);
    reveal(cell);
    await until(
      () => paintedIn(cell).numbers.some((one) => one.old && one.text.includes(`cell ${broken.index + 1}`)),
      { what: "the old number, marked", last: () => paintedIn(cell) },
    );
    await replace(broken.document, "return (text == gold", "return text == gold");
    await scored((now) => mean(now, "correctness") === RIGHT);
    await until(() => vscode.languages.getDiagnostics(broken.document.uri).length === 0, {
      what: "the problem to be gone",
    });
  });

  test("await at the top level is a sentence", async () => {
    const index = cellWith("def correctness").index;
    await insert(index, "import asyncio\nawait asyncio.sleep(0)");
    const problem = await until(
      () =>
        vscode.languages
          .getDiagnostics(cellWith("await asyncio").document.uri)
          .find(({ source }) => source === "Rewardsmith"),
      { what: "a problem in the cell that awaits", last: () => api.scoresOf(path)?.error },
    );
    assert.match(problem.message, /await outside a function works in a notebook only/);
    assert.equal(problem.range.start.line, 1);
    await remove(cellWith("await asyncio"));
    await scored((now) => mean(now, "correctness") === RIGHT);
  });

  test("what raises is a problem in its cell", async () => {
    const cell = cellWith("def brevity");
    await replace(cell.document, "return [1.0", "raise ValueError('no')\n    return [1.0");
    const problem = await until(
      () =>
        vscode.languages
          .getDiagnostics(cell.document.uri)
          .find(({ source, message }) => source === "Rewardsmith" && /ValueError: no/.test(message)),
      { what: "the raised error in its cell" },
    );
    assert.equal(problem.range.start.line, 1);
    await replace(cell.document, "raise ValueError('no')\n    return [1.0", "return [1.0");
    await scored((now) => mean(now, "brevity") === 6 / 8);
  });

  test("verbs and hovers are in the cell", async () => {
    const cell = cellWith("def correctness");
    const lenses = await until(
      async () => {
        const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
          "vscode.executeCodeLensProvider",
          cell.document.uri,
          50,
        );
        return found.some((lens) => lens.command?.title === "Score") && found;
      },
      { what: "CodeLenses in the cell" },
    );
    assert.ok(lenses.every((lens) => lens.range.start.line === 1));
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      cell.document.uri,
      new vscode.Position(1, 6),
    );
    const text = hovers
      .flatMap((hover) => hover.contents)
      .map((part) => (part instanceof vscode.MarkdownString ? part.value : ""))
      .join("\n");
    assert.match(text, /mean 0\\?\.3[78]/);
    assert.equal(hovers[0]?.range?.start.line, 1);
  });

  test("commands mean the function of the selected cell", async () => {
    const cell = cellWith("def brevity");
    const { index } = cell;
    reveal(cell);
    await until(() => paintedIn(cell).previews.some((one) => !one.old), { what: "previews in the cell" });
    const editor = vscode.window.activeNotebookEditor!;
    editor.selection = new vscode.NotebookRange(index, index + 1);
    await vscode.commands.executeCommand("rewardsmith.previews.read");
    const read = await until(
      () => {
        const shown = vscode.window.activeTextEditor?.document;
        return shown?.languageId === "plaintext" && shown.getText();
      },
      { what: "the previews as text" },
    );
    assert.match(read, /^Reward brevity\n\n0\.75/);
    assert.match(read, /line 2: return \[1\.0/);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await until(() => vscode.window.activeNotebookEditor?.notebook === notebook, {
      what: "the notebook in front",
    });
  });

  test("Open Reward Lab shows the scores beside the cells", async () => {
    const before = vscode.window.tabGroups.all.length;
    await vscode.commands.executeCommand("rewardsmith.lab.open", { path, function: "brevity" });
    await until(() => vscode.window.tabGroups.all.length > before, { what: "a panel beside" });
    if (hasPage()) await ask({ what: "screenshot", name: "notebook-lab" });
    const tab = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .find((one) => /Scores/.test(one.label));
    assert.ok(tab);
    await vscode.window.tabGroups.close(tab);
    assert.equal(mean(api.scoresOf(path)!, "brevity"), 6 / 8);
  });

  test("a saved notebook is its own baseline", async () => {
    const cell = cellWith("def brevity");
    await replace(cell.document, "len(text) < 4", "len(text) < 3");
    await until(() => (functionOf(api.scoresOf(path)!, "brevity").flips?.down ?? 0) > 0, {
      what: "flips down",
    });
    assert.ok(await notebook.save());
    await until(
      () => {
        const fn = functionOf(api.scoresOf(path)!, "brevity");
        return fn.baseline?.kind === "saved" && fn.flips?.down === 0 && fn.flips.up === 0;
      },
      { what: "no flips after saving", last: () => functionOf(api.scoresOf(path)!, "brevity").flips },
    );
  });
});
