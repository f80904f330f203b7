import type { FileScores, FunctionScores, RowBrief } from "../schema/live";
import { SCORE_STATES, type ScoreState } from "../schema/score";
import { errorAtLine } from "./errors";
import { formatCount, formatDuration, formatScore, type Speech } from "./format";
import { histogramImage, histogramRows } from "./histogram";
import { code, plain } from "./markdown";
import { meanText } from "./defLine";
import {
  countOfState,
  effectHeld,
  fateInWords,
  meaningOfState,
  reasonOfRecognition,
  stateAlone,
} from "./states";

/** A row without a score, as the engine told it on request. */
export interface UnscoredRow {
  readonly row: number;
  readonly state: ScoreState;
  /** Python's own words. */
  readonly reason: string | null;
  /** 1-based. */
  readonly line: number | null;
  /** The completion; null where it was not asked for. */
  readonly text: string | null;
}

const MOST_REASONS = 5;
const MOST_ROWS_NAMED = 8;

/** Links stand in hovers from this list only, without arguments: they act on the function at the cursor. */
export interface HoverLinks {
  readonly read: string;
  readonly pin: string;
  readonly exportScores: string;
}

/**
 * Markdown for a reward function: distribution as picture and as table, best and worst, groups, states, fates.
 * @param unscored first rows without a score; the snapshot itself knows only those that raised
 */
export function functionHover(
  fn: FunctionScores,
  file: FileScores,
  moved: boolean,
  theme: "dark" | "light",
  links: HoverLinks,
  speech: Speech,
  unscored: readonly UnscoredRow[] = [],
): string {
  const { t, language } = speech;
  const n = (count: number): string => formatCount(count, language);
  const parts: string[] = [];
  const mean = meanText(fn, speech);
  const scored = fn.states.scored ?? 0;
  parts.push(`**${plain(fn.name)}** · ${plain(mean === null ? t("no score yet") : t("mean {0}", mean))}`);
  if (file.error !== null) parts.push(`$(error) ${plain(errorAtLine(file.error, file.path, speech))}`);
  if (moved || fn.status === "old") parts.push(plain(t("These numbers are from before your last edit.")));
  if (fn.estimate !== null && fn.estimate.halfWidth !== null)
    parts.push(
      plain(
        fn.estimate.unit === "group"
          ? t(
              "Mean over {0} scored samples; ± is half a 95 % interval over {1} groups.",
              n(fn.estimate.n),
              n(fn.estimate.clusters),
            )
          : t("Mean over {0} scored samples; ± is half a 95 % interval over samples.", n(fn.estimate.n)),
      ),
    );
  const bins = fn.histogram !== null && scored > 0 ? histogramRows(fn.histogram, speech) : [];
  if (fn.histogram !== null && bins.length > 0) {
    const alt = bins.map((bin) => `${bin.range}: ${bin.count}`).join("; ");
    parts.push(
      `![${plain(t("Distribution of scores. {0}", alt))}](${histogramImage(fn.histogram, theme, speech)})`,
    );
  }
  if (fn.groups.n > 0)
    parts.push(
      plain(
        nothingToCompare(fn)
          ? t("No group could be compared: nothing was scored.")
          : t(
              "{0} of {1} groups are tied, {2} give no gradient.",
              n(fn.groups.tied),
              n(fn.groups.n),
              n(fn.groups.noGradient),
            ),
      ),
    );
  const states = SCORE_STATES.filter((state) => (fn.states[state] ?? 0) > 0);
  if (states.length > 0)
    parts.push(
      states
        .map((state) => {
          const fate = fn.fates?.[state];
          const words = [
            meaningOfState(state, speech),
            ...(fate ? [fateInWords(fate, fn.contract, speech)] : []),
          ];
          return [
            `- **${plain(countOfState(state, fn.states[state] ?? 0, speech))}**: ${plain(words.join(" "))}`,
            ...reasonsOf(state, fn, unscored, speech).map((reason) => `  - ${reason}`),
          ].join("\n");
        })
        .join("\n"),
    );
  const brief = (row: RowBrief): string[] => [
    n(row.row + 1),
    plain(row.value === null ? countOfState(row.state, 1, speech) : formatScore(row.value, language)),
    code(row.text, 80),
  ];
  const heads = [t("row"), t("score"), t("completion")];
  const without = unscored.flatMap(({ row, state, text }) =>
    text === null ? [] : [[n(row + 1), plain(stateAlone(state, speech)), code(text, 80)]],
  );
  const worst = [...without, ...fn.worst.map(brief)];
  if (worst.length > 0) parts.push(`**${plain(t("Worst"))}**`, table(heads, worst));
  if (fn.best.length > 0) parts.push(`**${plain(t("Best"))}**`, table(heads, fn.best.map(brief)));
  if (fn.recovered > 0)
    parts.push(
      plain(
        t(
          "{0} rows were scored alone after their batch had failed: the trainer would never have seen these scores.",
          n(fn.recovered),
        ),
      ),
    );
  if (fn.previews !== null && fn.previews.lines.length > 0)
    parts.push(
      plain(t("Beside the lines:")) +
        ` ${code("→ 24")} ${plain(t("samples went this way"))}, ` +
        `${code("×24 → 1.0")} ${plain(t("samples reached the line, and their final score"))}`,
    );
  if (fn.previews?.off === "differs")
    parts.push(
      plain(
        t("No previews: this reward scores a sample differently when it is called with that sample alone."),
      ),
    );
  else if (fn.previews?.off === "async")
    parts.push(plain(t("No previews: they are not made for async functions.")));
  if (bins.length > 0)
    parts.push(
      table(
        [t("score"), t("samples")],
        bins.map((bin) => [plain(bin.range), bin.count]),
      ),
    );
  parts.push(plain(contractSentence(fn, speech)), plain(t("Last pass: {0}.", formatDuration(fn.ms, speech))));
  parts.push(
    `[${plain(t("Read as text"))}](${links.read}) · [${plain(t("Pin sample"))}](${links.pin}) · [${plain(t("Export scores"))}](${links.exportScores})`,
  );
  return parts.join("\n\n");
}

