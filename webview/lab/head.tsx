import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LabCommand } from "../../src/protocol/lab.contract";
import type { LabelCounts } from "../../src/schema/lab";
import type { FileScores, FunctionScores, MeanEstimate } from "../../src/schema/live";
import { SCORE_STATES } from "../../src/schema/score";
import { formatCount, formatDuration, formatMean, formatScore, type Speech } from "../../src/words/format";
import { contractExplained, countOfState } from "../../src/words/states";
import { Icon } from "../shared/controls";
import { groupText, statusOf } from "./headStatus";
import type { Lab } from "./lab";
import { revealLine } from "./reveal";
import { agreementExplained } from "./review/words";
import { stateIcon } from "./table/words";

const SETTLE_MS = 300;

export function runCommand(lab: Lab, command: LabCommand): void {
  lab.connection.host
    .run({ command, function: null })
    .catch((error: unknown) => lab.say(error instanceof Error ? error.message : String(error)));
}

/** `waits`: there is nothing to show yet, and the pane below says why. File of samples, contract, means, agreement with the labels, state, and the verbs. */
export function Head({ lab, waits }: { readonly lab: Lab; readonly waits: boolean }) {
  const speech = lab.speech.value;
  const { t, language } = speech;
  const view = lab.scores.value;
  const { scores } = view;
  const labels = useLabels(lab);
  const total = useTotal(lab);
  const set = scores?.set ?? null;
  const functions = scores?.functions ?? [];
  const contracts = [...new Set(functions.map((fn) => fn.contract))];
  const old = scores !== null && scores.status !== "fresh";
  return (
    <header class="head">
      <div class="head-line">
        <button
          type="button"
          class="chip"
          title={set ? t("Samples: {0}. Choose others.", set.files.join(", ")) : t("Choose samples")}
          onClick={() => runCommand(lab, "pickSamples")}
        >
          <Icon name="list-flat" /> {set ? fileNames(set.files, speech) : t("no samples chosen")}{" "}
          <Icon name="chevron-down" />
        </button>
        {set && <span>{set.rows === 1 ? t("1 row") : t("{0} rows", formatCount(set.rows, language))}</span>}
        {contracts.length > 0 && (
          <button
            type="button"
            class="chip"
            title={t(
              "Contract: {0}. Choose another.",
              contracts.map((contract) => contractExplained(contract, speech)).join("; "),
            )}
            onClick={() => runCommand(lab, "selectContract")}
          >
            {contracts.join(", ")} <Icon name="chevron-down" />
          </button>
        )}
        {set && set.groups > 0 && (
          <Explained title={t("{0} rows in {1} groups", set.rows, set.groups)}>
            {groupText(set.rows, set.groups, speech)}
          </Explained>
        )}
        <LabelsPart labels={labels} speech={speech} />
        <span class="grow" />
        {!waits && <StatusPart lab={lab} />}
        <Verbs lab={lab} />
      </div>
      {functions.some((fn) => fn.n > 0) && (
        <ul class={`head-means${old ? " old" : ""}`} aria-label={t("Means over scored rows")}>
          {functions.length > 1 && total !== null && (
            <li>
              <MeanPart name={t("total")} estimate={total} speech={speech} />
            </li>
          )}
          {functions.map((fn) => (
            <FunctionPart key={fn.name} lab={lab} fn={fn} alone={functions.length === 1} />
          ))}
        </ul>
      )}
    </header>
  );
}

function fileNames(files: readonly string[], { t }: Speech): string {
  const [first = ""] = files;
  const name = first.split(/[\\/]/u).at(-1) ?? first;
  return files.length > 1 ? t("{0} and {1} more", name, files.length - 1) : name;
}

