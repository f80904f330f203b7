import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { OutlineEntry } from "../../../src/schema/trajectoryView";
import { formatCount } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import { scrollToShow, type VirtualShape, windowAt } from "../../shared/virtual";
import type { Viewer } from "../viewer";
import { roleIcon, roleWord, signed } from "../words";
import { withoutColours } from "./ansi";
import { messageAt, minimapBars } from "./minimap";
import { oneModel } from "./model";
import { Plain } from "./text";

const ROW = 22;
const OVERSCAN = 6;
const MAP = 26;

/** Every message on one line, beside a map of them all. One tab stop: arrows go from message to message. */
export function Outline({ viewer }: { readonly viewer: Viewer }) {
  const model = oneModel(viewer);
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const entries = model.outline.value;
  const current = model.current.value;
  const { first, last } = model.onScreen.value;
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [viewport, setViewport] = useState(400);
  const shape: VirtualShape = { count: entries.length, rowHeight: ROW, viewport };
  const shown = windowAt(shape, scrollTop, OVERSCAN);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setViewport(element.clientHeight));
    observer.observe(element);
    setViewport(element.clientHeight);
    return () => observer.disconnect();
  }, []);
  const reveal = (at: number): void => {
    const element = scroller.current;
    if (element) element.scrollTop = scrollToShow(shape, element.scrollTop, at);
  };
  // It goes along with the conversation.
  useLayoutEffect(() => reveal(first), [first, entries.length]);
  const go = (at: number): void => {
    const to = Math.min(Math.max(0, at), entries.length - 1);
    model.goTo(to);
    reveal(to);
  };
  const page = Math.max(1, Math.floor(viewport / ROW) - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case "ArrowDown":
        go(current + 1);
        break;
      case "ArrowUp":
        go(current - 1);
        break;
      case "PageDown":
        go(current + page);
        break;
      case "PageUp":
        go(current - page);
        break;
      case "Home":
        go(0);
        break;
      case "End":
        go(entries.length - 1);
        break;
      case "Enter":
        model.goTo(current, true);
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  const indexes = Array.from({ length: shown.last - shown.first }, (_, i) => shown.first + i);
  const onScreen = current >= shown.first && current < shown.last;
  return (
    <div class="outline">
      <div
        class="outline-list"
        role="listbox"
        aria-label={t("Outline: {0} messages", formatCount(entries.length, language))}
        tabIndex={0}
        ref={scroller}
        {...(onScreen && entries.length > 0 ? { "aria-activedescendant": `outline-${current}` } : {})}
        onKeyDown={onKeyDown}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <div class="outline-rows" role="presentation" style={{ height: `${shown.height}px` }}>
          {indexes.map((at) => {
            const entry = entries[at];
            if (!entry) return null;
            return (
              <div
                key={at}
                id={`outline-${at}`}
                role="option"
                aria-selected={at === current}
                aria-posinset={at + 1}
                aria-setsize={entries.length}
                class={`outline-row role-${entry.role}${at >= first && at <= last ? " in-sight" : ""}${entry.shared ? " shared" : ""}`}
                style={{ transform: `translateY(${shown.top(at)}px)`, height: `${ROW}px` }}
                title={entry.text}
                onClick={() => go(at)}
              >
                <span class="outline-number">{formatCount(at + 1, language)}</span>
                <Icon name={roleIcon(entry.role)} />
                <span class="said">{roleWord(entry.role, speech)} </span>
                <span class="outline-text">
                  {entry.callCount > 0 && (
                    <span class="outline-calls">
                      <Plain text={entry.calls.join(", ")} />{" "}
                    </span>
                  )}
                  {entry.error && <span class="cross">✗ </span>}
                  <Plain text={withoutColours(entry.text)} />
                </span>
                {entry.reward !== null && (
                  <span class="outline-reward">{signed(entry.reward, language)}</span>
                )}
              </div>
            );
          })}
        </div>
      </div>
      <Minimap entries={entries} first={first} last={last} height={viewport} onGo={go} />
    </div>
  );
}

interface MinimapProps {
  readonly entries: readonly OutlineEntry[];
  readonly first: number;
  readonly last: number;
  readonly height: number;
  readonly onGo: (at: number) => void;
}

/** For the pointer alone: the outline beside it has the same by keys. */
function Minimap({ entries, first, last, height, onGo }: MinimapProps) {
  const bars = useMemo(() => minimapBars(entries, height), [entries, height]);
  const top = bars.find(({ to }) => to > first)?.y ?? 0;
  const end = bars.findLast(({ from }) => from <= last);
  const bottom = end ? end.y + end.height : 0;
  const drawn = useMemo(
    () =>
      bars.map((bar) => (
        <rect
          key={bar.from}
          class={`map-bar role-${bar.role}${bar.error ? " error" : ""}`}
          x={1}
          y={bar.y + 0.5}
          width={bar.width * (MAP - 4)}
          height={Math.max(1, bar.height - 1)}
        />
      )),
    [bars],
  );
  const to = (event: PointerEvent): void => {
    const { currentTarget } = event;
    if (!(currentTarget instanceof Element)) return;
    onGo(messageAt(bars, event.clientY - currentTarget.getBoundingClientRect().top));
  };
  return (
    <svg
      class="minimap"
      width={MAP}
      height={height}
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        to(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) to(event);
      }}
    >
      <rect class="map-sight" x={0} y={top} width={MAP} height={Math.max(3, bottom - top)} />
      {drawn}
    </svg>
  );
}
