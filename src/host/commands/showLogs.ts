import { COMMANDS } from "../ids";
import type { Command } from "./command";

export const showLogs: Command = { id: COMMANDS.showLogs, run: (host) => host.log.show() };
