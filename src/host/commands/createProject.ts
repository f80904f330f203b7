import { Uri, window, workspace } from "vscode";
import { dirname, join, relative, sep } from "node:path";
import { isPython } from "../documents";
import { COMMANDS } from "../ids";
import { writeText } from "../mapping/writeMapping";
import { EMPTY_PROJECT, suiteParts, withSuite } from "../model/project";
import type { Command } from "./command";

/** A `rewardsmith.json` with what is known of the open reward; opens the one that exists. */
export const createProject: Command = {
  id: COMMANDS.createProject,
  async run(host) {
    const { t } = host.speech;
    const editor = window.activeTextEditor;
    const reward = editor && isPython(editor.document) ? editor.document.uri.fsPath : undefined;
    const folder =
      (editor && workspace.getWorkspaceFolder(editor.document.uri)) ?? workspace.workspaceFolders?.[0];
    const home = folder?.uri.fsPath ?? (reward === undefined ? undefined : dirname(reward));
    if (home === undefined) {
      void window.showInformationMessage(t("Open a folder first: rewardsmith.json belongs into it."));
      return;
    }
    const path = join(home, "rewardsmith.json");
    const there = await workspace.fs.stat(Uri.file(path)).then(
      () => true,
      () => false,
    );
    if (!there) {
      const toRelative = (file: string): string => relative(home, file).split(sep).join("/");
      const functions = reward === undefined ? [] : (host.models.get(reward)?.functions ?? []);
      const uses = reward === undefined ? [] : functions.map((fn) => `${toRelative(reward)}:${fn.name}`);
      const set = reward === undefined ? undefined : host.live.setOf(reward);
      const parts = set
        ? suiteParts(set, set.files.map(toRelative), uses)
        : [["rewards", uses.map((use) => ({ use }))] as const];
      await writeText(path, withSuite(EMPTY_PROJECT, "main", parts));
    }
    await window.showTextDocument(Uri.file(path));
  },
};
