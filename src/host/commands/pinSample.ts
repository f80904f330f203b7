import { type QuickPickItem, window } from "vscode";
import type { Host } from "../host";
import { COMMANDS } from "../ids";
import { lastText } from "../../words/completionText";
import { formatScore, oneLine } from "../../words/format";
import { stateAlone } from "../../words/states";
import { boundTarget, type Command } from "./command";

const MOST_ROWS = 1000;

interface RowItem extends QuickPickItem {
  readonly row: number | null;
}

/** The pinned sample's values stand beside the lines. */
export const pinSample: Command = {
  id: COMMANDS.pinSample,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (!target) return;
    const set = host.live.setOf(target.path);
    if (!set) return;
    const { t } = host.speech;
    const client = await host.engine.client();
    const items = async (): Promise<RowItem[]> => {
      const { rows } = await client.readSamples({ set: set.set, from: 0, count: MOST_ROWS, maxText: 300 });
      const request = { path: target.path, from: 0, count: MOST_ROWS, states: null };
      const scores =
        target.function === null ? [] : (await client.rows({ ...request, function: target.function })).rows;
      const said = new Map(
        scores.map(({ row, state, value }) => [
          row,
          state === "scored" ? formatScore(value, host.speech.language) : stateAlone(state, host.speech),
        ]),
      );
      const pinned = host.live.scoresOf(target.path)?.pinned ?? null;
      return [
        ...(pinned === null ? [] : [{ label: `$(close) ${t("Unpin row {0}", pinned + 1)}`, row: null }]),
        ...rows.map((row) => ({
          label: `${row.row === pinned ? "$(pinned) " : ""}${t("row {0}", row.row + 1)}`,
          description: [said.get(row.row) ?? "", oneLine(row.group, 60)]
            .filter((part) => part !== "")
            .join(" · "),
          detail: oneLine(lastText(row.completion), 200),
          row: row.row,
        })),
      ];
    };
    const picked = await window.showQuickPick(items(), {
      title:
        set.rows > MOST_ROWS ? t("Pin a sample (first {0} of {1})", MOST_ROWS, set.rows) : t("Pin a sample"),
      placeHolder: t("Its values are shown beside each line"),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (!picked) return;
    await pin(host, target.path, picked.row);
  },
};

/** Pins a row, or none, and remembers it for this file. */
export async function pin(
  host: Pick<Host, "consents" | "engine">,
  path: string,
  row: number | null,
): Promise<void> {
  const consent = host.consents.get(path);
  if (consent) await host.consents.set(path, { ...consent, pinned: row });
  await (await host.engine.client()).pin({ path, row });
}
