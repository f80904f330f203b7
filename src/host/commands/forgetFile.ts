import { window } from "vscode";
import { basename } from "node:path";
import { COMMANDS } from "../ids";
import { type Command, rewardTarget } from "./command";

export const forgetFile: Command = {
  id: COMMANDS.forgetFile,
  async run(host, argument) {
    const target = await rewardTarget(host, argument);
    if (!target || !host.consents.get(target.path)) return;
    await host.consents.set(target.path, undefined);
    await host.live.unbind(target.path);
    void window.showInformationMessage(
      host.speech.t(
        "{0} does not run any more until you choose samples for it again.",
        basename(target.path),
      ),
    );
  },
};
