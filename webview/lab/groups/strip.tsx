import type { LabGroup } from "../../../src/schema/lab";
import { fromTagged } from "../../../src/schema/number";
import type { Speech } from "../../../src/words/format";
import { type Axis, place } from "./axis";
import { type Dot, layoutStrip, type Shape, type StripLayout } from "./stripLayout";
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

/** One row's mark. */
export function Mark({ shape, x, y, r }: { shape: Shape; x: number; y: number; r: number }) {
  switch (shape) {
    case "scored":
      return <circle class="mark scored" cx={x} cy={y} r={r - 0.5} />;
    case "partly":
      return <path class="mark partly" d={`M${x} ${y - r}L${x + r} ${y + r - 1}H${x - r}Z`} />;
    case "failed":
      return (
        <path
          class="mark failed"
          d={`M${x - r + 1} ${y - r + 1}L${x + r - 1} ${y + r - 1}M${x + r - 1} ${y - r + 1}L${x - r + 1} ${y + r - 1}`}
        />
      );
    case "open":
      return <circle class="mark open" cx={x} cy={y} r={r - 1} />;
    case "non-finite":
      return <path class="mark non-finite" d={`M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`} />;
    case "absent":
      return <circle class="mark absent" cx={x} cy={y} r={r - 1} />;
  }
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
    >
      <path class="strip-base" d={`M${axis.from - 4} ${height - 0.5}H${width}`} />
      {Number.isFinite(mean) && Number.isFinite(std) && right > left && (
        <rect class="strip-std" x={left} y={2} width={right - left} height={height - 3} />
      )}
      {Number.isFinite(mean) && <path class="strip-mean" d={`M${place(axis, mean)} 1V${height}`} />}
      {layout.dots.map((dot) => (
        <DotMark
          key={dot.member.row}
          dot={dot}
          radius={radius}
          speech={speech}
          selected={dot.member.row === selected}
          {...(onSelect ? { onSelect } : {})}
        />
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

interface DotProps {
  readonly dot: Dot;
  readonly radius: number;
  readonly speech: Speech;
  readonly selected: boolean;
  readonly onSelect?: (row: number) => void;
}

function DotMark({ dot, radius, speech, selected, onSelect }: DotProps) {
  const { member, shape, x, y } = dot;
  const words = memberInWords(member, speech);
  const mark = <Mark shape={shape} x={x} y={y} r={radius} />;
  const ring = selected && <circle class="ring" cx={x} cy={y} r={radius + 1.5} />;
  if (!onSelect)
    return (
      <g>
        {mark}
        {ring}
      </g>
    );
  return (
    <g
      class="dot"
      data-row={member.row}
      role="button"
      tabIndex={-1}
      aria-label={words}
      aria-pressed={selected}
      onClick={() => onSelect(member.row)}
    >
      <title>{words}</title>
      <circle class="focus-ring" cx={x} cy={y} r={radius + 2} />
      {mark}
      {ring}
    </g>
  );
}
