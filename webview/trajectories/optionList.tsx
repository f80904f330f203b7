import { type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { roveTo } from "../shared/roving";
import { scrollToShow, type VirtualShape, windowAt } from "../shared/virtual";

export interface OptionListProps {
  readonly id: string;
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  readonly class?: string;
  readonly active: number;
  readonly onActive: (at: number) => void;
  /** A row was clicked, or Enter pressed on it. */
  readonly onOpen: (at: number) => void;
  /** Keys that the list has no use for; true: taken. */
  readonly onKey?: (event: KeyboardEvent, at: number) => boolean;
  readonly onWindow?: (first: number, last: number) => void;
  readonly row: (at: number) => ComponentChildren;
}

const OVERSCAN = 5;

/** Rows of equal height, of which only those on screen exist. One tab stop; Enter opens what the cursor is on. */
export function OptionList(props: OptionListProps) {
  const { id, count, rowHeight, active, onActive, onOpen, onWindow } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [viewport, setViewport] = useState(400);
  const shape: VirtualShape = { count, rowHeight, viewport };
  const shown = windowAt(shape, scrollTop, OVERSCAN);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setViewport(Math.max(rowHeight, element.clientHeight)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => onWindow?.(shown.first, shown.last), [shown.first, shown.last, onWindow]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element) element.scrollTop = scrollToShow(shape, element.scrollTop, active);
  }, [active]);
  const page = Math.max(1, Math.floor(viewport / rowHeight) - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") {
      if (active < count) onOpen(active);
    } else if (event.key === "PageDown") onActive(Math.min(count - 1, active + page));
    else if (event.key === "PageUp") onActive(Math.max(0, active - page));
    else {
      const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
      const to = sideways ? null : roveTo(event.key, active, count);
      if (to === null) {
        if (!props.onKey?.(event, active)) return;
      } else if (count > 0) onActive(to);
    }
    event.preventDefault();
  };
  const indexes = Array.from({ length: shown.last - shown.first }, (_, i) => shown.first + i);
  const visible = active >= shown.first && active < shown.last;
  return (
    <div
      class={`option-list ${props.class ?? ""}`}
      role="listbox"
      aria-label={props.label}
      tabIndex={0}
      ref={scroller}
      {...(visible ? { "aria-activedescendant": `${id}-${active}` } : {})}
      onKeyDown={onKeyDown}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
    >
      <div class="option-rows" role="presentation" style={{ height: `${shown.height}px` }}>
        {indexes.map((at) => (
          <div
            key={at}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === active}
            aria-posinset={at + 1}
            aria-setsize={count}
            class="option"
            style={{ transform: `translateY(${shown.top(at)}px)`, height: `${rowHeight}px` }}
            onClick={() => {
              onActive(at);
              onOpen(at);
            }}
          >
            {props.row(at)}
          </div>
        ))}
      </div>
    </div>
  );
}
