import assert from "node:assert/strict";
import * as vscode from "vscode";
import { ask } from "../../ask";
import { activate, extension, fresh, functionOf, show } from "../../session";
import { until } from "../../until";

/** The packed extension in a clean profile, the example folder, and a first-time person's way to the numbers. */
suite("the packed extension", () => {
  test("scores the example after the questions that a person is asked", async function () {
    this.timeout(90_000);
    const { document } = await show("reward.py");
    const api = await activate();
    assert.equal(api.testing, undefined, "the product hands out no way around the questions");
    assert.match(extension().extensionPath, /rewardsmith\.rewardsmith-\d/);

    const started = vscode.commands.executeCommand("rewardsmith.score", { path: document.uri.fsPath });
    await ask({ what: "row", text: "outputs.jsonl" });
    await ask({ what: "row", text: "Use these samples" });
    await ask({ what: "screenshot", name: "consent" });
    await ask({ what: "button", text: "Score" });
    await started;

    const scores = await fresh(api, document);
    assert.deepEqual(functionOf(scores, "correctness").states, { scored: 200 });
    assert.ok(scores.functions.length === 2);
    assert.match(String(await ask({ what: "decoration", pattern: "^● 0\\." })), /ms$/);
  });

  test("offers its verbs through the real CodeLens pipeline", async () => {
    const { document } = await show("reward.py");
    const lenses = await until(
      async () => {
        const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
          "vscode.executeCodeLensProvider",
          document.uri,
          50,
        );
        return found.length > 0 && found;
      },
      { what: "CodeLenses" },
    );
    const titles = lenses.map((lens) => lens.command?.title ?? "").join(" | ");
    for (const word of ["Score", "Check", "outputs.jsonl"]) assert.ok(titles.includes(word), titles);
  });
});
