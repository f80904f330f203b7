import type { FileScores, FunctionScores } from "../schema/live";
import { SCORE_STATES } from "../schema/score";
import { blockedInWords, errorAtLine } from "./errors";
import { formatCount, formatDuration, formatMean, type Speech } from "./format";
import { statesInWords } from "./states";

/** `error`: nothing could be scored; `warning`: some rows would end or spoil the trainer's run. */
export type Health = "good" | "warning" | "error";

/** In these states the trainer's run ends, whatever its configuration says of the rest. */
const BREAKING = ["raised", "crashed", "invalid-return"] as const;

export function healthOf(fn: Pick<FunctionScores, "n" | "states" | "fates">): Health {
  if (fn.n > 0 && (fn.states.scored ?? 0) === 0) return "error";
  const breaks = SCORE_STATES.some((state) => {
    const fate = fn.fates?.[state];
    return (fn.states[state] ?? 0) > 0 && (fate?.word === "stops" || fate?.word === "poisons" || fate?.waits);
  });
  return breaks || BREAKING.some((state) => (fn.states[state] ?? 0) > 0) ? "warning" : "good";
}

const SIGNS: Readonly<Record<Health, string>> = { good: "●", warning: "▲", error: "✕" };

export interface DefLineText {
  readonly text: string;
  /** Not of the document's present text: to be drawn dimmed. The text says so too. */
  readonly old: boolean;
  /** The present text could not be scored; `text` says why. */
  readonly failed: boolean;
  /** Shown by the sign that the text begins with, too. */
  readonly health: Health;
}

/** Mean over scored rows in words, or that there is none. Never a number for what could not be scored. */
export function meanText(fn: FunctionScores, speech: Speech): string | null {
  if (fn.estimate === null || fn.estimate.n === 0) return null;
  return formatMean(fn.estimate.mean, fn.estimate.halfWidth, speech.language);
}

/**
 * What stands at the end of a `def` line, e.g. `▲ 0.62 ±0.07 · 3 flips ↑2 ↓1 · 4 raised · 2/25 tied · 41 ms`.
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
      health: "warning",
    };
  }
  const waits = file.blocked === null ? null : blockedInWords(file.blocked, speech);
  if (fn.status === "none" || (fn.n === 0 && fn.status !== "fresh")) {
    if (waits !== null) return { text: `○ ${waits}`, old: true, failed: false, health: "good" };
    return file.status === "running" || fn.status === "running"
      ? { text: `◌ ${t("scoring…")}`, old: true, failed: false, health: "good" }
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
  const health = healthOf(fn);
  return { text: `${old ? "◌" : SIGNS[health]} ${parts.join(" · ")}`, old, failed: false, health };
}
