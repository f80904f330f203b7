import type { LabState } from "../../../src/schema/lab";
import { formatCount } from "../../../src/words/format";
import { Menu, type MenuItem } from "../../shared/controls";
import type { Lab } from "../lab";
import {
  type Column,
  isHidden,
  type PlacedColumn,
  sortKeyOf,
  withHidden,
  withoutWidth,
  withWidth,
} from "./columns";
import type { TableModel } from "./model";
import { columnSpoken, sayOrder, sayWidth } from "./said";

const STEP = 24;
const MOST_MARKDOWN = 1000;
const MOST_CSV = 100_000;

export interface TableMenusProps {
  readonly lab: Lab;
  readonly model: TableModel;
  readonly all: readonly Column[];
  readonly shown: readonly PlacedColumn[];
  readonly ifFixedDiffers: boolean;
  readonly onClose: (refocus: boolean) => void;
}

export function TableMenus({ lab, model, all, shown, ifFixedDiffers, onClose }: TableMenusProps) {
  const { t, language } = lab.speech.value;
  const menu = model.menu.value;
  if (!menu) return null;
  if (menu.kind === "copy") {
    const n = model.shown.value.store.facts?.matched ?? 0;
    return (
      <Menu
        label={t("Copy rows")}
        at={menu}
        items={[
          {
            id: "markdown",
            text:
              n > MOST_MARKDOWN
                ? t("Copy the first {0} Rows as Markdown", formatCount(MOST_MARKDOWN, language))
                : t("Copy {0} Rows as Markdown", formatCount(n, language)),
            icon: "markdown",
          },
          {
            id: "csv",
            text: t("Copy {0} Rows as CSV", formatCount(Math.min(n, MOST_CSV), language)),
            icon: "table",
          },
        ]}
        onChoose={(form) => void copyRows(lab, model, form === "csv" ? "csv" : "markdown")}
        onClose={onClose}
      />
    );
  }
  const column = menu.col === null ? undefined : shown[menu.col];
  const { columns: kept, sort } = lab.state.value;
  const own: MenuItem[] = column
    ? [
        { id: "ascending", text: t("Sort Ascending"), icon: "arrow-up" },
        { id: "descending", text: t("Sort Descending"), icon: "arrow-down" },
        { id: "second", text: t("Sort by This Too"), icon: "add", disabled: sort.length === 0 },
        { id: "wider", text: t("Wider"), divided: true },
        { id: "narrower", text: t("Narrower") },
        { id: "reset", text: t("Reset Width") },
        { id: "hide", text: t("Hide Column"), icon: "eye-closed", disabled: shown.length < 2 },
      ]
    : [];
  const items: MenuItem[] = [
    ...own,
    ...all.map((one, index): MenuItem => ({
      id: `column:${one.key}`,
      text: columnSpoken(one, lab),
      checked: !isHidden(one, kept, ifFixedDiffers),
      divided: index === 0 && own.length > 0,
    })),
  ];
  const keep = (columns: LabState["columns"]): void => lab.set({ columns });
  const hide = (one: Column, hidden: boolean): void => {
    keep(withHidden(kept, one.key, hidden));
    const name = columnSpoken(one, lab);
    lab.say(hidden ? t("{0} is hidden.", name) : t("{0} is shown.", name));
  };
  const order = (next: LabState["sort"], key: string): void => {
    lab.set({ sort: next });
    sayOrder(lab, all, next, key);
  };
  const size = (columns: LabState["columns"], one: Column): void => {
    keep(columns);
    sayWidth(lab, one);
  };
  const choose = (id: string): void => {
    if (id.startsWith("column:")) {
      const one = all.find(({ key }) => key === id.slice("column:".length));
      if (!one) return;
      const hidden = isHidden(one, kept, ifFixedDiffers);
      // One column stays: an empty table could not be brought back with its own heads.
      if (hidden || shown.length > 1) hide(one, !hidden);
      else lab.say(t("The last column stays."));
      return;
    }
    if (!column) return;
    const { key } = column.column;
    const sortKey = sortKeyOf(column.column);
    if (id === "ascending" || id === "descending")
      order([{ key: sortKey, descending: id === "descending" }], sortKey);
    else if (id === "second")
      order(
        [...sort.filter((one) => one.key !== sortKey), { key: sortKey, descending: false }].slice(-3),
        sortKey,
      );
    else if (id === "wider") size(withWidth(kept, key, column.width + STEP), column.column);
    else if (id === "narrower") size(withWidth(kept, key, column.width - STEP), column.column);
    else if (id === "reset") size(withoutWidth(kept, key), column.column);
    else if (id === "hide") hide(column.column, true);
  };
  return <Menu label={t("Columns")} at={menu} items={items} onChoose={choose} onClose={onClose} />;
}

async function copyRows(lab: Lab, model: TableModel, form: "markdown" | "csv"): Promise<void> {
  const { t, language } = lab.speech.value;
  try {
    const limit = form === "csv" ? MOST_CSV : MOST_MARKDOWN;
    const { text, rows } = await lab.connection.data.copy(
      { query: model.query, form, limit },
      { timeoutMs: 60_000 },
    );
    await lab.connection.host.copy({ text });
    const n = formatCount(rows, language);
    if (rows === 1) lab.say(form === "csv" ? t("Copied 1 row as CSV.") : t("Copied 1 row as Markdown."));
    else lab.say(form === "csv" ? t("Copied {0} rows as CSV.", n) : t("Copied {0} rows as Markdown.", n));
  } catch (error) {
    lab.say(t("The rows could not be copied: {0}", error instanceof Error ? error.message : String(error)));
  }
}
