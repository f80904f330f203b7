import { useState } from "preact/hooks";
import type { TrajectoryAct } from "../../src/protocol/trajectories.contract";
import { formatCount } from "../../src/words/format";
import { Icon, IconButton, Menu, type MenuItem } from "../shared/controls";
import { Filter } from "./filter";
import { copyItems, copyOne, copyRows } from "./list/menus";
import { listModel } from "./list/model";
import { searchModel } from "./tabs/search";
import type { Viewer } from "./viewer";

/** What is open, how far it is read, and what can be done with it. */
export function Head({ viewer }: { readonly viewer: Viewer }) {
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const info = viewer.info.value;
  const progress = viewer.progress.value;
  const n = (value: number): string => formatCount(value, language);
  return (
    <header class="head">
      <div class="head-line">
        <strong class="source-name">{info?.name ?? viewer.greeting.value?.name}</strong>
        {info && info.forms.length > 0 && <span class="quiet">{info.forms.slice(0, 3).join(", ")}</span>}
        {info && info.fileCount > 1 && <span class="quiet">{t("{0} files", n(info.fileCount))}</span>}
        {progress && <Progress viewer={viewer} />}
        {progress && progress.problems > 0 && (
          <button
            type="button"
            class="state-link problem-link"
            onClick={() => viewer.set({ tab: "problems" })}
          >
            <Icon name="warning" /> {t("{0} problems", n(progress.problems))}
          </button>
        )}
        {!viewer.trusted.value && (
          <span
            class="status"
            title={t("Reading, searching and comparing work. Scoring waits until you trust this folder.")}
          >
            <Icon name="shield" /> {t("Restricted Mode")}
          </span>
        )}
        <span class="grow" />
        <Verbs viewer={viewer} />
      </div>
      <div class="filter-line">
        <SearchBox viewer={viewer} />
        <Filter viewer={viewer} />
      </div>
    </header>
  );
}

function Progress({ viewer }: { readonly viewer: Viewer }) {
  const { t, language } = viewer.speech.value;
  const progress = viewer.progress.value;
  if (!progress) return null;
  const { follow } = viewer.state.value;
  const known = formatCount(progress.known, language);
  const share = progress.bytes > 0 ? Math.floor((progress.bytesDone / progress.bytes) * 100) : 0;
  return (
    <span class="status" role="group" aria-label={t("How far the source is read")}>
      {progress.complete ? (
        <span>{t("{0} trajectories", known)}</span>
      ) : (
        <span title={t("The list can be used already; order and groups are of what is read so far.")}>
          <Icon name="loading codicon-modifier-spin" />{" "}
          {progress.files > 1
            ? t(
                "{0} trajectories, {1} of {2} files read",
                known,
                formatCount(progress.filesDone, language),
                formatCount(progress.files, language),
              )
            : t("{0} trajectories, {1} % read", known, share)}
        </span>
      )}
      <IconButton
        icon="pinned"
        label={t("Follow: new trajectories are shown as they are written")}
        pressed={follow}
        onClick={() => {
          void viewer.follow(!follow);
          viewer.say(follow ? t("No longer followed") : t("Followed: the last trajectory stays in sight"));
        }}
      />
    </span>
  );
}

function SearchBox({ viewer }: { readonly viewer: Viewer }) {
  const { t } = viewer.speech.value;
  const model = searchModel(viewer);
  const kept = viewer.state.value.search;
  const [text, setText] = useState(kept);
  return (
    <div class="filter-box search-box" role="search" aria-label={t("Search in the trajectories")}>
      <Icon name="search" />
      <input
        id="search"
        type="text"
        spellcheck={false}
        autocomplete="off"
        maxLength={1000}
        placeholder={t("search in all messages")}
        aria-label={t("Search in the trajectories")}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") model.start(text);
          else if (event.key === "Escape" && text !== "") {
            setText("");
            model.start("");
          } else return;
          event.preventDefault();
        }}
      />
      {text !== "" && (
        <IconButton
          icon="close"
          label={t("Clear Search")}
          onClick={() => {
            setText("");
            model.start("");
            document.getElementById("search")?.focus();
          }}
        />
      )}
    </div>
  );
}

type VerbMenu = "label" | "promote" | "export";

