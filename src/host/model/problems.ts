import type { FileScores } from "../../schema/live";
import type { FileModel, Range } from "../../schema/reward";
import { errorAtLine } from "../../words/errors";
import { formatCount, oneLine, type Speech } from "../../words/format";
import { effectHeld } from "../../words/states";
import { type LineEdit, moveLine } from "./lines";

export interface Problem {
  /** File that it stands in; null = the reward file itself. */
  readonly path: string | null;
  readonly range: Range;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly code: string;
  /** The code names a page in docs/findings. */
  readonly documented: boolean;
}

/** VS Code shows at most 1,000 a file; nobody reads more than these. */
const MOST_PROBLEMS = 100;

const lineRange = (line: number): Range => ({
  start: { line, character: 0 },
  end: { line, character: Number.MAX_SAFE_INTEGER },
});

/** What belongs in the Problems view for one snapshot, placed in the document as it is now. */
export function problemsOf(
  scores: FileScores,
  model: FileModel | undefined,
  edits: readonly LineEdit[] | null,
  speech: Speech,
): Problem[] {
  const { t, language } = speech;
  const problems: Problem[] = [];
  const place = (line: number): number | null => (edits === null ? null : moveLine(line, edits));
  const add = (problem: Problem): void => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  if (scores.error !== null) {
    const { error } = scores;
    const elsewhere = error.path !== null && error.path !== scores.path ? error.path : null;
    const line = (error.line ?? 1) - 1;
    const at = elsewhere === null ? (place(line) ?? line) : line;
    add({
      path: elsewhere,
      range:
        error.column === null
          ? lineRange(at)
          : { start: { line: at, character: Math.max(0, error.column - 1) }, end: lineRange(at).end },
      severity: "error",
      message: errorMessage(error, scores.path, speech),
      code: error.code,
      documented: false,
    });
  }
  for (const fn of scores.functions) {
    const definition = place(fn.line);
    const named = model?.functions.find((one) => one.name === fn.name)?.nameRange;
    for (const raised of fn.raised) {
      const line = raised.line === null ? definition : place(raised.line - 1);
      if (line === null) continue;
      const what = `${raised.type}: ${oneLine(raised.message, 300)}`;
      const rows = raised.rows.map((row) => formatCount(row + 1, language)).join(", ");
      const more = raised.count > raised.rows.length ? "…" : "";
      add({
        path: null,
        range: lineRange(line),
        severity: "error",
        message: `${raised.count === 1 ? t("raised in 1 row: {0}", what) : t("raised in {0} rows: {1}", formatCount(raised.count, language), what)}${rows === "" ? "" : `\n${t("{0}, sample rows {1}", fn.name, `${rows}${more}`)}`}`,
        code: "raised",
        documented: false,
      });
    }
    for (const held of fn.held)
      if (definition !== null)
        add({
          path: null,
          range: named?.start.line === definition ? named : lineRange(definition),
          severity: "info",
          message: effectHeld(held.effect, held.count, held.target, speech),
          code: "held",
          documented: false,
        });
  }
  for (const finding of scores.findings) {
    const fn = scores.functions.find((one) => one.name === finding.function);
    const named = model?.functions.find((one) => one.name === finding.function);
    const start = finding.range === null ? null : place(finding.range.start.line);
    const end = finding.range === null ? null : place(finding.range.end.line);
    const home =
      named?.nameRange ??
      (fn ? lineRange(place(fn.line) ?? fn.line) : (model?.functions[0]?.nameRange ?? lineRange(0)));
    const range =
      finding.range !== null && start !== null && end !== null
        ? {
            start: { line: start, character: finding.range.start.character },
            end: { line: end, character: finding.range.end.character },
          }
        : home;
    add({
      path: null,
      range,
      severity: finding.severity,
      message: finding.cure === null ? finding.message : `${finding.message}\n${finding.cure}`,
      code: finding.code,
      documented: true,
    });
  }
  return problems;
}

function errorMessage(error: NonNullable<FileScores["error"]>, path: string, speech: Speech): string {
  const short = errorAtLine(error, path, speech);
  const full = oneLine(error.message, 600);
  return short.includes(oneLine(error.message, 120)) ? short : `${short}: ${full}`;
}
