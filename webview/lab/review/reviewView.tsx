import { useEffect, useRef } from "preact/hooks";
import type { LabDetail, LabelCounts, ReviewQueue } from "../../../src/schema/lab";
import { formatCount, formatScore, oneLine, type Speech } from "../../../src/words/format";
import { errorSentence } from "../../../src/words/errors";
import type { Lab } from "../lab";
import { installSampleActs } from "../detail/install";
import { labelTold } from "../detail/labelling";
import { Content } from "../detail/messages";
import { Values } from "../detail/text";
import { Visible } from "../../shared/visibleText";
import { Toolbar, type ToolbarItem } from "../detail/toolbar";
import { scoreOrState, signed } from "../detail/words";
import { agreementExplained, countsInWords, reasonInWords } from "./words";
import { reviewModel, type ReviewKind, type ReviewModel } from "./model";
import "../detail/detail.css";
import "./review.css";

/** Samples to label, one large at a time: drawn at random, or those where a look pays most. */
export function ReviewView({ lab }: { readonly lab: Lab }) {
  installSampleActs(lab);
  const model = reviewModel(lab);
  useEffect(() => model.start(), [model]);
  const box = useRef<HTMLElement>(null);
  const { t } = lab.speech.value;
  const keys = (event: KeyboardEvent): void => {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLInputElement && target.type !== "checkbox" && target.type !== "radio") return;
    if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return;
    const run = keyAct(model, event.key);
    if (!run) return;
    event.preventDefault();
    run();
  };
  // The keys work from the start, and go on working when a button that had the focus is gone.
  const item = model.item;
  useEffect(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body) box.current?.focus();
  }, [item?.row]);
  return (
    <section ref={box} class="review" aria-label={t("Review")} tabIndex={-1} onKeyDown={keys}>
      <Top model={model} />
      <Body model={model} />
    </section>
  );
}

function keyAct(model: ReviewModel, key: string): (() => void) | null {
  switch (key) {
    case "g":
      return () => void model.label("good");
    case "b":
      return () => void model.label("bad");
    case "u":
      return () => void model.clear();
    case "n":
      return () => void model.next();
    case "p":
      return () => model.go(-1);
    case "s":
      return () => {
        const { item } = model;
        if (item) model.show(item.row);
      };
    default:
      return null;
  }
}

function Top({ model }: { readonly model: ReviewModel }) {
  const { t } = model.lab.speech.value;
  const kind = model.kind.value;
  const counts = model.counts.value;
  const kinds: { id: ReviewKind; label: string; title: string }[] = [
    {
      id: "random",
      label: t("Random"),
      title: t("Drawn at random, the same order for everyone. Rates come from these labels alone."),
    },
    {
      id: "hunting",
      label: t("Hunting"),
      title: t(
        "Where a look pays most: label and score disagree, ties, flips, the largest updates, not scored.",
      ),
    },
    {
      id: "inspect",
      label: t("Inspect Outputs"),
      title: t("Looks at random outputs one after another, without the scores, until enough were seen."),
    },
  ];
  return (
    <header class="review-head">
      <Toolbar
        label={t("Queue")}
        items={kinds.map(({ id, label, title }) => ({
          id,
          label,
          title,
          pressed: kind === id,
          run: () => model.open(id),
        }))}
      />
      {counts && (
        <p class="counts" title={about(counts, model.lab.speech.value)}>
          {countsInWords(counts, model.lab.speech.value)}
          <span class="said"> ({about(counts, model.lab.speech.value)})</span>
        </p>
      )}
      <label class="blind" title={t("Seeing the score first draws the verdict towards it.")}>
        <input
          type="checkbox"
          checked={model.blind.value}
          onChange={(event) => (model.blind.value = event.currentTarget.checked)}
        />{" "}
        {t("Hide the score until I have judged")}
      </label>
    </header>
  );
}

/** Where the labels are, and what the rate is. */
function about(counts: LabelCounts, speech: Speech): string {
  const rate = counts.agreement ? ` ${agreementExplained(speech)}` : "";
  return `${speech.t("Labels in {0}. Rates come only from labels of the random review.", counts.file)}${rate}`;
}

function Body({ model }: { readonly model: ReviewModel }) {
  const { t, language } = model.lab.speech.value;
  const queue = model.queue.value;
  if (model.failure.value !== null)
    return (
      <div class="finished">
        <p role="alert">{model.failure.value}</p>
        <button type="button" onClick={() => model.open(model.kind.value)}>
          {t("Try Again")}
        </button>
      </div>
    );
  if (!queue) return <p class="quiet">{t("Loading…")}</p>;
  const inspecting = model.kind.value === "inspect";
  const counts = model.counts.value;
  if (inspecting && counts && counts.looked >= counts.lookedOf && counts.lookedOf > 0)
    return <Finished model={model} counts={counts} />;
  const { item } = model;
  if (!item) return <Nothing model={model} queue={queue} />;
  return (
    <>
      <p class="place">
        {inspecting && counts && (
          <strong data-looked={counts.looked}>
            {t(
              "{0} of {1} looked at",
              formatCount(counts.looked, language),
              formatCount(counts.lookedOf, language),
            )}
            {" · "}
          </strong>
        )}
        {t("{0} left", formatCount(Math.max(0, queue.left - model.done.value.size), language))}
        {" · "}
        <span data-reason={item.reason}>{reasonInWords(item.reason, model.lab.speech.value)}</span>
      </p>
      <Sample model={model} />
    </>
  );
}

