import type { Lab } from "../lab";
import { giveLabel, rowKey } from "./labelling";
import { detailModel } from "./model";
import { reviewModel } from "../review/model";

const installed = new WeakSet<Lab>();

/** Label keys in the table and the palette's commands about a sample. Once for a page, whatever is on screen. */
export function installSampleActs(lab: Lab): void {
  if (installed.has(lab)) return;
  installed.add(lab);
  lab.rowKeys.push((key, row) => rowKey(lab, key, row));
  lab.onAct.event(({ act, row }) => {
    if (row !== null && row !== lab.state.value.selected?.row) lab.set({ selected: { id: "", row } });
    const at = lab.state.value.selected?.row ?? null;
    const model = detailModel(lab);
    switch (act) {
      case "tryCompletion":
        model.show("completion");
        setTimeout(() => (model.editing.value = true));
        if (at === null) lab.say(lab.t("Select a sample first."));
        break;
      case "way":
        model.show("way");
        break;
      case "labelGood":
      case "labelBad":
        if (at === null) lab.say(lab.t("Select a sample first."));
        else void giveLabel(lab, at, act === "labelGood" ? "good" : "bad");
        break;
      case "review":
      case "inspect":
        lab.set({ tab: "review" });
        reviewModel(lab).open(act === "inspect" ? "inspect" : reviewModel(lab).stream.value);
        break;
      default:
        break;
    }
  });
}
