import { COMMANDS } from "../ids";
import { labFor } from "../lab/openFor";
import type { Command } from "./command";

/** Samples to label, one at a time. */
export const reviewQueue: Command = {
  id: COMMANDS.reviewQueue,
  async run(host, argument) {
    (await labFor(host, argument))?.act("review");
  },
};