function Sample({ model }: { readonly model: ReviewModel }) {
  const { lab, item } = model;
  const speech = lab.speech.value;
  const { t } = speech;
  const detail = model.detail.value;
  const failure = model.detailFailure.value;
  if (!item) return null;
  // Never one sample's text above another's buttons.
  if (detail?.row !== item.row)
    return failure ? (
      <p role="alert">{errorSentence(failure, speech)}</p>
    ) : (
      <p class="quiet">{t("Loading…")}</p>
    );
  const label = detail.label;
  return (
    <article class="sample" aria-label={t("Row {0}", detail.row + 1)} data-review-row={detail.row}>
      <h2>
        <span>{t("Row {0}", detail.row + 1)}</span>
        <span>
          <Visible text={oneLine(detail.group, 60)} />
        </span>
        {label !== null && (!hidden(model, detail) || label.source === "sidecar") && (
          <span data-label="">{labelTold(label, speech)}</span>
        )}
      </h2>
      <Toolbar label={t("Verdict")} items={items(model, detail)} />
      <Score model={model} detail={detail} />
      <details open>
        <summary>{t("Prompt")}</summary>
        <Content value={detail.prompt} speech={speech} />
      </details>
      <h3>{t("Completion")}</h3>
      <div class="large">
        <Content value={detail.completion} speech={speech} />
      </div>
      {Object.keys(detail.columns).length > 0 && (
        <details>
          <summary>{t("Columns")}</summary>
          <Values of={Object.entries(detail.columns)} />
        </details>
      )}
    </article>
  );
}

function hidden(model: ReviewModel, detail: LabDetail): boolean {
  return model.blind.value && !model.shown.value.has(detail.row);
}

function items(model: ReviewModel, { label, row }: LabDetail): ToolbarItem[] {
  const { t } = model.lab.speech.value;
  const mine = label?.source === "sidecar" ? label.value : null;
  return [
    {
      id: "good",
      label: t("Good (g)"),
      icon: "thumbsup",
      pressed: mine === "good",
      run: () => void model.label("good"),
    },
    {
      id: "bad",
      label: t("Bad (b)"),
      icon: "thumbsdown",
      pressed: mine === "bad",
      run: () => void model.label("bad"),
    },
    { id: "undo", label: t("Undo (u)"), disabled: mine === null, run: () => void model.clear() },
    { id: "previous", label: t("Previous (p)"), disabled: model.at.value === 0, run: () => model.go(-1) },
    { id: "next", label: t("Next (n)"), icon: "arrow-right", run: () => void model.next() },
    {
      id: "open",
      label: t("Open in the Table"),
      run: () => model.lab.set({ tab: "samples", selected: { id: "", row } }),
    },
  ];
}

function Score({ model, detail }: { readonly model: ReviewModel; readonly detail: LabDetail }) {
  const speech = model.lab.speech.value;
  const { t, language } = speech;
  if (hidden(model, detail))
    return (
      <p class="quiet">
        {t("The score is hidden until you have judged: seeing it first draws the verdict towards it.")}{" "}
        <button type="button" class="link" onClick={() => model.show(detail.row)}>
          {t("Show Score (s)")}
        </button>
      </p>
    );
  return (
    <p class="sum">
      <strong data-total="">{formatScore(detail.total, language)}</strong>
      {detail.functions.map((fn) => (
        <span key={fn.name} class="part">
          {" · "}
          <span class="quiet">{fn.name}</span> {scoreOrState(fn, speech)}
        </span>
      ))}
      {" · "}
      {t("advantage")} {signed(detail.advantage, language)}
    </p>
  );
}

function Finished({ model, counts }: { readonly model: ReviewModel; readonly counts: LabelCounts }) {
  const { t, language } = model.lab.speech.value;
  return (
    <div class="finished" role="status">
      <p>
        <span class="codicon codicon-pass" aria-hidden="true" />{" "}
        {t(
          "You have looked at {0} random outputs of these samples: the inspection is complete.",
          formatCount(counts.looked, language),
        )}
      </p>
      <p class="quiet">
        {t(
          "{0} of the samples have a random label, {1} good and {2} bad labels in all.",
          counts.random,
          counts.good,
          counts.bad,
        )}
      </p>
      <button type="button" onClick={() => model.open("random")}>
        {t("Label at Random")}
      </button>
    </div>
  );
}

function Nothing({ model, queue }: { readonly model: ReviewModel; readonly queue: ReviewQueue }) {
  const { t } = model.lab.speech.value;
  const empty = queue.items.length === 0;
  const text = (): string => {
    if (!empty) return t("That was the last sample of this queue.");
    if (model.kind.value === "hunting")
      return t("There is nothing to hunt for: no disagreement, tie, flip or update that isn't labelled yet.");
    return t("Every sample of this stream has its label.");
  };
  return (
    <div class="finished">
      <p>{text()}</p>
      <button type="button" onClick={() => model.open(model.kind.value)}>
        {t("Look Again")}
      </button>
      {!empty && (
        <button type="button" onClick={() => model.go(-1)}>
          {t("Previous (p)")}
        </button>
      )}
    </div>
  );
}
