import { type Signal, signal } from "@preact/signals";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { GroupSort, LabGroup, LabGroups } from "../../../src/schema/lab";
import { formatCount, formatScore, type Speech } from "../../../src/words/format";
import type * as z from "zod";
import type { Lab } from "../lab";
import { selectRow } from "../select";
import { place, ticks } from "../../shared/axis";
import { GroupCells } from "./groupRow";
import { List } from "./list";
import { useWidth } from "../../shared/useWidth";
import { RADIUS, stripAxis } from "./strip";
import { Mark } from "../../shared/mark";
import { SHAPES } from "../../shared/stripLayout";
import { Unread } from "./unread";
import { usePages } from "./usePages";
import { groupFilter, separationExplained, shapeInWords } from "./words";
import "./groups.css";

type Sort = { readonly by: z.infer<typeof GroupSort>; readonly descending: boolean };
const SORTS = ["file", "mean", "std", "size"] as const;
const PAGE = 40;
const ROW = 64;
/** Below this width a row takes two lines. */
const NARROW = 560;
const NARROW_ROW = 116;
const FOLDED = 1000;

/** The order outlives the view: another tab and back changes nothing. */
const sorts = new WeakMap<Lab, Signal<Sort>>();
function sortOf(lab: Lab): Signal<Sort> {
  const known = sorts.get(lab) ?? signal<Sort>({ by: "file", descending: false });
  sorts.set(lab, known);
  return known;
}

