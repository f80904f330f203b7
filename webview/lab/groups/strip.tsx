import { useState } from "preact/hooks";
import type { LabGroup } from "../../../src/schema/lab";
import { fromTagged } from "../../../src/schema/number";
import type { Speech } from "../../../src/words/format";
import { type Axis, place } from "../../shared/axis";
import { Mark } from "../../shared/mark";
import { type Dot, layoutStrip, type StripLayout } from "../../shared/stripLayout";
import { memberInWords, membersInWords } from "./words";

export const RADIUS = 4;
/** Column at the left for rows that have no place on the axis. */
const GUTTER = 24;

/** The axis that every strip of a list shares. */
export function stripAxis(range: readonly [number, number], width: number, gutter = GUTTER): Axis {
  return {
    low: range[0],
    high: range[1],
    from: gutter + RADIUS + 2,
    to: Math.max(gutter + 20, width - RADIUS - 8),
  };
}

export function stripLayout(
  group: LabGroup,
  axis: Axis,
  height: number,
  radius = RADIUS,
  gutter = GUTTER,
): StripLayout {
  return layoutStrip(group.members, { axis, gutter: gutter / 2, height, radius });
}

export interface StripProps {
  readonly group: LabGroup;
  readonly axis: Axis;
  readonly layout: StripLayout;
  readonly width: number;
  readonly height: number;
  readonly speech: Speech;
  /** Row that the Lab has selected. */
  readonly selected: number | null;
  /** Takes a click on a dot, or Enter while it has the focus. Without it the strip is a picture alone. */
  readonly onSelect?: (row: number) => void;
  readonly radius?: number;
}

/** A group's rows on the reward axis, with the mean and one standard deviation to either side. */
export function Strip(props: StripProps) {
  const { group, axis, layout, width, height, speech, selected, onSelect, radius = RADIUS } = props;
  // One tooltip for all dots: that of the one under the pointer.
  const [under, setUnder] = useState("");
  const mean = group.mean === null ? NaN : fromTagged(group.mean);
  const std = group.std === null ? NaN : fromTagged(group.std);
  const left = place(axis, mean - std);
  const right = place(axis, mean + std);
  return (
    <svg
      class="strip"
      width={width}
      height={height}
      role={onSelect ? "group" : "img"}
      aria-label={membersInWords(group.members, speech)}
      onPointerOver={(event) => {
        if (event.target instanceof Element) setUnder(event.target.getAttribute("aria-label") ?? "");
      }}
    >
      <title>{under}</title>
      <path class="strip-base" d={`M${axis.from - 4} ${height - 0.5}H${width}`} />
      {Number.isFinite(mean) && Number.isFinite(std) && right > left && (
        <rect class="strip-std" x={left} y={2} width={right - left} height={height - 3} />
      )}
      {Number.isFinite(mean) && <path class="strip-mean" d={`M${place(axis, mean)} 1V${height}`} />}
      {layout.dots.map((dot) => dotMark(dot, props, radius))}
      {layout.dots
        .filter(({ member }) => member.row === selected)
        .map(({ x, y }) => (
          <circle class="ring" cx={x} cy={y} r={radius + 1.5} />
        ))}
      {layout.counts.map(({ x, y, n }) => {
        const fits = x + 8 + 8 * String(n).length < width;
        return (
          <text class="strip-count" x={fits ? x + 6 : x - 6} y={y + 8} text-anchor={fits ? "start" : "end"}>
            {n}
          </text>
        );
      })}
    </svg>
  );
}

function dotMark(dot: Dot, { onSelect, speech, selected }: StripProps, radius: number) {
  const { member, shape, x, y } = dot;
  if (!onSelect) return <Mark key={member.row} shape={shape} x={x} y={y} r={radius} />;
  return (
    <Mark
      key={member.row}
      shape={shape}
      x={x}
      y={y}
      r={radius}
      button={{
        "data-row": member.row,
        role: "button",
        tabindex: -1,
        "aria-label": memberInWords(member, speech),
        "aria-pressed": member.row === selected,
        onClick: () => onSelect(member.row),
      }}
    />
  );
}
