import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../../shared/controls";
import { scaleOf, scrollTo, scrollToShow, type VirtualShape, windowAt } from "../../shared/virtual";
import { showPane } from "../layoutModel";
import type { Lab } from "../lab";
import { pinRow } from "../select";
import { columnsOf, layoutOf, nextSort, sortKeyOf, withoutWidth, withWidth } from "./columns";
import { Heads } from "./heads";
import { tableAct } from "../../shared/tableKeys";
import { TableMenus } from "./menus";
import { type TableModel, tableModel } from "./model";
import { cellId, RowView } from "./row";
import { sayOrder, sayWidth } from "./said";
import { ifFixedDiffers } from "./words";
import "../../shared/table.css";

const ROW = 24;
const HEAD = 26;
const OVERSCAN = 8;
const KEEP_SCROLL_MS = 200;

/** The samples with their scores: a grid of which only the rows on screen exist. One tab stop. */
export function SamplesView({ lab }: { readonly lab: Lab }) {
  const model = tableModel(lab);
  const speech = lab.speech.value;
  const { t } = speech;
  const { columns: kept, sort, grouped, selected } = lab.state.value;
  const active = model.active.value;
  const { store } = model.shown.value;
  const { facts } = store;
  const functions = facts?.functions ?? [];
  const live = lab.scores.value.scores;
  // Before there are scores, an engine that has no samples yet is no failure.
  const failure = live === null ? null : model.failure.value;
  const compared = live?.functions.some((fn) => fn.baseline !== null) ?? false;

  const scroller = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 800, height: 400 });
  const [scrollTop, setScrollTop] = useState(0);
  const names = functions.map((fn) => fn.name).join("\n");
  const all = useMemo(() => columnsOf(functions.map((fn) => fn.name)), [names]);
  const differs = useDiffers(model);
  const columns = useMemo(() => layoutOf(all, kept, differs, size.width), [all, kept, differs, size.width]);
  const lastColumn = columns.at(-1);
  const width = lastColumn ? lastColumn.left + lastColumn.width : size.width;
  const count = facts?.matched ?? 0;
  const shape: VirtualShape = useMemo(
    () => ({ count, rowHeight: ROW, viewport: Math.max(ROW, size.height - HEAD) }),
    [count, size.height],
  );
  const shown = windowAt(shape, scrollTop, OVERSCAN);
  const perPage = Math.floor(shape.viewport / ROW);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => model.show(shown.first, shown.last), [model, shown.first, shown.last]);

  const scroll = (top: number): void => {
    const element = scroller.current;
    if (element) element.scrollTop = top;
    setScrollTop(element?.scrollTop ?? 0);
  };

  // Where it was, once the number of rows is known: another tab, a reload.
  const restored = useRef(false);
  useLayoutEffect(() => {
    if (restored.current || count === 0) return;
    restored.current = true;
    scroll(scrollTo(shape, lab.state.value.scroll));
  }, [shape]);

  // Another order or filter begins at its top.
  const order = facts === null ? null : orderOf(facts.query);
  const shownOrder = useRef(order);
  useLayoutEffect(() => {
    const before = shownOrder.current;
    shownOrder.current = order;
    if (before === null || order === null || before === order) return;
    scroll(0);
    if (model.active.value.at >= count)
      model.active.value = { ...model.active.value, at: Math.max(0, count - 1) };
  }, [order]);

  const toShow = model.toShow.value;
  useLayoutEffect(() => {
    if (!toShow || count === 0) return;
    model.toShow.value = null;
    scroll(scrollToShow(shape, scroller.current?.scrollTop ?? 0, Math.min(toShow.at, count - 1)));
  }, [toShow, shape]);

  useEffect(() => {
    const timer = setTimeout(() => {
      const position = windowAt(shape, scrollTop, 0).position;
      if (restored.current && Math.abs(position - lab.state.value.scroll) > 0.01)
        lab.set({ scroll: position });
    }, KEEP_SCROLL_MS);
    return () => clearTimeout(timer);
  }, [scrollTop, shape]);

  const goTo = (at: number, col = active.col): void => {
    model.select(at, col);
    if (at >= 0) scroll(scrollToShow(shape, scroller.current?.scrollTop ?? 0, at));
    const placed = columns[col];
    const element = scroller.current;
    if (!placed || !element) return;
    if (placed.left < element.scrollLeft) element.scrollLeft = placed.left;
    else if (placed.left + placed.width > element.scrollLeft + element.clientWidth)
      element.scrollLeft = Math.min(placed.left, placed.left + placed.width - element.clientWidth);
  };
  const refocus = (): void => scroller.current?.focus({ preventScroll: true });
  const openMenu = (kind: "copy" | "columns", col: number): void => {
    const id = cellId(kind === "columns" ? -1 : active.at, col);
    const box = (document.getElementById(id) ?? scroller.current)?.getBoundingClientRect();
    const place = { x: box?.left ?? 0, y: box?.bottom ?? 0 };
    model.menu.value = kind === "copy" ? { kind, ...place } : { kind, col, ...place };
  };
  const sortBy = (key: string, add: boolean): void => {
    const next = nextSort(lab.state.value.sort, key, add);
    lab.set({ sort: next });
    sayOrder(lab, all, next, key);
  };

  const ofNote = async (by: 1 | -1): Promise<void> => {
    try {
      const at = await model.nextOfNote(by);
      if (at === null) lab.say(t("No row flipped and none failed."));
      if (at === null || at === undefined) return;
      model.toShow.value = { at };
      model.show(at, at + 1);
      model.select(at);
    } catch (error) {
      lab.say(error instanceof Error ? error.message : String(error));
    }
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const act = tableAct(
      { key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey },
      active,
      { rows: count, cols: columns.length, page: perPage },
    );
    const row = model.rowAt(active.at);
    if (!act) {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (plain && row && lab.rowKeys.some((take) => take(event.key, row.row))) event.preventDefault();
      return;
    }
    event.preventDefault();
    const column = columns[active.col];
    switch (act.kind) {
      case "move":
        // The first arrow selects the row that the cursor is on.
        if (selected === null && event.key === "ArrowDown" && active.at >= 0) goTo(active.at);
        else goTo(act.to.at, act.to.col);
        break;
      case "sort":
        if (column) sortBy(sortKeyOf(column.column), act.add);
        break;
      case "resize":
        if (column) {
          lab.set({ columns: withWidth(lab.state.value.columns, column.column.key, column.width + act.by) });
          sayWidth(lab, column.column);
        }
        break;
      case "columnMenu":
        openMenu("columns", active.col);
        break;
      case "copy":
        openMenu("copy", active.col);
        break;
      case "open":
        if (row) openDetail(lab);
        break;
      case "pin":
        if (row) void pinRow(lab, row.row);
        break;
      case "filter":
        document.getElementById("filter")?.focus();
        break;
      case "next":
        void ofNote(1);
        break;
      case "previous":
        void ofNote(-1);
        break;
    }
  };

  const atOf = (event: Event): number | null => {
    const element = event.target instanceof Element ? event.target.closest("[data-at]") : null;
    return element === null ? null : Number(element.getAttribute("data-at"));
  };
  const colOf = (event: Event): number => {
    const cell = event.target instanceof Element ? event.target.closest("[aria-colindex]") : null;
    return Number(cell?.getAttribute("aria-colindex") ?? active.col + 1) - 1;
  };

  // Rows that leave the screen are drawn again as those that come.
  const slots = Math.ceil(shape.viewport / ROW) + 2 * OVERSCAN + 2;
  const indexes = Array.from({ length: shown.last - shown.first }, (_, i) => shown.first + i);
  const activeOnScreen = active.at < 0 || (active.at >= shown.first && active.at < shown.last);
  return (
    <div class="samples">
      {failure !== null && (
        <p class="bar" role="alert">
          <Icon name="error" /> {t("The rows could not be read: {0}", failure)}{" "}
          <button type="button" class="link" onClick={() => model.retry()}>
            {t("Try Again")}
          </button>
        </p>
      )}
      <div
        class={`table${count === 0 ? " no-rows" : ""}`}
        role="grid"
        aria-label={t(
          "Samples. Enter opens the row, p pins it, slash goes to the filter, n finds the next flip or failure, c copies.",
        )}
        aria-rowcount={count + 1}
        aria-colcount={columns.length}
        aria-busy={store.stale}
        {...(activeOnScreen && columns.length > 0
          ? { "aria-activedescendant": cellId(active.at, Math.min(active.col, columns.length - 1)) }
          : {})}
        tabIndex={0}
        ref={scroller}
        data-seq={facts?.seq ?? -1}
        data-stale={store.stale}
        onKeyDown={onKeyDown}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
        onWheel={(event) => {
          // Scaled coordinates: a turn of the wheel is as many rows as elsewhere.
          const scale = scaleOf(shape);
          if (scale === 1 || event.ctrlKey || event.deltaY === 0) return;
          event.preventDefault();
          scroll((scroller.current?.scrollTop ?? 0) + event.deltaY / scale);
        }}
        onClick={(event) => {
          const at = atOf(event);
          if (at !== null) model.select(at, colOf(event));
        }}
        onDblClick={(event) => {
          if (atOf(event) !== null) openDetail(lab);
        }}
        onContextMenu={(event) => {
          const at = atOf(event);
          if (at === null) return;
          event.preventDefault();
          model.select(at, colOf(event));
          model.menu.value = { kind: "copy", x: event.clientX, y: event.clientY };
        }}
      >
        <Heads
          columns={columns}
          functions={functions}
          sort={sort}
          width={width}
          activeCol={active.at < 0 ? active.col : null}
          speech={speech}
          onSort={sortBy}
          onResize={(key, to) => lab.set({ columns: withWidth(lab.state.value.columns, key, to) })}
          onResetWidth={(key) => lab.set({ columns: withoutWidth(lab.state.value.columns, key) })}
          onMenu={(col, x, y) => (model.menu.value = { kind: "columns", col, x, y })}
        />
        <div role="rowgroup" class="table-rows" style={{ height: `${shown.height}px`, width: `${width}px` }}>
          {indexes.map((at) => {
            const here = store.row(at);
            const above = grouped && at > 0 ? store.row(at - 1) : null;
            return (
              <RowView
                key={at % slots}
                at={at}
                top={shown.top(at)}
                height={ROW}
                row={here?.row ?? null}
                stale={here?.stale ?? false}
                columns={columns}
                functions={functions}
                compared={compared}
                selected={here !== null && selected !== null && here.row.row === selected.row}
                pinned={here !== null && live?.pinned === here.row.row}
                activeCol={at === active.at ? Math.min(active.col, columns.length - 1) : null}
                firstOfGroup={grouped ? above?.row.groupAt !== here?.row.groupAt : null}
                speech={speech}
              />
            );
          })}
        </div>
      </div>
      {count === 0 && <NoRows lab={lab} model={model} />}
      <TableMenus
        lab={lab}
        model={model}
        all={all}
        shown={columns}
        ifFixedDiffers={differs}
        onClose={(back) => {
          model.menu.value = null;
          if (back) refocus();
        }}
      />
    </div>
  );
}

