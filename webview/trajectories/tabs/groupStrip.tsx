import { fromTagged } from "../../../src/schema/number";
import type { TrajectoryGroup } from "../../../src/schema/trajectoryView";
import { formatScore, type Speech } from "../../../src/words/format";
import { type Axis, place, ticks } from "../../shared/axis";
import { Mark } from "../../shared/mark";
import { layoutStrip, type StripLayout } from "../../shared/stripLayout";

export const STRIP_HEIGHT = 30;
const RADIUS = 4;
/** Column at the left for those without a place on the axis. */
const GUTTER = 22;
const AXIS_HEIGHT = 20;

/** The axis that every strip of the list shares: from the least to the highest reward of the groups that are here. */
export function rewardAxis(low: number, high: number, width: number): Axis {
  const [from, to] = low > high ? [0, 1] : [low, high];
  return { low: from, high: to, from: GUTTER + RADIUS + 4, to: Math.max(GUTTER + 60, width - RADIUS - 6) };
}

export function layoutGroup(group: TrajectoryGroup, axis: Axis): StripLayout {
  const members = group.members.map(({ index, reward }) => ({
    row: index,
    total: reward,
    advantage: null,
    state: reward === null ? ("unscored" as const) : ("scored" as const),
  }));
  return layoutStrip(members, { axis, gutter: GUTTER / 2, height: STRIP_HEIGHT, radius: RADIUS });
}

/** What the strips' places mean, above them all. */
export function AxisHead({ axis, speech }: { readonly axis: Axis; readonly speech: Speech }) {
  const { t, language } = speech;
  const marks = ticks(axis.low, axis.high, Math.max(2, Math.floor((axis.to - axis.from) / 70)));
  return (
    <svg
      class="strip-axis group-axis"
      width="100%"
      height={AXIS_HEIGHT}
      role="img"
      aria-label={t(
        "Rewards from {0} to {1}; the line is the mean, what has no reward is at the left",
        formatScore(axis.low, language),
        formatScore(axis.high, language),
      )}
    >
      <text x={GUTTER / 2} y={13} text-anchor="middle">
        –
      </text>
      {marks.map((value) => {
        const x = place(axis, value);
        const anchor = x > axis.to - 14 ? "end" : x < axis.from + 6 ? "start" : "middle";
        return (
          <g key={value}>
            <path class="strip-tick" d={`M${x} ${AXIS_HEIGHT - 4}V${AXIS_HEIGHT}`} />
            <text x={x} y={13} text-anchor={anchor}>
              {formatScore(value, language)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

export interface GroupStripProps {
  readonly group: TrajectoryGroup;
  readonly axis: Axis;
  /** Trajectory that is shown, and the one that the arrows lead to; null: none of this group. */
  readonly selected: number | null;
  readonly chosen: number | null;
  readonly onOpen: (index: number) => void;
}

/** A group's trajectories at their rewards. For the pointer alone: the arrow keys say the same. */
export function GroupStrip({ group, axis, selected, chosen, onOpen }: GroupStripProps) {
  const { dots, counts } = layoutGroup(group, axis);
  const std = group.std ?? 0;
  return (
    <svg
      class="group-strip"
      width="100%"
      height={STRIP_HEIGHT}
      aria-hidden="true"
      onClick={(event) => {
        const mark = event.target instanceof Element ? event.target.closest("[data-row]") : null;
        if (!mark) return;
        event.stopPropagation();
        onOpen(Number(mark.getAttribute("data-row")));
      }}
    >
      <path class="strip-base" d={`M${axis.from - 4} ${STRIP_HEIGHT - 0.5}H${axis.to + 4}`} />
      {group.mean !== null && std > 0 && (
        <rect
          class="strip-std"
          x={place(axis, group.mean - std)}
          y={2}
          width={Math.max(0, place(axis, group.mean + std) - place(axis, group.mean - std))}
          height={STRIP_HEIGHT - 3}
        />
      )}
      {group.mean !== null && <path class="strip-mean" d={`M${place(axis, group.mean)} 1V${STRIP_HEIGHT}`} />}
      {dots.map(({ member, shape, x, y }) => (
        <g key={member.row} data-row={member.row} class="group-mark">
          <Mark shape={shape} x={x} y={y} r={RADIUS} />
          {member.row === selected && <circle class="ring" cx={x} cy={y} r={RADIUS + 1.5} />}
          {member.row === chosen && <circle class="ring chosen" cx={x} cy={y} r={RADIUS + 3} />}
        </g>
      ))}
      {counts.map(({ x, y, n }) => {
        const fits = x + 8 + 8 * String(n).length < axis.to;
        return (
          <text
            key={x}
            class="strip-count"
            x={fits ? x + 6 : x - 6}
            y={y + 8}
            text-anchor={fits ? "start" : "end"}
          >
            {n}
          </text>
        );
      })}
    </svg>
  );
}

/** Least reward first; those without one before all, those that are no number on an axis too. */
export function byReward(group: TrajectoryGroup): TrajectoryGroup["members"] {
  const value = (reward: TrajectoryGroup["members"][number]["reward"]): number => {
    const number = reward === null ? -Infinity : fromTagged(reward);
    return Number.isNaN(number) ? -Infinity : number;
  };
  return [...group.members].sort((a, b) => {
    const [one, other] = [value(a.reward), value(b.reward)];
    return one === other ? a.index - b.index : one - other;
  });
}
