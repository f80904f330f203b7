import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TrajectorySort } from "../../../src/schema/trajectory";
import { formatCount } from "../../../src/words/format";
import { outcomeInWords } from "../../../src/words/trajectories";
import { tableAct } from "../../shared/tableKeys";
import { Icon, Notice } from "../../shared/controls";
import { scaleOf, scrollTo, scrollToShow, type VirtualShape, windowAt } from "../../shared/virtual";
import type { Viewer } from "../viewer";
import { groupName, headSpoken, onlyFile } from "../words";
import {
  columnsOf,
  layoutOf,
  nextOrder,
  type PlacedColumn,
  type Present,
  withoutWidth,
  withWidth,
} from "./columns";
import { Heads } from "./heads";
import { ListMenus } from "./menus";
import { type ListModel, listModel } from "./model";
import { cellId, RowView } from "./row";

const ROW = 24;
const HEAD = 26;
const OVERSCAN = 8;

/** All trajectories of the source: a grid of which only the rows on screen exist. One tab stop. */
export function ListView({ viewer }: { readonly viewer: Viewer }) {
  const model = listModel(viewer);
  const speech = viewer.speech.value;
  const { t } = speech;
  const { query, columns: kept, index: selected } = viewer.state.value;
  const active = model.active.value;
  const { pages } = model.shown.value;
  const count = pages.total ?? 0;
  const marked = viewer.marked.value;
  const file = onlyFile(viewer.info.value);

  const scroller = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 500, height: 400 });
  const [scrollTop, setScrollTop] = useState(0);
  const present = usePresent(viewer, model);
  const all = useMemo(() => columnsOf(present), [present]);
  const columns = useMemo(() => layoutOf(all, kept, present, size.width), [all, kept, present, size.width]);
  const lastColumn = columns.at(-1);
  const width = lastColumn ? lastColumn.left + lastColumn.width : size.width;
  const shape: VirtualShape = useMemo(
    () => ({ count, rowHeight: ROW, viewport: Math.max(ROW, size.height - HEAD) }),
    [count, size.height],
  );
  const shown = windowAt(shape, scrollTop, OVERSCAN);

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

  // Another order or filter begins at its top.
  const order = JSON.stringify(query);
  const shownOrder = useRef(order);
  useLayoutEffect(() => {
    if (shownOrder.current === order || pages.stale) return;
    shownOrder.current = order;
    scroll(0);
  }, [order, pages.stale]);

  const toShow = model.toShow.value;
  useLayoutEffect(() => {
    if (toShow === null || count === 0) return;
    model.toShow.value = null;
    scroll(scrollToShow(shape, scroller.current?.scrollTop ?? 0, Math.min(toShow, count - 1)));
  }, [toShow, shape]);

  // The last row stays in sight while the source grows.
  const following = viewer.state.value.follow;
  useLayoutEffect(() => {
    if (following && count > 0 && model.active.value.at >= -1) scroll(scrollTo(shape, count));
  }, [following, count]);

  const goTo = (at: number, col = active.col): void => {
    model.select(at, col);
    if (at >= 0) scroll(scrollToShow(shape, scroller.current?.scrollTop ?? 0, at));
    showColumn(scroller.current, columns[col]);
  };
  const openMenu = (kind: "copy" | "columns", col: number): void => {
    const id = cellId(kind === "columns" ? -1 : active.at, col);
    const box = (document.getElementById(id) ?? scroller.current)?.getBoundingClientRect();
    const place = { x: box?.left ?? 0, y: box?.bottom ?? 0 };
    model.menu.value = kind === "copy" ? { kind, ...place } : { kind, col, ...place };
  };
  const sortBy = (sort: TrajectorySort | null): void => {
    if (sort === null) {
      viewer.say(t("The list can't be sorted by this."));
      return;
    }
    const next = nextOrder(query, sort);
    viewer.set({ query: { ...query, ...next } });
    const column = all.find((one) => one.sort === sort);
    const name = column ? headSpoken(column, speech) : sort;
    viewer.say(
      next.sort !== sort
        ? t("Not sorted by {0}", name)
        : next.descending
          ? t("Sorted by {0}, descending", name)
          : t("Sorted by {0}, ascending", name),
    );
  };
  const resize = (key: string, to: number): void =>
    viewer.set({ columns: withWidth(viewer.state.value.columns, key, to) });

  const onKeyDown = (event: KeyboardEvent): void => {
    const act = tableAct(
      { key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey },
      active,
      { rows: count, cols: columns.length, page: Math.floor(shape.viewport / ROW) },
    );
    const row = model.rowAt(active.at);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!act || act.kind === "pin") {
      if (plain && row && model.key(event.key, row.index)) event.preventDefault();
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
        if (column) sortBy(column.column.sort);
        break;
      case "resize":
        if (column) {
          resize(column.column.key, column.width + act.by);
          viewer.say(
            t("{0}: {1} pixels wide", headSpoken(column.column, speech), Math.round(column.width + act.by)),
          );
        }
        break;
      case "columnMenu":
        openMenu("columns", active.col);
        break;
      case "copy":
        openMenu("copy", active.col);
        break;
      case "open":
        if (row) openOne(viewer, row.index);
        break;
      case "filter":
        document.getElementById("filter")?.focus();
        break;
      case "next":
        void model.failing(true);
        break;
      case "previous":
        void model.failing(false);
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
    <div class="list-view">
      {model.failure.value !== null && (
        <p class="bar" role="alert">
          <Icon name="error" /> {t("The rows could not be read: {0}", model.failure.value)}{" "}
          <button type="button" class="link" onClick={() => model.retry()}>
            {t("Try Again")}
          </button>
        </p>
      )}
      <div
        class={`table${count === 0 ? " no-rows" : ""}`}
        role="grid"
        aria-label={t(
          "Trajectories. Enter opens one, g, b and u label it, x marks it to be compared, n finds the next that fails, slash goes to the filter, c copies.",
        )}
        aria-rowcount={count + 1}
        aria-colcount={columns.length}
        aria-busy={pages.stale}
        {...(activeOnScreen && columns.length > 0 && (count > 0 || active.at < 0)
          ? { "aria-activedescendant": cellId(active.at, Math.min(active.col, columns.length - 1)) }
          : {})}
        tabIndex={0}
        ref={scroller}
        data-total={count}
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
          const row = model.rowAt(atOf(event) ?? -1);
          if (row) openOne(viewer, row.index);
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
          order={query}
          width={width}
          activeCol={active.at < 0 ? active.col : null}
          speech={speech}
          onSort={sortBy}
          onResize={resize}
          onResetWidth={(key) => viewer.set({ columns: withoutWidth(viewer.state.value.columns, key) })}
          onMenu={(col, x, y) => (model.menu.value = { kind: "columns", col, x, y })}
        />
        <div role="rowgroup" class="table-rows" style={{ height: `${shown.height}px`, width: `${width}px` }}>
          {indexes.map((at) => {
            const here = pages.row(at);
            const row = here?.row ?? null;
            return (
              <RowView
                key={at % slots}
                at={at}
                top={shown.top(at)}
                height={ROW}
                row={row}
                stale={here?.stale ?? false}
                columns={columns}
                selected={row !== null && row.index === selected}
                marked={row !== null && marked.includes(row.index)}
                activeCol={at === active.at ? Math.min(active.col, columns.length - 1) : null}
                file={file}
                speech={speech}
              />
            );
          })}
        </div>
      </div>
      {count === 0 && <NoRows viewer={viewer} />}
      <ListMenus
        viewer={viewer}
        model={model}
        all={all}
        shown={columns}
        present={present}
        onClose={(back) => {
          model.menu.value = null;
          if (back) scroller.current?.focus({ preventScroll: true });
        }}
      />
    </div>
  );
}

