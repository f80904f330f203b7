import { OWN_FIELDS } from "../../../src/core/query/fields";
import { quoted } from "../../../src/core/query/suggest";
import type { LabPictures } from "../../../src/schema/lab";

type Histogram = Pick<LabPictures["histograms"][number], "edges" | "counts">;

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** The last bar holds its upper edge too. */
  readonly last: boolean;
}

export function barsOf({ edges, counts }: Histogram): Bar[] {
  return counts.flatMap((count, i) => {
    const from = edges[i];
    const to = edges[i + 1];
    return from === undefined || to === undefined ? [] : [{ from, to, count, last: i === counts.length - 1 }];
  });
}

/**
 * Lets just the bar's rows through: `total>=0.2 total<0.4`. Edges in full, so that no row falls between two bars. A
 * function that is called like one of the Lab's own fields stands in quotes.
 */
export function barFilter(name: string | null, { from, to, last }: Bar): string {
  const plain = name === null || (/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && !isOwnField(name));
  const field = plain ? (name ?? "total") : quoted(name);
  return `${field}>=${from} ${field}${last ? "<=" : "<"}${to}`;
}

function isOwnField(name: string): boolean {
  const lower = name.toLowerCase();
  return OWN_FIELDS.some((field) => field.name.toLowerCase() === lower);
}

export interface BarBox {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
}

/** Bars between `left` and `right`, on a base line at `base`, the highest of `tall` pixels. A bar of few rows stays visible. */
export function barBoxes(
  bars: readonly Bar[],
  space: { readonly left: number; readonly right: number; readonly base: number; readonly tall: number },
): BarBox[] {
  const { left, right, base, tall } = space;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const low = bars[0]?.from ?? 0;
  const span = (bars.at(-1)?.to ?? 0) - low;
  return bars.map((bar) => {
    // One value alone: one bar in the middle.
    const x = span > 0 ? left + ((bar.from - low) / span) * (right - left) : (left + right) / 2 - 12;
    const width = span > 0 ? ((bar.to - bar.from) / span) * (right - left) : 24;
    const height = bar.count === 0 ? 0 : Math.max(2, (bar.count / most) * tall);
    return { x: x + 0.5, width: Math.max(1, width - 1), y: base - height, height };
  });
}
