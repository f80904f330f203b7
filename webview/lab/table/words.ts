import type { LabFunction, LabRow } from "../../../src/schema/lab";
import type { ScoreState } from "../../../src/schema/score";
import { fromTagged, type TaggedNumber } from "../../../src/schema/number";
import { formatCount, formatNumber, formatScore, type Speech } from "../../../src/words/format";
import { stateAlone } from "../../../src/words/states";
import type { Column } from "./columns";

/** Codicon of a state: each its own form, so that colour isn't needed to tell them apart. */
export function stateIcon(state: ScoreState | null): string {
  switch (state) {
    case "scored":
      return "check";
    case "non-finite":
      return "warning";
    case "not-applicable":
      return "circle-slash";
    case "invalid-return":
      return "question";
    case "raised":
      return "error";
    case "timed-out":
      return "watch";
    case "crashed":
      return "flame";
    case "cancelled":
      return "debug-stop";
    case "unscored":
      return "circle-large-outline";
    case "held":
      return "shield";
    case null:
      return "dash";
  }
}

export function stateWord(state: ScoreState | null, speech: Speech): string {
  return state === null ? speech.t("not yet") : stateAlone(state, speech);
}

/** `+0.84`, `−1.2`; a plus sign where there is no minus, so that the direction is read at once. */
export function signed(value: TaggedNumber | null, language: string): string {
  if (value === null) return "–";
  const text = formatNumber(value, language);
  return typeof value === "number" && value > 0 ? `+${text}` : text.replace("-", "−");
}

/** `↑1.0`, `↓0.3`, `= rank`; `=`: no difference; `–`: nothing to compare with, or no score. */
export function changeText(row: LabRow, compared: boolean, { t, language }: Speech): string {
  const { change } = row;
  if (change === null) return compared && row.state !== null ? "=" : "–";
  if (change.direction !== 0) {
    const by = change.by;
    const size = typeof by === "number" ? formatScore(Math.abs(by), language) : "";
    return `${change.direction > 0 ? "↑" : "↓"}${size}`;
  }
  if (change.state) return t("= state");
  if (change.sign) return t("= sign");
  return change.rank ? t("= rank") : "=";
}

/** What changed against the baseline, in words. */
export function changeSpoken(row: LabRow, { t, language }: Speech): string {
  const { change } = row;
  if (change === null) return "";
  const said: string[] = [];
  const by = typeof change.by === "number" ? formatScore(Math.abs(change.by), language) : null;
  if (change.direction > 0) said.push(by === null ? t("up") : t("up by {0}", by));
  if (change.direction < 0) said.push(by === null ? t("down") : t("down by {0}", by));
  if (change.state) said.push(t("another state"));
  if (change.rank) said.push(t("another rank in its group"));
  if (change.sign) said.push(t("the advantage changed its sign"));
  return said.join(", ");
}

export function labelText(label: LabRow["label"], { t, language }: Speech): string {
  if (label === null) return "–";
  if (label.value === "good") return t("good");
  if (label.value === "bad") return t("bad");
  return formatNumber(label.value, language);
}

/** `ValueError line 19`: why a row has no score, short. */
export function reasonText(reason: LabRow["reason"], { t }: Speech): string {
  if (reason === null) return "";
  const what = reason.type ?? reasonWord(reason.code, t);
  return reason.line === undefined ? what : t("{0} line {1}", what, reason.line);
}

function reasonWord(code: NonNullable<LabRow["reason"]>["code"], t: Speech["t"]): string {
  switch (code) {
    case "exception":
      return t("exception");
    case "signature":
      return t("wrong signature");
    case "wrong-count":
      return t("wrong count of scores");
    case "not-a-list":
      return t("not a list");
    case "wrong-type":
      return t("not a number");
    case "coroutine":
      return t("a coroutine");
    case "no-tokens":
      return t("no token ids");
    case "none":
      return "None";
    case "nan":
      return "NaN";
    case "infinite":
      return t("infinite");
    case "row-timeout":
    case "pass-timeout":
      return t("took too long");
    case "memory":
      return t("out of memory");
    case "exit":
      return t("the process exited");
    case "signal":
      return t("ended by a signal");
    case "user-cancelled":
      return t("cancelled");
    case "side-effect":
      return t("side effect");
    case "module":
      return t("module failed");
  }
}

