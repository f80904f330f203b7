import { type TextDocument, Uri, commands, window, workspace, Range } from "vscode";
import { dirname, resolve } from "node:path";
import type { LabCommand, LabContract } from "../../protocol/lab.contract";
import type { Handlers } from "../../protocol/rpc";
import type { LabHost } from "../host";
import { pin } from "../commands/pinSample";
import { COMMANDS, LAB_EDITOR } from "../ids";
import { debugSample } from "./debugSample";
import { diffTexts, keepSample } from "./keepSample";

type Acts = Pick<
  Handlers<LabContract["methods"]>,
  "ping" | "run" | "reveal" | "pin" | "revealSample" | "debugSample" | "keepSample" | "diffTexts"
>;

/** What the page asks of the workbench. It names commands of ours, rows and lines; never paths or settings. */
export function labActs(host: LabHost, document: TextDocument): Acts {
  const path = document.uri.fsPath;
  return {
    ping: () => Promise.resolve(null),
    run: async ({ command, function: name }) => {
      await runCommand(host, path, command, name);
      return null;
    },
    reveal: async ({ line, file }) => {
      // A traceback names files relative to the reward's; anything that isn't a Python file there isn't opened.
      const target = file === null ? path : resolve(dirname(path), file);
      const cell = target === path && path.endsWith(".ipynb") ? host.documents.placeOf(path, line - 1) : null;
      if (cell) await showLine(cell.document.uri, cell.line);
      else if (target.endsWith(".py")) await showLine(Uri.file(target), line - 1);
      return null;
    },
    pin: async ({ row }) => {
      await pin(host, path, row);
      return null;
    },
    revealSample: async ({ row }) => {
      const { file, line } = await (await host.engine.client()).sampleAt({ path, row });
      await showLine(Uri.file(file), line - 1);
      return null;
    },
    debugSample: (ask) => debugSample(host, path, ask).then(() => null),
    keepSample: ({ row, completion }) => keepSample(host, path, row, completion),
    diffTexts: async ({ title, left, right }) => {
      await diffTexts(host, title, left, right);
      return null;
    },
  };
}

async function showLine(uri: Uri, line: number): Promise<void> {
  const shown = await workspace.openTextDocument(uri);
  const at = Math.min(Math.max(0, line), shown.lineCount - 1);
  await window.showTextDocument(shown, { selection: new Range(at, 0, at, 0), preserveFocus: false });
}

async function runCommand(
  host: LabHost,
  path: string,
  command: LabCommand,
  name: string | null,
): Promise<void> {
  const target = { path, ...(name === null ? {} : { function: name }) };
  switch (command) {
    case "cancel":
      await host.engine.running?.cancel({ path });
      return;
    case "manageTrust":
      await commands.executeCommand("workbench.trust.manage");
      return;
    case "openNative":
      await commands.executeCommand("vscode.openWith", Uri.file(path), "default");
      return;
    case "openLab":
      await commands.executeCommand("vscode.openWith", Uri.file(path), LAB_EDITOR);
      return;
    case "help":
      await commands.executeCommand(COMMANDS.openWalkthrough);
      return;
    case "score":
      await commands.executeCommand(COMMANDS.score, target);
      return;
    case "check":
      await commands.executeCommand(COMMANDS.check, target);
      return;
    case "pickSamples":
      await commands.executeCommand(COMMANDS.pickSamples, target);
      return;
    case "pauseLive":
      await commands.executeCommand(COMMANDS.pauseLive, target);
      return;
    case "resumeLive":
      await commands.executeCommand(COMMANDS.resumeLive, target);
      return;
    case "setBaseline":
      await commands.executeCommand(COMMANDS.setBaseline, target);
      return;
    case "selectContract":
      await commands.executeCommand(COMMANDS.selectContract, target);
      return;
    case "selectPython":
      await commands.executeCommand(COMMANDS.selectPython, target);
      return;
    case "allowSideEffect":
      await commands.executeCommand(COMMANDS.allowSideEffect, target);
      return;
    case "showLogs":
      await commands.executeCommand(COMMANDS.showLogs, target);
      return;
    case "exportScores":
      await commands.executeCommand(COMMANDS.exportScores, target);
      return;
    case "compareVersions":
      await commands.executeCommand(COMMANDS.compareVersions, target);
      return;
  }
}
