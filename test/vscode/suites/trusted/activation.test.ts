import assert from "node:assert/strict";
import * as vscode from "vscode";
import { ask } from "../../ask";

suite("activation", () => {
  test("is found and activates", async () => {
    const extension = vscode.extensions.getExtension("rewardsmith.rewardsmith");
    assert.ok(extension, "the extension is not there");
    await extension.activate();
    assert.equal(extension.isActive, true);
    await ask({ what: "screenshot", name: "probe" });
  });
});
