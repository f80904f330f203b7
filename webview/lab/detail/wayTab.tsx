import type { LabWay } from "../../../src/schema/lab";
import { errorSentence } from "../../../src/words/errors";
import { Highlight, Observed } from "./highlight";
import type { Match } from "./marks";
import type { DetailModel } from "./model";
import { lineOf } from "./source";
import { Stale } from "./text";
import { Visible } from "../../shared/visibleText";
import { offInWords, scoreOrState } from "./words";

/** What stands above a way and above its summary: which function, and what keeps it from being shown. */
export function WayHead({ model }: { readonly model: DetailModel }) {
  const { speech, trusted } = model.lab;
  const { t } = speech.value;
  const functions = model.detail.value?.functions ?? [];
  const fn = model.function.value;
  const way = model.way.value;
  const failure = model.wayFailure.value;
  return (
    <>
      {functions.length > 1 && (
        <label class="choose">
          {t("Function")}{" "}
          <select
            value={fn?.name ?? ""}
            onChange={(event) => (model.chosen.value = event.currentTarget.value)}
          >
            {functions.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {model.attempted.value !== null && (
        <p class="quiet">{t("This is the way of the completion that you try.")}</p>
      )}
      {!trusted.value && (
        <p role="note">{t("This folder is not trusted, so nothing runs. Trust it to follow a sample.")}</p>
      )}
      {failure !== null && way === null && <p role="alert">{errorSentence(failure, speech.value)}</p>}
      {way === null && failure === null && trusted.value && <p class="quiet">{t("Following the sample…")}</p>}
      {way !== null && way.off !== null && <p role="note">{offInWords(way.off, speech.value)}</p>}
      {way?.differs === true && (
        <p role="note">
          {t(
            "Called alone, as here, it gives {0}; in its batch it gives another score.",
            scoreOrState(way, speech.value),
          )}
        </p>
      )}
    </>
  );
}

export function WayTab({ model }: { readonly model: DetailModel }) {
  const way = model.way.value;
  return (
    <Stale old={model.wayOld}>
      <WayHead model={model} />
      {way !== null && way.steps.length > 0 && <Steps model={model} way={way} />}
      {way !== null && <Shown model={model} way={way} />}
    </Stale>
  );
}

function Steps({ model, way }: { readonly model: DetailModel; readonly way: LabWay }) {
  const { t } = model.lab.speech.value;
  const at = Math.min(model.step.value, way.steps.length - 1);
  const step = way.steps[at];
  const count = way.steps.length;
  if (!step) return null;
  const source = lineOf(model.source.value, step.line);
  const values = Object.entries(step.values);
  const here = way.observations.filter((one) => one.step === at);
  const keys = (event: KeyboardEvent): void => {
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    model.goTo(to);
  };
  const text = t("step {0} of {1}, line {2}", at + 1, count, step.line);
  return (
    <section aria-label={t("Steps")}>
      <div class="stepper" onKeyDown={keys}>
        {/* The slider is the tab stop; the buttons are for the mouse. */}
        <button
          type="button"
          tabIndex={-1}
          aria-label={t("Step back")}
          title={t("Step back")}
          disabled={at === 0}
          onClick={() => model.goTo(at - 1)}
        >
          <span class="codicon codicon-triangle-left" aria-hidden="true" />
        </button>
        <span class="count" data-step={at + 1}>
          {`${at + 1}/${count}`}
        </span>
        <button
          type="button"
          tabIndex={-1}
          aria-label={t("Step on")}
          title={t("Step on")}
          disabled={at === count - 1}
          onClick={() => model.goTo(at + 1)}
        >
          <span class="codicon codicon-triangle-right" aria-hidden="true" />
        </button>
        <input
          type="range"
          min={0}
          max={count - 1}
          value={at}
          aria-label={t("Step")}
          aria-valuetext={text}
          onInput={(event) => model.goTo(event.currentTarget.valueAsNumber)}
        />
        <button type="button" class="link" onClick={() => model.reveal(step.line)}>
          {t("Line {0}", step.line)}
        </button>
        {source !== "" && (
          <code class="line">
            <Visible text={source} />
          </code>
        )}
      </div>
      {way.cut && <p class="quiet">{t("More steps ran than are kept.")}</p>}
      {values.length > 0 ? (
        <dl class="values">
          {values.map(([name, value]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                <code>
                  <Visible text={value} />
                </code>
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <p class="quiet">{t("No value changed at this step.")}</p>
      )}
      {here.map((one, i) => (
        <Observed
          key={i}
          one={one}
          helps={false}
          source={model.source.value}
          speech={model.lab.speech.value}
        />
      ))}
    </section>
  );
}

/** The match that the present step is about: its own, else the last before it, else the first. */
function Shown({ model, way }: { readonly model: DetailModel; readonly way: LabWay }) {
  const matches = way.observations.filter((one): one is Match => one.kind === "match");
  const match = matches.findLast(({ step }) => step <= model.step.value) ?? matches[0];
  const { t } = model.lab.speech.value;
  if (!match)
    return way.off === null ? <p class="quiet">{t("No pattern was searched on the way.")}</p> : null;
  return (
    <Highlight
      match={match}
      completion={model.completion()}
      source={model.source.value}
      speech={model.lab.speech.value}
    />
  );
}
