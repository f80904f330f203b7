import { COMMANDS } from "../ids";
import type { Command } from "./command";

/** One word of the Lab that has the focus: the editor itself would take back one sent edit, a few letters at most. */
export const undoInLab: Command = {
  id: COMMANDS.undoInLab,
  run: (host) => host.labs.active?.undo(false),
};

export const redoInLab: Command = {
  id: COMMANDS.redoInLab,
  run: (host) => host.labs.active?.undo(true),
};
