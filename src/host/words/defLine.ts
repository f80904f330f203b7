import type { FileScores, FunctionScores } from "../../schema/live";
import { blockedInWords, errorAtLine } from "./errors";
import { formatCount, formatDuration, formatMean, type Speech } from "./format";
import { statesInWords } from "./states";

export interface DefLineText {
  readonly text: string;
  /** Not of the document's present text: to be drawn dimmed. The text says so too. */
  readonly old: boolean;
  /** The present text could not be scored; `text` says why. */
  readonly failed: boolean;
}

/** Mean over scored rows in words, or that there is none. Never a number for what could not be scored. */
export function meanText(fn: FunctionScores, speech: Speech): string | null {
  if (fn.estimate === null || fn.estimate.n === 0) return null;
  return formatMean(fn.estimate.mean, fn.estimate.halfWidth, speech.language);
}

/**
 * What stands at the end of a `def` line, e.g. `● 0.62 ±0.07 · 3 flips ↑2 ↓1 · 4 raised · 2/25 tied · 41 ms`.
 * `moved` is true where the document has changed since these results were made.
 */
export function defLine(
  fn: FunctionScores,
  file: FileScores,
  moved: boolean,
  speech: Speech,
): DefLineText | null {
  const { t, language } = speech;
  const mean = meanText(fn, speech);
  if (file.error !== null && fn.status !== "fresh") {
    const what = errorAtLine(file.error, file.path, speech);
    return {
      text: mean === null ? `✗ ${what}` : `✗ ${t("{0} · showing {1} from before", what, mean)}`,
      old: true,
      failed: true,
    };
  }
  const waits = file.blocked === null ? null : blockedInWords(file.blocked, speech);
  if (fn.status === "none" || (fn.n === 0 && fn.status !== "fresh")) {
    if (waits !== null) return { text: `○ ${waits}`, old: true, failed: false };
    return file.status === "running" || fn.status === "running"
      ? { text: `◌ ${t("scoring…")}`, old: true, failed: false }
      : null;
  }
  const old = moved || fn.status !== "fresh";
  const parts = [mean ?? t("no score")];
  if (fn.n < fn.of) parts.push(t("{0} of {1}", formatCount(fn.n, language), formatCount(fn.of, language)));
  if (fn.flips !== null && fn.flips.up + fn.flips.down > 0) {
    const { up, down } = fn.flips;
    const arrows = [up > 0 ? `↑${up}` : "", down > 0 ? `↓${down}` : ""].filter(Boolean).join(" ");
    parts.push(up + down === 1 ? t("1 flip {0}", arrows) : t("{0} flips {1}", up + down, arrows));
  }
  parts.push(...statesInWords(fn.states, speech, false));
  if (fn.recovered > 0) parts.push(t("{0} recovered", formatCount(fn.recovered, language)));
  if (fn.groups.tied > 0) parts.push(t("{0}/{1} tied", fn.groups.tied, fn.groups.n));
  parts.push(formatDuration(fn.ms, speech));
  if (waits !== null) parts.push(waits);
  else if (fn.status === "old" && !moved && file.status !== "running") parts.push(t("from before"));
  return { text: `${old ? "◌" : "●"} ${parts.join(" · ")}`, old, failed: false };
}
