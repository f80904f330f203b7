import { window } from "vscode";
import { COMMANDS } from "../ids";
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
    host.live.accept(await client.setBaseline({ path: target.path, kind: picked.version }));
  },
};
