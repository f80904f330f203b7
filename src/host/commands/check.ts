import { commands, window } from "vscode";
import { COMMANDS } from "../ids";
import { boundTarget, type Command } from "./command";

export const check: Command = {
  id: COMMANDS.check,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (!target) return;
    const client = await host.engine.client();
    const { findings } = await client.check({ path: target.path });
    host.live.setFindings(target.path, findings);
    const { t } = host.speech;
    if (findings.length === 0) {
      void window.showInformationMessage(t("Check found nothing."));
      return;
    }
    const show = t("Show Problems");
    const text =
      findings.length === 1 ? t("Check found 1 thing.") : t("Check found {0} things.", findings.length);
    if ((await window.showInformationMessage(text, show)) === show)
      await commands.executeCommand("workbench.actions.view.problems");
  },
};
