import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type UPlot from "uplot";
import type { LabPictures } from "../../../src/schema/lab";
import { formatCount, formatNumber, type Speech } from "../../../src/words/format";
import { useWidth } from "../../shared/useWidth";
import { signed } from "../groups/words";
import type { Lab } from "../lab";
import { selectRow } from "../select";
import { lengthBands, nearest, scatterColumns } from "./scatterData";
import { themeColour, useTheme } from "../../shared/theme";

type Lengths = LabPictures["length"];

const HEIGHT = 280;
const REACH = 14;
const BANDS = 10;
const ROWS = 200;

function relationInWords(length: Lengths, { t, language }: Speech): string {
  const groups = formatCount(length.groups, language);
  if (length.r === null || length.slope === null)
    return t(
      "Lengths or scores don't vary within prompts, so there is no relation to see ({0} groups).",
      groups,
    );
  const r = formatNumber(length.r, language);
  const slope = signed(length.slope, language);
  return length.unit === "characters"
    ? t("r = {0}, {1} in score per 100 characters, over {2} groups", r, slope, groups)
    : t("r = {0}, {1} in score per 100 tokens, over {2} groups", r, slope, groups);
}

/** Score against length, each minus its prompt's mean. */
export function Scatter({ lab, length, speech }: { lab: Lab; length: Lengths; speech: Speech }) {
  const { t, language } = speech;
  const [measure, width] = useWidth<HTMLElement>(600);
  const theme = useTheme();
  const holder = useRef<HTMLDivElement>(null);
  const [under, setUnder] = useState(-1);
  const columns = useMemo(() => scatterColumns(length.points), [length.points]);
  const relation = relationInWords(length, speech);
  const unit = length.unit === "characters" ? t("characters") : t("tokens");

  useEffect(() => {
    const element = holder.current;
    if (!element || columns.x.length === 0) return;
    let plot: UPlot | null = null;
    let gone = false;
    // Fetched with the first picture, not with the page.
    void import("uplot").then(({ default: Plot }) => {
      if (gone) return;
      const options = plotOptions(width, length.slope, speech, {
        x: t("length minus the prompt's mean ({0})", unit),
        y: t("total minus the prompt's mean"),
      });
      plot = new Plot(options, [columns.x, columns.y], element);
      const made = plot;
      const find = (event: MouseEvent): number => {
        const box = made.over.getBoundingClientRect();
        return nearest(
          columns.x.map((value) => made.valToPos(value, "x")),
          columns.y.map((value) => made.valToPos(value, "y")),
          { x: event.clientX - box.left, y: event.clientY - box.top },
          REACH,
        );
      };
      made.over.addEventListener("mousemove", (event) => setUnder(find(event)));
      made.over.addEventListener("mouseleave", () => setUnder(-1));
      made.over.addEventListener("click", (event) => {
        const row = columns.rows[find(event)];
        if (row !== undefined) selectRow(lab, row);
      });
    });
    return () => {
      gone = true;
      plot?.destroy();
    };
  }, [columns, width, theme, speech, length.slope, lab]);

  const row = columns.rows[under];
  const shown = formatCount(length.points.length, language);
  return (
    <figure class="p-figure" ref={measure}>
      <figcaption>
        <strong>{t("score against length within prompts")}</strong> <span class="quiet">{relation}</span>
      </figcaption>
      <p class="quiet p-small">
        {t(
          "Both are centred on each prompt's mean. {0} of {1} rows drawn; Pearson's r and the least-squares slope are over all. Click a point to select its row, drag to zoom, double-click to zoom out.",
          shown,
          formatCount(length.of, language),
        )}
      </p>
      {columns.x.length === 0 ? (
        <p class="notice quiet">{t("No prompt has two scored rows.")}</p>
      ) : (
        <div
          class="p-scatter"
          ref={holder}
          role="img"
          aria-label={t("Score against length within prompts, centred on each prompt's mean: {0}", relation)}
          style={{ height: `${HEIGHT}px` }}
        />
      )}
      <p class="p-small p-under" aria-hidden="true">
        {row === undefined
          ? " "
          : t(
              "Row {0}: length {1}, total {2} against the prompt's mean",
              row + 1,
              signed(columns.x[under] ?? 0, language),
              signed(columns.y[under] ?? 0, language),
            )}
      </p>
      <ScatterTable lab={lab} length={length} columns={columns} speech={speech} />
    </figure>
  );
}

