import { COMMANDS } from "../ids";
import type { Command } from "./command";

export const refresh: Command = { id: COMMANDS.refresh, run: (host) => host.scan.invalidate() };
