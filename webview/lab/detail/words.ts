import type { DetailFunction, LabDetail, LabWay, Observation, Place } from "../../../src/schema/lab";
import type { ContractId } from "../../../src/schema/reward";
import { type Reason, type ScoreState } from "../../../src/schema/score";
import { formatScore, oneLine, type Speech } from "../../../src/words/format";
import { fateInWords, stateAlone } from "../../../src/words/states";
import type { Compare, Match } from "./marks";
import { lineOf, patternName } from "./source";
import { lastMatched, nextAfter, type Next } from "./why";

const LONGEST = 60;

/** Score, or the state's word in its place. */
export function scoreOrState(
  { state, value }: { readonly state: ScoreState | null; readonly value: DetailFunction["value"] },
  speech: Speech,
): string {
  if (state === null) return speech.t("not scored yet");
  if (state === "scored") return formatScore(value, speech.language);
  const word = stateAlone(state, speech);
  return value === null ? `– ${word}` : `${formatScore(value, speech.language)} ${word}`;
}

/** `+0.84`: an advantage always carries its sign. */
export function signed(value: LabDetail["advantage"], language: string): string {
  const text = formatScore(value, language);
  return typeof value === "number" && value > 0 ? `+${text}` : text.replace(/^-/u, "−");
}

export function nextInWords(next: Next, { t }: Speech): string {
  if (next === "end") return t("the text ends here");
  if (next === "line-break") return t("the next character is a line break");
  if (next === "space") return t("the next character is a space");
  if (next === "tab") return t("the next character is a tab");
  return t("the next character is {0}", quoted(next.character));
}

/** What would have made it match, in the order that the engine tried them. */
export function wouldMatch(match: Match, { t }: Speech): string[] {
  return match.wouldMatch.map((way) => {
    switch (way) {
      case "DOTALL":
        return t("`.` doesn't match line breaks here; with re.DOTALL it would match.");
      case "IGNORECASE":
        return t("Upper and lower case differ here; with re.IGNORECASE it would match.");
      case "MULTILINE":
        return t("`^` and `$` stand for the ends of the whole text here; with re.MULTILINE it would match.");
      case "search":
        return t(
          "{0} must begin at the start of the text; search would find a match further on.",
          match.method,
        );
      case "strip":
        return t("White space at the ends of the text is in the way; after strip() it would match.");
    }
  });
}

/** `SHAPE`, or the pattern itself where it has no name on its line. */
export function patternCalled(match: Match, source: string | null): string {
  const line = match.helper ? "" : lineOf(source, match.line);
  return patternName(line) ?? `/${oneLine(match.pattern, LONGEST)}/`;
}

/** Of a pattern, on either side of where it stopped. */
const MOST_OF_PATTERN = 120;

/** A pattern about the place that it got to; far from it a long one is cut. */
export function aroundReached(
  pattern: string,
  reached: number,
): { readonly reached: string; readonly rest: string; readonly cut: boolean } {
  const from = Math.max(0, reached - MOST_OF_PATTERN);
  const to = Math.min(pattern.length, reached + MOST_OF_PATTERN);
  return {
    reached: `${from > 0 ? "…" : ""}${pattern.slice(from, reached)}`,
    rest: `${pattern.slice(reached, to)}${to < pattern.length ? "…" : ""}`,
    cut: from > 0 || to < pattern.length,
  };
}

/** `Line 10`, or the place in a helper file. */
function where(one: Observation, { t }: Speech): string {
  return one.helper ? t("{0} line {1}", one.helper.file, one.helper.line) : t("Line {0}", one.line);
}

/** What was found, or how far it got: one observation in a sentence; and what would have helped, where that is asked. */
export function observed(one: Observation, source: string | null, speech: Speech, helps: boolean): string {
  if (one.kind === "compare") return compareInWords(one, speech);
  const cures = helps && one.spans.length === 0 ? wouldMatch(one, speech).slice(0, 1) : [];
  return [matchInWords(one, source, speech), ...cures].join(" ");
}

function matchInWords(match: Match, source: string | null, speech: Speech): string {
  const { t } = speech;
  const name = patternCalled(match, source);
  const [first] = match.spans;
  if (first) {
    const text = quoted(match.text.slice(...first));
    return match.spans.length === 1
      ? t("{0}: {1} matches {2}.", where(match, speech), name, text)
      : t("{0}: {1} matches {2} times, first {3}.", where(match, speech), name, match.spans.length, text);
  }
  return stopInWords(match, name, speech);
}

