import { useCallback, useEffect, useState } from "preact/hooks";
import type { LabCommand } from "../../../src/protocol/lab.contract";
import type { LabFlip, LabFlips } from "../../../src/schema/lab";
import { formatCount, type Speech } from "../../../src/words/format";
import { List } from "../groups/list";
import { useWidth } from "../../shared/useWidth";
import { Unread } from "../groups/unread";
import { usePages } from "../groups/usePages";
import type { Lab } from "../lab";
import { selectRow } from "../select";
import { Cause, FlipCells, Summary } from "./flipParts";
import type { HunkChoice, HunkIndex } from "./hunkIndex";
import { hunkRunOf, runHunks, type HunkRun } from "./hunkRun";
import { HunkChips } from "./hunkViews";
import { baselineInWords, nothingToShow } from "./words";
import "../groups/groups.css";
import "./flips.css";

const PAGE = 100;
/** A choice by hunk looks through so many flips at most. */
const MOST = 10_000;
const STEP = 500;
const ROW = 28;
const NARROW = 760;
const NARROW_CAUSED = 880;
const NARROW_ROW = 44;
const NARROW_CAUSED_ROW = 62;

export function FlipsView({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  const { t } = speech;
  const { selected } = lab.state.value;
  const pages = usePages({
    size: PAGE,
    fetch: (_ask: { readonly seq: number }, from, count) =>
      lab.connection.data.flips({ from, count }, { timeoutMs: 60_000 }),
    items: (answer: LabFlips) => answer.flips,
  });
  const seq = lab.seq.value;
  const onWindow = useCallback(
    (first: number, last: number) => pages.want({ seq }, first, last),
    [seq, pages],
  );
  const [active, setActive] = useState(0);
  const [choice, setChoice] = useState<HunkChoice>(null);
  const [measure, width] = useWidth<HTMLElement>(900);
  const run = hunkRunOf(lab).value;
  const index = run.kind === "done" ? run.index : null;
  const chosen = useChosen(lab, index, choice, seq);

  const head = pages.head;
  const count = chosen ? chosen.flips.length : (head?.total ?? 0);
  const narrow = width < (index ? NARROW_CAUSED : NARROW);
  const at = (position: number): { item: LabFlip; stale: boolean } | null => {
    if (!chosen) return pages.item(position);
    const item = chosen.flips[position];
    return item ? { item, stale: false } : null;
  };
  const now = Math.min(active, Math.max(0, count - 1));
  const current = count > 0 ? at(now) : null;
  const nothing = head ? nothingToShow(head, lab.scores.value.scores?.versionHash ?? null, speech) : null;
  const select = (position: number): void => {
    const found = at(position);
    if (found) selectRow(lab, found.item.row);
  };
  const row = (position: number) => {
    const found = at(position);
    if (!found)
      return (
        <div role="gridcell" class="quiet">
          {t("Loading…")}
        </div>
      );
    return (
      <div
        role="presentation"
        class={`f-row ${index ? "caused" : ""} ${found.stale ? "stale" : ""}`}
        onClick={() => select(position)}
      >
        <FlipCells flip={found.item} index={index} speech={speech} />
      </div>
    );
  };
  return (
    <section class={`evidence flips ${narrow ? "compact" : ""}`} ref={measure} aria-label={t("Flips")}>
      <header class="evidence-head">
        <p class="f-head">{head ? headline(head, speech) : t("Loading…")}</p>
        <div class="evidence-tools">
          <Act lab={lab} command="compareVersions" text={t("Compare Versions")} />
          <Act lab={lab} command="setBaseline" text={t("Set Baseline…")} />
        </div>
      </header>
      {pages.error !== null && (
        <Unread
          says={t("The flips could not be read: {0}", pages.error)}
          onRetry={() => pages.retry()}
          speech={speech}
        />
      )}
      {head && head.baseline !== null && head.summary.length > 0 && (
        <div class="f-summary-scroll" tabIndex={-1}>
          <Summary head={head} speech={speech} />
        </div>
      )}
      {nothing !== null && <p class="notice">{nothing}</p>}
      {head !== null && head.total > 0 && <Causes lab={lab} run={run} seq={seq} speech={speech} />}
      {index && head !== null && head.total > 0 && (
        <HunkChips
          index={index}
          choice={choice}
          onChoose={(next) => {
            setChoice(next);
            setActive(0);
          }}
          speech={speech}
        />
      )}
      {chosen && (
        <p class="notice" role="status">
          {chosen.complete
            ? t("{0} flips shown", formatCount(chosen.flips.length, speech.language))
            : t(
                "{0} flips shown of those looked through so far",
                formatCount(chosen.flips.length, speech.language),
              )}
        </p>
      )}
      <List
        class={nothing !== null ? "hidden" : ""}
        count={head === null ? 1 : count}
        rowHeight={narrow ? (index ? NARROW_CAUSED_ROW : NARROW_ROW) : ROW}
        label={t("Flips: Enter selects the row")}
        active={now}
        onActive={setActive}
        isSelected={(position) => selected !== null && at(position)?.item.row === selected.row}
        row={row}
        onKey={(event, position) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          select(position);
        }}
        onWindow={onWindow}
        head={
          <div role="presentation" class={`f-row f-titles ${index ? "caused" : ""}`}>
            <div role="columnheader" class="f-number">
              {t("Row")}
            </div>
            <div role="columnheader">{t("Group")}</div>
            <div role="columnheader">{t("Function")}</div>
            <div role="columnheader">{t("Before → now")}</div>
            <div role="columnheader">{t("Change")}</div>
            <div role="columnheader">{t("Also")}</div>
            {index && <div role="columnheader">{t("Caused by")}</div>}
            <div role="columnheader">{t("Completion")}</div>
          </div>
        }
      />
      {index && current && nothing === null && (
        <Cause lab={lab} flip={current.item} index={index} speech={speech} />
      )}
    </section>
  );
}

