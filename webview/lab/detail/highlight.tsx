import type { Observation } from "../../../src/schema/lab";
import { formatCount, type Speech } from "../../../src/words/format";
import { textsOf } from "./completion";
import {
  differing,
  marksOf,
  pieces,
  type Compare,
  type Marks,
  type Match,
  type Piece,
  type Span,
} from "./marks";
import { Visible } from "../../shared/visibleText";
import { nextAfter } from "./why";
import { aroundReached, nextInWords, observed, patternCalled, placeInWords, wouldMatch } from "./words";

/** The text of the completion that a match looked at, and where in it; null: it looked at another text. */
export function searchedText(match: Match, completion: unknown): { text: string; by: number } | null {
  const { place } = match;
  if (place?.part !== "completion") return null;
  for (const text of textsOf(completion)) {
    const there = text.slice(place.from, place.to);
    if (match.cut ? there.startsWith(match.text) : there === match.text) return { text, by: place.from };
  }
  return null;
}

interface HighlightProps {
  readonly match: Match;
  readonly completion: unknown;
  readonly source: string | null;
  readonly speech: Speech;
}

/**
 * What a pattern made of the completion: matches and groups, or how far it got. A text that was made on the way stands
 * below the completion that it was made of.
 */
export function Highlight({ match, completion, source, speech }: HighlightProps) {
  const { t } = speech;
  const found = searchedText(match, completion);
  const name = patternCalled(match, source);
  const [whole] = textsOf(completion);
  const marks = marksOf(match, found?.by ?? 0);
  return (
    <div class="highlight">
      {found === null && (
        <>
          {whole !== undefined && match.place?.part !== "column" && match.place?.part !== "prompt" && (
            <Marked text={whole} marks={NONE} label={t("Completion")} speech={speech} />
          )}
          <p class="quiet">
            <Visible
              text={
                match.place === null
                  ? t("{0} searched this text, which was made on the way:", name)
                  : t("{0} searched this text {1}:", name, placeInWords(match.place, speech))
              }
            />
          </p>
        </>
      )}
      <Marked
        text={found?.text ?? match.text}
        marks={marks}
        label={t("What {0} matched", name)}
        speech={speech}
      />
      {match.cut && (
        <p class="quiet">
          {t("Only the first {0} characters are shown.", formatCount(match.text.length, speech.language))}
        </p>
      )}
      {match.spans.length === 0 && <Missed match={match} speech={speech} />}
    </div>
  );
}

const NONE: Marks = { matches: [], groups: [], reached: null };

/** The whole text, marked. */
function Marked({
  text,
  marks,
  label,
  speech,
}: {
  readonly text: string;
  readonly marks: Marks;
  readonly label: string;
  readonly speech: Speech;
}) {
  const all = pieces(text, marks);
  const runs: Piece[][] = [];
  for (const piece of all) {
    const last = runs.at(-1);
    if (last?.[0] && piece.match !== null && last[0].match === piece.match) last.push(piece);
    else runs.push([piece]);
  }
  return (
    <div class="text-block" dir="auto" role="group" aria-label={label}>
      {runs.map((run, i) => {
        const [first] = run;
        if (!first) return null;
        const inside = run.map((piece, k) => (
          <One key={k} piece={piece} text={text} marks={marks} speech={speech} />
        ));
        if (first.match === null) return inside;
        return (
          <mark key={i} class="matched" data-matched={run.map((piece) => piece.text).join("")}>
            <span class="said">{speech.t("match begins")} </span>
            {inside}
            <span class="said"> {speech.t("match ends")}</span>
          </mark>
        );
      })}
    </div>
  );
}

function One({
  piece,
  text,
  marks,
  speech,
}: {
  readonly piece: Piece;
  readonly text: string;
  readonly marks: Marks;
  readonly speech: Speech;
}) {
  const { t } = speech;
  const at = marks.reached?.[1] ?? 0;
  const group = piece.groups.at(-1);
  const body =
    group === undefined ? (
      <Visible text={piece.text} />
    ) : (
      <span class="group" title={t("group {0}", piece.groups.join(", "))}>
        <Visible text={piece.text} />
      </span>
    );
  return (
    <>
      {piece.stop && (
        <span class="stop" data-reached={at}>
          {t("stopped here: {0}", nextInWords(nextAfter(text, at), speech))}
        </span>
      )}
      {piece.reached ? <span class="reached">{body}</span> : body}
    </>
  );
}

/** How far the pattern got, and what would have matched. */
function Missed({ match, speech }: { readonly match: Match; readonly speech: Speech }) {
  const { t } = speech;
  const { reached } = match;
  const shown = aroundReached(match.pattern, reached?.pattern ?? 0);
  const helps = wouldMatch(match, speech);
  return (
    <>
      {reached !== null && reached.pattern > 0 && (
        <p>
          {t("This much of the pattern matched:")}{" "}
          <code class="pattern" title={shown.cut ? match.pattern : undefined}>
            <span class="reached">
              <Visible text={shown.reached} />
            </span>
            <Visible text={shown.rest} />
          </code>
        </p>
      )}
      {helps.map((text) => (
        <p key={text} class="helps" data-why="would-match">
          <span class="codicon codicon-lightbulb" aria-hidden="true" /> {text}
        </p>
      ))}
    </>
  );
}

const MOST_COMPARED = 2000;

/** One observation in a sentence; of texts that should have been equal, where they differ. */
export function Observed({
  one,
  source,
  speech,
  helps,
  onLine,
}: {
  readonly one: Observation;
  /** What would have matched is said here, too. */
  readonly helps: boolean;
  readonly source: string | null;
  readonly speech: Speech;
  readonly onLine?: (line: number) => void;
}) {
  const differs =
    one.kind === "compare" &&
    !one.result &&
    one.op === "==" &&
    one.left.length + one.right.length < MOST_COMPARED;
  return (
    <div class="observed" data-why={one.kind}>
      <p>
        <span
          class={`codicon codicon-${(one.kind === "match" ? one.spans.length > 0 : one.result) ? "pass" : "circle-slash"}`}
          aria-hidden="true"
        />{" "}
        <Visible text={observed(one, source, speech, helps)} />
        {onLine && (
          <>
            {" "}
            <button type="button" class="link" onClick={() => onLine(one.line)}>
              {one.helper ? speech.t("Called from line {0}", one.line) : speech.t("Show line {0}", one.line)}
            </button>
          </>
        )}
      </p>
      {differs && <Difference one={one} speech={speech} />}
    </div>
  );
}

function Difference({ one, speech }: { readonly one: Compare; readonly speech: Speech }) {
  const { left, right } = differing(one.left, one.right);
  return (
    <dl class="difference">
      <Side text={one.left} span={left} label={speech.t("this")} />
      <Side text={one.right} span={right} label={speech.t("compared with")} />
    </dl>
  );
}

function Side({ text, span, label }: { readonly text: string; readonly span: Span; readonly label: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>
          <Visible text={text.slice(0, span[0])} />
          {span[0] < span[1] && (
            <span class="differs" data-differs="">
              <Visible text={text.slice(...span)} />
            </span>
          )}
          <Visible text={text.slice(span[1])} />
        </code>
      </dd>
    </div>
  );
}
