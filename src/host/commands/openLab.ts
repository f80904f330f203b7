import { Uri, commands } from "vscode";
import { isNotebookPath } from "../../core/python/cells";
import { COMMANDS, LAB_EDITOR } from "../ids";
import { rewardTarget, type Command } from "./command";

/** The reward in Monaco with its evidence: the same document, another editor on it. */
export const openLab: Command = {
  id: COMMANDS.openLab,
  async run(host, argument) {
    const target = await rewardTarget(host, argument);
    if (!target) return;
    // An editor of one text can't show a notebook; its cells stay where they are, the scores stand beside them.
    if (isNotebookPath(target.path)) await host.labs.openBeside(target.path);
    else await commands.executeCommand("vscode.openWith", Uri.file(target.path), LAB_EDITOR);
  },
};

/** The evidence without an editor of its own, beside the native one. */
export const openScoresBeside: Command = {
  id: COMMANDS.openScoresBeside,
  async run(host, argument) {
    const target = await rewardTarget(host, argument);
    if (target) await host.labs.openBeside(target.path);
  },
};
