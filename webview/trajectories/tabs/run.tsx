import { effect, signal, untracked } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type UPlot from "uplot";
import type { Curve, RunInfo } from "../../../src/schema/trajectoryView";
import { formatCount, formatNumber, formatScore, type Speech } from "../../../src/words/format";
import { useWidth } from "../../shared/useWidth";
import { themeColour, useTheme } from "../../shared/theme";
import { frameworkName } from "../../../src/words/trajectories";
import { modelOf } from "../models";
import { Plain } from "../one/text";
import { OptionList } from "../optionList";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import "uplot/dist/uPlot.min.css";

const HEIGHT = 144;
const PAGE = 6;

class RunModel {
  readonly curves = signal<readonly Curve[] | null>(null);
  readonly failure = signal<string | null>(null);
  readonly active = signal(0);

  constructor(viewer: Viewer) {
    let asked = "";
    effect(() => {
      const { tab } = viewer.state.value;
      const complete = viewer.progress.value?.complete ?? false;
      const key = `${viewer.resetSeq.value}/${complete ? viewer.rowsSeq.value : 0}`;
      if (tab !== "run" || key === asked) return;
      asked = key;
      untracked(() => {
        viewer.connection.data.curves({}, { timeoutMs: TIMEOUT_MS }).then(
          ({ curves }) => (this.curves.value = curves),
          (error: unknown) => (this.failure.value = viewer.sentence(error)),
        );
      });
    });
  }
}

const runModel = modelOf((viewer) => new RunModel(viewer));

/** A run's curves, and its steps: a step shows its trajectories. */
export function RunTab({ viewer }: { readonly viewer: Viewer }) {
  const model = runModel(viewer);
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const info = viewer.info.value;
  const curves = model.curves.value;
  const steps = info?.run?.steps ?? [];
  const all = [...stepCurve(steps, speech), ...(curves ?? [])];
  const [most, setMost] = useState(PAGE);
  if (all.length === 0 && steps.length === 0)
    return (
      <div class="tab-view">
        <p class="notice quiet">
          {model.failure.value ??
            (curves === null
              ? t("Reading the run…")
              : t("This is no run: steps and curves are shown for the folder of one."))}
        </p>
      </div>
    );
  return (
    <div class="tab-view run">
      {info?.run && (
        <p class="tab-tools">
          <strong>{t("{0} run", frameworkName(info.run.framework))}</strong>
          <span class="quiet">
            {[
              t("{0} steps", formatCount(new Set(steps.map(({ step }) => step)).size, language)),
              t("{0} curves", formatCount(all.length, language)),
            ].join(" · ")}
          </span>
        </p>
      )}
      <div class="curves" tabIndex={0} role="region" aria-label={t("Curves of the run")}>
        {all.slice(0, most).map((curve) => (
          <CurvePicture key={`${curve.file}/${curve.name}`} curve={curve} speech={speech} />
        ))}
        {all.length > most && (
          <button type="button" class="link" onClick={() => setMost(most + 2 * PAGE)}>
            {t("Show More ({0} left)", all.length - most)}
          </button>
        )}
      </div>
      {steps.length > 0 && (
        <OptionList
          id="step"
          class="steps"
          count={steps.length}
          rowHeight={24}
          label={t("Steps. Enter shows the trajectories of one.")}
          active={model.active.value}
          onActive={(at) => (model.active.value = at)}
          onOpen={(at) => {
            const step = steps[at];
            if (step) showStep(viewer, step);
          }}
          row={(at) => {
            const step = steps[at];
            if (!step) return null;
            return (
              <>
                <span class="step-name">
                  {t("step {0}", formatNumber(step.step, language))}{" "}
                  {step.split !== null && <span class="quiet">{step.split}</span>}
                </span>
                <span class="step-mean">
                  <span class="quiet">{t("mean")}</span> {formatScore(step.mean, language)}
                </span>
                <span class="step-number">
                  {step.scored === step.n
                    ? t("{0} trajectories", formatCount(step.n, language))
                    : t(
                        "{0} of {1} with a reward",
                        formatCount(step.scored, language),
                        formatCount(step.n, language),
                      )}
                </span>
                <span class="step-number quiet">{t("{0} groups", formatCount(step.groups, language))}</span>
              </>
            );
          }}
        />
      )}
    </div>
  );
}