function Verbs({ viewer }: { readonly viewer: Viewer }) {
  const { t, language } = viewer.speech.value;
  const [menu, setMenu] = useState<{ kind: VerbMenu; x: number; y: number; from: HTMLElement } | null>(null);
  const list = listModel(viewer);
  const { index, query } = viewer.state.value;
  const total = list.shown.value.pages.total ?? 0;
  const marked = viewer.marked.value;
  const reward = viewer.reward.value;
  const matched = formatCount(total, language);
  const open = (kind: VerbMenu) => (event: MouseEvent) => {
    const { currentTarget } = event;
    if (!(currentTarget instanceof HTMLElement)) return;
    const { left, bottom } = currentTarget.getBoundingClientRect();
    setMenu({ kind, x: left, y: bottom, from: currentTarget });
  };
  const one = index === null;
  const menus: Readonly<Record<VerbMenu, { label: string; items: MenuItem[] }>> = {
    label: {
      label: t("Label"),
      items: [
        { id: "good", text: t("Good (g)"), icon: "thumbsup", disabled: one },
        { id: "bad", text: t("Bad (b)"), icon: "thumbsdown", disabled: one },
        { id: "clear", text: t("Take the Label Back (u)"), icon: "discard", disabled: one },
      ],
    },
    promote: {
      label: t("Promote"),
      items: [
        { id: "promote/one", text: t("This Trajectory to Samples"), icon: "arrow-up", disabled: one },
        { id: "promote/all", text: t("All {0} in the List to Samples", matched), icon: "arrow-up" },
        {
          id: "promoteRegression/one",
          text: t("This Trajectory to the Regression Set"),
          icon: "beaker",
          disabled: one,
          divided: true,
        },
        {
          id: "promoteRegression/all",
          text: t("All {0} in the List to the Regression Set", matched),
          icon: "beaker",
        },
      ],
    },
    export: {
      label: t("Export"),
      items: [
        { id: "exportTask/one", text: t("This Trajectory as a Task…"), icon: "tasklist", disabled: one },
        { id: "exportSft/all", text: t("SFT Demonstrations…"), icon: "export" },
        { id: "exportDpo/all", text: t("DPO Pairs…"), icon: "git-compare" },
        { id: "exportFiltered/all", text: t("Dataset of Middling Difficulty…"), icon: "filter" },
        { id: "splits/all", text: t("Splits…"), icon: "split-horizontal" },
        { id: "difficulty/all", text: t("Pass Rates per Prompt"), icon: "graph", divided: true },
        { id: "leakage/all", text: t("Check for Leakage"), icon: "search-fuzzy" },
        {
          id: "copyOne",
          text: t("Copy This Trajectory as Markdown"),
          icon: "copy",
          disabled: one,
          divided: true,
        },
        ...copyItems(viewer, total),
      ],
    },
  };
  const acts: readonly TrajectoryAct[] = [
    "promote",
    "promoteRegression",
    "exportTask",
    "exportSft",
    "exportDpo",
    "exportFiltered",
    "splits",
    "difficulty",
    "leakage",
  ];
  const choose = (id: string): void => {
    if (id === "csv" || id === "markdown") return void copyRows(viewer, id);
    if (id === "copyOne") return void copyOne(viewer);
    if (index !== null && id === "good") return void list.label(index, "good");
    if (index !== null && id === "bad") return void list.label(index, "bad");
    if (index !== null && id === "clear") return void list.label(index, null);
    const [name, scope] = id.split("/");
    const act = acts.find((known) => known === name);
    if (!act) return;
    if (scope === "one") void viewer.act(act, index === null ? [] : [index]);
    else void viewer.act(act, [], query.filter);
  };
  const compareAsk =
    marked.length > 1
      ? { indexes: marked, group: null }
      : index === null
        ? null
        : { indexes: [], group: index };
  return (
    <span class="verbs">
      <button
        type="button"
        class="verb"
        disabled={compareAsk === null}
        onClick={() => (viewer.comparing.value = compareAsk)}
      >
        <Icon name="split-horizontal" />{" "}
        <span class="verb-text">
          {marked.length > 1 ? t("Compare {0} Marked", marked.length) : t("Compare Group")}
        </span>
      </button>
      <button
        type="button"
        class="verb"
        disabled={!viewer.trusted.value}
        title={
          viewer.trusted.value
            ? t("Scores what the list shows ({0}) with your reward", matched)
            : t("Scoring runs your code: trust this folder first.")
        }
        onClick={() => void viewer.act("score", [], query.filter)}
      >
        <Icon name="play" />{" "}
        <span class="verb-text">{reward === null ? t("Score…") : t("Score with {0}", reward)}</span>
      </button>
      {(["label", "promote", "export"] satisfies VerbMenu[]).map((kind) => (
        <button
          key={kind}
          type="button"
          class="verb"
          aria-haspopup="menu"
          aria-expanded={menu?.kind === kind}
          onClick={open(kind)}
        >
          <Icon name={kind === "label" ? "tag" : kind === "promote" ? "arrow-up" : "export"} />{" "}
          <span class="verb-text">{menus[kind].label}</span> <Icon name="chevron-down" />
        </button>
      ))}
      {menu && (
        <Menu
          label={menus[menu.kind].label}
          at={menu}
          items={menus[menu.kind].items}
          onChoose={choose}
          onClose={(back) => {
            if (back) menu.from.focus();
            setMenu(null);
          }}
        />
      )}
    </span>
  );
}
