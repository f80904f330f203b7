import { useEffect, useRef, useState } from "preact/hooks";
import { ViewTab } from "../../src/schema/trajectoryView";
import { formatCount } from "../../src/words/format";
import { Announcer } from "../shared/announcer";
import { Icon, IconButton, Notice, type TabItem, Tabs } from "../shared/controls";
import { Sash } from "../shared/split";
import { clampShare, type SplitLimits } from "../shared/splitMath";
import { CompareView } from "./compare/compareView";
import { Head } from "./head";
import { listModel } from "./list/model";
import { ListView } from "./list/table";
import { OnePane } from "./one/onePane";
import { oneModel } from "./one/model";
import { failingStep } from "./one/steps";
import { BucketsTab } from "./tabs/buckets";
import { GroupsTab } from "./tabs/groups";
import { ProblemsTab } from "./tabs/problems";
import { RunTab } from "./tabs/run";
import { searchModel, SearchTab } from "./tabs/search";
import type { Viewer } from "./viewer";

/** Narrower than this the panes stand above each other. */
const NARROW = 820;
const MIN_LIST = 240;
const MIN_ONE = 320;
const MIN_STACKED = 130;

export function App({ viewer }: { readonly viewer: Viewer }) {
  const { t } = viewer.speech.value;
  if (viewer.failed.value !== null)
    return (
      <p role="alert" class="notice">
        {t(
          "The trajectories could not be opened: {0} Close this tab and open it again.",
          viewer.failed.value,
        )}
      </p>
    );
  const greeting = viewer.greeting.value;
  if (!greeting) return <p class="notice quiet">{t("Opening…")}</p>;
  return (
    <main>
      <h1 class="said">
        {greeting.mode === "compare"
          ? t("Comparison of trajectories: {0}", greeting.name)
          : t("Trajectories: {0}", greeting.name)}
      </h1>
      <div role="alert" class={viewer.connection.gone.value ? "no-answer" : "said"}>
        {viewer.connection.gone.value && (
          <>
            <Icon name="debug-disconnect" />{" "}
            {t(
              "Not connected: Rewardsmith doesn't answer, so what is shown here is from before. Run “Developer: Reload Window”.",
            )}
          </>
        )}
      </div>
      <Started viewer={viewer} mode={greeting.mode} />
      <Announcer said={viewer.said} />
    </main>
  );
}

function Started({ viewer, mode }: { readonly viewer: Viewer; readonly mode: "viewer" | "compare" }) {
  useActs(viewer);
  if (viewer.infoFailed.value !== null) return <Failed viewer={viewer} />;
  if (mode === "compare") return <CompareView viewer={viewer} />;
  if (viewer.info.value === null) return <Opening viewer={viewer} />;
  return (
    <>
      <Head viewer={viewer} />
      <Marked viewer={viewer} />
      {viewer.comparing.value === null ? <Panes viewer={viewer} /> : <CompareView viewer={viewer} />}
    </>
  );
}

function Opening({ viewer }: { readonly viewer: Viewer }) {
  const { t } = viewer.speech.value;
  return (
    <Notice icon="loading codicon-modifier-spin" title={viewer.greeting.value?.name ?? ""}>
      <p>{t("Looking at what the file is. The first trajectories are shown as soon as they are read.")}</p>
    </Notice>
  );
}

function Failed({ viewer }: { readonly viewer: Viewer }) {
  const { t } = viewer.speech.value;
  return (
    <Notice icon="error" title={t("The trajectories could not be read")}>
      <p role="alert">{viewer.infoFailed.value}</p>
      <button type="button" class="primary" onClick={() => void viewer.load()}>
        {t("Try Again")}
      </button>
      <button type="button" class="link" onClick={() => void viewer.connection.host.showLogs({})}>
        {t("Show Logs")}
      </button>
    </Notice>
  );
}

/** Trajectories marked with x: what will be compared. */
function Marked({ viewer }: { readonly viewer: Viewer }) {
  const { t, language } = viewer.speech.value;
  const marked = viewer.marked.value;
  if (marked.length === 0 || viewer.comparing.value !== null) return null;
  return (
    <div class="marked-bar">
      <Icon name="diff" />{" "}
      {t("marked: {0}", marked.map((index) => formatCount(index + 1, language)).join(", "))}{" "}
      <button
        type="button"
        class="link"
        disabled={marked.length < 2}
        onClick={() => (viewer.comparing.value = { indexes: marked, group: null })}
      >
        {t("Compare")}
      </button>
      <IconButton icon="close" label={t("Unmark All")} onClick={() => (viewer.marked.value = [])} />
    </div>
  );
}

