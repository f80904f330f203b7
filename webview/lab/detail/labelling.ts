import type { LabDetail, LabelAct } from "../../../src/schema/lab";
import type { LabelStream, LabelValue, SampleLabel } from "../../../src/schema/label";
import { formatNumber, oneLine, type Speech } from "../../../src/words/format";
import { lastText } from "../../../src/words/completionText";
import type { Lab } from "../lab";
import { detailModel } from "./model";

export function labelInWords(value: LabelValue, { t, language }: Speech): string {
  if (value === "good") return t("good");
  if (value === "bad") return t("bad");
  return formatNumber(value, language);
}

/** `good`, and whose it is where it isn't the reader's own act: from the data, or signed. */
export function labelTold(label: SampleLabel, speech: Speech): string {
  const word = labelInWords(label.value, speech);
  if (label.source === "data") return speech.t("{0} (from the data)", word);
  return label.by === "" ? word : speech.t("{0} ({1})", word, label.by);
}

/** Writes label acts and says so; false where they could not be written, which is said too. */
export async function act(lab: Lab, acts: LabelAct[], said: string): Promise<boolean> {
  try {
    await lab.connection.data.label({ acts }, { timeoutMs: 10_000 });
    lab.say(said);
    return true;
  } catch (error) {
    lab.fail(error);
    return false;
  }
}

export function giveLabel(
  lab: Lab,
  row: number,
  value: LabelValue,
  stream: LabelStream = "chosen",
): Promise<boolean> {
  const speech = lab.speech.value;
  const said = speech.t("Row {0}: {1}.", row + 1, labelInWords(value, speech));
  return act(lab, [{ kind: "verdict", row, value, stream }], said);
}

export function clearLabel(lab: Lab, row: number): Promise<boolean> {
  return act(lab, [{ kind: "clear", row }], lab.t("Row {0}: label taken back.", row + 1));
}

const SHOWN = 600;

/** `x` on a row: the first of a pair; on another of its group: the question which is better. */
export async function markForPair(lab: Lab, row: number): Promise<void> {
  const model = detailModel(lab);
  const first = model.first.value;
  if (first?.row === row) {
    model.first.value = null;
    lab.say(lab.t("Row {0} is no longer marked.", row + 1));
    return;
  }
  let detail: LabDetail;
  try {
    detail = await lab.connection.data.detail({ row, weights: null, maxText: 4000 }, { timeoutMs: 10_000 });
  } catch (error) {
    lab.fail(error);
    return;
  }
  const text = lastText(detail.completion).slice(0, SHOWN);
  if (first === null || first.group !== detail.group) {
    model.first.value = { row, group: detail.group, text };
    const group = oneLine(detail.group, 40);
    lab.say(
      first === null
        ? lab.t("Row {0} is marked. Press x on another row of {1} to say which is better.", row + 1, group)
        : lab.t("Only rows of one group can be compared; row {0} of {1} is marked now.", row + 1, group),
    );
    return;
  }
  model.pair.value = { a: first, b: { row, text } };
  lab.say(lab.t("Which is better: row {0} or row {1}?", first.row + 1, row + 1));
}

export async function choosePair(lab: Lab, better: number, worse: number): Promise<void> {
  const model = detailModel(lab);
  const said = lab.t("Row {0} is better than row {1}.", better + 1, worse + 1);
  if (await act(lab, [{ kind: "pair", better, worse, stream: "chosen" }], said)) {
    model.pair.value = null;
    model.first.value = null;
  }
}

/** Keys on a row of the table. True: taken. */
export function rowKey(lab: Lab, key: string, row: number): boolean {
  switch (key) {
    case "g":
      void giveLabel(lab, row, "good");
      return true;
    case "b":
      void giveLabel(lab, row, "bad");
      return true;
    case "u":
      void clearLabel(lab, row);
      return true;
    case "#":
      if (lab.state.value.selected?.row !== row) lab.set({ selected: { id: "", row } });
      // After the model has heard of the selection, which closes the field of the row before.
      setTimeout(() => (detailModel(lab).numbering.value = true));
      return true;
    case "x":
      void markForPair(lab, row);
      return true;
    default:
      return false;
  }
}
