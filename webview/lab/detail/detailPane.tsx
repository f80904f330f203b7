import { useEffect, useRef } from "preact/hooks";
import type { LabState } from "../../../src/schema/lab";
import { errorSentence } from "../../../src/words/errors";
import type { Speech } from "../../../src/words/format";
import type { Lab } from "../lab";
import { CompletionTab } from "./completionTab";
import { Head } from "./head";
import { installSampleActs } from "./install";
import { type DetailModel, detailModel } from "./model";
import { ColumnsTab, OutputTab, PromptTab } from "./otherTabs";
import { Stale } from "./text";
import { WayTab } from "./wayTab";
import { WhyTab } from "./whyTab";
import "./detail.css";

type Tab = LabState["detail"];

const TABS: readonly Tab[] = ["prompt", "completion", "columns", "output", "way", "why"];

function tabName(tab: Tab, { t }: Speech): string {
  switch (tab) {
    case "prompt":
      return t("Prompt");
    case "completion":
      return t("Completion (edit to try)");
    case "columns":
      return t("Columns");
    case "output":
      return t("Output");
    case "way":
      return t("Way through");
    case "why":
      return t("Why");
  }
}

/** The selected sample: what it is, what it got and why, and what another completion would get. */
export function DetailPane({ lab }: { readonly lab: Lab }) {
  installSampleActs(lab);
  const model = detailModel(lab);
  useEffect(() => model.start(), [model]);
  const speech = lab.speech.value;
  const { t } = speech;
  const detail = model.detail.value;
  const failure = model.failure.value;
  if (model.row.value === null)
    return (
      <div class="detail empty">
        <p class="quiet">
          {t("Select a sample to read it, to see why it got its score, and to try another completion.")}
        </p>
      </div>
    );
  if (!detail)
    return (
      <div class="detail empty">
        {failure ? (
          <p role="alert">{errorSentence(failure, speech)}</p>
        ) : (
          <p class="quiet">{t("Loading…")}</p>
        )}
      </div>
    );
  return (
    <section class="detail" aria-label={t("Row {0}", detail.row + 1)} data-detail-row={detail.row}>
      <Stale old={model.old}>
        <Head model={model} detail={detail} />
        {failure && <p role="alert">{errorSentence(failure, speech)}</p>}
        <Tabs model={model} />
      </Stale>
    </section>
  );
}

function Tabs({ model }: { readonly model: DetailModel }) {
  const { lab } = model;
  const { t } = lab.speech.value;
  const list = useRef<HTMLDivElement>(null);
  const current = lab.state.value.detail;
  const keys = (event: KeyboardEvent): void => {
    const at = TABS.indexOf(current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = TABS[(to + TABS.length) % TABS.length];
    if (next === undefined) return;
    model.show(next);
    list.current?.querySelector<HTMLButtonElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <>
      <div ref={list} class="detail-tabs" role="tablist" aria-label={t("Sample")} onKeyDown={keys}>
        {TABS.map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`detail-tab-${tab}`}
            data-tab={tab}
            aria-selected={tab === current}
            aria-controls="detail-panel"
            tabIndex={tab === current ? 0 : -1}
            onClick={() => model.show(tab)}
          >
            {tabName(tab, lab.speech.value)}
          </button>
        ))}
      </div>
      {/* Its text can be scrolled by keyboard. */}
      <div id="detail-panel" role="tabpanel" aria-labelledby={`detail-tab-${current}`} tabIndex={0}>
        <Panel model={model} tab={current} />
      </div>
    </>
  );
}

function Panel({ model, tab }: { readonly model: DetailModel; readonly tab: Tab }) {
  switch (tab) {
    case "prompt":
      return <PromptTab model={model} />;
    case "completion":
      return <CompletionTab model={model} />;
    case "columns":
      return <ColumnsTab model={model} />;
    case "output":
      return <OutputTab model={model} />;
    case "way":
      return <WayTab model={model} />;
    case "why":
      return <WhyTab model={model} />;
  }
}