function Panes({ viewer }: { readonly viewer: Viewer }) {
  const { t } = viewer.speech.value;
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: window.innerWidth, height: window.innerHeight - 80 });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const narrow = size.width < NARROW;
  const limits = (): SplitLimits =>
    narrow
      ? { length: size.height, min: MIN_STACKED, minOther: MIN_STACKED }
      : { length: size.width, min: MIN_LIST, minOther: MIN_ONE };
  const share = clampShare(viewer.state.value.split, limits());
  const length = `${Math.round(share * (narrow ? size.height : size.width))}px`;
  return (
    <div class={`panes${narrow ? " narrow" : ""}`} ref={box}>
      <div class="pane pane-list" id="pane-list" style={narrow ? { height: length } : { width: length }}>
        <ListTabs viewer={viewer} />
        <div
          class="list-panel"
          id="list-panel"
          role="tabpanel"
          aria-labelledby={`tab-${viewer.state.value.tab}`}
        >
          <Tab viewer={viewer} />
        </div>
      </div>
      <Sash
        vertical={!narrow}
        sized="before"
        share={share}
        limits={limits}
        initial={0.4}
        label={narrow ? t("Height of the list") : t("Width of the list")}
        controls="pane-list"
        onShare={(to) => viewer.set({ split: to })}
      />
      <section class="pane pane-one" aria-label={t("Trajectory")}>
        <OnePane viewer={viewer} />
      </section>
    </div>
  );
}

function ListTabs({ viewer }: { readonly viewer: Viewer }) {
  const { t, language } = viewer.speech.value;
  const problems = viewer.progress.value?.problems ?? 0;
  const hits = searchModel(viewer).hits.value.length;
  const badge = (count: number, title: string): TabItem["badge"] =>
    count > 0 ? { text: formatCount(count, language), title } : undefined;
  const item = (id: ViewTab, text: string, mark?: TabItem["badge"]): TabItem => ({
    id,
    text,
    badge: mark,
    panel: "list-panel",
  });
  return (
    <Tabs
      label={t("Lists")}
      items={[
        item("list", t("List")),
        item("groups", t("Groups")),
        item("search", t("Search"), badge(hits, t("{0} hits", hits))),
        item("run", t("Run")),
        item("buckets", t("Buckets")),
        item("problems", t("Problems"), badge(problems, t("{0} problems", problems))),
      ]}
      chosen={viewer.state.value.tab}
      onChoose={(id) => {
        const tab = ViewTab.safeParse(id);
        if (tab.success) viewer.set({ tab: tab.data });
      }}
    />
  );
}

function Tab({ viewer }: { readonly viewer: Viewer }) {
  switch (viewer.state.value.tab) {
    case "list":
      return <ListView viewer={viewer} />;
    case "groups":
      return <GroupsTab viewer={viewer} />;
    case "search":
      return <SearchTab viewer={viewer} />;
    case "run":
      return <RunTab viewer={viewer} />;
    case "buckets":
      return <BucketsTab viewer={viewer} />;
    case "problems":
      return <ProblemsTab viewer={viewer} />;
  }
}

/** Commands of the palette that are about the page itself. */
function useActs(viewer: Viewer): void {
  useEffect(() => {
    const list = listModel(viewer);
    const listening = viewer.onAct.event(({ act, index }) => {
      const now = viewer.state.value.index;
      switch (act) {
        case "focusFilter":
          requestAnimationFrame(() => document.getElementById("filter")?.focus());
          break;
        case "search":
          requestAnimationFrame(() => document.getElementById("search")?.focus());
          break;
        case "nextFailing":
          failingStep(viewer, true);
          break;
        case "previousFailing":
          failingStep(viewer, false);
          break;
        case "labelGood":
          if (now !== null) void list.label(now, "good");
          break;
        case "labelBad":
          if (now !== null) void list.label(now, "bad");
          break;
        case "compare":
          if (index !== null || now !== null) viewer.comparing.value = { indexes: [], group: index ?? now };
          break;
        case "follow":
          void viewer.follow(!viewer.state.value.follow);
          break;
        case "showIndex":
          if (index === null) break;
          viewer.comparing.value = null;
          viewer.set({ compared: [] });
          viewer.open(index);
          oneModel(viewer).current.value = 0;
          break;
      }
    });
    return () => listening.dispose();
  }, [viewer]);
}
