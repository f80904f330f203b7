import { type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { listWindow, type ListShape, rowAfterKey, scrollToShow } from "./listWindow";

export interface ListProps {
  readonly count: number;
  readonly rowHeight: number;
  /** Name for screen readers. */
  readonly label: string;
  readonly class?: string;
  /** Row that holds the tab stop. */
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly isSelected: (index: number) => boolean;
  /** Cells of a row. */
  readonly row: (index: number) => ComponentChildren;
  /** Keys that the list itself has no use for. */
  readonly onKey: (event: KeyboardEvent, index: number) => void;
  /** Rows on screen, `last` exclusive. */
  readonly onWindow: (first: number, last: number) => void;
  /** Heads of the columns, as cells. */
  readonly head: ComponentChildren;
}

const OVERSCAN = 4;

/** A grid of rows of equal height, of which only those on screen exist. One tab stop; arrows move between rows. */
export function List(props: ListProps) {
  const { count, rowHeight, active, onActive, onWindow } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const activeRow = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(false);
  const [scrollTop, setScrollTop] = useState(0);
  const [viewport, setViewport] = useState(600);
  const shape: ListShape = { count, rowHeight, viewport, overscan: OVERSCAN };
  const shown = listWindow(shape, scrollTop);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setViewport(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => onWindow(shown.first, shown.last), [shown.first, shown.last, onWindow]);
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    activeRow.current?.focus({ preventScroll: true });
  });

  const go = (index: number): void => {
    const element = scroller.current;
    if (element) element.scrollTop = scrollToShow(shape, element.scrollTop, index);
    setScrollTop(element?.scrollTop ?? 0);
    wantsFocus.current = true;
    onActive(index);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const to = rowAfterKey(event.key, active, count, Math.floor(viewport / rowHeight) - 1);
    if (to === null) return props.onKey(event, active);
    event.preventDefault();
    event.stopPropagation();
    go(to);
  };

  const indexes = Array.from({ length: shown.last - shown.first }, (_, i) => shown.first + i);
  // The row with the tab stop stays, so that focus isn't lost by scrolling.
  if (active < count && !indexes.includes(active)) indexes.push(active);
  return (
    <div
      role="grid"
      aria-label={props.label}
      aria-rowcount={count + 1}
      class={`list ${props.class ?? ""}`}
      onKeyDown={onKeyDown}
    >
      <div role="row" aria-rowindex={1} class="list-head">
        {props.head}
      </div>
      <div
        class="list-scroll"
        role="rowgroup"
        ref={scroller}
        tabIndex={-1}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <div class="list-content" role="presentation" style={{ height: `${shown.height}px` }}>
          {indexes.map((index) => (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={props.isSelected(index)}
              class="list-row"
              style={{ height: `${rowHeight}px`, transform: `translateY(${shown.top(index)}px)` }}
              tabIndex={index === active ? 0 : -1}
              ref={index === active ? activeRow : null}
              onFocus={() => {
                if (index !== active) onActive(index);
              }}
            >
              {props.row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
