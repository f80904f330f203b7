import { window, workspace } from "vscode";
import { COMMANDS } from "../ids";
import { boundTarget, type Command } from "./command";

/** The last pass in a new document: to look at, copy, or save where the user likes. */
export const exportScores: Command = {
  id: COMMANDS.exportScores,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (!target) return;
    const { t } = host.speech;
    const picked = await window.showQuickPick(
      [
        {
          form: "json" as const,
          language: "json",
          label: "JSON",
          description: t("the same as rewardsmith score --json"),
        },
        {
          form: "csv" as const,
          language: "csv",
          label: "CSV",
          description: t("one line a sample"),
        },
        {
          form: "markdown" as const,
          language: "markdown",
          label: "Markdown",
          description: t("a table to paste"),
        },
      ],
      { title: t("Export scores"), placeHolder: t("Opens in a new editor") },
    );
    if (!picked) return;
    const client = await host.engine.client();
    const { text } = await client.export({ path: target.path, form: picked.form });
    await window.showTextDocument(
      await workspace.openTextDocument({ content: text, language: picked.language }),
    );
  },
};
