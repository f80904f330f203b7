import { useRef } from "preact/hooks";
import type { LabFunction, LabState } from "../../../src/schema/lab";
import type { Speech } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import { type PlacedColumn, sortKeyOf } from "./columns";
import { cellId } from "./row";
import { headText, headTitle } from "./words";

export interface HeadsProps {
  readonly columns: readonly PlacedColumn[];
  readonly functions: readonly LabFunction[];
  readonly sort: LabState["sort"];
  readonly width: number;
  readonly activeCol: number | null;
  readonly speech: Speech;
  readonly onSort: (key: string, add: boolean) => void;
  readonly onResize: (key: string, width: number) => void;
  readonly onResetWidth: (key: string) => void;
  readonly onMenu: (col: number, x: number, y: number) => void;
}

export function Heads(props: HeadsProps) {
  const { columns, functions, sort, width, activeCol, speech } = props;
  const drag = useRef<{ readonly x: number; readonly width: number } | null>(null);
  return (
    <div role="row" aria-rowindex={1} class="table-heads" style={{ width: `${width}px` }}>
      {columns.map(({ column, left, width: own }, col) => {
        const key = sortKeyOf(column);
        const at = sort.findIndex((one) => one.key === key);
        const descending = sort[at]?.descending;
        return (
          <div
            key={column.key}
            role="columnheader"
            id={cellId(-1, col)}
            aria-colindex={col + 1}
            aria-sort={descending === undefined ? "none" : descending ? "descending" : "ascending"}
            class={`head-cell${column.numeric ? " number" : ""}${activeCol === col ? " active" : ""}`}
            style={{ left: `${left}px`, width: `${own}px` }}
            title={headTitle(column, functions, speech)}
            onClick={(event) => props.onSort(key, event.shiftKey)}
            onContextMenu={(event) => {
              event.preventDefault();
              props.onMenu(col, event.clientX, event.clientY);
            }}
          >
            <span class="head-text">{headText(column, speech)}</span>
            {descending !== undefined && (
              <span class="head-sort">
                <Icon name={descending ? "arrow-down" : "arrow-up"} />
                {sort.length > 1 && <sub>{at + 1}</sub>}
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
