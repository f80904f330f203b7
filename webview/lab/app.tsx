import { type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LabState } from "../../src/schema/lab";
import { formatCount } from "../../src/words/format";
import { Announcer } from "../shared/announcer";
import { Icon, Notice, type TabItem } from "../shared/controls";
import { DetailPane } from "./detail/detailPane";
import { installSampleActs } from "./detail/install";
import { Filter, TableTools } from "./filter";
import { FindingsView } from "./findings";
import { FlipsView } from "./flips/flipsView";
import { GroupsView } from "./groups/groupsView";
import { flipCount, Head, runCommand } from "./head";
import { emptyReason } from "./headStatus";
import type { Lab } from "./lab";
import { Layout } from "./layout";
import { showPane } from "./layoutModel";
import { PicturesView } from "./pictures/picturesView";
import { ReviewView } from "./review/reviewView";
import { SamplesView } from "./table/table";
import { Weights } from "./weights";

type Tab = LabState["tab"];
const TABS: readonly Tab[] = ["samples", "groups", "flips", "findings", "pictures", "review"];

export function App({ lab }: { readonly lab: Lab }) {
  const { t } = lab.speech.value;
  if (lab.failed.value !== null)
    return (
      <p role="alert" class="notice">
        {t("The Reward Lab could not start: {0} Close this tab and open it again.", lab.failed.value)}
      </p>
    );
  const greeting = lab.greeting.value;
  if (!greeting) return <p class="notice quiet">{t("Opening…")}</p>;
  return (
    <main>
      <h1 class="said">{t("Reward Lab: {0}", greeting.name)}</h1>
      <NoAnswer lab={lab} />
      <Started lab={lab} />
      <Announcer said={lab.said} />
    </main>
  );
}

/** The extension host has ended under the page: what is on it stays, and what is done to it reaches nobody. */
function NoAnswer({ lab }: { readonly lab: Lab }) {
  const { t } = lab.speech.value;
  return (
    <div role="alert" class={lab.connection.gone.value ? "no-answer" : "said"}>
      {lab.connection.gone.value && (
        <>
          <Icon name="debug-disconnect" />{" "}
          {t(
            "Not connected: Rewardsmith doesn't answer, so what is shown here is from before. Run “Developer: Reload Window”; text that isn't saved yet is kept.",
          )}
        </>
      )}
    </div>
  );
}

