import { batch, effect, signal, untracked } from "@preact/signals";
import type { z } from "zod";
import { useEffect, useState } from "preact/hooks";
import { GroupOrder, type TrajectoryGroup } from "../../../src/schema/trajectoryView";
import { formatCount, formatNumber, formatScore } from "../../../src/words/format";
import type { Axis } from "../../shared/axis";
import { useWidth } from "../../shared/useWidth";
import { Icon, IconButton } from "../../shared/controls";
import { openOne } from "../list/table";
import { modelOf } from "../models";
import { Plain } from "../one/text";
import { OptionList } from "../optionList";
import { Pages } from "../pages";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { groupName, middleCut, onlyFile } from "../words";
import { AxisHead, byReward, GroupStrip, rewardAxis, STRIP_HEIGHT } from "./groupStrip";

const SIZE = 50;
const KEEP = 20;
/** Of a row, left and right, with room for a scroll bar. */
const PADDING = 28;
const ROW = 24 + STRIP_HEIGHT + 6;
type Order = z.infer<typeof GroupOrder>;

class GroupsModel {
  readonly pages = new Pages<TrajectoryGroup>(SIZE, KEEP);
  readonly shown = signal({ pages: this.pages });
  readonly order = signal<{ readonly by: Order; readonly descending: boolean }>({
    by: "first",
    descending: false,
  });
  readonly active = signal(0);
  /** Member that the arrows sideways lead to; -1: the group itself. */
  readonly member = signal(-1);
  readonly failure = signal<string | null>(null);
  readonly #viewer: Viewer;
  #window = { first: 0, last: 20 };

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    effect(() => {
      const key = JSON.stringify([viewer.state.value.query.filter, this.order.value, viewer.resetSeq.value]);
      const seq = viewer.rowsSeq.value;
      untracked(() => {
        this.pages.ask(key, seq);
        this.failure.value = null;
        if (viewer.state.value.tab === "groups") this.#fill();
      });
    });
  }

  show(first: number, last: number): void {
    this.#window = { first, last: Math.max(first + 1, last) };
    this.#fill();
  }

  #fill(): void {
    for (const index of this.pages.need(this.#window.first, this.#window.last)) void this.#fetch(index);
  }

  async #fetch(index: number): Promise<void> {
    const { key, seq } = this.pages;
    const { by, descending } = this.order.value;
    try {
      const answer = await this.#viewer.connection.data.groups(
        {
          filter: this.#viewer.state.value.query.filter,
          order: by,
          descending,
          from: index * SIZE,
          count: SIZE,
        },
        { timeoutMs: TIMEOUT_MS },
      );
      batch(() => {
        if (key === this.pages.key) this.#viewer.filterProblem.value = answer.problem;
        if (answer.problem) this.pages.fail(index, key);
        else if (this.pages.take(index, key, seq, answer.groups, answer.total))
          this.shown.value = { pages: this.pages };
      });
    } catch (error) {
      this.pages.fail(index, key);
      this.failure.value = this.#viewer.sentence(error);
    }
    if (key === this.pages.key) this.#fill();
  }
}

const groupsModel = modelOf((viewer) => new GroupsModel(viewer));