type Step = RunInfo["steps"][number];

function showStep(viewer: Viewer, { step, split }: Step): void {
  const filter = `step:${step}${split === null ? "" : ` split:"${split.replace(/["\\]/gu, "\\$&")}"`}`;
  viewer.set({ tab: "list", query: { ...viewer.state.value.query, filter } });
  viewer.say(viewer.t("Filtered by {0}", filter));
}

/** Mean reward by step, of training where a split says so. */
function stepCurve(steps: readonly Step[], { t }: Speech): Curve[] {
  const splits = [...new Set(steps.map(({ split }) => split))];
  return splits.flatMap((split) => {
    const points = steps
      .filter((step) => step.split === split)
      .map(({ step, mean }): [number, number | null] => [step, mean]);
    if (points.length < 2) return [];
    return [{ name: split === null ? t("mean reward") : t("mean reward, {0}", split), file: "", points }];
  });
}

function CurvePicture({ curve, speech }: { readonly curve: Curve; readonly speech: Speech }) {
  const { t, language } = speech;
  const [measure, width] = useWidth<HTMLElement>(400);
  const theme = useTheme();
  const holder = useRef<HTMLDivElement>(null);
  const known = curve.points.flatMap(([, y]) => (y === null ? [] : [y]));
  const last = known.at(-1) ?? null;
  useEffect(() => {
    const element = holder.current;
    if (!element || curve.points.length === 0) return;
    let plot: UPlot | null = null;
    let gone = false;
    // Fetched with the first curve, not with the page.
    void import("uplot").then(({ default: Plot }) => {
      if (gone) return;
      plot = new Plot(
        optionsOf(width, speech),
        [curve.points.map(([x]) => x), curve.points.map(([, y]) => y)],
        element,
      );
    });
    return () => {
      gone = true;
      plot?.destroy();
    };
  }, [curve, width, theme, speech]);
  const range =
    known.length === 0
      ? t("no values")
      : t(
          "from {0} to {1}, last {2}, {3} points",
          formatNumber(
            known.reduce((a, b) => Math.min(a, b), Infinity),
            language,
          ),
          formatNumber(
            known.reduce((a, b) => Math.max(a, b), -Infinity),
            language,
          ),
          formatNumber(last, language),
          formatCount(known.length, language),
        );
  return (
    <figure class="curve" ref={measure}>
      <figcaption>
        <strong>
          <Plain text={curve.name} />
        </strong>{" "}
        <span class="quiet" title={range}>
          {known.length === 0 ? range : t("last {0}", formatNumber(last, language))}
        </span>
      </figcaption>
      <div
        ref={holder}
        role="img"
        aria-label={t("{0} by step: {1}", curve.name, range)}
        style={{ height: `${HEIGHT}px` }}
      />
    </figure>
  );
}

function optionsOf(width: number, { t, language }: Speech): UPlot.Options {
  const ink = themeColour("--vscode-foreground");
  const faint = themeColour("--vscode-contrastBorder", "--vscode-panel-border");
  const style = getComputedStyle(document.body);
  const font = `${style.fontSize} ${style.fontFamily}`;
  const axis: UPlot.Axis = {
    stroke: ink,
    font,
    grid: { show: !/\bvscode-high-contrast/u.test(document.body.className), stroke: faint, width: 1 },
    ticks: { stroke: faint, width: 1 },
    values: (_plot, values) => values.map((value) => formatNumber(value, language)),
  };
  return {
    width: Math.max(160, width),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false } },
    axes: [
      { ...axis, size: 26, label: t("step"), labelSize: 16, labelFont: font },
      { ...axis, size: 52 },
    ],
    series: [{}, { stroke: themeColour("--vscode-charts-blue"), width: 1.5, points: { show: false } }],
  };
}
