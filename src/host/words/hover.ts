import type { FileScores, FunctionScores, RowBrief } from "../../schema/live";
import { SCORE_STATES } from "../../schema/score";
import { errorAtLine } from "./errors";
import { formatCount, formatDuration, formatScore, type Speech } from "./format";
import { histogramImage, histogramRows } from "./histogram";
import { code, plain } from "./markdown";
import { meanText } from "./defLine";
import { countOfState, fateInWords, meaningOfState, reasonOfRecognition } from "./states";

/** Links stand in hovers from this list only, without arguments: they act on the function at the cursor. */
export interface HoverLinks {
  readonly read: string;
  readonly pin: string;
  readonly exportScores: string;
}

/** Markdown for a reward function: distribution as picture and as table, best and worst, groups, states, fates. */
export function functionHover(
  fn: FunctionScores,
  file: FileScores,
  moved: boolean,
  theme: "dark" | "light",
  links: HoverLinks,
  speech: Speech,
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
        t(
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
          return `- **${plain(countOfState(state, fn.states[state] ?? 0, speech))}**: ${plain(words.join(" "))}`;
        })
        .join("\n"),
    );
  const brief = (row: RowBrief): string[] => [
    n(row.row + 1),
    plain(row.value === null ? countOfState(row.state, 1, speech) : formatScore(row.value, language)),
    code(row.text, 80),
  ];
  const heads = [t("row"), t("score"), t("completion")];
  if (fn.worst.length > 0) parts.push(`**${plain(t("Worst"))}**`, table(heads, fn.worst.map(brief)));
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

export function contractSentence(fn: Pick<FunctionScores, "contract" | "reasons">, speech: Speech): string {
  const reasons = fn.reasons.map((reason) => reasonOfRecognition(reason, speech)).join(", ");
  return reasons === ""
    ? speech.t("Contract {0}.", fn.contract)
    : speech.t("Contract {0}, because {1}.", fn.contract, reasons);
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
