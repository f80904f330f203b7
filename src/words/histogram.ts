import type { FunctionScores } from "../schema/live";
import { formatCount, formatNumber, type Speech } from "./format";

type Histogram = NonNullable<FunctionScores["histogram"]>;

/** Bars as an SVG data URI for a hover. Colours are fixed: theme variables don't reach images. */
export function histogramImage(histogram: Histogram, theme: "dark" | "light", speech: Speech): string {
  const width = 280;
  const height = 64;
  const most = Math.max(1, ...histogram.counts);
  const step = width / Math.max(1, histogram.counts.length);
  const bar = theme === "dark" ? "#6cb6ff" : "#0b62b5";
  const ink = theme === "dark" ? "#c8c8c8" : "#444444";
  const bars = histogram.counts
    .map((count, index) => {
      if (count === 0) return "";
      const tall = Math.max(2, (count / most) * height);
      const x = (index * step + 1).toFixed(1);
      return `<rect x="${x}" y="${(height - tall).toFixed(1)}" width="${Math.max(1, step - 2).toFixed(1)}" height="${tall.toFixed(1)}" fill="${bar}"/>`;
    })
    .join("");
  const first = histogram.edges[0] ?? 0;
  const last = histogram.edges.at(-1) ?? 0;
  const label = (x: number, anchor: string, text: string): string =>
    `<text x="${x}" y="${height + 14}" text-anchor="${anchor}" font-family="sans-serif" font-size="11" fill="${ink}">${text}</text>`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + 18}" viewBox="0 0 ${width} ${height + 18}">` +
    `${bars}<path d="M0 ${height + 0.5}H${width}" stroke="${ink}"/>` +
    label(0, "start", formatNumber(first, speech.language)) +
    label(width, "end", formatNumber(last, speech.language)) +
    "</svg>";
  return `data:image/svg+xml;utf8,${encodeURIComponent(svg)}`;
}

/** The same as rows: `0 to 0.1 → 39`. Empty bins are left out. */
export function histogramRows(
  histogram: Histogram,
  speech: Speech,
): { readonly range: string; readonly count: string }[] {
  return histogram.counts.flatMap((count, index) => {
    const from = histogram.edges[index];
    const to = histogram.edges[index + 1];
    if (count === 0 || from === undefined || to === undefined) return [];
    const range =
      from === to
        ? formatNumber(from, speech.language)
        : speech.t("{0} to {1}", formatNumber(from, speech.language), formatNumber(to, speech.language));
    return [{ range, count: formatCount(count, speech.language) }];
  });
}
