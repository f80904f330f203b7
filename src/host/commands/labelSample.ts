import { window } from "vscode";
import { COMMANDS } from "../ids";
import { labFor } from "../lab/openFor";
import type { Command } from "./command";

/** A verdict on the sample that is selected in the Lab. */
export const labelSample: Command = {
  id: COMMANDS.labelSample,
  async run(host, argument) {
    const lab = await labFor(host, argument);
    if (!lab) return;
    const { t } = host.speech;
    const picked = await window.showQuickPick(
      [
        { act: "labelGood" as const, label: `$(thumbsup) ${t("Good")}` },
        { act: "labelBad" as const, label: `$(thumbsdown) ${t("Bad")}` },
      ],
      { title: t("Label Sample"), placeHolder: t("Your verdict on the sample that is selected in the Lab") },
    );
    if (picked) lab.act(picked.act);
  },
};