/** Colours and fonts as the theme has them now; high contrast has no grid, whose lines would outshine the points. */
function plotOptions(
  width: number,
  slope: number | null,
  speech: Speech,
  labels: { readonly x: string; readonly y: string },
): UPlot.Options {
  const ink = themeColour("--vscode-foreground");
  const faint = themeColour("--vscode-contrastBorder", "--vscode-panel-border");
  const grid = !/\bvscode-high-contrast/u.test(document.body.className);
  const point = themeColour("--vscode-charts-blue");
  const line = themeColour("--vscode-charts-red");
  const style = getComputedStyle(document.body);
  const font = `${style.fontSize} ${style.fontFamily}`;
  const axis = (label: string): UPlot.Axis => ({
    label,
    stroke: ink,
    font,
    labelFont: font,
    labelSize: 20,
    grid: { show: grid, stroke: faint, width: 1 },
    ticks: { stroke: faint, width: 1 },
    values: (_plot, values) => values.map((value) => formatNumber(value, speech.language)),
  });
  return {
    width: Math.max(160, width),
    height: HEIGHT,
    legend: { show: false },
    cursor: { points: { show: false }, x: false, y: false },
    scales: {
      x: { time: false, range: (_plot, low, high) => padded(low, high) },
      y: { range: (_plot, low, high) => padded(low, high) },
    },
    axes: [
      { ...axis(labels.x), size: 34 },
      { ...axis(labels.y), size: 56 },
    ],
    series: [
      {},
      { paths: () => null, points: { show: true, size: 4, width: 1, stroke: point, fill: point } },
    ],
    hooks: { draw: slope === null ? [] : [(plot) => drawSlope(plot, slope / 100, line)] },
  };
}

/** Room for whole points at the edges; uPlot has no range where nothing is drawn. */
function padded(low: number | null, high: number | null): [number, number] {
  const from = low ?? 0;
  const to = high ?? 0;
  const room = to > from ? (to - from) * 0.03 : 1;
  return [from - room, to + room];
}

/** The slope goes through 0, 0: both axes are centred. */
function drawSlope(plot: UPlot, perUnit: number, colour: string): void {
  const { min, max } = plot.scales["x"] ?? {};
  if (min === undefined || max === undefined) return;
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.beginPath();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.moveTo(plot.valToPos(min, "x", true), plot.valToPos(min * perUnit, "y", true));
  ctx.lineTo(plot.valToPos(max, "x", true), plot.valToPos(max * perUnit, "y", true));
  ctx.stroke();
  ctx.restore();
}

interface TableProps {
  readonly lab: Lab;
  readonly length: Lengths;
  readonly columns: ReturnType<typeof scatterColumns>;
  readonly speech: Speech;
}

function ScatterTable({ lab, length, columns, speech }: TableProps) {
  const { t, language } = speech;
  const [open, setOpen] = useState(false);
  const [most, setMost] = useState(ROWS);
  const number = (value: number): string => signed(value, language);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("As table")}</summary>
      {open && (
        <div class="p-tables">
          <table>
            <caption>{t("By length")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("length from")}</th>
                <th scope="col">{t("to")}</th>
                <th scope="col">{t("rows")}</th>
                <th scope="col">{t("mean total")}</th>
              </tr>
            </thead>
            <tbody>
              {lengthBands(length.points, BANDS).map((band) => (
                <tr key={band.from}>
                  <td>{number(band.from)}</td>
                  <td>{number(band.to)}</td>
                  <td>{formatCount(band.n, language)}</td>
                  <td>{number(band.mean)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <table>
            <caption>{t("Row by row, shortest first")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("Row")}</th>
                <th scope="col">{t("length")}</th>
                <th scope="col">{t("total")}</th>
              </tr>
            </thead>
            <tbody>
              {columns.rows.slice(0, most).map((row, i) => (
                <tr key={row}>
                  <td>
                    <button type="button" class="link" onClick={() => selectRow(lab, row)}>
                      {row + 1}
                    </button>
                  </td>
                  <td>{number(columns.x[i] ?? 0)}</td>
                  <td>{number(columns.y[i] ?? 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {columns.rows.length > most && (
            <button type="button" onClick={() => setMost(most + 5 * ROWS)}>
              {t("Show More ({0} left)", formatCount(columns.rows.length - most, language))}
            </button>
          )}
        </div>
      )}
    </details>
  );
}