/** Every group on a strip of one axis: which are spread out, which are tied, and by how much. */
export function GroupsTab({ viewer }: { readonly viewer: Viewer }) {
  const model = groupsModel(viewer);
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const { pages } = model.shown.value;
  const [measure, width] = useWidth<HTMLDivElement>(400);
  const { by, descending } = model.order.value;
  const [onWindow] = useState(() => (first: number, last: number) => model.show(first, last));
  useEffect(() => onWindow(0, 20), []);
  const count = pages.total ?? 0;
  const axis = axisOf(pages, count, Math.max(120, width - PADDING));
  const groupAt = (at: number): TrajectoryGroup | null => pages.row(at)?.row ?? null;
  const orders: Readonly<Record<Order, string>> = {
    first: t("as in the file"),
    step: t("step"),
    n: t("size"),
    mean: t("mean"),
    std: t("spread"),
  };
  const sideways = (by: 1 | -1, at: number): void => {
    const group = groupAt(at);
    if (!group) return;
    const sorted = byReward(group);
    const to = Math.min(sorted.length - 1, Math.max(-1, model.member.value + by));
    model.member.value = to;
    const one = sorted[to];
    if (one)
      viewer.say(
        t(
          "Trajectory {0}, reward {1}",
          formatCount(one.index + 1, language),
          formatScore(one.reward, language),
        ),
      );
  };
  return (
    <div class="tab-view" ref={measure}>
      <div class="tab-tools">
        <span class="quiet">{t("{0} groups", formatCount(count, language))}</span>
        <span class="grow" />
        <label>
          {t("Order")}{" "}
          <select
            value={by}
            onChange={(event) => {
              const chosen = GroupOrder.safeParse(event.currentTarget.value);
              if (chosen.success) model.order.value = { by: chosen.data, descending };
            }}
          >
            {GroupOrder.options.map((one) => (
              <option key={one} value={one}>
                {orders[one]}
              </option>
            ))}
          </select>
        </label>
        <IconButton
          icon={descending ? "arrow-down" : "arrow-up"}
          label={t("Descending")}
          pressed={descending}
          onClick={() => (model.order.value = { by, descending: !descending })}
        />
      </div>
      {model.failure.value !== null && (
        <p role="alert" class="bar">
          {model.failure.value}
        </p>
      )}
      {count === 0 ? (
        <p class="notice quiet">
          {pages.total === null ? t("Reading the groups…") : t("No group matches the filter.")}
        </p>
      ) : (
        <>
          <div class="group-axis-line">
            <AxisHead axis={axis} speech={speech} />
          </div>
          <OptionList
            id="group"
            class="groups"
            count={count}
            rowHeight={ROW}
            label={t(
              "Groups. Enter shows the first of one, arrows sideways choose a member, c compares the group.",
            )}
            active={model.active.value}
            onActive={(at) => {
              model.member.value = -1;
              model.active.value = at;
            }}
            onOpen={(at) => {
              const group = groupAt(at);
              const one = group ? (byReward(group)[model.member.value] ?? group.members[0]) : undefined;
              if (one) openOne(viewer, one.index);
            }}
            onKey={(event, at) => {
              const first = groupAt(at)?.members[0];
              if (event.key === "ArrowRight") sideways(1, at);
              else if (event.key === "ArrowLeft") sideways(-1, at);
              else if (event.key === "c" && first)
                viewer.comparing.value = { indexes: [], group: first.index };
              else return false;
              return true;
            }}
            onWindow={onWindow}
            row={(at) => {
              const group = groupAt(at);
              return group ? (
                <GroupRow
                  viewer={viewer}
                  group={group}
                  axis={axis}
                  member={at === model.active.value ? model.member.value : -1}
                />
              ) : (
                "…"
              );
            }}
          />
        </>
      )}
    </div>
  );
}

/** One axis for all groups that are here, so that strips can be told from each other. */
function axisOf(pages: Pages<TrajectoryGroup>, count: number, width: number): Axis {
  let [low, high] = [Infinity, -Infinity];
  for (let at = 0; at < Math.min(count, 2000); at++) {
    const group = pages.row(at)?.row;
    if (!group || group.min === null || group.max === null) continue;
    low = Math.min(low, group.min);
    high = Math.max(high, group.max);
  }
  return rewardAxis(low, high, width);
}

interface GroupRowProps {
  readonly viewer: Viewer;
  readonly group: TrajectoryGroup;
  readonly axis: Axis;
  readonly member: number;
}

function GroupRow({ viewer, group, axis, member }: GroupRowProps) {
  const { t, language } = viewer.speech.value;
  const sorted = byReward(group);
  const selected = viewer.state.value.index;
  const chosen = sorted[member];
  return (
    <>
      <div class="group-line">
        <strong class="group-id" title={group.id.slice(0, 500)}>
          <Plain text={middleCut(groupName(group.id, onlyFile(viewer.info.value)), 28)} />
        </strong>
        {group.step !== null && (
          <span class="quiet">{t("step {0}", formatNumber(group.step, language))}</span>
        )}
        <span class="quiet">
          {group.scored === group.n
            ? t("{0} trajectories", formatCount(group.n, language))
            : t(
                "{0} of {1} with a reward",
                formatCount(group.scored, language),
                formatCount(group.n, language),
              )}
        </span>
        <span title={t("Mean and standard deviation of the rewards")}>
          <span class="quiet">{t("mean")}</span> {formatScore(group.mean, language)}
          {group.std !== null && group.std > 0 && (
            <span class="quiet"> ± {formatNumber(group.std, language)}</span>
          )}
        </span>
        {group.tied && (
          <span class="tag">
            <Icon name="circle-slash" /> {t("tied")}
          </span>
        )}
        <span class="group-title quiet">
          <Plain text={group.title} />
        </span>
      </div>
      <GroupStrip
        group={group}
        axis={axis}
        selected={selected}
        chosen={chosen?.index ?? null}
        onOpen={(index) => openOne(viewer, index)}
      />
    </>
  );
}
