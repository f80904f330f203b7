import type { LabState } from "../../../src/schema/lab";
import { formatCount } from "../../../src/words/format";
import type { Lab } from "../lab";
import { type Column, sortKeyOf } from "./columns";
import { headText } from "./words";

/** A column's name for the ear: the heads `#` and `Δ` are signs. */
export function columnSpoken(column: Column, lab: Lab): string {
  if (column.kind === "row") return lab.t("row number");
  if (column.kind === "change") return lab.t("change");
  return headText(column, lab.speech.value);
}

/** What an order by a column has become. */
export function sayOrder(lab: Lab, all: readonly Column[], sort: LabState["sort"], key: string): void {
  const { t } = lab;
  const column = all.find((one) => sortKeyOf(one) === key);
  const name = column ? columnSpoken(column, lab) : key;
  const at = sort.findIndex((one) => one.key === key);
  const now = sort[at];
  if (!now) lab.say(t("Not sorted by {0}", name));
  else if (at > 0)
    lab.say(
      now.descending ? t("Then sorted by {0}, descending", name) : t("Then sorted by {0}, ascending", name),
    );
  else lab.say(now.descending ? t("Sorted by {0}, descending", name) : t("Sorted by {0}, ascending", name));
}

export function sayWidth(lab: Lab, column: Column): void {
  const width = lab.state.value.columns[column.key]?.width;
  if (width === undefined) lab.say(lab.t("{0}: its own width again", columnSpoken(column, lab)));
  else
    lab.say(
      lab.t(
        "{0}: {1} pixels wide",
        columnSpoken(column, lab),
        formatCount(Math.round(width), lab.speech.value.language),
      ),
    );
}
