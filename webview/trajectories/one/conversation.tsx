import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../../../src/words/format";
import { MAX_PIXELS } from "../../shared/virtual";
import { listModel } from "../list/model";
import type { Viewer } from "../viewer";
import { roleWord } from "../words";
import { findModel } from "./find";
import { groupStep, jumpToError } from "./steps";
import { MessageView } from "./message";
import { oneModel } from "./model";

/** Pixels beyond either edge in which messages are drawn. */
const BEYOND = 500;
const KEEP_MS = 200;
/** Least height of a message: bounds how many can be on screen. */
const LEAST = 28;

/**
 * The messages of a trajectory, of which only those near the screen exist, each as tall as its text. What is above the
 * reader may turn out taller than guessed: the line that is read stays where it is.
 */
export function Conversation({ viewer }: { readonly viewer: Viewer }) {
  const model = oneModel(viewer);
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const { pages } = model.shown.value;
  const { total } = model;
  const { markdown } = viewer.state.value;
  const current = Math.min(model.current.value, Math.max(0, total - 1));
  const scroller = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState(600);
  const [, redraw] = useState(0);
  /** The line at the upper edge: a message and the pixels of it that are scrolled away. */
  const anchor = useRef({ at: 0, within: 0 });
  const wantsFocus = useRef(false);
  const { heights } = model;

  const scale = (): number => {
    const full = heights.total;
    return full <= MAX_PIXELS ? 1 : (full - viewport) / (MAX_PIXELS - viewport);
  };
  const offset = (scroller.current?.scrollTop ?? 0) * scale();
  const edge = total === 0 ? 0 : heights.at(Math.max(0, offset - BEYOND));
  const indexes: number[] = [];
  const most = Math.ceil((viewport + 2 * BEYOND) / LEAST) + 2;
  for (let at = edge; at < total && indexes.length < most; at++) {
    if (heights.top(at) > offset + viewport + BEYOND) break;
    indexes.push(at);
  }
  const [first = 0] = indexes;
  const last = indexes.at(-1) ?? 0;
  const seen = { first: heights.at(offset), last: heights.at(offset + viewport - 1) };
  // The one with the tab stop stays, so that the focus isn't lost by scrolling.
  if (total > 0 && !indexes.includes(current)) indexes.push(current);

  const setOffset = (to: number): void => {
    const element = scroller.current;
    if (element) element.scrollTop = to / scale();
  };
  const keepAnchor = (): void => {
    const now = (scroller.current?.scrollTop ?? 0) * scale();
    const wanted = heights.top(anchor.current.at) + anchor.current.within;
    if (Math.abs(now - wanted) > 0.5) setOffset(wanted);
  };

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      setViewport(element.clientHeight);
      if (Math.abs(width - element.clientWidth) < 2) return;
      width = element.clientWidth;
      model.width = width;
      heights.forget();
      redraw((n) => n + 1);
    });
    setViewport(element.clientHeight);
    model.width = width;
    observer.observe(element);
    return () => observer.disconnect();
  }, [heights]);

  // A fold, a picture that has come: measured when it happens, not when something scrolls.
  const grown = useRef<ResizeObserver | null>(null);
  useEffect(() => {
    const observer = new ResizeObserver(() => redraw((n) => n + 1));
    grown.current = observer;
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const box = inner.current;
    if (!box) return;
    let changed = 0;
    for (const node of box.children) {
      if (!(node instanceof HTMLElement)) continue;
      const at = Number(node.dataset["position"]);
      if (model.message(at) === null) continue;
      changed += Math.abs(heights.measured(at, Math.max(LEAST, node.offsetHeight)));
      grown.current?.observe(node);
    }
    box.style.height = `${Math.min(MAX_PIXELS, Math.max(heights.total, 1))}px`;
    const { jump } = model;
    const to = jump.value;
    if (to && total > 0) {
      jump.value = null;
      anchor.current = { at: Math.min(to.at, total - 1), within: 0 };
      if (to.focus) wantsFocus.current = true;
      keepAnchor();
      redraw((n) => n + 1);
      return;
    }
    if (changed > 0.5) {
      keepAnchor();
      redraw((n) => n + 1);
    }
    if (wantsFocus.current) {
      const target = box.querySelector<HTMLElement>(`[data-position="${current}"]`);
      if (target) {
        wantsFocus.current = false;
        target.focus({ preventScroll: true });
      }
    }
  });

  useEffect(() => {
    model.onScreen.value = { first: seen.first, last: seen.last };
    model.need(first, last + 1);
  }, [first, last, seen.first, seen.last, pages, pages.key, total]);

  const keep = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(keep.current), []);
  const onScroll = (): void => {
    const now = (scroller.current?.scrollTop ?? 0) * scale();
    const at = heights.at(now);
    anchor.current = { at, within: now - heights.top(at) };
    redraw((n) => n + 1);
    clearTimeout(keep.current);
    keep.current = setTimeout(() => {
      if (anchor.current.at !== viewer.state.value.message) viewer.set({ message: anchor.current.at });
    }, KEEP_MS);
  };

  const move = (by: 1 | -1): void => {
    const now = (scroller.current?.scrollTop ?? 0) * scale();
    const top = heights.top(current);
    const bottom = top + heights.height(current);
    const step = viewport * 0.6;
    // A message taller than the screen is read to its end before the next one.
    const inSight = bottom > now && top < now + viewport;
    if (inSight && by === 1 && bottom > now + viewport + 4)
      return setOffset(now + Math.min(step, bottom - now - viewport));
    if (inSight && by === -1 && top < now - 4) return setOffset(now - Math.min(step, now - top));
    const to = current + by;
    if (to < 0 || to >= total) return;
    model.current.value = to;
    wantsFocus.current = true;
    const next = heights.top(to);
    if (next < now) setOffset(by === -1 ? Math.max(next, next + heights.height(to) - viewport) : next);
    else if (next + heights.height(to) > now + viewport)
      setOffset(Math.min(next, next + heights.height(to) - viewport));
    redraw((n) => n + 1);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event;
    const article = target instanceof HTMLElement && target.dataset["position"] !== undefined;
    const list = listModel(viewer);
    const { index } = viewer.state.value;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") {
      event.preventDefault();
      findModel(viewer).show();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || index === null) return;
    switch (event.key) {
      case "ArrowDown":
      case "j":
        move(1);
        break;
      case "ArrowUp":
      case "k":
        move(-1);
        break;
      case "Home":
        model.goTo(0, true);
        break;
      case "End":
        model.goTo(total - 1, true);
        break;
      case "Enter":
        if (!article) return;
        target.querySelector<HTMLElement>("button, summary")?.focus();
        break;
      case "Escape":
        if (article) return;
        wantsFocus.current = true;
        redraw((n) => n + 1);
        break;
      case "f":
        findModel(viewer).show();
        break;
      case "F3":
        void findModel(viewer).step(event.shiftKey ? -1 : 1);
        break;
      case "m":
        viewer.set({ markdown: !markdown });
        viewer.say(markdown ? t("As plain text") : t("As Markdown"));
        break;
      case "o":
        viewer.set({ outline: !viewer.state.value.outline });
        break;
      case "r":
        model.toggle(`${current}:reasoning`);
        break;
      case "e":
      case "E":
        jumpToError(viewer, event.key === "e" ? 1 : -1);
        break;
      case "[":
        void list.step(-1);
        break;
      case "]":
        void list.step(1);
        break;
      case "{":
        void groupStep(viewer, -1);
        break;
      case "}":
        void groupStep(viewer, 1);
        break;
      default:
        if (!list.key(event.key, index)) return;
    }
    event.preventDefault();
  };

  const shiftBy = (scroller.current?.scrollTop ?? 0) - offset;
  return (
    <div
      class="conversation"
      id="conversation"
      ref={scroller}
      tabIndex={-1}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (event.target !== event.currentTarget) return;
        wantsFocus.current = true;
        redraw((n) => n + 1);
      }}
      onWheel={(event) => {
        // Scaled coordinates: a turn of the wheel is as many pixels as elsewhere.
        const by = scale();
        if (by === 1 || event.ctrlKey) return;
        event.preventDefault();
        setOffset((scroller.current?.scrollTop ?? 0) * by + event.deltaY);
      }}
    >
      <div
        class="conversation-inner"
        role="feed"
        aria-label={t(
          "Messages. Arrows move, Enter goes into one, square brackets go to other trajectories, e to the next error, f finds.",
        )}
        aria-busy={total === 0}
        ref={inner}
      >
        {indexes.map((at) => {
          const message = model.message(at);
          return (
            <article
              key={at}
              class={`message${message ? ` role-${message.role}` : " waiting"}${message?.shared ? " shared" : ""}${at === current ? " current" : ""}`}
              data-position={at}
              aria-posinset={at + 1}
              aria-setsize={total}
              aria-label={
                message
                  ? t(
                      "{0} of {1}: {2}",
                      formatCount(at + 1, language),
                      formatCount(total, language),
                      roleWord(message.role, speech),
                    )
                  : t("Message {0}, being read", formatCount(at + 1, language))
              }
              tabIndex={at === current ? 0 : -1}
              style={{
                transform: `translateY(${heights.top(at) + shiftBy}px)`,
                ...(message ? {} : { height: `${heights.height(at)}px` }),
              }}
              onFocus={() => {
                if (at !== current) model.current.value = at;
              }}
            >
              {message ? (
                <MessageView
                  viewer={viewer}
                  model={model}
                  message={message}
                  credit={model.head.value?.credit ?? null}
                  current={at === current}
                  markdown={markdown}
                />
              ) : (
                <p class="quiet">…</p>
              )}
            </article>
          );
        })}
      </div>
    </div>
  );
}
