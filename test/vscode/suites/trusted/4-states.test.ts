import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { ScoreReport } from "../../../../src/schema/report";
import { ask } from "../../ask";
import { activate, file, functionOf, show, workers } from "../../session";
import { until } from "../../until";

/** One sample for each way not to be scored while typing (workspace/states.jsonl), two that are. */
const STATES = {
  scored: 2,
  "not-applicable": 1,
  "non-finite": 1,
  "invalid-return": 1,
  raised: 1,
  "timed-out": 1,
  crashed: 1,
  held: 1,
} as const;

suite("states that a reward can cause", () => {
  test("are told apart in one sample set, at the def line, in the export, and nothing is left running", async function () {
    this.timeout(90_000);
    const api = await activate();
    const { document } = await show("states.py");
    const path = document.uri.fsPath;
    await api.testing!.choose(path, [file("states.jsonl").fsPath]);
    const scores = await until(
      () => {
        const now = api.scoresOf(path);
        return now?.status === "fresh" && now;
      },
      { ms: 60_000, what: "the pass to end", last: () => api.scoresOf(path)?.functions[0]?.states },
    );
    const fn = functionOf(scores, "every_way");
    assert.deepEqual(fn.states, STATES);
    assert.equal(fn.estimate?.mean, 1, "the mean is over the two scored rows");
    assert.equal(fn.estimate.n, 2);
    assert.equal(
      existsSync(file("made-while-typing.txt").fsPath),
      false,
      "the reward wrote a file while live",
    );

    const text = await until(() => api.painted(path).numbers[0]?.text, { what: "the def line" });
    for (const words of [/raised/, /timed out/, /crashed/, /held/, /invalid/, /NaN|non-finite|infin/i])
      assert.match(text, words);
    await ask({ what: "screenshot", name: "states" });

    const exported = vscode.commands.executeCommand("rewardsmith.scores.export", { path });
    await ask({ what: "row", text: "JSON" });
    await exported;
    const editor = await until(
      () => vscode.window.visibleTextEditors.find((one) => one.document.isUntitled),
      {
        what: "the export",
      },
    );
    const report = ScoreReport.parse(JSON.parse(editor.document.getText()));
    assert.deepEqual(
      report.functions[0]!.rows.map((row) => row.state),
      [
        "scored",
        "scored",
        "not-applicable",
        "non-finite",
        "invalid-return",
        "raised",
        "timed-out",
        "crashed",
        "held",
      ],
    );
    for (const row of report.functions[0]!.rows.slice(2))
      if (row.state !== "non-finite")
        assert.equal(row.value, null, `${row.state} has no number, least of all 0`);
    assert.equal(report.functions[0]!.mean, 1);

    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    const left = await until(
      () => {
        const now = workers();
        return (now === null || now.length <= 3) && (now ?? [0]);
      },
      { what: "hanging children to be gone", last: workers },
    );
    assert.ok(left.length <= 3);
  });
});
