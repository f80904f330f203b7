import { window } from "vscode";
import * as z from "zod";
import { COMMANDS } from "../ids";
import { debugSample as start } from "../lab/debugSample";
import { boundTarget, type Command } from "./command";

const Row = z.object({ row: z.int().nonnegative() });

/** One sample's call under the Python debugger: the row of the argument, else the pinned one, else one that is asked for. */
export const debugSample: Command = {
  id: COMMANDS.debugSample,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (!target) return;
    const { t } = host.speech;
    if (target.function === null) {
      void window.showInformationMessage(t("This file has no reward function."));
      return;
    }
    const given = Row.safeParse(argument);
    const pinned = host.live.scoresOf(target.path)?.pinned ?? null;
    const row = given.success ? given.data.row : (pinned ?? (await askRow()));
    if (row === null) return;
    await start(host, target.path, { row, function: target.function });

    async function askRow(): Promise<number | null> {
      const rows = host.live.setOf(target?.path ?? "")?.rows ?? 0;
      const typed = await window.showInputBox({
        title: t("Debug This Sample"),
        prompt: t("Row of the sample, 1 to {0}. A pinned sample is taken without asking.", rows),
        value: "1",
        validateInput: (text) =>
          /^\d+$/u.test(text) && Number(text) >= 1 && Number(text) <= rows
            ? undefined
            : t("A number from 1 to {0}", rows),
      });
      return typed === undefined ? null : Number(typed) - 1;
    }
  },
};
