import type { DetailFunction } from "../../../src/schema/lab";
import { stateAlone } from "../../../src/words/states";
import { Observed } from "./highlight";
import type { DetailModel } from "./model";
import { framesOf } from "./source";
import { Stale } from "./text";
import { Visible } from "../../shared/visibleText";
import { WayHead } from "./wayTab";
import { decisive, failed } from "./why";
import { fateTold, reasonInWords, scoreOrState } from "./words";

/** Why the score is what it is, at a glance. */
export function WhyTab({ model }: { readonly model: DetailModel }) {
  const { lab } = model;
  const speech = lab.speech.value;
  const { t } = speech;
  const fn = model.function.value;
  const way = model.way.value;
  if (!fn) return <p class="quiet">{t("This file has no reward function that can be scored.")}</p>;
  const tried = model.attempted.value !== null;
  const shown = tried && way ? way : fn;
  const seen = way?.function === fn.name ? decisive(way) : [];
  // Beside an exception only what failed can have to do with it.
  const observations = shown.reason === null ? seen : seen.filter(failed);
  return (
    <Stale old={model.wayOld}>
      <WayHead model={model} />
      <p class="verdict">
        <strong>{fn.name}</strong> <Visible text={scoreOrState(shown, speech)} />
      </p>
      <Reason model={model} fn={tried && way ? { ...fn, ...way, fate: null, recovered: false } : fn} />
      {observations.map((one, i) => (
        <Observed
          key={i}
          one={one}
          helps
          source={model.source.value}
          speech={speech}
          onLine={(line) => model.reveal(line)}
        />
      ))}
      {way !== null && way.off === null && observations.length === 0 && shown.reason === null && (
        <p class="quiet">
          {t("No pattern and no comparison was seen on the way; the steps show the values.")}
        </p>
      )}
    </Stale>
  );
}

/** State, reason, traceback and what the trainer makes of it. */
export function Reason({
  model,
  fn,
}: {
  readonly model: DetailModel;
  readonly fn: Pick<DetailFunction, "name" | "state" | "reason" | "fate" | "recovered">;
}) {
  const { lab } = model;
  const speech = lab.speech.value;
  const { t } = speech;
  const contract = lab.scores.value.scores?.functions.find(({ name }) => name === fn.name)?.contract ?? null;
  const fate = fateTold(fn, contract, speech);
  const traceback = fn.reason?.traceback;
  return (
    <>
      {fn.reason !== null && fn.state !== null && (
        <p data-why="reason">
          <strong>{stateAlone(fn.state, speech)}</strong> <Visible text={reasonInWords(fn.reason, speech)} />
        </p>
      )}
      {fate !== null && fn.state !== "scored" && <p data-why="fate">{fate}</p>}
      {fn.recovered && (
        <p>
          {t(
            "Its batch failed; it was scored alone afterwards. The trainer would never have seen this score.",
          )}
        </p>
      )}
      {traceback !== undefined && (
        <pre class="traceback" aria-label={t("Traceback")}>
          {framesOf(traceback, lab.greeting.value?.name ?? "").map(({ text, line }, i) => (
            <span key={i}>
              {line === null ? (
                <Visible text={text} />
              ) : (
                <>
                  {/^\s*/u.exec(text)?.[0]}
                  <button type="button" class="link" onClick={() => model.reveal(line)}>
                    <Visible text={text.trimStart()} />
                  </button>
                </>
              )}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
    </>
  );
}
