import { Uri, commands } from "vscode";
import { basename } from "node:path";
import { RewardsmithError } from "../../base/errors";
import { isNotebookPath } from "../../core/python/cells";
import { COMMANDS } from "../ids";
import { boundTarget, type Command } from "./command";

/** The baseline's text beside the present one, in the native diff editor. */
export const compareVersions: Command = {
  id: COMMANDS.compareVersions,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (!target) return;
    const { t } = host.speech;
    const { text, now, kind } = await (await host.engine.client()).baselineText({ path: target.path });
    if (text === null)
      throw new RewardsmithError(
        "FileMissing",
        t("There is no baseline version of this file to compare with."),
        {
          path: target.path,
        },
      );
    const words = { saved: t("saved"), head: t("git HEAD"), pin: t("pinned version") };
    // A notebook's versions are compared as the Python that is scored.
    const notebook = isNotebookPath(target.path);
    const name = notebook ? `${basename(target.path)}.py` : basename(target.path);
    const left = host.texts.add(name, text);
    await commands.executeCommand(
      "vscode.diff",
      left,
      notebook ? host.texts.add(name, now ?? "") : Uri.file(target.path),
      t("{0} ({1} ↔ now)", basename(target.path), words[kind]),
    );
  },
};
