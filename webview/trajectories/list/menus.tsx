import { formatCount } from "../../../src/words/format";
import { Menu, type MenuItem } from "../../shared/controls";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { headSpoken } from "../words";
import {
  type Column,
  isHidden,
  type PlacedColumn,
  type Present,
  withHidden,
  withoutWidth,
  withWidth,
} from "./columns";
import type { ListModel } from "./model";

const STEP = 24;
const MOST_MARKDOWN = 1000;
const MOST_CSV = 100_000;

export interface ListMenusProps {
  readonly viewer: Viewer;
  readonly model: ListModel;
  readonly all: readonly Column[];
  readonly shown: readonly PlacedColumn[];
  readonly present: Present;
  readonly onClose: (refocus: boolean) => void;
}

export function ListMenus({ viewer, model, all, shown, present, onClose }: ListMenusProps) {
  const speech = viewer.speech.value;
  const { t } = speech;
  const menu = model.menu.value;
  if (!menu) return null;
  if (menu.kind === "copy")
    return (
      <Menu
        label={t("Copy rows")}
        at={menu}
        items={copyItems(viewer, model.total)}
        onChoose={(id) => void copyRows(viewer, id === "csv" ? "csv" : "markdown")}
        onClose={onClose}
      />
    );
  const column = menu.col === null ? undefined : shown[menu.col];
  const kept = viewer.state.value.columns;
  const own: MenuItem[] = column
    ? [
        {
          id: "ascending",
          text: t("Sort Ascending"),
          icon: "arrow-up",
          disabled: column.column.sort === null,
        },
        {
          id: "descending",
          text: t("Sort Descending"),
          icon: "arrow-down",
          disabled: column.column.sort === null,
        },
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
      text: headSpoken(one, speech),
      checked: !isHidden(one, kept, present),
      divided: index === 0 && own.length > 0,
    })),
  ];
  const hide = (one: Column, hidden: boolean): void => {
    if (hidden && shown.length < 2) {
      viewer.say(t("The last column stays."));
      return;
    }
    viewer.set({ columns: withHidden(kept, one, hidden) });
    const name = headSpoken(one, speech);
    viewer.say(hidden ? t("{0} is hidden.", name) : t("{0} is shown.", name));
  };
  const choose = (id: string): void => {
    const named = all.find(({ key }) => id === `column:${key}`);
    if (named) return hide(named, !isHidden(named, kept, present));
    if (!column) return;
    const { key, sort } = column.column;
    if ((id === "ascending" || id === "descending") && sort !== null)
      viewer.set({ query: { ...viewer.state.value.query, sort, descending: id === "descending" } });
    else if (id === "wider") viewer.set({ columns: withWidth(kept, key, column.width + STEP) });
    else if (id === "narrower") viewer.set({ columns: withWidth(kept, key, column.width - STEP) });
    else if (id === "reset") viewer.set({ columns: withoutWidth(kept, key) });
    else if (id === "hide") hide(column.column, true);
  };
  return <Menu label={t("Columns")} at={menu} items={items} onChoose={choose} onClose={onClose} />;
}

/** What the filtered rows can be copied as. */
export function copyItems(viewer: Viewer, n: number): MenuItem[] {
  const { t, language } = viewer.speech.value;
  return [
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
  ];
}

export async function copyRows(viewer: Viewer, form: "markdown" | "csv"): Promise<void> {
  const { t, language } = viewer.speech.value;
  try {
    const { text, rows } = await viewer.connection.data.copy(
      {
        query: viewer.state.value.query,
        form,
        limit: form === "csv" ? MOST_CSV : MOST_MARKDOWN,
      },
      { timeoutMs: TIMEOUT_MS },
    );
    await viewer.copy(text, t("{0} rows copied.", formatCount(rows, language)));
  } catch (error) {
    viewer.fail(error);
  }
}

/** The shown trajectory as Markdown. */
export async function copyOne(viewer: Viewer): Promise<void> {
  const { index, branch } = viewer.state.value;
  if (index === null) return;
  try {
    const { text } = await viewer.connection.data.copyOne({ index, branch }, { timeoutMs: TIMEOUT_MS });
    await viewer.copy(text, viewer.t("Trajectory copied as Markdown."));
  } catch (error) {
    viewer.fail(error);
  }
}