/** Groups there are, but no score in them: "0 tied" would sound like good news. */
export function nothingToCompare(fn: Pick<FunctionScores, "groups" | "states">): boolean {
  return fn.groups.n > 0 && (fn.states.scored ?? 0) === 0;
}

/** What is known of why rows are in a state: message, line, rows. Markdown; Python's words stand as code. */
function reasonsOf(
  state: ScoreState,
  fn: FunctionScores,
  unscored: readonly UnscoredRow[],
  speech: Speech,
): string[] {
  const { t, language } = speech;
  const n = (count: number): string => formatCount(count, language);
  const named = (rows: readonly number[], count: number): string => {
    const first = rows.slice(0, MOST_ROWS_NAMED).map((row) => n(row + 1));
    if (first.length === 0) return "";
    return plain(t("(rows {0})", [...first, ...(count > first.length ? ["…"] : [])].join(", ")));
  };
  const said: string[] = [];
  if (state === "raised")
    for (const { line, type, message, count, rows } of fn.raised) {
      const head =
        count === 1
          ? line === null
            ? t("raised in 1 row:")
            : t("raised in 1 row at line {0}:", line)
          : line === null
            ? t("raised in {0} rows:", n(count))
            : t("raised in {0} rows at line {1}:", n(count), line);
      said.push(`${plain(head)} ${code(`${type}: ${message}`, 200)} ${named(rows, count)}`.trim());
    }
  if (state === "held")
    for (const held of fn.held) said.push(plain(effectHeld(held.effect, held.count, held.target, speech)));
  if (said.length === 0) {
    const reasons = new Map<string, UnscoredRow[]>();
    for (const row of unscored.filter((one) => one.state === state)) {
      const key = `${row.line ?? ""}\n${row.reason ?? ""}`;
      reasons.set(key, [...(reasons.get(key) ?? []), row]);
    }
    for (const [one, ...others] of reasons.values()) {
      if (!one) continue;
      const rows = [one, ...others].map(({ row }) => row);
      // Not all rows were asked for: only where there is one reason alone is it known whether there are more.
      const count = reasons.size === 1 ? (fn.states[state] ?? 0) : rows.length;
      said.push(
        [
          one.line === null ? "" : plain(t("at line {0}:", one.line)),
          one.reason === null ? "" : code(one.reason, 200),
          named(rows, count),
        ]
          .filter((part) => part !== "")
          .join(" "),
      );
    }
  }
  const over = said.length - MOST_REASONS;
  return over > 0 ? [...said.slice(0, MOST_REASONS), plain(t("and {0} more reasons", n(over)))] : said;
}

export function contractSentence(fn: Pick<FunctionScores, "contract" | "reasons">, speech: Speech): string {
  const reasons = reasonsInWords(fn.reasons, speech);
  return reasons === ""
    ? speech.t("Contract {0}.", fn.contract)
    : speech.t("Contract {0}, because {1}.", fn.contract, reasons);
}

/** `it takes completions and **kwargs and returns a list` */
function reasonsInWords(reasons: FunctionScores["reasons"], speech: Speech): string {
  const { t } = speech;
  const said: string[] = [];
  for (const [index, reason] of reasons.entries()) {
    const takes = said.at(-1);
    const before = reasons[index - 1];
    if (
      reason === "returns-list" &&
      takes !== undefined &&
      (before === "completions-and-kwargs" || before === "completions-parameter")
    )
      said[said.length - 1] = t("{0} and returns a list", takes);
    else said.push(reasonOfRecognition(reason, speech));
  }
  const last = said.pop() ?? "";
  return said.length === 0 ? last : t("{0}, and {1}", said.join(", "), last);
}

export interface ColumnValues {
  readonly present: number;
  readonly distinct: number;
  readonly values: readonly { readonly text: string; readonly count: number }[];
}

export function columnHover(column: string, rows: number, values: ColumnValues, speech: Speech): string {
  const { t, language } = speech;
  const n = (count: number): string => formatCount(count, language);
  const head = t(
    "Column {0}: in {1} of {2} samples, {3} different values",
    column,
    n(values.present),
    n(rows),
    n(values.distinct),
  );
  return [
    plain(head),
    table(
      [t("value"), t("samples")],
      values.values.map((value) => [code(value.text, 80), n(value.count)]),
    ),
  ].join("\n\n");
}

export interface PatternMatches {
  readonly pattern: string;
  readonly matched: number;
  readonly of: number;
  readonly misses: readonly { readonly row: number; readonly text: string }[];
  readonly error: string | null;
}

export function patternHover(matches: PatternMatches, speech: Speech): string {
  const { t, language } = speech;
  if (matches.error !== null) return plain(t("This pattern could not be tried: {0}", matches.error));
  const n = (count: number): string => formatCount(count, language);
  const parts = [plain(t("Matches {0} of {1} completions", n(matches.matched), n(matches.of)))];
  if (matches.misses.length > 0)
    parts.push(
      `**${plain(t("First misses"))}**`,
      table(
        [t("row"), t("completion")],
        matches.misses.slice(0, 5).map((miss) => [n(miss.row + 1), code(miss.text, 100)]),
      ),
    );
  return parts.join("\n\n");
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads.map(plain)), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