export function GroupsView({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  const { t } = speech;
  const { filter, weights, selected } = lab.state.value;
  const sort = sortOf(lab);
  const { by, descending } = sort.value;
  const pages = usePages({
    size: PAGE,
    fetch: (ask: GroupsAsk, from, count) =>
      lab.connection.data.groups(
        { filter: ask.filter, weights: ask.weights, sort: ask.sort, descending: ask.descending, from, count },
        { timeoutMs: 60_000 },
      ),
    items: (answer: LabGroups) => answer.groups,
  });
  const ask: GroupsAsk = {
    filter,
    weights,
    sort: by,
    descending,
    seq: lab.seq.value,
    labels: lab.labelSeq.value,
  };
  const key = JSON.stringify(ask);
  const onWindow = useCallback((first: number, last: number) => pages.want(ask, first, last), [key, pages]);
  const [active, setActive] = useState(0);
  const [measure, width] = useWidth<HTMLElement>(900);
  const [measureStrip, stripWidth] = useWidth<HTMLDivElement>(300);

  const head = pages.head;
  const count = head?.total ?? 0;
  const narrow = width < NARROW;
  const height = narrow ? 44 : 48;
  const axis = useMemo(
    () => stripAxis(head?.range ?? [0, 1], stripWidth),
    [head?.range?.[0], head?.range?.[1], stripWidth],
  );
  const onSelect = useCallback((row: number) => selectRow(lab, row), [lab]);

  const open = (index: number): void => {
    const found = pages.item(index);
    if (found) lab.set({ tab: "samples", filter: groupFilter(found.item.id), scroll: 0 });
  };
  const onKey = (event: KeyboardEvent, index: number): void => {
    const dot = event.target instanceof SVGElement ? event.target.closest("[data-row]") : null;
    switch (event.key) {
      case "Enter":
      case " ": {
        const row = dot?.getAttribute("data-row");
        if (row !== null && row !== undefined) selectRow(lab, Number(row));
        else open(index);
        break;
      }
      case "ArrowRight":
      case "ArrowLeft":
        moveBetweenDots(event.currentTarget, dot, index, event.key === "ArrowRight" ? 1 : -1);
        break;
      case "Escape":
        if (!dot) return;
        dot.closest<HTMLElement>("[role=row]")?.focus();
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  const row = (index: number) => {
    const found = pages.item(index);
    if (!found)
      return (
        <div role="gridcell" class="quiet">
          {t("Loading…")}
        </div>
      );
    return (
      <div role="presentation" class={`g-row ${found.stale ? "stale" : ""}`} onDblClick={() => open(index)}>
        <GroupCells
          group={found.item}
          axis={axis}
          width={stripWidth}
          height={height}
          selected={holds(found.item, selected?.row) ? (selected?.row ?? null) : null}
          speech={speech}
          onSelect={onSelect}
        />
      </div>
    );
  };

  return (
    <section class={`evidence groups ${narrow ? "compact" : ""}`} ref={measure} aria-label={t("Groups")}>
      <Head lab={lab} head={head} speech={speech} sort={sort} folded={width < FOLDED} />
      {pages.error !== null && (
        <Unread
          says={t("The groups could not be read: {0}", pages.error)}
          onRetry={() => pages.retry()}
          speech={speech}
        />
      )}
      {head !== null && count === 0 && <Empty lab={lab} head={head} speech={speech} />}
      <List
        class={count === 0 ? "hidden" : ""}
        count={Math.max(count, head === null ? 1 : 0)}
        rowHeight={narrow ? NARROW_ROW : ROW}
        label={t("Groups: Enter filters the samples, left and right go through the rows of a group")}
        active={Math.min(active, Math.max(0, count - 1))}
        onActive={setActive}
        isSelected={(index) => holds(pages.item(index)?.item, selected?.row)}
        row={row}
        onKey={onKey}
        onWindow={onWindow}
        head={
          <div role="presentation" class="g-row g-head">
            <div role="columnheader">{t("Group")}</div>
            <div role="columnheader" class="g-strip" ref={measureStrip}>
              <span class="sr">{t("Totals of its rows")}</span>
              <AxisMarks axis={axis} range={head?.range ?? null} width={stripWidth} speech={speech} />
            </div>
            <div role="columnheader" class="g-number" title={t("Mean of the totals of the group's rows")}>
              {t("mean")}
            </div>
            <div
              role="columnheader"
              class="g-number"
              title={t("Sample standard deviation of the totals, with n − 1")}
            >
              {t("std")}
            </div>
            <div role="columnheader" class="g-number" title={t("Rows in this pass, of the group's rows")}>
              {t("n")}
            </div>
            <div role="columnheader" class="g-says" title={separationExplained(speech)}>
              {t("Separated by")}
            </div>
          </div>
        }
      />
    </section>
  );
}

type GroupsAsk = {
  readonly filter: string;
  readonly weights: Record<string, number> | null;
  readonly sort: Sort["by"];
  readonly descending: boolean;
  /** Not sent: another snapshot makes it another question. */
  readonly seq: number;
  readonly labels: number;
};

function holds(group: LabGroup | undefined, row: number | undefined): boolean {
  return group?.members.some((member) => member.row === row) ?? false;
}

/** Puts the focus on the next dot of the active row; from the row itself on its first or last one. */
function moveBetweenDots(list: EventTarget | null, dot: Element | null, index: number, by: 1 | -1): void {
  if (!(list instanceof HTMLElement)) return;
  const row = list.querySelector(`[aria-rowindex="${index + 2}"]`);
  const dots = [...(row?.querySelectorAll<SVGGElement>("[data-row]") ?? [])];
  const at = dots.findIndex((other) => other === dot);
  const next = at === -1 ? (by === 1 ? 0 : dots.length - 1) : at + by;
  dots[Math.min(dots.length - 1, Math.max(0, next))]?.focus();
}

interface HeadProps {
  readonly lab: Lab;
  readonly head: LabGroups | null;
  readonly speech: Speech;
  readonly sort: Signal<Sort>;
  /** The legend is behind a click. */
  readonly folded: boolean;
}

function Head({ lab, head, speech, sort, folded }: HeadProps) {
  const { t, language } = speech;
  const n = (value: number): string => formatCount(value, language);
  const { by, descending } = sort.value;
  const filtered = lab.state.value.filter.trim() !== "";
  return (
    <header class="evidence-head">
      {head && (
        <ul
          class="counts"
          aria-label={t("Over all groups that are complete in this pass")}
          title={t("Over all groups that are complete in this pass")}
        >
          <li>{t("{0} groups", n(head.counts.n))}</li>
          <CountItem icon="link" text={t("{0} tied", n(head.counts.tied))} dim={head.counts.tied === 0} />
          <CountItem
            icon="filter"
            text={t("{0} filtered", n(head.counts.filtered))}
            dim={head.counts.filtered === 0}
          />
          <CountItem
            icon="circle-slash"
            text={t("{0} no gradient", n(head.counts.noGradient))}
            dim={head.counts.noGradient === 0}
          />
          <CountItem
            icon="warning"
            text={t("{0} separated by a crumb", n(head.counts.crumbs))}
            dim={head.counts.crumbs === 0}
          />
          {filtered && <li class="quiet">{t("filter: {0} groups shown", n(head.total))}</li>}
        </ul>
      )}
      <div class="evidence-tools">
        <label>
          {t("Sort by")}{" "}
          <select
            value={by}
            onChange={(event) => {
              const chosen = SORTS.find((known) => known === event.currentTarget.value);
              if (chosen) sort.value = { ...sort.value, by: chosen };
            }}
          >
            <option value="file">{t("file")}</option>
            <option value="mean">{t("mean")}</option>
            <option value="std">{t("std")}</option>
            <option value="size">{t("size")}</option>
          </select>
        </label>
        <button
          type="button"
          class="icon"
          aria-pressed={descending}
          title={descending ? t("Descending") : t("Ascending")}
          aria-label={t("Descending")}
          onClick={() => (sort.value = { ...sort.value, descending: !descending })}
        >
          <span class={`codicon codicon-arrow-${descending ? "down" : "up"}`} aria-hidden="true" />
        </button>
      </div>
      {head && (
        <p class="quiet formula">
          {t("Advantage: {0}", head.formula)}
          <span class="said"> {separationExplained(speech)}</span>
          {head.hypothetical && (
            <span class="g-hypothetical">
              {" "}
              <span class="codicon codicon-info" aria-hidden="true" />{" "}
              {t("The trainer would have stopped: these advantages are hypothetical.")}
            </span>
          )}
        </p>
      )}
      {folded ? (
        <details class="quiet">
          <summary>{t("What the marks mean")}</summary>
          <Legend head={head} speech={speech} />
        </details>
      ) : (
        <Legend head={head} speech={speech} />
      )}
    </header>
  );
}

function CountItem({ icon, text, dim }: { icon: string; text: string; dim: boolean }) {
  return (
    <li class={dim ? "quiet" : ""}>
      <span class={`codicon codicon-${icon}`} aria-hidden="true" /> {text}
    </li>
  );
}

/** What the marks mean. */
function Legend({ head, speech }: { readonly head: LabGroups | null; readonly speech: Speech }) {
  const { t } = speech;
  if (!head?.range) return null;
  const r = RADIUS;
  return (
    <ul class="legend quiet" aria-hidden="true">
      {SHAPES.map((shape) => (
        <li key={shape}>
          <svg width={r * 2 + 2} height={r * 2 + 2}>
            <Mark shape={shape} x={r + 1} y={r + 1} r={r} />
          </svg>
          {shapeInWords(shape, speech)}
        </li>
      ))}
      <li>
        <svg width={16} height={12}>
          <rect class="strip-std" x={1} y={1} width={14} height={10} />
          <path class="strip-mean" d="M8 0V12" />
        </svg>
        {t("mean ± std of the totals, with n − 1")}
      </li>
    </ul>
  );
}

function AxisMarks(props: {
  readonly axis: ReturnType<typeof stripAxis>;
  readonly range: readonly [number, number] | null;
  readonly width: number;
  readonly speech: Speech;
}) {
  const { axis, range, width, speech } = props;
  if (!range) return null;
  return (
    <svg class="strip-axis" width={width} height={18} aria-hidden="true">
      {ticks(range[0], range[1], Math.max(2, Math.floor(width / 70))).map((value) => {
        const x = place(axis, value);
        return (
          <g key={value}>
            <path class="strip-tick" d={`M${x} 13V18`} />
            <text x={x} y={11} text-anchor={x > width - 16 ? "end" : "middle"}>
              {formatScore(value, speech.language)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function Empty(props: { readonly lab: Lab; readonly head: LabGroups; readonly speech: Speech }) {
  const { lab, head, speech } = props;
  const { t } = speech;
  if (lab.state.value.filter.trim() !== "")
    return (
      <p class="notice">
        {t("No group has a row that the filter lets through.")}{" "}
        <button type="button" onClick={() => lab.set({ filter: "" })}>
          {t("Clear Filter")}
        </button>
      </p>
    );
  return (
    <p class="notice">
      {head.status === "none"
        ? t("Nothing is scored yet, so there are no groups to compare.")
        : t("The samples have no groups.")}
    </p>
  );
}
