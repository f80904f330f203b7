import type { LabPictures } from "../../../src/schema/lab";
import { fromTagged } from "../../../src/schema/number";
import { formatCount, formatMean, formatNumber, type Speech } from "../../../src/words/format";
import { place, ticks } from "../../shared/axis";
import { useWidth } from "../../shared/useWidth";
import { useRoving } from "../../shared/roving";
import { formatShare } from "../groups/words";
import type { Lab } from "../lab";
import { type Bar, barBoxes, barFilter, barsOf } from "./bars";

type Shape = LabPictures["histograms"][number];

const HEIGHT = 150;
const BASE = HEIGHT - 20;
const TALL = BASE - 30;
const EDGE = 10;

/** Mean, interval and what it is over: `mean 0.62 ±0.07 (95 %, 25 groups), n = 200`. */
function meanInWords({ estimate, n }: Shape, { t, language }: Speech): string {
  const count = formatCount(n, language);
  if (estimate === null || estimate.n === 0) return t("no score, n = {0}", count);
  const mean = formatMean(estimate.mean, estimate.halfWidth, language);
  if (estimate.halfWidth === null) return t("mean {0} (no interval), n = {1}", mean, count);
  const clusters = formatCount(estimate.clusters, language);
  return estimate.unit === "group"
    ? t("mean {0} (95 %, over {1} groups), n = {2}", mean, clusters, count)
    : t("mean {0} (95 %, over {1} rows), n = {2}", mean, clusters, count);
}

function barInWords(bar: Bar, n: number, { t, language }: Speech): string {
  const share = n > 0 ? formatShare(bar.count / n, language) : "–";
  const count = formatCount(bar.count, language);
  const from = formatNumber(bar.from, language);
  return bar.from === bar.to
    ? t("{0}: {1} rows, {2}", from, count, share)
    : t("{0} to {1}: {2} rows, {3}", from, formatNumber(bar.to, language), count, share);
}

export function Histogram({ lab, shape, speech }: { lab: Lab; shape: Shape; speech: Speech }) {
  const { t, language } = speech;
  const [measure, width] = useWidth<HTMLElement>(360);
  const roving = useRoving();
  const name = shape.function ?? t("total");
  const words = meanInWords(shape, speech);
  const bars = barsOf(shape);
  const boxes = barBoxes(bars, { left: EDGE, right: width - EDGE, base: BASE, tall: TALL });
  const low = bars[0]?.from ?? 0;
  const high = bars.at(-1)?.to ?? 0;
  const axis = { low, high, from: EDGE, to: width - EDGE };
  const filter = (bar: Bar): void =>
    lab.set({ tab: "samples", filter: barFilter(shape.function, bar), scroll: 0 });
  const mean = shape.estimate === null ? NaN : fromTagged(shape.estimate.mean);
  const half = shape.estimate?.halfWidth ?? 0;
  return (
    <figure class="p-figure" ref={measure}>
      <figcaption>
        <strong>{name}</strong> <span class="quiet">{words}</span>
      </figcaption>
      {bars.length === 0 ? (
        <p class="notice quiet">{t("No scores to draw.")}</p>
      ) : (
        <svg
          class="p-histogram"
          width={width}
          height={HEIGHT}
          role="group"
          aria-label={t("Histogram of {0}: {1}. Enter on a bar filters the samples.", name, words)}
          onKeyDown={roving.onKeyDown}
        >
          {bars.map((bar, i) => {
            const box = boxes[i];
            if (!box) return null;
            const label = barInWords(bar, shape.n, speech);
            return (
              <g
                key={bar.from}
                class="p-bar"
                role="button"
                aria-label={label}
                {...roving.stop(i)}
                onClick={() => filter(bar)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" && event.key !== " ") return;
                  event.preventDefault();
                  filter(bar);
                }}
              >
                <title>{label}</title>
                <rect class="p-hit" x={box.x} y={14} width={box.width} height={BASE - 14} />
                <rect class="p-fill" x={box.x} y={box.y} width={box.width} height={box.height} />
                {box.width >= 6.5 * formatCount(bar.count, language).length && bar.count > 0 && (
                  <text x={box.x + box.width / 2} y={box.y - 3} text-anchor="middle">
                    {formatCount(bar.count, language)}
                  </text>
                )}
              </g>
            );
          })}
          <path class="p-axis" d={`M${EDGE} ${BASE + 0.5}H${width - EDGE}`} />
          {ticks(low, high, Math.max(2, Math.floor(width / 70))).map((value) => (
            <text key={value} class="p-tick" x={place(axis, value)} y={HEIGHT - 5} text-anchor="middle">
              {formatNumber(value, language)}
            </text>
          ))}
          {Number.isFinite(mean) && (
            <g class="p-mean" aria-hidden="true">
              <path d={`M${place(axis, mean)} 2V${BASE}`} />
              {half > 0 && <path d={`M${place(axis, mean - half)} 5H${place(axis, mean + half)}`} />}
            </g>
          )}
        </svg>
      )}
      <details>
        <summary>{t("As table")}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("from")}</th>
              <th scope="col">{t("to")}</th>
              <th scope="col">{t("rows")}</th>
              <th scope="col">{t("share")}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.from}>
                <td>{formatNumber(bar.from, language)}</td>
                <td>{formatNumber(bar.to, language)}</td>
                <td>{formatCount(bar.count, language)}</td>
                <td>{shape.n > 0 ? formatShare(bar.count / shape.n, language) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
