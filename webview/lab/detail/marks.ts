import type { Observation } from "../../../src/schema/lab";

export type Match = Extract<Observation, { kind: "match" }>;
export type Compare = Extract<Observation, { kind: "compare" }>;
export type Span = readonly [from: number, to: number];

/** A part of a text, with the marks that lie on it. */
export interface Piece {
  readonly text: string;
  /** 0-based number of the match it is in. */
  readonly match: number | null;
  /** 1-based numbers of the groups that it is in, outermost first. */
  readonly groups: readonly number[];
  /** In the part that the pattern's beginning matched before it stopped. */
  readonly reached: boolean;
  /** Stands right after that part: the pattern stopped before this piece. */
  readonly stop: boolean;
}

export interface Marks {
  readonly matches: readonly Span[];
  readonly groups: readonly (Span | null)[];
  readonly reached: Span | null;
}

/** An empty match or stop gives a piece of no text where it stands. Marks beyond the text are cut to it. */
export function pieces(text: string, marks: Marks): Piece[] {
  const inside = ([from, to]: Span): Span => [Math.min(from, text.length), Math.min(to, text.length)];
  const matches = marks.matches.filter(([from, to]) => to <= text.length || from < text.length).map(inside);
  const groups = marks.groups.map((span) => (span === null ? null : inside(span)));
  const reached = marks.reached === null ? null : inside(marks.reached);
  const cuts = new Set([0, text.length]);
  for (const span of [...matches, ...groups, reached]) for (const at of span ?? []) cuts.add(at);
  const order = [...cuts].sort((a, b) => a - b);
  const empty = new Set(matches.filter(([from, to]) => from === to).map(([from]) => from));
  const out: Piece[] = [];
  order.forEach((from, i) => {
    const stop = reached !== null && reached[1] === from;
    if (empty.has(from)) {
      const match = matches.findIndex(([a, b]) => a === from && b === from);
      out.push({ text: "", match, groups: [], reached: false, stop: false });
    }
    const to = order[i + 1];
    if (to === undefined) {
      if (stop) out.push({ text: "", match: null, groups: [], reached: false, stop: true });
      return;
    }
    const covers = (span: Span | null): boolean => span !== null && span[0] <= from && to <= span[1];
    const match = matches.findIndex(covers);
    out.push({
      text: text.slice(from, to),
      match: match === -1 ? null : match,
      groups: groups.flatMap((span, g) => (covers(span) ? [g + 1] : [])),
      reached: covers(reached),
      stop,
    });
  });
  return out;
}

/** The marks of a match whose searched text begins at `by` of the text that is shown. */
export function marksOf(match: Match, by = 0): Marks {
  const move = ([from, to]: Span): Span => [from + by, to + by];
  return {
    matches: match.spans.map(move),
    groups: match.groups.map((span) => (span === null ? null : move(span))),
    reached: match.reached === null ? null : move(match.reached.text),
  };
}

/** Where two texts differ: what they have in common at both ends, and what lies between. */
export function differing(left: string, right: string): { start: number; left: Span; right: Span } {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  return { start, left: [start, left.length - end], right: [start, right.length - end] };
}
