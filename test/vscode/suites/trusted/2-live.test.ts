import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { RewardsmithApi } from "../../../../src/host/app";
import { ask } from "../../ask";
import { activate, file, fresh, functionOf, mean, replace, revert, show, workers } from "../../session";
import { until } from "../../until";

/** Three of the eight outputs are right (workspace/outputs.jsonl); six have fewer than four characters. */
const RIGHT = 3 / 8;

suite("live scoring", () => {
  let api: RewardsmithApi;
  let document: vscode.TextDocument;
  let path: string;

  suiteSetup(async function () {
    this.timeout(60_000);
    api = await activate();
    ({ document } = await show("reward.py"));
    path = document.uri.fsPath;
    assert.equal(api.scoresOf(path), undefined, "scored before anybody chose samples");
    await api.testing!.choose(path, [file("outputs.jsonl").fsPath]);
  });
  teardown(async () => {
    await revert(await vscode.workspace.openTextDocument(file("helper.py")));
    await revert(document);
    await fresh(api, document);
  });

  test("numbers appear, in the snapshot, at the def lines and on the screen", async () => {
    const scores = await fresh(api, document);
    assert.equal(mean(scores, "correctness"), RIGHT);
    assert.equal(functionOf(scores, "correctness").n, 8);
    assert.deepEqual(functionOf(scores, "correctness").states, { scored: 8 });
    assert.equal(functionOf(scores, "correctness").contract, "trl");
    assert.deepEqual(functionOf(scores, "correctness").groups, { n: 1, tied: 0, noGradient: 0 });
    const painted = await until(() => api.painted(path).numbers.length === 2 && api.painted(path), {
      what: "a number at each def line",
    });
    assert.match(document.lineAt(painted.numbers[0]!.line).text, /^def correctness/);
    assert.match(painted.numbers[0]!.text, /0\.375|0\.38/);
    assert.equal(painted.numbers[0]!.old, false);
    assert.match(String(await ask({ what: "decoration", pattern: "0\\.375|0\\.38" })), /0\.37|0\.38/);
    await ask({ what: "screenshot", name: "numbers" });
  });

  test("an edit changes the numbers without being saved", async () => {
    await replace(document, "else 0.0 for text, gold", "else 0.5 for text, gold");
    const scores = await fresh(api, document);
    assert.equal(mean(scores, "correctness"), (3 + 5 * 0.5) / 8);
    assert.equal(document.isDirty, true);
    const disk = new TextDecoder().decode(await vscode.workspace.fs.readFile(document.uri));
    assert.match(disk, /else 0\.0 for text, gold/);
    // The saved file is scored when there is time, after the edit's own numbers.
    const { flips } = await until(
      () => {
        const now = api.scoresOf(path);
        return now && functionOf(now, "correctness").flips ? functionOf(now, "correctness") : null;
      },
      { what: "flips against the saved file", last: () => api.scoresOf(path)?.functions[0]?.baseline },
    );
    assert.deepEqual([flips?.up, flips?.down], [5, 0], "five rows score higher than in the saved file");
  });

  test("a syntax error keeps the last numbers and marks them old", async () => {
    await fresh(api, document);
    await replace(document, "    return [points()", "    return [[points()");
    const scores = await until(
      () => {
        const now = api.scoresOf(path);
        return now?.status === "old" && now.error && now;
      },
      { what: "numbers marked old", last: () => api.scoresOf(path)?.status },
    );
    assert.equal(mean(scores, "correctness"), RIGHT);
    assert.equal(functionOf(scores, "correctness").status, "old");
    assert.ok(scores.error?.line, "the error has a line");
    await until(() => api.painted(path).numbers.some((one) => one.old && /0\.375|0\.38/.test(one.text)), {
      what: "the old number, marked",
      last: () => api.painted(path).numbers,
    });
    await ask({ what: "screenshot", name: "syntax-error" });
  });

  test("an unsaved helper module is used", async () => {
    const { document: helper } = await show("helper.py");
    await replace(helper, "return 1.0", "return 0.5");
    const scores = await until(
      () => {
        const now = api.scoresOf(path);
        return now?.status === "fresh" && mean(now, "correctness") === RIGHT * 0.5 && now;
      },
      {
        what: "numbers with the unsaved helper",
        last: () => api.scoresOf(path)?.functions.map((fn) => fn.estimate),
      },
    );
    assert.equal(helper.isDirty, true);
    assert.equal(functionOf(scores, "correctness").n, 8);
  });

  test("edits within the same second and of the same size count, and the last one wins", async () => {
    for (const value of ["0.1", "0.2", "0.3", "0.4"]) {
      const text = /else (0\.\d) for text, gold/.exec(document.getText())![1]!;
      await replace(document, `else ${text} for text, gold`, `else ${value} for text, gold`);
    }
    const scores = await fresh(api, document);
    assert.equal(Number(mean(scores, "correctness")).toFixed(6), ((3 + 5 * 0.4) / 8).toFixed(6));
  });

  test("an added function is scored, a renamed one goes by its new name, a deleted one is gone", async () => {
    await replace(document, "def brevity(", "def shortness(");
    const renamed = await fresh(api, document, (now) => now.functions.some((fn) => fn.name === "shortness"));
    assert.deepEqual(renamed.functions.map((fn) => fn.name).sort(), ["correctness", "shortness"]);
    assert.equal(mean(renamed, "shortness"), 6 / 8);

    const text = document.getText();
    await replace(document, text.slice(text.indexOf("def shortness")), "");
    const deleted = await fresh(api, document, (now) => now.functions.length === 1);
    assert.deepEqual(
      deleted.functions.map((fn) => fn.name),
      ["correctness"],
    );
    await until(() => api.painted(path).numbers.length === 1, {
      what: "one number",
      last: () => api.painted(path),
    });
  });

  test("a row that raises is told apart, in the count, the Problems and at the line", async () => {
    await replace(
      document,
      "    return [points()",
      '    if "five" in completions:\n        raise ValueError("cannot count five")\n    return [points()',
    );
    const scores = await fresh(api, document);
    const { states, estimate, recovered, raised } = functionOf(scores, "correctness");
    assert.deepEqual(states, { scored: 7, raised: 1 });
    assert.equal(recovered, 7, "the others were scored alone, after their batch had failed");
    assert.equal(estimate?.mean, 3 / 7, "the mean is over scored rows only");
    assert.equal(raised[0]?.type, "ValueError");
    const problems = await until(
      () => {
        const found = vscode.languages
          .getDiagnostics(document.uri)
          .filter(({ source }) => source === "Rewardsmith");
        return found.some(({ message }) => message.includes("ValueError")) && found;
      },
      { what: "a problem about the ValueError", last: () => vscode.languages.getDiagnostics(document.uri) },
    );
    const problem = problems.find(({ message }) => message.includes("ValueError"))!;
    assert.match(document.lineAt(problem.range.start.line).text, /raise ValueError/);
    assert.match(problem.message, /raised in 1 row/);
    await until(() => api.painted(path).numbers.some((one) => /1 raised/.test(one.text)), {
      what: "the state at the def line",
      last: () => api.painted(path).numbers,
    });
    await ask({ what: "decoration", pattern: "1 raised" });
    await ask({ what: "screenshot", name: "raised" });
  });

  test("a reward that loops for ever costs its row and leaves nothing running", async function () {
    this.timeout(60_000);
    await replace(
      document,
      "    return [points()",
      '    while "five" in completions:\n        pass\n    return [points()',
    );
    const scores = await until(
      () => {
        const now = api.scoresOf(path);
        return now?.docVersion === document.version && now.status === "fresh" && now;
      },
      { ms: 40_000, what: "the pass to end", last: () => api.scoresOf(path)?.status },
    );
    assert.deepEqual(functionOf(scores, "correctness").states, { scored: 7, "timed-out": 1 });
    await revert(document);
    await fresh(api, document);
    const idle = workers();
    // A parent, or spare processes: none of them is busy, none is more than the engine keeps.
    if (idle) assert.ok(idle.length <= 3, `workers left: ${idle.join(", ")}`);
  });

  test("closing the file stops live scoring; opening it brings the numbers back", async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await until(() => api.scoresOf(path) === undefined || api.painted(path).numbers.length >= 0, {
      what: "closed",
    });
    ({ document } = await show("reward.py"));
    const scores = await fresh(api, document);
    assert.equal(mean(scores, "correctness"), RIGHT);
  });

  test("moving the file takes permission and samples along", async () => {
    const target = file("moved.py");
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(document.uri, target);
    assert.ok(await vscode.workspace.applyEdit(edit));
    const { document: moved } = await show("moved.py");
    const scores = await fresh(api, moved);
    assert.equal(mean(scores, "correctness"), RIGHT);
    await until(() => api.scoresOf(path) === undefined, {
      what: "no scores under the old path",
      last: () => api.scoresOf(path),
    });

    const back = new vscode.WorkspaceEdit();
    back.renameFile(target, document.uri);
    assert.ok(await vscode.workspace.applyEdit(back));
    ({ document } = await show("reward.py"));
    await fresh(api, document);
  });
});