function Started({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  installSampleActs(lab);
  useActs(lab);
  const tab = lab.state.value.tab;
  const nothing = emptyReason(lab.scores.value, speech);
  const several = (lab.scores.value.scores?.functions.length ?? 0) > 1;
  return (
    <Layout
      lab={lab}
      editor={lab.greeting.value?.mode === "editor" ? <LazyEditor lab={lab} /> : null}
      head={<Head lab={lab} waits={nothing !== null} />}
      tabs={useTabs(lab)}
      chosen={tab}
      onTab={(id) => {
        const chosen = TABS.find((known) => known === id);
        if (chosen) lab.set({ tab: chosen });
      }}
      evidence={nothing ? <Empty lab={lab} /> : <Evidence lab={lab} tab={tab} />}
      detail={nothing ? null : <DetailPane lab={lab} />}
      detailIdle={lab.state.value.selected === null}
      weights={several && !nothing ? <Weights lab={lab} /> : null}
    />
  );
}

function useTabs(lab: Lab): TabItem[] {
  const { t, language } = lab.speech.value;
  const { scores } = lab.scores.value;
  const flips = flipCount(scores);
  const findings = scores?.findings.length ?? 0;
  const badge = (count: number, title: string) =>
    count > 0 ? { text: formatCount(count, language), title } : undefined;
  const item = (id: Tab, text: string, mark?: TabItem["badge"]): TabItem => ({
    id,
    text,
    badge: mark,
    panel: "evidence",
  });
  return [
    item("samples", t("Samples")),
    item("groups", t("Groups")),
    item("flips", t("Flips"), badge(flips ?? 0, t("{0} flips up or down", flips ?? 0))),
    item("findings", t("Findings"), badge(findings, t("{0} findings", findings))),
    item("pictures", t("Pictures")),
    item("review", t("Review")),
  ];
}

function Evidence({ lab, tab }: { readonly lab: Lab; readonly tab: Tab }) {
  const filtered = tab === "samples" || tab === "groups";
  return (
    <>
      {filtered && (
        <div class="filter-line">
          <Filter lab={lab} />
          {tab === "samples" && <TableTools lab={lab} />}
        </div>
      )}
      <div class="evidence-view">
        <View lab={lab} tab={tab} />
      </div>
    </>
  );
}

function View({ lab, tab }: { readonly lab: Lab; readonly tab: Tab }) {
  switch (tab) {
    case "samples":
      return <SamplesView lab={lab} />;
    case "groups":
      return <GroupsView lab={lab} />;
    case "flips":
      return <FlipsView lab={lab} />;
    case "findings":
      return <FindingsView lab={lab} />;
    case "pictures":
      return <PicturesView lab={lab} />;
    case "review":
      return <ReviewView lab={lab} />;
  }
}

/** Nothing to show: what belongs here, why it isn't, and the one button that helps. */
function Empty({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  const { t } = speech;
  const reason = emptyReason(lab.scores.value, speech);
  if (!reason) return null;
  const { help } = reason;
  const title =
    help?.command === "manageTrust"
      ? t("Restricted Mode")
      : help?.command === "selectPython"
        ? t("No Python")
        : reason.kind === "problem"
          ? t("The samples could not be read")
          : t("No samples chosen");
  return (
    <Notice icon={reason.icon} title={title}>
      <p role={reason.kind === "problem" ? "alert" : undefined}>{reason.text}</p>
      {help && (
        <button type="button" class="primary" onClick={() => runCommand(lab, help.command)}>
          {help.text}
        </button>
      )}
      {reason.kind === "problem" && (
        <button type="button" class="link" onClick={() => runCommand(lab, "showLogs")}>
          {t("Show Logs")}
        </button>
      )}
    </Notice>
  );
}

/** Monaco is large: it comes after the first paint. */
function LazyEditor({ lab }: { readonly lab: Lab }) {
  const { t } = lab.speech.value;
  const [Editor, setEditor] = useState<ComponentType<{ lab: Lab }> | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  useEffect(() => {
    import("../monaco/pane").then(
      ({ EditorPane }) => setEditor(() => EditorPane),
      (error: unknown) => setFailed(error instanceof Error ? error.message : String(error)),
    );
  }, []);
  if (failed !== null)
    return (
      <p role="alert" class="notice">
        {t("The editor could not be loaded: {0}", failed)}{" "}
        <button type="button" class="link" onClick={() => runCommand(lab, "openNative")}>
          {t("Open in the Text Editor")}
        </button>
      </p>
    );
  return Editor ? <Editor lab={lab} /> : <p class="notice quiet">{t("Loading the editor…")}</p>;
}

/** Commands of the palette that are about the page itself. */
function useActs(lab: Lab): void {
  useEffect(() => {
    const listening = lab.onAct.event(({ act }) => {
      switch (act) {
        case "focusFilter":
          if (!["samples", "groups"].includes(lab.state.value.tab)) lab.set({ tab: "samples" });
          showPane(lab, "evidence", false);
          requestAnimationFrame(() => document.getElementById("filter")?.focus());
          break;
        case "compare":
          lab.set({ tab: "flips" });
          showPane(lab, "evidence", false);
          break;
        case "tryCompletion":
        case "way":
          showPane(lab, "detail", false);
          break;
        case "review":
        case "inspect":
          showPane(lab, "evidence", false);
          break;
      }
    });
    return () => listening.dispose();
  }, [lab]);
}
