import { window } from "vscode";
import { basename } from "node:path";
import { COMMANDS } from "../ids";
import { nothingAtHead } from "../model/lenses";
import { boundTarget, type Command } from "./command";

export const setBaseline: Command = {
  id: COMMANDS.setBaseline,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (!target) return;
    const { t } = host.speech;
    const picked = await window.showQuickPick(
      [
        { version: "saved" as const, label: t("Saved file"), description: t("what is on disk now") },
        { version: "head" as const, label: t("git HEAD"), description: t("the last commit") },
        {
          version: "pin" as const,
          label: t("This version"),
          description: t("the text as it is now, saved or not"),
        },
      ],
      { title: t("Count flips against"), placeHolder: t("A version of this reward") },
    );
    if (!picked) return;
    const client = await host.engine.client();
    const scores = await client.setBaseline({ path: target.path, kind: picked.version });
    if (picked.version !== "head" || !nothingAtHead(scores)) {
      host.live.accept(scores);
      return;
    }
    host.live.accept(await client.setBaseline({ path: target.path, kind: "saved" }));
    void window.showWarningMessage(
      t(
        "{0} is not in git HEAD, or what is there can't be scored: flips are counted against the saved file instead.",
        basename(target.path),
      ),
    );
  },
};
