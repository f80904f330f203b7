import type { TaggedNumber } from "../../src/schema/number";
import type { ScoreState } from "../../src/schema/score";
import { type Axis, place } from "./axis";

export interface Member {
  readonly row: number;
  readonly total: TaggedNumber | null;
  readonly advantage: TaggedNumber | null;
  readonly state: ScoreState | null;
}

/**
 * What a row's mark looks like, so that states are told apart without colour. `scored`: every function gave a score;
 * `partly`: a total, though some function gave none; `failed`: no total, the reward went wrong; `open`: no total, for a
 * reason that is no fault; `non-finite`: a total that is no number on an axis; `absent`: not in this pass.
 */
export const SHAPES = ["scored", "partly", "failed", "open", "non-finite", "absent"] as const;
export type Shape = (typeof SHAPES)[number];

const FAULTS: readonly (ScoreState | null)[] = ["raised", "crashed", "timed-out", "invalid-return"];

export function shapeOf({ total, state }: Pick<Member, "total" | "state">): Shape {
  if (typeof total === "number") return state === "scored" || state === null ? "scored" : "partly";
  if (total !== null) return "non-finite";
  if (state === null) return "absent";
  if (state === "non-finite") return "non-finite";
  return FAULTS.includes(state) ? "failed" : "open";
}

export interface Dot {
  readonly member: Member;
  readonly shape: Shape;
  readonly x: number;
  readonly y: number;
}

export interface StripLayout {
  /** Left to right, then upwards: the order of the arrow keys. Rows without a place on the axis come first. */
  readonly dots: readonly Dot[];
  /** Where so many rows are equal that their dots lie over one another: how many, and where that is written. */
  readonly counts: readonly { readonly x: number; readonly y: number; readonly n: number }[];
}

export interface StripBox {
  readonly axis: Axis;
  /** Middle of the column for rows without a total. */
  readonly gutter: number;
  readonly height: number;
  readonly radius: number;
}

/** Dots at their exact values; those that would cover each other are stacked upwards from the base line. */
export function layoutStrip(members: readonly Member[], box: StripBox): StripLayout {
  const { axis, gutter, height, radius } = box;
  const placed = members
    .map((member) => ({
      member,
      shape: shapeOf(member),
      x: typeof member.total === "number" ? place(axis, member.total) : gutter,
    }))
    .sort((a, b) => a.x - b.x || a.member.row - b.member.row);
  const diameter = radius * 2;
  const ends: number[] = [];
  const levels = placed.map(({ x }) => {
    const free = ends.findIndex((end) => x - end >= diameter - 1e-6);
    const level = free === -1 ? ends.length : free;
    ends[level] = x;
    return level;
  });
  const top = Math.max(0, ends.length - 1);
  const step = top === 0 ? diameter : Math.min(diameter, (height - diameter - 2) / top);
  const base = height - radius - 1;
  const dots = placed.map((dot, index) => ({ ...dot, y: base - (levels[index] ?? 0) * step }));
  return { dots, counts: step < diameter * 0.8 ? countsOf(dots) : [] };
}

function countsOf(dots: readonly Dot[]): { x: number; y: number; n: number }[] {
  const stacks = new Map<number, { x: number; y: number; n: number }>();
  for (const { x, y } of dots) {
    const stack = stacks.get(x) ?? { x, y, n: 0 };
    stacks.set(x, { x, y: Math.min(stack.y, y), n: stack.n + 1 });
  }
  return [...stacks.values()].filter(({ n }) => n > 2);
}

/** Equal totals counted, highest first; then the states of rows without one. */
export function tallies(members: readonly Member[]): {
  readonly totals: readonly { readonly total: TaggedNumber; readonly n: number }[];
  readonly states: readonly { readonly state: ScoreState | null; readonly n: number }[];
} {
  const totals = new Map<string, { total: TaggedNumber; n: number }>();
  const states = new Map<ScoreState | null, number>();
  for (const { total, state } of members) {
    if (total === null) states.set(state, (states.get(state) ?? 0) + 1);
    else {
      const key = JSON.stringify(total);
      totals.set(key, { total, n: (totals.get(key)?.n ?? 0) + 1 });
    }
  }
  const size = (total: TaggedNumber): number => (typeof total === "number" ? total : -Infinity);
  return {
    totals: [...totals.values()].sort((a, b) =>
      size(a.total) === size(b.total) ? 0 : size(b.total) - size(a.total),
    ),
    states: [...states].map(([state, n]) => ({ state, n })),
  };
}
