import { commands, ConfigurationTarget, Uri, window, workspace } from "vscode";
import { COMMANDS, SETTINGS } from "../ids";
import { hasPythonExtension } from "../python";
import type { Command } from "./command";

/** By the Python extension where that is installed, else as a setting: a path typed or chosen. */
export const selectPython: Command = {
  id: COMMANDS.selectPython,
  async run(host) {
    const { t } = host.speech;
    const configuration = workspace.getConfiguration("rewardsmith");
    const byExtension = {
      act: "extension" as const,
      label: t("Choose in the Python extension…"),
      description: t("used where the setting is empty"),
    };
    const picked = await window.showQuickPick(
      [
        ...(hasPythonExtension() ? [byExtension] : []),
        {
          act: "browse" as const,
          label: t("Browse for an interpreter…"),
          description: t("Python 3.9 or newer"),
        },
        { act: "type" as const, label: t("Type a path or name…"), description: "python3" },
        {
          act: "clear" as const,
          label: t("Find it on its own"),
          description: t("the Python extension's choice, then PATH"),
        },
      ],
      {
        title: t("Python for rewards"),
        placeHolder: host.interpreter.current?.python ?? t("not started yet"),
      },
    );
    if (!picked) return;
    const store = (value: string | undefined): Thenable<void> =>
      configuration.update(
        SETTINGS.python,
        value,
        workspace.workspaceFolders ? ConfigurationTarget.Workspace : ConfigurationTarget.Global,
      );
    switch (picked.act) {
      case "extension":
        await store(undefined);
        await commands.executeCommand("python.setInterpreter");
        return;
      case "browse": {
        const folder = workspace.workspaceFolders?.[0]?.uri;
        const chosen = await window.showOpenDialog({
          defaultUri: folder ?? Uri.file("/"),
          openLabel: t("Use This Python"),
        });
        const file = chosen?.[0];
        if (file) await store(file.fsPath);
        return;
      }
      case "type": {
        const text = await window.showInputBox({
          title: t("Python for rewards"),
          value: host.interpreter.current?.python ?? "",
          prompt: t("Path of an interpreter, or its name on PATH"),
        });
        if (text !== undefined) await store(text.trim() === "" ? undefined : text.trim());
        return;
      }
      case "clear":
        await store(undefined);
    }
  },
};
