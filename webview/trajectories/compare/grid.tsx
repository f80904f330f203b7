import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../../shared/controls";
import { scrollToShow, type VirtualShape, windowAt } from "../../shared/virtual";
import { Heights } from "../one/heights";
import type { Viewer } from "../viewer";
import { CellView, ColumnHead } from "./cells";
import { BAND, FOOT, lineHeight, SHORT_TEXT } from "./lineHeights";
import { type Compared, type CompareModel, likenesses } from "./model";

const COLUMN = 250;
/** Pixels beyond either edge in which lines are drawn. */
const BEYOND = 240;

export interface PartProps {
  readonly viewer: Viewer;
  readonly model: CompareModel;
  readonly answer: Compared;
}

/** A grid of cells of which only those on screen exist, in both directions. One tab stop. */
export function Grid({ viewer, model, answer }: PartProps) {
  const speech = viewer.speech.value;
  const { t } = speech;
  const { columns, lines } = answer;
  const active = model.active.value;
  const first = model.first.value;
  const second = model.second.value;
  const scroller = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ top: 0, left: 0 });
  const [size, setSize] = useState({ width: 900, height: 500, head: 120 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void =>
      setSize({
        width: element.clientWidth,
        height: element.clientHeight,
        head: head.current?.offsetHeight ?? 120,
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (head.current) observer.observe(head.current);
    return () => observer.disconnect();
  }, []);
  const width = Math.max(COLUMN, Math.floor((size.width - 2) / Math.max(1, columns.length)));
  const unfolded = model.unfolded.value;
  const viewport = Math.max(60, size.height - size.head);
  const tall = useMemo(
    () =>
      lines.map((cells, line) => {
        const { height, more } = lineHeight(cells, width, unfolded.has(line));
        return { height: height + (line === answer.parts ? BAND : 0), more };
      }),
    [lines, width, unfolded, answer.parts],
  );
  const heights = useMemo(() => new Heights(tall.map(({ height }) => height)), [tall]);
  const across: VirtualShape = {
    count: columns.length,
    rowHeight: width,
    viewport: Math.max(width, size.width),
  };
  const rows = {
    first: lines.length === 0 ? 0 : heights.at(Math.max(0, at.top - BEYOND)),
    last: lines.length === 0 ? 0 : heights.at(at.top + viewport + BEYOND) + 1,
  };
  const cols = windowAt(across, at.left, 1);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const top = heights.top(active.line);
    const bottom = top + heights.height(active.line);
    if (top < element.scrollTop || bottom - top > viewport) element.scrollTop = top;
    else if (bottom > element.scrollTop + viewport) element.scrollTop = bottom - viewport;
    element.scrollLeft = scrollToShow(across, element.scrollLeft, active.col);
  }, [active, heights]);
  const move = (line: number, col: number): void => {
    model.active.value = {
      line: Math.min(Math.max(0, line), lines.length - 1),
      col: Math.min(Math.max(0, col), columns.length - 1),
    };
  };
  /** The line a screen further down or up. */
  const paged = (line: number, by: 1 | -1): number => {
    const to = heights.at(Math.max(0, heights.top(line) + by * viewport));
    return to === line ? line + by : to;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey) return;
    const { line, col } = active;
    const far = event.ctrlKey || event.metaKey;
    switch (event.key) {
      case "ArrowDown":
        move(line + 1, col);
        break;
      case "ArrowUp":
        move(line - 1, col);
        break;
      case "ArrowRight":
        move(line, col + 1);
        break;
      case "ArrowLeft":
        move(line, col - 1);
        break;
      case "PageDown":
        move(paged(line, 1), col);
        break;
      case "PageUp":
        move(paged(line, -1), col);
        break;
      case "Home":
        move(far ? 0 : line, 0);
        break;
      case "End":
        move(far ? lines.length - 1 : line, columns.length - 1);
        break;
      case "Enter":
        void model.open(active);
        break;
      case " ":
        model.toggle(line);
        break;
      case "d":
        model.pair(active);
        break;
      case "Escape":
        if (viewer.greeting.value?.mode !== "viewer") return;
        model.close();
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  const rowIndexes = Array.from({ length: rows.last - rows.first }, (_, i) => rows.first + i);
  const colIndexes = Array.from({ length: cols.last - cols.first }, (_, i) => cols.first + i);
  const visible =
    active.line >= rows.first &&
    active.line < rows.last &&
    active.col >= cols.first &&
    active.col < cols.last;
  const full = columns.length * width;
  return (
    <div
      class="compare-grid"
      role="grid"
      aria-label={t(
        "Messages side by side. Arrows move, Space unfolds a line, Enter shows a message whole, d on two of them shows what differs.",
      )}
      aria-rowcount={lines.length + 1}
      aria-colcount={columns.length}
      tabIndex={0}
      ref={scroller}
      {...(visible ? { "aria-activedescendant": `compare-${active.line}-${active.col}` } : {})}
      onKeyDown={onKeyDown}
      onScroll={(event) =>
        setAt({ top: event.currentTarget.scrollTop, left: event.currentTarget.scrollLeft })
      }
    >
      <div class="compare-heads" role="row" aria-rowindex={1} ref={head} style={{ width: `${full}px` }}>
        {columns.map((column, col) => (
          <div
            key={column.row.index}
            role="columnheader"
            aria-colindex={col + 1}
            class={`compare-head${column.mark === null ? "" : ` ${column.mark}`}`}
            style={{ width: `${width}px` }}
          >
            <ColumnHead column={column} speech={speech} />
          </div>
        ))}
      </div>
      <div class="compare-rows" role="rowgroup" style={{ height: `${heights.total}px`, width: `${full}px` }}>
        {rowIndexes.map((line) => {
          const cells = lines[line] ?? [];
          const alike = likenesses(cells);
          const parts = line === answer.parts;
          const more = tall[line]?.more ?? false;
          const open = unfolded.has(line);
          const height = heights.height(line);
          return (
            <div
              key={line}
              role="row"
              aria-rowindex={line + 2}
              class={`compare-row${parts ? " parts" : ""}`}
              style={{ transform: `translateY(${heights.top(line)}px)`, height: `${height}px` }}
            >
              {parts && (
                <div class="parts-band" aria-hidden="true" style={{ height: `${BAND}px` }}>
                  <span style={{ marginLeft: `${at.left}px` }}>{t("here they part")}</span>
                </div>
              )}
              {colIndexes.map((col) => {
                const cell = cells[col] ?? null;
                const chosen =
                  (first?.line === line && first.col === col) ||
                  (second?.line === line && second.col === col);
                const mark = columns[col]?.mark ?? null;
                const letter = alike[col] ?? null;
                return (
                  <div
                    key={col}
                    id={`compare-${line}-${col}`}
                    role="gridcell"
                    aria-colindex={col + 1}
                    aria-selected={chosen}
                    class={`compare-cell${cell ? ` role-${cell.role}` : " none"}${letter === null ? "" : " alike"}${chosen ? " chosen" : ""}${line === active.line && col === active.col ? " active" : ""}${mark === null ? "" : ` ${mark}`}`}
                    style={{
                      left: `${col * width}px`,
                      width: `${width}px`,
                      top: `${parts ? BAND : 0}px`,
                      bottom: `${more || open ? FOOT : 0}px`,
                    }}
                    onClick={() => move(line, col)}
                    onDblClick={() => void model.open({ line, col })}
                  >
                    {cell ? (
                      <CellView
                        cell={cell}
                        parts={parts && col === cells.findIndex((one) => one !== null)}
                        letter={letter}
                        most={open ? cell.text.length : SHORT_TEXT}
                        speech={speech}
                      />
                    ) : (
                      <span class="said">{t("nothing here")}</span>
                    )}
                  </div>
                );
              })}
              {(more || open) && (
                // For the pointer alone: Space does the same.
                <button
                  type="button"
                  class="compare-more"
                  tabIndex={-1}
                  aria-hidden="true"
                  style={{ left: `${at.left}px`, width: `${size.width}px`, height: `${FOOT}px` }}
                  title={t("Space does the same; Enter shows a message whole")}
                  onClick={() => model.toggle(line)}
                >
                  <Icon name={open ? "chevron-up" : "chevron-down"} /> {open ? t("less") : t("more")}
                </button>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
