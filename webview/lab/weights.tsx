import { useEffect, useRef } from "preact/hooks";
import { formatNumber } from "../../src/words/format";
import { useAnswer } from "./groups/usePages";
import { formatShare } from "./groups/words";
import type { Lab } from "./lab";
import { weightRows, weightsAsJson, withWeight, type WeightRow } from "./weightsModel";
import "./groups/groups.css";
import "./weights.css";

/**
 * Weights to try: totals, advantages, groups and ranks follow at once, nothing is scored again. The suite's own weights
 * come from the engine; what is tried is kept with the Lab's state alone.
 */
export function Weights({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  const { t } = speech;
  const chosen = lab.state.value.weights;
  const { answer } = useAnswer({ seq: lab.seq.value }, () =>
    lab.connection.data.page(
      { query: { filter: "", sort: [], grouped: false, weights: null }, from: 0, count: 1 },
      { timeoutMs: 60_000 },
    ),
  );
  const functions = answer?.functions ?? [];
  const move = useMove(lab, functions);
  if (functions.length === 0) return null;
  const rows = weightRows(functions, chosen);
  const differs = rows.some(({ value, own }) => value !== own);
  const copy = (): void => {
    void lab.connection.host.copy({ text: weightsAsJson(rows) }).then(
      () => lab.say(t("Weights copied.")),
      () => lab.say(t("The weights could not be copied.")),
    );
  };
  return (
    <section
      class="evidence weights"
      aria-label={t("Weights")}
      style={{ "--name-width": `${Math.max(...rows.map(({ name }) => name.length)) + 1}ch` }}
    >
      <span class="w-title quiet">{t("weights")}</span>
      <span class="w-acts">
        <button
          type="button"
          disabled={!differs}
          onClick={() => {
            lab.set({ weights: null });
            lab.say(t("The suite's weights again."));
          }}
        >
          {t("Reset")}
        </button>
        <button type="button" onClick={copy}>
          {t("Copy as JSON")}
        </button>
      </span>
      {differs && (
        <span class="w-note" role="status">
          <span class="codicon codicon-beaker" aria-hidden="true" />{" "}
          {t("what-if: not saved in rewardsmith.json")}
        </span>
      )}
      <div class="w-rows">
        {rows.map((row) => (
          <WeightControl
            key={row.name}
            row={row}
            speech={speech}
            onMove={(value) => move(row.name, value)}
            onMoved={() => lab.say(t("Totals, advantages and ranks are of the new weights."))}
          />
        ))}
      </div>
    </section>
  );
}

/** Sets a weight with the next frame: a slider moves more often than the screen is drawn. */
function useMove(
  lab: Lab,
  functions: readonly { readonly name: string; readonly weight: number }[],
): (name: string, value: number) => void {
  const pending = useRef(new Map<string, number>());
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return (name, value) => {
    pending.current.set(name, value);
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      let weights = lab.state.value.weights;
      for (const [moved, to] of pending.current) weights = withWeight(functions, weights, moved, to);
      pending.current.clear();
      lab.set({ weights });
    });
  };
}

interface ControlProps {
  readonly row: WeightRow;
  readonly speech: Lab["speech"]["value"];
  readonly onMove: (value: number) => void;
  /** The new weight stays. */
  readonly onMoved: () => void;
}

function WeightControl({ row, speech, onMove, onMoved }: ControlProps) {
  const { t, language } = speech;
  const { name, value, own, share, slider } = row;
  const shareText = formatShare(share, language);
  return (
    <span class="w-one" role="group" aria-label={name}>
      <span class="w-name" title={name}>
        {name}
      </span>
      <input
        type="range"
        min={slider.min}
        max={slider.max}
        step={slider.step}
        value={value}
        aria-label={t("Weight of {0}", name)}
        aria-valuetext={t("{0}, {1} of all weights", formatNumber(value, language), shareText)}
        onInput={(event) => onMove(event.currentTarget.valueAsNumber)}
        onChange={onMoved}
      />
      <input
        type="number"
        step={slider.step}
        value={value}
        aria-label={t("Weight of {0} as a number", name)}
        title={t("In the suite: {0}", formatNumber(own, language))}
        onInput={(event) => {
          const typed = event.currentTarget.valueAsNumber;
          if (Number.isFinite(typed)) onMove(typed);
        }}
        onChange={onMoved}
      />
      <span class="w-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span class="w-share" title={t("Share of all weights")}>
        {shareText}
      </span>
      <span class={`w-own quiet ${value === own ? "same" : ""}`}>
        {t("suite {0}", formatNumber(own, language))}
      </span>
    </span>
  );
}