function headline(head: LabFlips, speech: Speech): string {
  const { t, language } = speech;
  if (head.baseline === null) return t("No baseline");
  const total = formatCount(head.total, language);
  const baseline = baselineInWords(head.baseline.kind, speech);
  const moved = head.summary.reduce((sum, { up, down }) => sum + up + down, 0);
  // The number at the tab is of those whose score went up or down.
  if (moved < head.total)
    return t(
      "{0} flips against {1}: {2} up or down, {3} only in state, place or sign",
      total,
      baseline,
      formatCount(moved, language),
      formatCount(head.total - moved, language),
    );
  return head.total === 1 ? t("1 flip against {0}", baseline) : t("{0} flips against {1}", total, baseline);
}

function Act({ lab, command, text }: { lab: Lab; command: LabCommand; text: string }) {
  return (
    <button
      type="button"
      onClick={() => void lab.connection.host.run({ command, function: null }).catch(() => undefined)}
    >
      {text}
    </button>
  );
}

interface CausesProps {
  readonly lab: Lab;
  readonly run: HunkRun;
  readonly seq: number;
  readonly speech: Speech;
}

/** The button that tells the changes apart, its wait, its failure, and whether its answer is old. */
function Causes({ lab, run, seq, speech }: CausesProps) {
  const { t } = speech;
  if (run.kind === "running")
    return (
      <div class="notice f-wait" role="status">
        <progress aria-label={t("Scoring with one change at a time")} />
        {t("Scoring with one change at a time…")}
        <button type="button" onClick={() => run.stop.abort()}>
          {t("Cancel")}
        </button>
      </div>
    );
  const old = run.kind === "done" && run.seq !== seq;
  return (
    <div class="notice f-wait">
      <button
        type="button"
        disabled={!lab.trusted.value}
        title={t("Scores the flipped rows again with one change of the text at a time")}
        onClick={() => void runHunks(lab)}
      >
        {t("Which change caused which flip?")}
      </button>
      {old && <span role="status">{t("The scores are newer than this answer.")}</span>}
      {!lab.trusted.value && (
        <span class="quiet">{t("It runs code, so it waits for trust in this folder.")}</span>
      )}
      {run.kind === "failed" && (
        <span role="alert">
          <span class="codicon codicon-error" aria-hidden="true" />{" "}
          {t("The changes could not be told apart: {0}", run.message)}
        </span>
      )}
    </div>
  );
}

interface Chosen {
  readonly flips: readonly LabFlip[];
  /** All flips were looked through. */
  readonly complete: boolean;
}

/** Flips of one choice by hunk: the engine doesn't know the hunks, so the pages are looked through here. */
function useChosen(lab: Lab, index: HunkIndex | null, choice: HunkChoice, seq: number): Chosen | null {
  const [chosen, setChosen] = useState<Chosen>({ flips: [], complete: false });
  useEffect(() => {
    if (!index || choice === null) return;
    setChosen({ flips: [], complete: false });
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      let flips: readonly LabFlip[] = [];
      for (let from = 0; from < MOST; from += STEP) {
        const page = await lab.connection.data.flips({ from, count: STEP }, { signal: stop.signal });
        flips = [...flips, ...page.flips.filter((flip) => index.lets(choice, flip))];
        const complete = from + STEP >= page.total;
        setChosen({ flips, complete });
        if (complete) return;
      }
    };
    // What was found until a failure stays, and is said to be not all.
    look().catch(() => undefined);
    return () => stop.abort();
  }, [lab, index, choice, seq]);
  return index && choice !== null ? chosen : null;
}