/** Brings a trajectory before the reader, with the focus on its conversation. */
export function openOne(viewer: Viewer, index: number): void {
  viewer.open(index);
  viewer.oneTab.value = "conversation";
  requestAnimationFrame(() => document.getElementById("conversation")?.focus());
}

function showColumn(element: HTMLElement | null, placed: PlacedColumn | undefined): void {
  if (!element || !placed) return;
  if (placed.left < element.scrollLeft) element.scrollLeft = placed.left;
  else if (placed.left + placed.width > element.scrollLeft + element.clientWidth)
    element.scrollLeft = Math.min(placed.left, placed.left + placed.width - element.clientWidth);
}

/** What the rows seen so far have: columns of which nothing is known take no room. Never less than it was. */
function usePresent(viewer: Viewer, model: ListModel): Present {
  const shown = model.shown.value;
  const names = viewer.info.value?.components ?? [];
  const speech = viewer.speech.value;
  const only = onlyFile(viewer.info.value);
  const known = useRef({
    steps: false,
    advantages: false,
    now: false,
    labels: false,
    tokens: false,
    longest: { index: 0, group: 0, outcome: 0 },
  });
  const joined = names.join("\n");
  const longest = { ...known.current.longest };
  longest.index = Math.max(longest.index, formatCount(viewer.rows.value, speech.language).length);
  const next = { ...known.current, longest };
  for (let at = 0; at < Math.min(shown.pages.total ?? 0, 300); at++) {
    const row = shown.pages.row(at)?.row;
    if (!row) continue;
    next.steps ||= row.step !== null;
    next.advantages ||= row.advantage !== null;
    next.now ||= row.now !== null || row.nowState !== null;
    next.labels ||= row.label !== null;
    next.tokens ||= row.tokens !== null;
    longest.group = Math.max(longest.group, groupName(row.group, only).length);
    longest.outcome = Math.max(longest.outcome, outcomeInWords(row.outcome, speech).length);
  }
  known.current = next;
  return useMemo(() => ({ ...next, components: names }), [joined, JSON.stringify(next)]);
}

function NoRows({ viewer }: { readonly viewer: Viewer }) {
  const { t, language } = viewer.speech.value;
  const progress = viewer.progress.value;
  const { query } = viewer.state.value;
  if (listModel(viewer).failure.value !== null) return null;
  if (progress === null || (!progress.complete && query.filter.trim() === ""))
    return <p class="notice quiet">{t("Reading the trajectories…")}</p>;
  if (query.filter.trim() === "")
    return (
      <Notice icon="comment-discussion" title={t("No trajectories")}>
        <p>
          {progress.problems > 0
            ? t(
                "Nothing in it could be read as a trajectory; {0} problems say why.",
                formatCount(progress.problems, language),
              )
            : t(
                "The file has no records. Rollouts of a trainer, logs of an evaluation or traces belong here.",
              )}
        </p>
        {progress.problems > 0 && (
          <button type="button" class="primary" onClick={() => viewer.set({ tab: "problems" })}>
            {t("Show Problems")}
          </button>
        )}
      </Notice>
    );
  return (
    <p class="notice">
      {t("No trajectory matches the filter.")}{" "}
      <button
        type="button"
        class="link"
        onClick={() => viewer.set({ query: { ...viewer.state.value.query, filter: "" } })}
      >
        {t("Clear Filter")}
      </button>
    </p>
  );
}