function stopInWords(match: Match, name: string, speech: Speech): string {
  const { t } = speech;
  const at = where(match, speech);
  const reached = match.reached?.text;
  const after = reached ? lastMatched(match.text, reached) : "";
  if (!reached || after === "") return t("{0}: {1} doesn't match.", at, name);
  const next = nextAfter(match.text, reached[1]);
  if (next === "line-break")
    return t("{0}: {1} doesn't match: it stops at the line break after {2}.", at, name, quoted(after));
  if (next === "end") return t("{0}: {1} doesn't match: the text ends after {2}.", at, name, quoted(after));
  if (typeof next !== "object")
    return t("{0}: {1} doesn't match: it stops at the white space after {2}.", at, name, quoted(after));
  const character = quoted(next.character);
  return t("{0}: {1} doesn't match: it stops at {2} after {3}.", at, name, character, quoted(after));
}

function compareInWords(one: Compare, speech: Speech): string {
  const { t } = speech;
  const at = where(one, speech);
  const left = side(one.left, one.leftPlace, speech);
  const right = side(one.right, one.rightPlace, speech);
  switch (`${one.op} ${one.result}`) {
    case "== true":
    case "!= false":
      return t("{0}: {1} is equal to {2}.", at, left, right);
    case "== false":
    case "!= true":
      return t("{0}: {1} is not equal to {2}.", at, left, right);
    case "in true":
    case "not in false":
      return t("{0}: {1} is in {2}.", at, left, right);
    case "in false":
    case "not in true":
      return t("{0}: {1} is not in {2}.", at, left, right);
    case "find true":
    case "index true":
    case "count true":
      return t("{0}: {1} is in {2}.", at, right, left);
    case "find false":
    case "index false":
    case "count false":
      return t("{0}: {1} is not in {2}.", at, right, left);
    case "startswith true":
      return t("{0}: {1} starts with {2}.", at, left, right);
    case "startswith false":
      return t("{0}: {1} doesn't start with {2}.", at, left, right);
    case "endswith true":
      return t("{0}: {1} ends with {2}.", at, left, right);
    case "endswith false":
      return t("{0}: {1} doesn't end with {2}.", at, left, right);
    default:
      return one.result
        ? t("{0}: {1} {2} {3} holds.", at, left, one.op, right)
        : t("{0}: {1} {2} {3} does not hold.", at, left, one.op, right);
  }
}

/** A side as Python writes it, with the column that it is in. */
function side(text: string, place: Place | null, { t }: Speech): string {
  const value = oneLine(text, LONGEST);
  if (place?.part === "column") return t("{0} {1}", place.name, value);
  if (place?.part === "prompt") return t("{0} (in the prompt)", value);
  return value;
}

export function placeInWords(place: Place, { t }: Speech): string {
  switch (place.part) {
    case "completion":
      return t("in the completion");
    case "prompt":
      return t("in the prompt");
    case "column":
      return t("in the column {0}", place.name);
  }
}

export function offInWords(off: NonNullable<LabWay["off"]>, { t }: Speech): string {
  switch (off) {
    case "async":
      return t("An async function can't be followed line by line.");
    case "failed":
      return t("The function could not be followed; its score is not changed by that.");
    case "not-scored":
      return t("This sample is not scored by it, so there is no way to show.");
  }
}

/** Why a row has no score: Python's own words and the line. */
export function reasonInWords(reason: Reason, { t }: Speech): string {
  const text = reason.text ?? reason.type ?? reason.target ?? "";
  const said = text === "" ? codeInWords(reason, t) : oneLine(text, 400);
  return reason.line === undefined ? said : t("Line {0}: {1}", reason.line, said);
}

function codeInWords(reason: Reason, t: Speech["t"]): string {
  switch (reason.code) {
    case "exception":
    case "module":
      return t("It raised an exception.");
    case "signature":
      return t("It can't be called with the arguments that the trainer gives.");
    case "wrong-count":
      return t("It returned {0} numbers for {1} samples.", reason.got ?? 0, reason.expected ?? 0);
    case "not-a-list":
      return t("It returned something that is not a list.");
    case "wrong-type":
      return t("It returned something that is not a number.");
    case "coroutine":
      return t("It returned a coroutine that nobody awaits.");
    case "no-tokens":
      return t("The samples have no token ids.");
    case "none":
      return t("It returned None.");
    case "nan":
      return t("It returned NaN.");
    case "infinite":
      return t("It returned infinity.");
    case "row-timeout":
    case "pass-timeout":
      return t("It took longer than the limit.");
    case "memory":
      return t("It used more memory than the limit.");
    case "exit":
    case "signal":
      return t("The process that ran it ended.");
    case "user-cancelled":
      return t("It was stopped before it was scored.");
    case "side-effect":
      return t("It was held before a side effect.");
  }
}

export function fateTold(
  fn: Pick<DetailFunction, "fate">,
  contract: ContractId | null,
  speech: Speech,
): string | null {
  return fn.fate === null || contract === null ? null : fateInWords(fn.fate, contract, speech);
}

function quoted(text: string): string {
  return `“${oneLine(text, LONGEST)}”`;
}
