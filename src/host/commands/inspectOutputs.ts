import { COMMANDS } from "../ids";
import { labFor } from "../lab/openFor";
import type { Command } from "./command";

/** Random outputs one after another, without their scores, until enough were looked at. */
export const inspectOutputs: Command = {
  id: COMMANDS.inspectOutputs,
  async run(host, argument) {
    (await labFor(host, argument))?.act("inspect");
  },
};
