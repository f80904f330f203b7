import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { RewardsmithApi } from "../../../../src/host/app";
import type { FileScores } from "../../../../src/schema/live";
import { ScoreReport } from "../../../../src/schema/report";
import { ask } from "../../ask";
import { activate, file, fresh, functionOf, mean, replace, revert, show } from "../../session";
import { until } from "../../until";

suite("surfaces", () => {
  let api: RewardsmithApi;
  let document: vscode.TextDocument;
  let path: string;

  suiteSetup(async function () {
    this.timeout(60_000);
    api = await activate();
    ({ document } = await show("reward.py"));
    path = document.uri.fsPath;
    await api.testing!.choose(path, [file("outputs.jsonl").fsPath]);
    await fresh(api, document);
  });
  setup(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    ({ document } = await show("reward.py"));
    await fresh(api, document);
  });

  const lenses = async (): Promise<readonly string[]> => {
    const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      document.uri,
      50,
    );
    return found.map((lens) => lens.command?.title ?? "");
  };
  const definition = (name: string): vscode.Position => {
    const at = document.getText().indexOf(`def ${name}`) + 4;
    return document.positionAt(at + 1);
  };

  test("verbs stand above each function", async () => {
    const titles = await until(
      async () => {
        const now = await lenses();
        return now.some((title) => title.startsWith("outputs.jsonl")) && now;
      },
      { what: "verbs that name the samples" },
    );
    for (const verb of ["Score", "Check", "trl ▾", "outputs.jsonl (8) ▾"])
      assert.equal(titles.filter((title) => title === verb).length, 2, `${verb} in ${titles.join(" | ")}`);
  });

  test("the hover on a function has its distribution, best and worst samples", async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      document.uri,
      definition("correctness"),
    );
    const text = hovers
      .flatMap(({ contents }) =>
        contents.map((part) => (part instanceof vscode.MarkdownString ? part.value : "")),
      )
      .join("\n")
      .replaceAll("\\", "");
    assert.match(text, /0\.375|0\.38/);
    assert.match(text, /forty-two|five|41/, "a worst sample's text");
    assert.match(text, /8 scored/);
  });

  test("pausing keeps the numbers and scores no edit; resuming scores again", async () => {
    await vscode.commands.executeCommand("rewardsmith.live.pause", { path });
    await replace(document, "else 0.0 for text, gold", "else 0.5 for text, gold");
    await new Promise((resolve) => setTimeout(resolve, 800));
    assert.notEqual(api.scoresOf(path)?.status, "fresh", "scored while paused");
    assert.equal(mean(api.scoresOf(path)!, "correctness"), 3 / 8);
    await vscode.commands.executeCommand("rewardsmith.live.resume", { path });
    assert.equal(mean(await fresh(api, document), "correctness"), (3 + 5 * 0.5) / 8);
    await revert(document);
    await fresh(api, document);
  });

  test("a pinned sample shows its values beside the lines", async () => {
    await replace(
      document,
      "    return [1.0 if len(text) < 4 else 0.0 for text in completions]",
      "    scores = []\n    for text in completions:\n        size = len(text)\n        scores.append(1.0 if size < 4 else 0.0)\n    return scores",
    );
    await fresh(api, document);
    const pinned = vscode.commands.executeCommand("rewardsmith.samples.pin", { path });
    await ask({ what: "row", text: "row 3" });
    await pinned;
    await until(() => api.scoresOf(path)?.pinned === 2, { what: "row 3 pinned" });
    const preview = await until(
      () =>
        api
          .painted(path)
          .previews.find(({ line }) => document.lineAt(line).text.includes("size = len(text)")),
      { what: "values beside the line", last: () => api.painted(path).previews },
    );
    assert.match(preview.text, /9/, "forty-two has nine characters");
    await ask({ what: "screenshot", name: "pinned" });
    await revert(document);
  });

  test("flips are counted against the baseline that was set", async () => {
    await replace(document, "else 0.0 for text, gold", "else 0.5 for text, gold");
    const up = (scores: FileScores): number | undefined => functionOf(scores, "correctness").flips?.up;
    await fresh(api, document, (scores) => up(scores) === 5);
    const set = vscode.commands.executeCommand("rewardsmith.baseline.set", { path });
    await ask({ what: "row", text: "This version" });
    await set;
    await fresh(api, document, (scores) => up(scores) === 0);
    const back = vscode.commands.executeCommand("rewardsmith.baseline.set", { path });
    await ask({ what: "row", text: "Saved file" });
    await back;
    await fresh(api, document, (scores) => up(scores) === 5);
    await revert(document);
  });

  test("the export is the report of rewardsmith score --json", async () => {
    const exported = vscode.commands.executeCommand("rewardsmith.scores.export", { path });
    await ask({ what: "row", text: "JSON" });
    await exported;
    const editor = await until(
      () => vscode.window.visibleTextEditors.find((one) => one.document.isUntitled),
      {
        what: "the export in a new editor",
      },
    );
    const report = ScoreReport.parse(JSON.parse(editor.document.getText()));
    assert.deepEqual(report.functions.map((fn) => [fn.name, fn.rows.length, fn.mean]).sort(), [
      ["brevity", 8, 0.75],
      ["correctness", 8, 0.375],
    ]);
    assert.deepEqual(report.totals.slice(0, 2), [2, 1]);
    assert.equal(report.groups.length, 1);
  });

  test("previews can be read as text", async () => {
    await vscode.commands.executeCommand("rewardsmith.previews.read", { path, function: "correctness" });
    const editor = await until(
      () => vscode.window.visibleTextEditors.find((one) => one.document.isUntitled),
      {
        what: "the text",
      },
    );
    assert.match(editor.document.getText(), /0\.375|0\.38/);
    assert.match(editor.document.getText(), /8/);
  });

  test("diagnostics hold versions and states, no source and no samples", async () => {
    void vscode.commands.executeCommand("rewardsmith.diagnostics.copy");
    const text = await until(
      async () => {
        const now = await vscode.env.clipboard.readText();
        return now.startsWith("Rewardsmith ") && now;
      },
      { what: "the clipboard" },
    );
    assert.match(text, /engine: /);
    assert.doesNotMatch(text, /def correctness|forty-two/);
  });

  test("forgetting the file ends its scoring", async () => {
    void vscode.commands.executeCommand("rewardsmith.consent.forget", { path });
    await until(() => api.scoresOf(path) === undefined, { what: "no scores any more" });
    await until(() => api.painted(path).numbers.length === 0, { what: "nothing drawn" });
    await replace(document, "else 0.0 for text, gold", "else 0.5 for text, gold");
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(api.scoresOf(path), undefined);
    await revert(document);
  });
});
