import { useRef } from "preact/hooks";
import type { TrajectorySort } from "../../../src/schema/trajectory";
import type { Speech } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import { headText, headTitle } from "../words";
import type { Order, PlacedColumn } from "./columns";
import { cellId } from "./row";

export interface HeadsProps {
  readonly columns: readonly PlacedColumn[];
  readonly order: Order;
  readonly width: number;
  readonly activeCol: number | null;
  readonly speech: Speech;
  readonly onSort: (sort: TrajectorySort) => void;
  readonly onResize: (key: string, width: number) => void;
  readonly onResetWidth: (key: string) => void;
  readonly onMenu: (col: number, x: number, y: number) => void;
}

export function Heads(props: HeadsProps) {
  const { columns, order, width, activeCol, speech } = props;
  const drag = useRef<{ readonly x: number; readonly width: number } | null>(null);
  return (
    <div role="row" aria-rowindex={1} class="table-heads" style={{ width: `${width}px` }}>
      {columns.map(({ column, left, width: own }, col) => {
        const { sort } = column;
        const sorted = sort !== null && order.sort === sort && (sort !== "index" || order.descending);
        const direction = order.descending ? "descending" : "ascending";
        return (
          <div
            key={column.key}
            role="columnheader"
            id={cellId(-1, col)}
            aria-colindex={col + 1}
            {...(sort === null ? {} : { "aria-sort": sorted ? direction : "none" })}
            class={`head-cell${column.numeric ? " number" : ""}${activeCol === col ? " active" : ""}${sort === null ? " fixed" : ""}`}
            style={{ left: `${left}px`, width: `${own}px` }}
            title={headTitle(column, speech)}
            onClick={() => {
              if (sort !== null) props.onSort(sort);
            }}
            onContextMenu={(event) => {
              event.preventDefault();
              props.onMenu(col, event.clientX, event.clientY);
            }}
          >
            <span class="head-text">{headText(column, speech)}</span>
            {sorted && (
              <span class="head-sort">
                <Icon name={order.descending ? "arrow-down" : "arrow-up"} />
              </span>
            )}
            <span
              class="head-resize"
              aria-hidden="true"
              onClick={(event) => event.stopPropagation()}
              onDblClick={() => props.onResetWidth(column.key)}
              onPointerDown={(event) => {
                event.preventDefault();
                event.stopPropagation();
                event.currentTarget.setPointerCapture(event.pointerId);
                drag.current = { x: event.clientX, width: own };
              }}
              onPointerMove={(event) => {
                if (drag.current)
                  props.onResize(column.key, drag.current.width + event.clientX - drag.current.x);
              }}
              onPointerUp={() => (drag.current = null)}
              onPointerCancel={() => (drag.current = null)}
            />
          </div>
        );
      })}
    </div>
  );
}
