import type { FileScores, FunctionScores, LinePreview } from "../../schema/live";
import type { FileModel } from "../../schema/reward";
import { defLine } from "../words/defLine";
import { errorAtLine } from "../words/errors";
import { formatCount, formatScore, type Speech } from "../words/format";
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
        numbers.push({ line: fn.line, text, old: true, failed: true, function: fn.name });
  }
  if (!previews || edits === null) return { ...EMPTY_PAINTING, numbers };

  const shown = (line: number): boolean => visible.some((range) => line >= range.from && line <= range.to);
  const texts: PaintedText[] = [];
  const hit = new Set<number>();
  const never = new Set<number>();
  for (const fn of scores.functions) {
    if (fn.previews === null) continue;
    const old = moved || fn.status !== "fresh";
    let noteGiven = false;
    for (const preview of fn.previews.lines) {
      const line = place(preview.line);
      if (line === null) continue;
      if (preview.hits > 0) hit.add(line);
      const text = previewText(preview, fn, document, line, speech);
      if (text === "") continue;
      const note = noteGiven || preview.values.length === 0 ? "" : noteText(scores, fn, speech);
      if (note !== "") noteGiven = true;
      if (shown(line) && texts.length < MOST_PREVIEWS)
        texts.push({ line, text: note === "" ? text : `${text}   ${note}`, old });
    }
    for (const from of fn.previews.neverHit) {
      const line = place(from);
      if (line !== null && document.lineText(line).trim() !== "") never.add(line);
    }
  }
  return {
    numbers,
    previews: texts,
    hit: [...hit].filter((line) => !never.has(line)),
    never: [...never],
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

/** `found = <4>`, `×37 → 0.0`, `×163 → 1.0 ×124, 0.0 ×39`, and at a branch how many went in: `→ 37`. */
export function previewText(
  preview: LinePreview,
  fn: FunctionScores,
  document: PaintedDocument,
  line: number,
  speech: Speech,
): string {
  const parts: string[] = [];
  if (preview.values.length > 0)
    parts.push(preview.values.map((value) => `${value.name} = ${value.text}`).join("  "));
  if (preview.hits > 0) {
    if (preview.kind === "branch") {
      // Loops and `with` are entered by all: only where ways part is the count worth reading.
      const inside = PARTING.test(document.lineText(line)) ? hitsInside(preview, fn, document, line) : null;
      if (inside !== null) parts.push(`→ ${inside}`);
    } else if (preview.kind !== "other") parts.push(outcomeText(preview, speech));
  }
  return parts.join(" │ ");
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