function FunctionPart(props: { readonly lab: Lab; readonly fn: FunctionScores; readonly alone: boolean }) {
  const { lab, fn, alone } = props;
  const speech = lab.speech.value;
  const { t, language } = speech;
  return (
    <li>
      <MeanPart name={alone ? t("mean") : fn.name} estimate={fn.estimate} speech={speech} />
      {fn.n < fn.of && (
        <span class="quiet">
          {" "}
          {t("{0} of {1}", formatCount(fn.n, language), formatCount(fn.of, language))}
        </span>
      )}
      {SCORE_STATES.map((state) => {
        const count = fn.states[state] ?? 0;
        if (state === "scored" || count === 0) return null;
        return (
          <button
            key={state}
            type="button"
            class="state-link"
            title={t("Filter by this state")}
            onClick={() => lab.set({ tab: "samples", filter: `state:${state}`, scroll: 0 })}
          >
            <Icon name={stateIcon(state)} /> {countOfState(state, count, speech)}
          </button>
        );
      })}
      {fn.recovered > 0 && (
        <span class="quiet"> {t("{0} recovered", formatCount(fn.recovered, language))}</span>
      )}
    </li>
  );
}

interface MeanPartProps {
  readonly name: string;
  readonly estimate: MeanEstimate | null;
  readonly speech: Speech;
}

/** `0.62 ±0.07`; of what, over how many, and what the interval is, in the title and for screen readers. */
function MeanPart({ name, estimate, speech }: MeanPartProps) {
  const { t, language } = speech;
  if (estimate === null || estimate.n === 0)
    return (
      <span>
        <span class="quiet">{name}</span> {t("no score")}
      </span>
    );
  const n = formatCount(estimate.n, language);
  const clusters = formatCount(estimate.clusters, language);
  const interval =
    estimate.halfWidth === null
      ? t("mean over {0} scored rows; no interval", n)
      : estimate.unit === "group"
        ? t("mean over {0} scored rows ± half the 95 % interval, by {1} groups", n, clusters)
        : t("mean over {0} scored rows ± half the 95 % interval, by rows", n);
  return (
    <span title={interval}>
      <span class="quiet">{name}</span>{" "}
      <strong>{formatMean(estimate.mean, estimate.halfWidth, language)}</strong>
      <span class="said"> ({interval})</span>
    </span>
  );
}

function LabelsPart(props: { readonly labels: LabelCounts | null; readonly speech: Speech }) {
  const { labels, speech } = props;
  const { t, language } = speech;
  if (labels === null) return null;
  const n = (value: number): string => formatCount(value, language);
  const { agreement } = labels;
  if (agreement && agreement.n > 0)
    return (
      <Explained
        title={`${t(
          "Score and label agree in {0} of {1} rows that were labelled in random review.",
          n(agreement.agree),
          n(agreement.n),
        )} ${agreementExplained(speech)}`}
      >
        {t(
          "label agreement {0} (n={1} random)",
          formatScore(agreement.agree / agreement.n, language),
          n(agreement.n),
        )}
      </Explained>
    );
  if (labels.labelled + labels.data === 0) return null;
  return (
    <Explained
      class="quiet"
      title={t("Labels in {0}. Rates come only from labels of the random review.", labels.file)}
    >
      {labels.labelled === 0
        ? t("{0} labels from the data", n(labels.data))
        : labels.data === 0
          ? t("{0} labelled · {1} random", n(labels.labelled), n(labels.random))
          : t(
              "{0} labelled · {1} random · {2} from the data",
              n(labels.labelled),
              n(labels.random),
              n(labels.data),
            )}
    </Explained>
  );
}

