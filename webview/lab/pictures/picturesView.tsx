import { Unread } from "../groups/unread";
import { useAnswer } from "../groups/usePages";
import type { Lab } from "../lab";
import { GroupMultiples } from "./groupMultiples";
import { Histogram } from "./histogram";
import { Scatter } from "./scatter";
import "uplot/dist/uPlot.min.css";
import "../groups/groups.css";
import "./pictures.css";

const POINTS = 5000;

export function PicturesView({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  const { t } = speech;
  const { weights } = lab.state.value;
  const { answer, stale, error, retry } = useAnswer({ seq: lab.seq.value, weights }, (ask) =>
    lab.connection.data.pictures({ weights: ask.weights, points: POINTS }, { timeoutMs: 60_000 }),
  );
  return (
    <section class="evidence pictures" aria-label={t("Pictures")}>
      {error !== null && (
        <Unread says={t("The pictures could not be drawn: {0}", error)} onRetry={retry} speech={speech} />
      )}
      {!answer && error === null && <p class="notice quiet">{t("Loading…")}</p>}
      {answer && answer.status === "none" && (
        <p class="notice">{t("Nothing is scored yet, so there is nothing to draw.")}</p>
      )}
      {answer && answer.status !== "none" && (
        <div class={`p-all ${stale ? "stale" : ""}`}>
          <div class="p-histograms">
            {answer.histograms.map((shape) => (
              <Histogram key={shape.function ?? ""} lab={lab} shape={shape} speech={speech} />
            ))}
          </div>
          <Scatter lab={lab} length={answer.length} speech={speech} />
          <GroupMultiples lab={lab} speech={speech} />
        </div>
      )}
    </section>
  );
}