/** The advantage would be another over scored rows alone. */
export function ifFixedDiffers(row: LabRow): boolean {
  const { advantage, ifFixed } = row;
  if (advantage === null || ifFixed === null) return advantage !== ifFixed;
  const [a, b] = [fromTagged(advantage), fromTagged(ifFixed)];
  return !Object.is(a, b) && !(Math.abs(a - b) <= 1e-9);
}

export function headText(column: Column, { t }: Speech): string {
  switch (column.kind) {
    case "row":
      return "#";
    case "group":
      return t("group");
    case "state":
      return t("state");
    case "total":
      return t("total");
    case "component":
      return column.name;
    case "advantage":
      return t("adv");
    case "ifFixed":
      return t("if fixed");
    case "label":
      return t("label");
    case "change":
      return "Δ";
    case "ms":
      return t("ms");
    case "text":
      return t("completion");
  }
}

export function headTitle(
  column: Column,
  functions: readonly LabFunction[],
  { t, language }: Speech,
): string {
  switch (column.kind) {
    case "row":
      return t("Row in the samples, from 1");
    case "group":
      return t("Group: completions of one prompt, which the trainer compares");
    case "state":
      return t("What happened when the row was scored; of several functions, the worst");
    case "total":
      return functions.length > 1
        ? t(
            "Total: sum of weight × score: {0}",
            functions.map((fn) => `${formatNumber(fn.weight, language)} × ${fn.name}`).join(" + "),
          )
        : t("Total: weight × score");
    case "component":
      return t("Score by {0}", column.name);
    case "advantage":
      return t("Advantage in its group as the trainer computes it; the formula stands in Groups");
    case "ifFixed":
      return t("Advantage if every row had a score: over scored rows alone");
    case "label":
      return t("Your verdict, or the one in the data");
    case "change":
      return t("Total now minus under the baseline");
    case "ms":
      return t("Milliseconds in your functions");
    case "text":
      return t("Beginning of the completion; sorts by its length");
  }
}

/** A cell as shown. Never a number for what could not be scored. */
export function cellText(column: Column, row: LabRow, compared: boolean, speech: Speech): string {
  const { language } = speech;
  switch (column.kind) {
    case "row":
      return formatCount(row.row + 1, language);
    case "group":
      return row.group;
    case "state":
      return stateWord(row.state, speech);
    case "total":
      return formatScore(row.total, language);
    case "component":
      return formatScore(row.cells[column.index]?.value ?? null, language);
    case "advantage":
      return signed(row.advantage, language);
    case "ifFixed":
      return signed(row.ifFixed, language);
    case "label":
      return labelText(row.label, speech);
    case "change":
      return changeText(row, compared, speech);
    case "ms":
      return row.ms === null ? "–" : formatNumber(row.ms, language);
    case "text":
      return row.text;
  }
}

/** A row in one sentence, for screen readers. */
export function rowSpoken(row: LabRow, functions: readonly LabFunction[], speech: Speech): string {
  const { t, language } = speech;
  const said = [
    t("Row {0}", formatCount(row.row + 1, language)),
    t("group {0}", row.group),
    stateWord(row.state, speech),
  ];
  if (row.reason !== null) said.push(reasonText(row.reason, speech));
  said.push(row.total === null ? t("no total") : t("total {0}", formatScore(row.total, language)));
  if (functions.length > 1)
    for (const [index, fn] of functions.entries()) {
      const cell = row.cells[index];
      if (!cell) continue;
      said.push(
        cell.value === null
          ? `${fn.name} ${stateWord(cell.state, speech)}`
          : `${fn.name} ${formatScore(cell.value, language)}`,
      );
    }
  if (row.advantage !== null) said.push(t("advantage {0}", signed(row.advantage, language)));
  if (row.label !== null) said.push(t("label {0}", labelText(row.label, speech)));
  const change = changeSpoken(row, speech);
  if (change !== "") said.push(change);
  return said.join(", ");
}