function NoRows({ lab, model }: { readonly lab: Lab; readonly model: TableModel }) {
  const { t } = lab.speech.value;
  const { facts } = model.shown.value.store;
  if (facts === null)
    return model.failure.value === null || lab.scores.value.scores === null ? (
      <p class="notice quiet">{t("Reading the samples…")}</p>
    ) : null;
  if (facts.rows === 0) return <p class="notice">{t("The sample file has no rows.")}</p>;
  if (lab.state.value.filter.trim() === "") return null;
  return (
    <p class="notice">
      {t("No row matches the filter.")}{" "}
      <button type="button" class="link" onClick={() => lab.set({ filter: "" })}>
        {t("Clear Filter")}
      </button>
    </p>
  );
}

/** Whether the advantages without failures would be others in any row seen so far. */
function useDiffers(model: TableModel): boolean {
  const shown = model.shown.value;
  return useMemo(() => {
    for (const { row } of shown.store.loaded()) if (ifFixedDiffers(row)) return true;
    return false;
  }, [shown]);
}

/** What of a query decides which rows there are and in which order: weights re-rank in place. */
function orderOf(query: string): string {
  const value: unknown = JSON.parse(query);
  if (typeof value !== "object" || value === null) return query;
  return JSON.stringify({ ...value, weights: null });
}

function openDetail(lab: Lab): void {
  showPane(lab, "detail", true);
}