interface ExplainedProps {
  readonly title: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** What a number is: under the mouse, and for who reads without one. */
function Explained({ title, class: name = "", children }: ExplainedProps) {
  return (
    <span class={name} title={title}>
      {children}
      <span class="said"> ({title})</span>
    </span>
  );
}

function StatusPart({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  const { t } = speech;
  const status = statusOf(lab.scores.value, speech);
  const said = useRef("");
  useEffect(() => {
    // Passes come with every key: only what needs a person is said.
    if (status.kind === "running" || status.text === said.current) return;
    const before = said.current;
    said.current = status.text;
    if (before !== "" && status.kind !== "fresh") lab.say(status.text);
  }, [status.kind, status.text]);
  const { place, help } = status;
  const text = (
    <>
      <Icon name={status.kind === "running" ? "sync codicon-modifier-spin" : status.icon} /> {status.text}
    </>
  );
  return (
    <span class={`status ${status.kind}`} data-status={status.kind}>
      {place ? (
        <button
          type="button"
          class="link"
          title={t("Go to line {0}", place.line)}
          onClick={() => revealLine(lab, place.line, place.file)}
        >
          {text}
        </button>
      ) : (
        <span>{text}</span>
      )}
      {help && (
        <button type="button" class="primary" onClick={() => runCommand(lab, help.command)}>
          {help.text}
        </button>
      )}
    </span>
  );
}

function Verbs({ lab }: { readonly lab: Lab }) {
  const { t } = lab.speech.value;
  const { scores, chosen, trusted } = lab.scores.value;
  if (!chosen || !trusted || scores === null) return null;
  const paused = scores.blocked === "paused";
  const verb = (command: LabCommand, icon: string, text: string, title: string) => (
    <button key={command} type="button" class="verb" title={title} onClick={() => runCommand(lab, command)}>
      <Icon name={icon} /> <span class="verb-text">{text}</span>
    </button>
  );
  const { timing } = scores;
  return (
    <span class="verbs" role="group" aria-label={t("Score and compare")}>
      {verb(
        "score",
        "play",
        t("Score"),
        timing === null
          ? t("Score all rows now")
          : t(
              "Score all rows now. The last pass took {0}.",
              formatDuration(timing.totalMs, lab.speech.value),
            ),
      )}
      {verb("check", "checklist", t("Check"), t("Look for what goes wrong in training"))}
      {paused
        ? verb("resumeLive", "debug-continue", t("Resume"), t("Score while you type"))
        : verb("pauseLive", "debug-pause", t("Pause"), t("Stop scoring while you type"))}
      {verb("setBaseline", "bookmark", t("Set Baseline"), t("The version that flips are counted against"))}
      {verb("compareVersions", "diff", t("Compare"), t("Show the difference to the baseline"))}
    </span>
  );
}

/** Counts of labels, asked for again when labels or scores are others. */
function useLabels(lab: Lab): LabelCounts | null {
  const [counts, setCounts] = useState<LabelCounts | null>(null);
  const labelSeq = lab.labelSeq.value;
  const seq = lab.seq.value;
  useEffect(
    () => settled(() => lab.connection.data.labels({}, { timeoutMs: 60_000 }), setCounts),
    [labelSeq, seq],
  );
  return counts;
}

/** Mean of the totals: of several functions, with the weights being tried. */
function useTotal(lab: Lab): MeanEstimate | null {
  const [estimate, setEstimate] = useState<MeanEstimate | null>(null);
  const seq = lab.seq.value;
  const { weights } = lab.state.value;
  const several = (lab.scores.value.scores?.functions.length ?? 0) > 1;
  useEffect(() => {
    if (!several) return;
    return settled(
      () => lab.connection.data.pictures({ weights, points: 1 }, { timeoutMs: 60_000 }),
      ({ histograms }) => setEstimate(histograms.find((one) => one.function === null)?.estimate ?? null),
    );
  }, [seq, JSON.stringify(weights), several]);
  return several ? estimate : null;
}

/** Asks once things have been quiet for a moment; an answer that is no longer wanted is dropped. */
function settled<T>(ask: () => Promise<T>, take: (answer: T) => void): () => void {
  let wanted = true;
  const timer = setTimeout(() => {
    ask().then(
      (answer) => {
        if (wanted) take(answer);
      },
      // What is shown stays; that nothing comes is said by the table.
      () => undefined,
    );
  }, SETTLE_MS);
  return () => {
    wanted = false;
    clearTimeout(timer);
  };
}

/** The number of flips for the tab: rows that went up or down, over all functions. */
export function flipCount(scores: FileScores | null): number | null {
  if (!scores?.functions.some((fn) => fn.flips !== null)) return null;
  return scores.functions.reduce((sum, { flips }) => sum + (flips ? flips.up + flips.down : 0), 0);
}
