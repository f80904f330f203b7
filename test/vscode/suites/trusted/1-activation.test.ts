import assert from "node:assert/strict";
import * as vscode from "vscode";
import { activate, extension, note, workers } from "../../session";
import { until } from "../../until";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly default?: unknown }>> };
  };
}

suite("activation", () => {
  test("starts no engine and no Python: nothing has been chosen", async () => {
    const api = await activate();
    assert.equal(extension().isActive, true);
    assert.deepEqual(workers() ?? [], []);
    assert.equal(api.engineState().at, "stopped");
  });

  test("every contributed command is there", async () => {
    const there = new Set(await vscode.commands.getCommands(true));
    const { contributes } = extension().packageJSON as Manifest;
    assert.ok(contributes.commands.length > 5);
    assert.deepEqual(
      contributes.commands.map(({ command }) => command).filter((id) => !there.has(id)),
      [],
    );
  });

  test("every text of the manifest is translated", () => {
    const { contributes } = extension().packageJSON as Manifest;
    assert.doesNotMatch(JSON.stringify(contributes), /"%[\w.]+%"/);
  });

  test("every setting has its default in the editor", () => {
    const { contributes } = extension().packageJSON as Manifest;
    for (const [key, { default: value }] of Object.entries(contributes.configuration.properties))
      assert.deepEqual(vscode.workspace.getConfiguration().get(key) ?? null, value ?? null, key);
  });

  test("says what activation took (printed, not asserted)", async () => {
    await vscode.commands.executeCommand("perfview.show");
    const table = await until(
      () =>
        vscode.workspace.textDocuments
          .find(({ uri }) => uri.scheme === "perf")
          ?.getText()
          .split("\n")
          .find((line) => line.includes("rewardsmith")),
      { ms: 10_000, what: "VS Code's table of activation times" },
    );
    note(`VS Code on our activation: ${table.trim()}`);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });
});
