import type { FileScores, FunctionScores, RowBrief } from "../../schema/live";
import type { Painting } from "./paint";
import { defLine } from "../../words/defLine";
import { formatCount, formatScore, oneLine, type Speech } from "../../words/format";
import { histogramRows } from "../../words/histogram";
import { contractSentence } from "../../words/hover";
import { countOfState, effectHeld, fateInWords, meaningOfState } from "../../words/states";
import { SCORE_STATES } from "../../schema/score";

/** Everything that is drawn for a function, as text that a screen reader can go through line by line. */
export function readableText(
  fn: FunctionScores,
  file: FileScores,
  moved: boolean,
  painting: Painting,
  source: (line: number) => string,
  speech: Speech,
): string {
  const { t, language } = speech;
  const out: string[] = [t("Reward {0}", fn.name), ""];
  const numbers = defLine(fn, file, moved, speech);
  if (numbers !== null) out.push(numbers.text.replace(/^[●▲✕◌○✗] /u, ""));
  if (numbers?.old === true) out.push(t("These numbers are from before your last edit."));
  out.push(contractSentence(fn, speech));
  if (file.set !== null)
    out.push(
      t(
        "{0} samples in {1} groups from {2}",
        formatCount(file.set.rows, language),
        formatCount(file.set.groups, language),
        file.set.files.join(", "),
      ),
    );
  for (const state of SCORE_STATES) {
    const count = fn.states[state] ?? 0;
    if (count === 0) continue;
    const fate = fn.fates?.[state];
    const words = [meaningOfState(state, speech), ...(fate ? [fateInWords(fate, fn.contract, speech)] : [])];
    out.push(`${countOfState(state, count, speech)}: ${words.join(" ")}`);
  }
  for (const raised of fn.raised) {
    const where = raised.line === null ? "" : ` (${t("line {0}", raised.line)})`;
    out.push(`${raised.type}: ${oneLine(raised.message, 300)} ×${raised.count}${where}`);
  }
  for (const held of fn.held) out.push(effectHeld(held.effect, held.count, held.target, speech));
  if (fn.histogram !== null) {
    out.push("", t("Distribution of scores"));
    for (const row of histogramRows(fn.histogram, speech)) out.push(`  ${row.range}: ${row.count}`);
  }
  const brief = (row: RowBrief): string =>
    `  ${t("row {0}", row.row + 1)}: ${row.value === null ? countOfState(row.state, 1, speech) : formatScore(row.value, language)}: ${oneLine(row.text, 160)}`;
  if (fn.worst.length > 0) out.push("", t("Worst"), ...fn.worst.map(brief));
  if (fn.best.length > 0) out.push("", t("Best"), ...fn.best.map(brief));
  const lines = [...painting.previews].sort((a, b) => a.line - b.line);
  if (lines.length > 0) {
    out.push("", t("Previews by line"));
    for (const line of lines)
      out.push(`  ${t("line {0}", line.line + 1)}: ${source(line.line).trim()}`, `    ${line.text}`);
  }
  if (painting.never.length > 0)
    out.push(
      "",
      t("Lines that no followed sample reached: {0}", painting.never.map((line) => line + 1).join(", ")),
    );
  return `${out.join("\n")}\n`;
}
