import type { FileScores, FunctionScores, LinePreview } from "../../schema/live";
import type { FileModel } from "../../schema/reward";
import { defLine, type Health } from "../../words/defLine";
import { errorAtLine } from "../../words/errors";
import { formatCount, formatScore, type Speech } from "../../words/format";
import { type LineEdit, moveLine } from "./lines";

/** Text after a line. */
export interface PaintedText {
  readonly line: number;
  readonly text: string;
  readonly old: boolean;
}

export interface PaintedNumbers extends PaintedText {
  readonly function: string | null;
  /** An error instead of numbers. */
  readonly failed: boolean;
  readonly health: Health;
}

/** Everything drawn in one editor for one snapshot. Lines are those of the document as it is now. */
export interface Painting {
  readonly numbers: readonly PaintedNumbers[];
  readonly previews: readonly PaintedText[];
  readonly hit: readonly number[];
  readonly never: readonly number[];
}

export interface PaintedDocument {
  readonly version: number;
  readonly lineCount: number;
  lineText(line: number): string;
}

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** More than this can't be read, and each text costs the editor a style rule. */
const MOST_PREVIEWS = 200;
const PARTING = /^\s*(?:if|elif|else|case|except)\b/u;

export const EMPTY_PAINTING: Painting = { numbers: [], previews: [], hit: [], never: [] };

/**
 * @param edits what changed since the snapshot's version; null = unknown, so only what the model places is drawn
 * @param model where functions stand now, for errors before the first score
 */
export function paint(
  scores: FileScores,
  model: FileModel | undefined,
  document: PaintedDocument,
  edits: readonly LineEdit[] | null,
  visible: readonly LineRange[],
  previews: boolean,
  speech: Speech,
): Painting {
  const moved = scores.docVersion !== -1 && scores.docVersion !== document.version;
  const place = (line: number): number | null => {
    const now = edits === null ? null : moveLine(line, edits);
    return now !== null && now >= 0 && now < document.lineCount ? now : null;
  };
  const numbers: PaintedNumbers[] = [];
  for (const fn of scores.functions) {
    const line = place(fn.line);
    const text = line === null ? null : defLine(fn, scores, moved, speech);
    if (line !== null && text !== null) numbers.push({ line, ...text, function: fn.name });
  }
  if (numbers.length === 0 && scores.error !== null) {
    const text = `✗ ${errorAtLine(scores.error, scores.path, speech)}`;
    for (const fn of model?.functions ?? [])
      if (fn.line < document.lineCount)
        numbers.push({
          line: fn.line,
          text,
          old: true,
          failed: true,
          health: "warning",
          function: fn.name,
        });
  }
  if (!previews || edits === null) return { ...EMPTY_PAINTING, numbers };

  const shown = (line: number): boolean => visible.some((range) => line >= range.from && line <= range.to);
  const byLine = new Map<number, SharedLine>();
  const hit = new Set<number>();
  const never = new Set<number>();
  for (const fn of [...scores.functions].sort((a, b) => a.line - b.line)) {
    if (fn.previews === null) continue;
    const old = moved || fn.status !== "fresh";
    let noteGiven = false;
    for (const preview of fn.previews.lines) {
      const line = place(preview.line);
      if (line === null) continue;
      if (preview.hits > 0) hit.add(line);
      const values = valuesText(preview);
      const counts = countsText(preview, fn, document, line, speech);
      if (values === "" && counts === "") continue;
      const note = noteGiven || values === "" ? "" : noteText(scores, fn, speech);
      if (note !== "") noteGiven = true;
      let at = byLine.get(line);
      if (!at) {
        if (!shown(line) || byLine.size >= MOST_PREVIEWS) continue;
        byLine.set(line, (at = { functions: 0, values: "", counts: [], note: "", old: false }));
      }
      // The pinned sample's values are the same sample's for every function: once is enough.
      if (at.values === "") at.values = values;
      if (counts !== "") at.counts.push({ name: fn.name, text: counts });
      if (at.note === "") at.note = note;
      at.functions++;
      at.old ||= old;
    }
    for (const from of fn.previews.neverHit) {
      const line = place(from);
      if (line !== null && document.lineText(line).trim() !== "") never.add(line);
    }
  }
  return {
    numbers,
    previews: [...byLine].map(([line, shared]) => ({ line, text: sharedText(shared), old: shared.old })),
    hit: [...hit],
    // A helper's line that one reward reaches is reached.
    never: [...never].filter((line) => !hit.has(line)),
  };
}

