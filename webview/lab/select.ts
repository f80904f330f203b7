import { formatCount } from "../../src/words/format";
import type { Lab } from "./lab";

/** Selects a row whose identity the caller doesn't know: the detail pane fills the id in from the engine's answer. */
export function selectRow(lab: Lab, row: number): void {
  lab.set({ selected: { id: "", row } });
}

/** Pins a row, or lets the pinned one go, and says so. */
export async function pinRow(lab: Lab, row: number): Promise<void> {
  const { t, language } = lab.speech.value;
  const pinned = lab.scores.value.scores?.pinned === row;
  try {
    await lab.connection.host.pin({ row: pinned ? null : row });
    const n = formatCount(row + 1, language);
    lab.say(
      pinned
        ? t("Row {0} is no longer pinned.", n)
        : t("Row {0} is pinned: its values stand beside the lines.", n),
    );
  } catch (error) {
    lab.say(error instanceof Error ? error.message : String(error));
  }
}
