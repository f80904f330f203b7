import { COMMANDS } from "../ids";
import { labFor } from "../lab/openFor";
import type { Command } from "./command";

/** The selected sample's completion in a text field: what is typed is scored in its place. */
export const tryCompletion: Command = {
  id: COMMANDS.tryCompletion,
  async run(host, argument) {
    (await labFor(host, argument))?.act("tryCompletion");
  },
};
