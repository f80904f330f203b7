import type { OutlineEntry } from "../../../src/schema/trajectoryView";

/** A stretch of messages as the minimap draws it. */
export interface MinimapBar {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Pixels. */
  readonly y: number;
  readonly height: number;
  /** Share of the width: length of the text, on a logarithmic scale. */
  readonly width: number;
  readonly role: OutlineEntry["role"];
  readonly error: boolean;
}

const LEAST = 3;
const FULL = Math.log2(1 + 20_000);

/** At most as many bars as there is room for; a stretch with an error is an error. */
export function minimapBars(entries: readonly OutlineEntry[], height: number): MinimapBar[] {
  const count = Math.min(entries.length, Math.max(1, Math.floor(height / LEAST)));
  const each = Math.min(14, height / Math.max(1, count));
  return Array.from({ length: count }, (_, at): MinimapBar => {
    const from = Math.floor((at * entries.length) / count);
    const to = Math.max(from + 1, Math.floor(((at + 1) * entries.length) / count));
    const here = entries.slice(from, to);
    const longest = here.reduce((a, b) => (b.characters > a.characters ? b : a), here[0] ?? EMPTY);
    return {
      from,
      to,
      y: at * each,
      height: each,
      width: Math.min(1, Math.max(0.08, Math.log2(1 + longest.characters) / FULL)),
      role: longest.role,
      error: here.some(({ error }) => error),
    };
  });
}

const EMPTY: Pick<OutlineEntry, "characters" | "role"> = { characters: 0, role: "event" };

/** The message that stands at a place of the minimap. */
export function messageAt(bars: readonly MinimapBar[], y: number): number {
  const bar = bars.find((one) => y < one.y + one.height) ?? bars.at(-1);
  return bar?.from ?? 0;
}