function noteText(scores: FileScores, fn: FunctionScores, { t, language }: Speech): string {
  const notes: string[] = [];
  if (scores.pinned !== null) notes.push(t("pinned: row {0}", scores.pinned + 1));
  if (fn.previews !== null && fn.previews.traced < fn.previews.of)
    notes.push(
      t(
        "followed {0} of {1}",
        formatCount(fn.previews.traced, language),
        formatCount(fn.previews.of, language),
      ),
    );
  return notes.length === 0 ? "" : `(${notes.join(" · ")})`;
}

/** What the functions that reach a line have to say there; a helper may serve several. */
interface SharedLine {
  functions: number;
  values: string;
  readonly counts: { readonly name: string; readonly text: string }[];
  note: string;
  old: boolean;
}

/** `n = 3 │ ×37 → 0.0`; counts of several functions carry their names: `a ×24 → 1.0 · b ×16 → 0.0`. */
function sharedText({ functions, values, counts, note }: SharedLine): string {
  const said = counts.map(({ name, text }) => (functions > 1 ? `${name} ${text}` : text)).join(" · ");
  const text = [values, said].filter((part) => part !== "").join(" │ ");
  return note === "" ? text : `${text}   ${note}`;
}

/** `found = <4>` */
function valuesText(preview: LinePreview): string {
  return preview.values.map((value) => `${value.name} = ${value.text}`).join("  ");
}

/** `×37 → 0.0`, `×163 → 1.0 ×124, 0.0 ×39`, and at a branch how many went in: `→ 37`. */
function countsText(
  preview: LinePreview,
  fn: FunctionScores,
  document: PaintedDocument,
  line: number,
  speech: Speech,
): string {
  if (preview.hits === 0 || preview.kind === "other") return "";
  if (preview.kind !== "branch") return outcomeText(preview, speech);
  // Loops and `with` are entered by all: only where ways part is the count worth reading.
  const inside = PARTING.test(document.lineText(line)) ? hitsInside(preview, fn, document, line) : null;
  return inside === null ? "" : `→ ${inside}`;
}

/** How many samples took the branch: the count of the first line inside it. */
function hitsInside(
  preview: LinePreview,
  fn: FunctionScores,
  document: PaintedDocument,
  line: number,
): number | null {
  const indent = (text: string): number => text.length - text.trimStart().length;
  const own = indent(document.lineText(line));
  const shift = line - preview.line;
  for (let next = line + 1; next < Math.min(document.lineCount, line + 30); next++) {
    const text = document.lineText(next);
    if (text.trim() === "" || text.trimStart().startsWith("#")) continue;
    if (indent(text) <= own) return null;
    const inside = fn.previews?.lines.find((other) => other.line === next - shift);
    if (inside) return inside.hits;
    return fn.previews?.neverHit.includes(next - shift) ? 0 : null;
  }
  return null;
}

function outcomeText(preview: LinePreview, speech: Speech): string {
  const only = preview.scores.length === 1 && preview.others === 0;
  const scores = preview.scores.map(({ value, count }) => {
    const number = value === null ? speech.t("no score") : formatScore(value, speech.language);
    return only ? number : `${number} ×${count}`;
  });
  if (preview.others > 0) scores.push(speech.t("{0} others", preview.others));
  return scores.length === 0 ? `×${preview.hits}` : `×${preview.hits} → ${scores.join(", ")}`;
}
