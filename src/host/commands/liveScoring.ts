import { COMMANDS } from "../ids";
import { boundTarget, type Command } from "./command";

export const pauseLive: Command = {
  id: COMMANDS.pauseLive,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (target) await host.live.setLive(target.path, false);
  },
};

export const resumeLive: Command = {
  id: COMMANDS.resumeLive,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (target) await host.live.setLive(target.path, true);
  },
};
