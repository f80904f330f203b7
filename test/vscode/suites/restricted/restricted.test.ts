import assert from "node:assert/strict";
import * as vscode from "vscode";
import { ask } from "../../ask";
import { activate, file, fresh, mean, show, workers } from "../../session";

suite("Restricted Mode", () => {
  test("nothing runs before the folder is trusted, and trusting it brings the numbers", async function () {
    this.timeout(90_000);
    assert.equal(vscode.workspace.isTrusted, false, "this suite needs a folder that isn't trusted");
    assert.match(vscode.workspace.workspaceFolders![0]!.uri.fsPath, /my runs \(v2\) & co$/);
    const api = await activate();
    const { document } = await show("reward.py");
    const path = document.uri.fsPath;

    await api.testing!.choose(path, [file("outputs.jsonl").fsPath]);
    void vscode.commands.executeCommand("rewardsmith.score", { path });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.equal(api.scoresOf(path)?.functions.some((fn) => fn.n > 0) ?? false, false);
    assert.deepEqual(workers() ?? [], [], "a Python worker runs in Restricted Mode");
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      document.uri,
      50,
    );
    assert.deepEqual(
      [...new Set(lenses.map((lens) => lens.command?.title))],
      ["Trust this folder to score…"],
    );
    await ask({ what: "screenshot", name: "before-trust" });

    await ask({ what: "trust" });
    await show("reward.py");
    const scores = await fresh(api, document);
    assert.equal(mean(scores, "correctness"), 3 / 8);
    await ask({ what: "screenshot", name: "after-trust" });
  });
});
