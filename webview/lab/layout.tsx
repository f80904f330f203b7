import { type ComponentChildren } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Tabs, type TabItem } from "../shared/controls";
import { Sash } from "../shared/split";
import { clampShare, type SplitLimits } from "../shared/splitMath";
import { type Pane, paneOf } from "./layoutModel";
import type { Lab } from "./lab";
import { EMPTY_LAB_STATE } from "../../src/schema/lab";

/** Narrower than this the editor is a tab. */
const NARROW = 900;
/** A Lab without an editor keeps the detail under the table down to this size. */
const SMALL_WIDTH = 480;
const SMALL_HEIGHT = 440;
const MIN_EDITOR = 240;
const MIN_EVIDENCE = 360;
const MIN_DETAIL = 96;
const MIN_TOP = 160;

export interface LayoutProps {
  readonly lab: Lab;
  readonly editor: ComponentChildren | null;
  readonly head: ComponentChildren;
  readonly tabs: readonly TabItem[];
  readonly chosen: string;
  readonly onTab: (id: string) => void;
  readonly evidence: ComponentChildren;
  /** Null: nothing to select yet. */
  readonly detail: ComponentChildren | null;
  /** Nothing is selected: the detail is as high as its one sentence. */
  readonly detailIdle: boolean;
  /** Under the editor, or under the head where there is none. */
  readonly weights: ComponentChildren | null;
}

/**
 * Editor beside evidence, detail below; in a narrow Lab they take turns behind one row of tabs. Panes that are not shown
 * stay, so that the editor keeps its cursor.
 */
export function Layout(props: LayoutProps) {
  const { lab, editor, head, tabs, chosen, onTab, evidence, detail, detailIdle, weights } = props;
  const { t } = lab.speech.value;
  const [measure, size] = useSize();
  const pane = paneOf(lab);
  const { split } = lab.state.value;
  const hasEditor = editor !== null;
  const narrow = size.width < NARROW;
  const editorTab = hasEditor && narrow;
  const hasDetail = detail !== null;
  const sized = hasDetail && !detailIdle;
  const detailTab =
    hasDetail && narrow && (hasEditor || size.width < SMALL_WIDTH || size.height < SMALL_HEIGHT);
  // With a pane that isn't a tab here, the evidence is meant.
  const shown: Pane =
    (pane.value === "editor" && editorTab) || (pane.value === "detail" && detailTab)
      ? pane.value
      : "evidence";
  const shows = (one: Pane): boolean =>
    one === "evidence" || one === "editor"
      ? editorTab || detailTab
        ? shown === one || (one === "editor" && hasEditor && !editorTab)
        : true
      : !detailTab || shown === "detail";

  const across: SplitLimits = { length: size.width, min: MIN_EDITOR, minOther: MIN_EVIDENCE };
  const down: SplitLimits = { length: size.height, min: MIN_DETAIL, minOther: MIN_TOP };
  const editorShare = clampShare(split.editor, across);
  const detailShare = clampShare(split.detail, down);
  const items: TabItem[] = [
    ...(editorTab ? [{ id: "editor", text: t("Editor"), panel: "pane-editor" }] : []),
    ...tabs,
    ...(detailTab ? [{ id: "detail", text: t("Detail"), panel: "pane-detail" }] : []),
  ];
  const choose = (id: string): void => {
    if (id === "editor" || id === "detail") pane.value = id;
    else {
      pane.value = "evidence";
      onTab(id);
    }
  };
  const bar = (
    <Tabs
      label={t("Views of the samples")}
      items={items}
      chosen={shown === "evidence" ? chosen : shown}
      onChoose={choose}
    />
  );
  const wide = hasEditor && !editorTab;
  return (
    <div class={`lab${narrow ? " narrow" : ""}`} ref={measure}>
      {!wide && head}
      {!wide && bar}
      <div
        class="lab-top"
        style={detailTab || !sized ? {} : { flexBasis: `${(1 - detailShare) * 100}%` }}
        hidden={detailTab && shown === "detail"}
      >
        {hasEditor && (
          <section
            id="pane-editor"
            class="pane pane-editor"
            aria-label={t("Editor")}
            hidden={!shows("editor")}
            tabIndex={-1}
            style={wide ? { flexBasis: `${editorShare * 100}%` } : { flexBasis: "100%" }}
          >
            <div class="editor-room">{editor}</div>
            {weights}
          </section>
        )}
        {wide && (
          <Sash
            vertical
            sized="before"
            share={editorShare}
            limits={() => across}
            initial={EMPTY_LAB_STATE.split.editor}
            label={t("Width of the editor")}
            controls="pane-editor"
            onShare={(editorNow) => lab.set({ split: { ...lab.state.value.split, editor: editorNow } })}
          />
        )}
        <section
          id="pane-evidence"
          class="pane pane-evidence"
          aria-label={t("Evidence")}
          hidden={!shows("evidence")}
          tabIndex={-1}
        >
          {wide && head}
          {wide && bar}
          {!hasEditor &&
            weights !== null &&
            (size.width < SMALL_WIDTH ? (
              <details class="weights-fold">
                <summary>{t("Weights")}</summary>
                {weights}
              </details>
            ) : (
              weights
            ))}
          <div id="evidence" class="evidence-room" role="tabpanel" aria-labelledby={`tab-${chosen}`}>
            {evidence}
          </div>
        </section>
      </div>
      {sized && !detailTab && (
        <Sash
          vertical={false}
          sized="after"
          share={detailShare}
          limits={() => down}
          initial={EMPTY_LAB_STATE.split.detail}
          label={t("Height of the detail")}
          controls="pane-detail"
          onShare={(detailNow) => lab.set({ split: { ...lab.state.value.split, detail: detailNow } })}
        />
      )}
      <section
        id="pane-detail"
        class={`pane pane-detail${detailIdle ? " idle" : ""}`}
        aria-label={t("Detail")}
        hidden={!hasDetail || !shows("detail")}
        tabIndex={-1}
        style={{ flexBasis: detailTab ? "100%" : sized ? `${detailShare * 100}%` : "auto" }}
      >
        {detail}
      </section>
    </div>
  );
}

function useSize() {
  const [size, setSize] = useState({ width: window.innerWidth, height: window.innerHeight });
  const observer = useRef<ResizeObserver | null>(null);
  const ref = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!element) return;
    observer.current = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width > 0 && height > 0) setSize({ width, height });
    });
    observer.current.observe(element);
  }, []);
  useLayoutEffect(() => () => observer.current?.disconnect(), []);
  return [ref, size] as const;
}
