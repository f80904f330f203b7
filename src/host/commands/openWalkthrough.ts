import { commands } from "vscode";
import { COMMANDS, WALKTHROUGH } from "../ids";
import type { Command } from "./command";

export const openWalkthrough: Command = {
  id: COMMANDS.openWalkthrough,
  run: async () => {
    await commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false);
  },
};
