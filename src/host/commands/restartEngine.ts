import { COMMANDS } from "../ids";
import type { Command } from "./command";

export const restartEngine: Command = { id: COMMANDS.restartEngine, run: (host) => host.engine.restart() };
